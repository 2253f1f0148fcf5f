"""Secret values at rest, in memory and in logs."""

from __future__ import annotations

import copy
import io
import json
import logging
import pickle

import pytest

from runtime.services.secrets import MASK, LogMask, SecretUnreadable, SecretValue, decrypt, encrypt, mask, rotate

VALUE = "canary-98b1-very-secret"


def test_what_is_stored_is_encrypted_and_comes_back(settings) -> None:
    cipher = encrypt(VALUE.encode())
    assert VALUE.encode() not in cipher
    assert encrypt(VALUE.encode()) != cipher
    assert decrypt(cipher) == decrypt(memoryview(cipher)) == VALUE.encode()


def test_an_older_key_still_reads_and_rotation_moves_on(settings) -> None:
    settings.SECRET_KEY = "the old key"
    old = encrypt(b"value")
    settings.SECRET_KEY = "the new key"
    with pytest.raises(SecretUnreadable) as unreadable:
        decrypt(old)
    assert "SECRET_KEYS" in unreadable.value.message
    settings.SECRET_KEYS = ["another", "the old key"]
    assert decrypt(old) == b"value"
    moved = rotate(old)
    settings.SECRET_KEYS = []
    assert decrypt(moved) == b"value"
    with pytest.raises(SecretUnreadable):
        rotate(old)
    with pytest.raises(SecretUnreadable):
        decrypt(b"no cipher at all")


def test_a_secret_value_does_not_show_itself() -> None:
    secret = SecretValue(VALUE, ["api.example.com"])
    for shown in (
        repr(secret),
        str(secret),
        f"{secret}",
        f"{secret:>80}",
        "{}".format(secret),  # noqa: UP032 formatting is what is tested
        repr([secret]),
        repr({"a": secret}),
    ):
        assert VALUE not in shown and MASK in shown
    with pytest.raises(TypeError):
        json.dumps(secret)
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(AttributeError):
        secret.value = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        vars(secret)
    assert copy.deepcopy(secret) is secret
    assert secret == SecretValue(VALUE, ["api.example.com"]) and secret != SecretValue(VALUE, [])
    assert hash(secret) == hash(SecretValue(VALUE, ["api.example.com"]))


def test_logs_are_masked_with_their_tracebacks() -> None:
    SecretValue(VALUE)
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(LogMask())
    log = logging.getLogger("tests.secrets")
    log.addHandler(handler)
    log.propagate = False
    try:
        log.warning("key %s in %r", VALUE, {"key": VALUE})
        log.warning("plain words, 100%")
        try:
            raise ValueError(f"bad key {VALUE}")
        except ValueError:
            log.exception("failed with %s", VALUE)
    finally:
        log.removeHandler(handler)
    written = stream.getvalue()
    assert VALUE not in written
    assert written.count(MASK) >= 4 and "ValueError: bad key" in written and "plain words, 100%" in written


def test_masking_leaves_short_words_alone() -> None:
    assert mask("a1b1", ["1", ""]) == "a1b1"
    assert mask("see sk%2F1+x and sk/1 x", ["sk/1 x"]) == f"see {MASK} and {MASK}"
