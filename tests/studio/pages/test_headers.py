"""What every answer carries, and what an error never shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import path

from flows.models import Workspace
from studio.entry import entry
from studio.strings import catalogue, t
from studio.urls import urlpatterns as ours
from tests.studio.pages.conftest import Clients


def test_every_page_is_guarded_by_a_policy_with_a_fresh_nonce(db: None) -> None:
    # reliability §4.7
    first, second = Client().get("/sign-in"), Client().get("/nowhere")
    for reply in (first, second):
        policy = reply["Content-Security-Policy"]
        for part in (
            "default-src 'none'", "object-src 'none'", "base-uri 'none'", "form-action 'self'",
            "frame-ancestors 'none'", "require-trusted-types-for 'script'", "connect-src 'self'",
        ):  # fmt: skip
            assert part in policy
        assert "unsafe" not in policy
        assert reply["X-Content-Type-Options"] == "nosniff"
        assert reply["Referrer-Policy"] == "same-origin"
        assert reply["Cross-Origin-Opener-Policy"] == "same-origin"
        assert reply["Cross-Origin-Resource-Policy"] == "same-origin"
        assert reply["X-Frame-Options"] == "DENY"
        assert "no-store" in reply["Cache-Control"]
    nonces = [re.search(r"'nonce-([^']+)'", reply["Content-Security-Policy"]) for reply in (first, second)]
    assert all(nonces)
    assert nonces[0][1] != nonces[1][1]


def test_pages_use_no_inline_style_or_handler() -> None:
    # The policy would refuse them, and the page would be broken without anybody seeing why.
    folder = Path(__file__).resolve().parents[3] / "studio" / "templates"
    for file in folder.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"<[^>]*\s(style|on[a-z]+)=", text), file.name
        assert not re.search(r"<script(?![^>]*(src|application/json))", text), file.name


def test_an_address_that_does_not_exist_says_so(workspace: Workspace, member_client: Clients) -> None:
    page = member_client("owner").get("/nowhere/at/all")
    assert page.status_code == 404
    assert "Nothing here" in page.content.decode()
    api = member_client("owner").get("/api/nowhere")
    assert (api.status_code, api.json()["code"]) == (404, "NOT_FOUND")
    assert Client().get("/static/nowhere.js").status_code == 404


def _broken(request: object) -> None:
    raise ZeroDivisionError("canary")


urlpatterns = [*ours, path("broken", _broken), path("api/broken", _broken)]
handler404 = "studio.pages.errors.not_found"
handler500 = "studio.pages.errors.server_error"


@pytest.mark.urls("tests.studio.pages.test_headers")
def test_a_bug_shows_no_trace(db: None) -> None:
    client = Client(raise_request_exception=False)
    page, api = client.get("/broken"), client.get("/api/broken")
    assert page.status_code == api.status_code == 500
    assert "Something broke on our side" in page.content.decode()
    assert json.loads(api.content)["code"] == "SERVER_ERROR"
    for reply in (page, api):
        assert b"canary" not in reply.content
        assert b"Traceback" not in reply.content


def test_wrong_methods_are_refused(workspace: Workspace, member_client: Clients) -> None:
    client = member_client("builder")
    assert client.get("/sign-out").status_code == 405
    assert client.get("/flows/new").status_code == 405
    assert client.delete("/api/flows/check").json()["code"] == "METHOD_NOT_ALLOWED"


def test_every_sentence_named_in_a_template_or_a_page_exists() -> None:
    root = Path(__file__).resolve().parents[3] / "studio"
    found: set[str] = set()
    for file in [*root.rglob("*.html"), *root.rglob("*.py")]:
        text = file.read_text(encoding="utf-8")
        found |= set(re.findall(r"""\{% t ["']([\w.]+)["'](?! ?\|)""", text))
        found |= set(re.findall(r"""(?<![\w.])t\(\s*["']([\w.]+)["']""", text))
    missing = {key for key in found if key not in catalogue() and not key.endswith(".")}
    assert len(found) > 200
    assert not missing


def test_sentences_are_filled_and_counted() -> None:
    assert t("flows.problems", count=1) == "1 problem"
    assert t("flows.problems", count=3) == "3 problems"
    with pytest.raises(KeyError):
        t("no.such.key")
    with pytest.raises(KeyError):
        t("flows.live", other=1)


def test_the_bundle_is_found_by_its_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from studio import entry as module

    manifest = {
        "src/pages/main.ts": {"file": "assets/pages-1.js", "name": "pages", "isEntry": True, "imports": ["_base.js"]},
        "_base.js": {"file": "assets/base-1.js", "css": ["assets/base-1.css"]},
    }
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setattr(module, "DIST", tmp_path)
    monkeypatch.setattr(module, "_read", {})
    found = entry("pages")
    assert (found.script, found.styles) == ("/static/dist/assets/pages-1.js", ("/static/dist/assets/base-1.css",))
    assert entry("nothing").script == ""
