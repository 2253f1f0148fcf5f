"""Zips and folders that somebody made to do harm: each ends in words, and nothing leaves its place."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

import pytest

from studio.refusal import Refusal
from studio.transfer.archive import MAX_ZIP, pack, unpack
from studio.transfer.parts import sort
from studio.transfer.sent import MAX_FILES, of_files

FLOW = b'{"version": "0.33"}'


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", how) as archive:
        for entry, words in files:
            archive.writestr(entry, words)
    return raw.getvalue()


def link(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


def refusal(raw: bytes) -> str:
    with pytest.raises(Refusal) as refused:
        unpack(raw, "x")
    assert refused.value.message
    return refused.value.code


@pytest.mark.parametrize(
    "path",
    [
        "../flow.json", "a/../../flow.json", "/etc/flow.json", "\\\\server\\flow.json", "C:/flow.json", "c:flow.json",
        "a\\..\\flow.json", "~/flow.json", "a//flow.json", "a/./flow.json", "a/ /flow.json", "nul\x07/flow.json",
        "a\u202e/flow.json", "a/b/c/d/e/f/g/h/i/j/flow.json", f"{'x' * 300}/flow.json", "e\u0301/flow.json",
        "a?/flow.json",
    ],
)  # fmt: skip
def test_no_path_leads_out(path: str) -> None:
    for sent in (
        unpack(zipped((path, FLOW), ("ok/flow.json", FLOW)), "x"),
        of_files("x", [(path, FLOW), ("ok/flow.json", FLOW)]),
    ):
        assert set(sent.files) == {"flow.json"}, path
        assert len(sent.left) == 1


def test_what_is_hidden_or_litter_is_passed_over_in_silence() -> None:
    litter = [
        "__MACOSX/._flow.json", ".git/hooks/x.py", "node_modules/x/flow.json", ".DS_Store", "a/.venv/x.py",
        "a/__pycache__/x.py",
    ]  # fmt: skip
    sent = unpack(zipped(*((path, b"x") for path in litter), ("flow.json", FLOW)), "x")
    assert (set(sent.files), sent.left) == ({"flow.json"}, [])


def test_links_locked_files_and_odd_packing_are_left_out() -> None:
    raw = bytearray(zipped((link("link.json"), b"/etc/passwd"), ("flow.json", FLOW)))
    sent = unpack(bytes(raw), "x")
    assert [(each.path, each.words) for each in sent.left] == [("link.json", "It is a link to another file.")]
    locked = bytearray(zipped(("locked.json", b"[]"), ("flow.json", FLOW)))
    at = locked.index(b"PK\x01\x02") + 8
    locked[at : at + 2] = struct.pack("<H", 1)
    assert [each.words for each in unpack(bytes(locked), "x").left] == ["It is locked with a password."]
    assert [each.words for each in unpack(zipped(("flow.json", FLOW), how=zipfile.ZIP_BZIP2), "x").left] == [
        "It is packed in a way that is not read here."
    ]


def test_a_bomb_is_refused_before_it_is_whole() -> None:
    # LG-export-07
    assert refusal(zipped(("flow.json", b" " * 900_000 + FLOW))) == "ZIP_BOMB"
    # Many small ones: each grows by less, and all together are too much.
    words = b"".join(b"%d," % number for number in range(150_000))
    assert refusal(zipped(*((f"{number}.json", words) for number in range(40)))) == "IMPORT_TOO_LARGE"


def test_a_size_that_a_zip_lies_about_changes_nothing() -> None:
    raw = bytearray(zipped(("flow.json", b'"' + b"ab" * 60_000 + b'"')))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = raw.index(mark) + offset
        raw[at : at + 4] = struct.pack("<L", 10)
    assert refusal(bytes(raw)) in ("ZIP_BROKEN", "ZIP_BOMB")


def test_too_many_files_are_refused_from_the_list_of_them() -> None:
    # LG-export-07
    many = zipped(*((f"{number}.json", b"") for number in range(MAX_FILES + 1)))
    assert refusal(many) == "IMPORT_TOO_MANY"
    lying = bytearray(many)
    at = lying.rindex(b"PK\x05\x06")
    lying[at + 8 : at + 12] = struct.pack("<HH", 1, 1)
    assert refusal(bytes(lying)) in ("IMPORT_TOO_MANY", "ZIP_BROKEN")
    with pytest.raises(Refusal, match="more than 2,000 files"):
        of_files("x", ((f"{number}.txt", b"") for number in range(MAX_FILES + 1)))


def test_a_list_of_files_is_no_longer_where_it_is_told_elsewhere() -> None:
    many = zipped(*((f"{number}.json", b"") for number in range(MAX_FILES + 1)))
    end = many.rindex(b"PK\x05\x06")
    count, size, start = struct.unpack("<HLL", many[end + 10 : end + 20])

    def told(at: int) -> bytes:
        large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
        place = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
        return many[:end] + large + place + b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 1, 1, 46, 0, 0)

    with zipfile.ZipFile(io.BytesIO(told(end))) as archive:
        assert len(archive.infolist()) == MAX_FILES + 1
    assert refusal(told(end)) == "IMPORT_TOO_MANY"
    assert refusal(told(0)) == "ZIP_BROKEN"


def test_two_files_of_one_name_are_not_both_taken() -> None:
    sent = of_files("x", [("flow.json", FLOW), ("Flow.json", b"[]"), ("flow.json", b"{}")])
    assert sent.files == {"flow.json": FLOW.decode()}
    assert len(sent.left) == 2


@pytest.mark.parametrize(
    "raw", [b"PK\x03\x04", b"PK\x05\x06", b"PK\x05\x06" + b"\xff" * 18, b"PK\x03\x04" + b"\x00" * 100]
)
def test_what_is_no_zip_is_said_to_be_none(raw: bytes) -> None:
    assert refusal(raw) in ("ZIP_BROKEN", "IMPORT_TOO_MANY")


def test_every_cut_and_flipped_byte_ends_in_words() -> None:
    good = pack({"flow.json": FLOW.decode(), "tests/a.test.json": "{}"})
    for at in range(len(good)):
        for bad in (good[:at], good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :]):
            try:
                unpack(bad, "x")
            except Refusal as refused:
                assert refused.code in ("ZIP_BROKEN", "ZIP_BOMB", "IMPORT_TOO_MANY")


def test_a_zip_that_is_too_large_is_not_looked_into() -> None:
    assert refusal(b"PK\x03\x04" + b"\x00" * MAX_ZIP) == "IMPORT_TOO_LARGE"


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"layout.json": '{"nodes": {"a": {"x": "far"}}}'}, {"layout.json": "does not say where nodes stand"}),
        ({"layout.json": "["}, {"layout.json": "does not say where nodes stand"}),
        ({"handlers.py": "def ("}, {"handlers.py": "this is not Python"}),
        ({"handlers.py": "import os\nos.remove('x')\n"}, {"handlers.py": "only imports, constants and functions"}),
        ({"package.json": '{"name": "x"}'}, {"package.json": "No flow reads a file like this."}),
        ({"other/notes.json": "{}"}, {"other/notes.json": "No flow reads a file like this."}),
        ({"manifest.json": "[" * 100}, {}),
        ({"manifest.json": '{"format": 1, "flow": "../x", "flows": [{"file": "flow.json", "id": "no"}]}'}, {}),
        ({"manifest.json": '{"format": 1, "flow": "gone.json", "place": "../.."}'}, {}),
        ({"agents.json": '{"agents": {"a": {"flow": "../../x"}}}'}, {}),
    ],
)  # fmt: skip
def test_what_is_broken_beside_a_flow_is_said_and_the_rest_is_taken(
    files: dict[str, str], left: dict[str, str]
) -> None:
    flow = '{"version": "0.33", "start": "a", "nodes": [{"id": "a", "handler": "go", "description": "Goes."}]}'
    contents = sort(of_files("x", [(path, words.encode()) for path, words in {"flow.json": flow, **files}.items()]))
    assert contents.top.file == "flow.json"
    assert {each.path for each in contents.left} == set(left)
    for each in contents.left:
        assert left[each.path] in each.words
