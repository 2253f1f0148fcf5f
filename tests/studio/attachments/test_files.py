"""Files over HTTP: what is taken and what is refused, who may open one, and how it is handed out."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as product
from django.core.files.base import ContentFile
from django.test import Client

from flows.scope import current
from runtime import cards
from runtime.files import keeping, sweeping
from runtime.models import Conversation, Deployment, Question, Run, StoredFile
from studio.models import Look
from tests.studio.attachments.conftest import DOCUMENT, give
from tests.studio.chat.test_deciding import decide, inbox
from tests.studio.chat.test_talking import post, say, visitor
from tests.support import talk
from tests.support.pictures import gif, png


def sent(client: Client, agent: Deployment, photo: Any, **body: Any) -> Any:
    return say(client, agent, inputs={"photo": photo}, key=uuid.uuid4().hex, **body)


def opened(client: Client, ref: Any, **headers: str) -> Any:
    return client.get(ref["url"], headers=headers)


def laid() -> list[str]:
    """What lies in the store of this workspace."""
    return sorted(path.name for path in (Path(product.FILES_FOLDER) / current().hex).glob("*"))


# LG-files-02
def test_a_file_is_given_for_an_input_and_the_channel_holds_its_reference(desk: Deployment, member_client: Any) -> None:
    client = member_client("member", "Dana")
    ref = give(client, "/api/a/desk/files", "Goods.PNG", png())
    assert ref.status_code == 201
    assert ref.json() == {
        "id": ref.json()["id"], "name": "Goods.PNG", "mediaType": "image/png",
        "url": f"/files/{ref.json()['id']}", "bytes": len(png()),
    }  # fmt: skip
    # Whatever else is said of it is not believed.
    forged = {"id": ref.json()["id"], "name": "x.exe", "url": "https://elsewhere.example", "bytes": 1, "path": "/etc"}
    reply = sent(client, desk, forged)
    assert reply.status_code == 202
    run = Run.objects.get(id=reply.json()["run"])
    assert run.inputs == {"question": "Hello", "photo": ref.json()}
    row = StoredFile.objects.get()
    assert (row.conversation_id, row.run_id, row.given) == (run.conversation_id, run.id, True)
    # The same file once more in the same conversation is the same file.
    assert sent(client, desk, ref.json(), conversation=str(run.conversation_id)).status_code == 202
    assert sent(client, desk, None, conversation=str(run.conversation_id)).status_code == 202


REFUSED: list[tuple[str, bytes, str, int, str]] = [
    ("a.png", b"", "FILE_EMPTY", 422, "empty"),
    ("a.png", b"<svg onload=alert(1)>", "FILE_IS_OTHER", 422, "says image/png"),
    ("a.pdf", b"%PDF-1.7", "FILE_NOT_ACCEPTED", 422, "image/*"),
    ("a.svg", b"<svg/>", "", 201, ""),
    ("a.png", png() + bytes(1_000_001), "FILE_TOO_LARGE", 413, "larger than 1 MB"),
]


@pytest.mark.parametrize(("name", "content", "code", "status", "words"), REFUSED)
def test_what_is_not_taken_is_refused_in_words(
    desk: Deployment, member_client: Any, settings: Any, name: str, content: bytes, code: str, status: int, words: str
) -> None:
    settings.FILE_LARGEST = 1 << 20
    content = content + bytes(100_000) if len(content) > 1_000_000 else content
    reply = give(member_client("member"), "/api/a/desk/files", name, content)
    assert (reply.status_code, reply.json().get("code", "")) == (status, code)
    assert words in reply.json().get("message", "")
    assert StoredFile.objects.count() == (1 if status == 201 else 0) == len(laid())


def test_one_file_at_a_time_and_only_where_one_is_asked_for(desk: Deployment, member_client: Any) -> None:
    client = member_client("member")
    assert give(client, "/api/a/desk/files", "a.png", png(), "question").json()["code"] == "NO_FILE_INPUT"
    assert give(client, "/api/a/desk/files", "a.png", png(), "nothing").json()["code"] == "NO_FILE_INPUT"
    assert client.post("/api/a/desk/files?input=photo").json()["code"] == "ONE_FILE"
    body = {"file": {"filepath": "/etc/passwd", "name": "x"}}
    assert post(client, "/api/a/desk/files?input=photo", body).status_code == 415
    assert give(Client(), "/api/a/desk/files", "a.png", png()).status_code == 401
    unchecked = Client(enforce_csrf_checks=True)
    unchecked.cookies = client.cookies
    assert give(unchecked, "/api/a/desk/files", "a.png", png()).json()["code"] == "CSRF_FAILED"


def test_a_person_gives_so_much_a_day(desk: Deployment, member_client: Any, settings: Any) -> None:
    settings.FILES_A_DAY = 2 * len(png()) + 10
    client, other = member_client("member", "Dana"), member_client("member", "Otto")
    assert [give(client, "/api/a/desk/files", "a.png", png()).status_code for _ in range(3)] == [201, 201, 429]
    assert give(other, "/api/a/desk/files", "a.png", png()).status_code == 201


def test_only_the_id_of_a_file_of_ones_own_counts(desk: Deployment, member_client: Any) -> None:
    dana, otto = member_client("member", "Dana"), member_client("member", "Otto")
    mine = give(dana, "/api/a/desk/files", "a.png", png()).json()
    paper = give(dana, "/api/a/desk/files", "a.txt", b"hello", "paper").json()
    for client, photo in (
        (otto, mine), (dana, {"id": str(uuid.uuid4())}), (dana, {"url": mine["url"]}), (dana, mine["id"]),
        (dana, {"id": "../../etc/passwd"}), (dana, {"id": 7}), (dana, [mine]),
    ):  # fmt: skip
        refused = sent(client, desk, photo)
        assert (refused.status_code, refused.json()["fields"]) == (
            422, {"photo": '"Photo" is not here any more. Choose the file again.'},
        )  # fmt: skip
    # What one input takes, another need not.
    assert "image/*" in sent(dana, desk, paper).json()["fields"]["photo"]
    assert not Run.objects.exists()


def test_who_may_see_the_conversation_may_open_its_files(workspace: Any, member_client: Any, user: Any) -> None:
    desk = talk.agent("open-desk", DOCUMENT, access="link", link_token="t" * 32)
    guest, other = visitor(desk), visitor(desk)
    ref = give(guest, "/api/a/open-desk/files", "a.png", png()).json()
    for client, status in (
        (guest, 200), (other, 404), (Client(), 302), (member_client("member"), 404), (member_client("builder"), 404),
        (member_client("owner"), 404),
    ):  # fmt: skip
        assert opened(client, ref).status_code == status
    run = sent(guest, desk, ref).json()["run"]
    assert not Look.objects.exists()
    assert [opened(member_client(role), ref).status_code for role in ("owner", "builder")] == [200, 404]
    assert str(Look.objects.get().run) == run
    assert [opened(client, ref).status_code for client in (guest, other)] == [200, 404]
    # It is no upload any more that its giver could take back.
    assert guest.delete(f"/api/files/{ref['id']}").status_code == 204
    assert opened(guest, ref).status_code == 200
    fresh = give(guest, "/api/a/open-desk/files", "b.png", png()).json()
    assert other.delete(f"/api/files/{fresh['id']}").status_code == 404
    assert guest.delete(f"/api/files/{fresh['id']}").status_code == 204
    assert opened(guest, fresh).status_code == 404
    assert guest.get("/files/no-id").status_code == 404


def test_who_decides_a_card_opens_the_files_that_it_names(desk: Deployment, member_client: Any, user: Any) -> None:
    dana, rina = member_client("member", "Dana"), member_client("reviewer", "Rina")
    ref = give(dana, "/api/a/desk/files", "a.png", png()).json()
    other = give(dana, "/api/a/desk/files", "b.png", gif()[:0] + png(3)).json()
    run = Run.objects.get(id=sent(dana, desk, ref).json()["run"])
    sent(dana, desk, other, conversation=str(run.conversation_id))
    assert opened(rina, ref).status_code == 404
    question = talk.ask(run, "approval", decider="reviewers")
    shown = [{"label": "Photo", "channel": "photo", "value": ref}]
    sealed = cards.seal({**cards.read(question.payload), "show": shown})
    Question.objects.filter(id=question.id).update(payload=sealed.payload, digest=sealed.digest)
    assert [opened(rina, each).status_code for each in (ref, other)] == [200, 404]
    assert inbox(rina)["rows"][0]["summary"] == "a.png"


def test_what_could_run_is_only_downloaded(desk: Deployment, member_client: Any) -> None:
    client = member_client("member")
    inline = {"a.png": png(), "a.mp3": b"ID3\x04\0\0" + bytes(60)}
    saved = {
        "page.html": b"<script>alert(1)</script>", "a.svg": b"<svg onload=alert(1)/>", "a.pdf": b"%PDF-1.7",
        "a.xml": b"<a/>", "a.js": b"alert(1)", "a.txt": b"<html>", "huge.png": png()[:16] + b"\xff" * 8 + png()[24:],
        'q"\u202e;\n.txt': b"x",
    }  # fmt: skip
    for name, content in {**inline, **saved}.items():
        reply = opened(client, give(client, "/api/a/desk/files", name, content, "paper").json())
        assert (reply.status_code, reply.content, reply["X-Content-Type-Options"]) == (200, content, "nosniff")
        assert reply["Content-Security-Policy"].startswith("default-src 'none'; sandbox")
        assert reply["Cross-Origin-Resource-Policy"] == "same-origin"
        way, type = reply["Content-Disposition"].partition(";")[0], reply["Content-Type"]
        assert (way == "inline", type != "application/octet-stream") == (
            (True, True) if name in inline else (False, False)
        )
    ref = give(client, "/api/a/desk/files", "été.png", png(), "paper").json()
    reply = client.get(ref["url"] + "?download=1")
    assert reply["Content-Disposition"] == "attachment; filename*=utf-8''%C3%A9t%C3%A9.png"


def test_players_jump_within_a_recording(desk: Deployment, member_client: Any) -> None:
    client, song = member_client("member"), b"ID3\x04\0\0" + bytes(range(100))
    ref = give(client, "/api/a/desk/files", "a.mp3", song, "paper").json()
    for wanted, start, end in (("bytes=0-", 0, 106), ("bytes=10-19", 10, 20), ("bytes=-6", 100, 106)):
        part = opened(client, ref, Range=wanted)
        assert (part.status_code, part.content) == (206, song[start:end])
        assert part["Content-Range"] == f"bytes {start}-{end - 1}/106"
    for odd in ("bytes=200-", "bytes=9-3", "bytes=-", "bytes=-0", "lines=1-2", "bytes=0-1,3-4"):
        assert (opened(client, ref, Range=odd).status_code, opened(client, ref, Range=odd).content) == (200, song)


def test_equal_content_lies_there_once_and_goes_with_its_last_row(
    desk: Deployment, member_client: Any, django_capture_on_commit_callbacks: Any
) -> None:
    client = member_client("member")
    refs = [give(client, "/api/a/desk/files", f"{at}.png", png(7)).json() for at in range(2)]
    first, second = (StoredFile.objects.get(id=ref["id"]) for ref in refs)
    assert first.place == second.place and first.place.partition("/")[2] in laid()
    talks = [sent(client, desk, ref).json()["conversation"] for ref in refs]
    with django_capture_on_commit_callbacks(execute=True):
        Conversation.objects.get(id=talks[0]).delete()
    assert [opened(client, ref).status_code for ref in refs] == [404, 200]
    with django_capture_on_commit_callbacks(execute=True):
        Conversation.objects.get(id=talks[1]).delete()
    assert first.place.partition("/")[2] not in laid()


def test_bytes_that_changed_or_went_are_told_and_never_handed_out(desk: Deployment, member_client: Any) -> None:
    client = member_client("member")
    ref = give(client, "/api/a/desk/files", "a.png", png(9)).json()
    place = Path(product.FILES_FOLDER) / StoredFile.objects.get().place
    place.chmod(0o600)
    place.write_bytes(png(8))
    reply = client.get(ref["url"], headers={"Accept": "text/html"})
    assert reply.status_code == 410 and "was changed where it is stored" in reply.content.decode()
    place.unlink()
    assert "is not here any more" in opened(client, ref).content.decode()


def test_uploads_that_no_message_brought_are_swept(
    desk: Deployment, member_client: Any, django_capture_on_commit_callbacks: Any
) -> None:
    client = member_client("member")
    kept = give(client, "/api/a/desk/files", "a.png", png(10)).json()
    left = give(client, "/api/a/desk/files", "b.png", png(11)).json()
    sent(client, desk, kept)
    long_ago = StoredFile.objects.get(id=kept["id"]).created_at.replace(year=2020)
    StoredFile.objects.update(created_at=long_ago)
    with django_capture_on_commit_callbacks(execute=True):
        assert sweeping.stale() == 1
    assert [opened(client, ref).status_code for ref in (kept, left)] == [200, 404]
    # Bytes without a row are those of a writer that is gone, once they are old.
    lost = keeping.storage().save(f"{current().hex}/lost", ContentFile(b"nobody's"))
    assert sweeping.orphans() == 0
    path = Path(product.FILES_FOLDER) / lost
    os.utime(path, (0, 0))
    assert sweeping.orphans() == 1 and not path.exists()
    before = long_ago.replace(year=2021)
    assert (sweeping.count(before), sweeping.expire(before)) == (0, 0)
    Run.objects.update(status="done")
    # A later turn of the conversation, which waits, may read what an earlier one was given.
    later = talk.run(Conversation.objects.get(id=StoredFile.objects.get().conversation_id))
    Run.objects.filter(id=later.id).update(status="waiting")
    assert (sweeping.count(before), sweeping.expire(before)) == (0, 0)
    Run.objects.update(status="done")
    assert (sweeping.count(before), sweeping.expire(before)) == (1, 1)


# LG-forms-02
def test_a_form_takes_a_file_of_who_answers_it(workspace: Any, member_client: Any, user: Any) -> None:
    desk = talk.agent("desk", DOCUMENT)
    run = talk.run(talk.conversation(desk, user("member", "Dana")))
    fields = {"photo": {"type": "file", "accept": "image/*", "required": True, "label": "Photo"}}
    at = talk.place(run, "place#1")
    payload = cards.form_payload(at, cards.Terms("starter", False, None), title="A photo?", fields=fields, values={})
    question = talk.ask(run, "form")
    sealed = cards.seal(payload)
    Question.objects.filter(id=question.id).update(payload=sealed.payload, digest=sealed.digest)
    question.refresh_from_db()
    dana, otto = member_client("member", "Dana"), member_client("member", "Otto")
    path = f"/api/questions/{question.id}/files"
    assert give(otto, path, "a.png", png()).status_code == 404
    assert give(dana, path, "a.png", png(), "other").json()["code"] == "NO_FILE_INPUT"
    assert give(dana, path, "a.txt", b"x").json()["code"] == "FILE_NOT_ACCEPTED"
    assert decide(dana, question, "answer", values={}).json()["fields"] == {"photo": 'Choose a file for "Photo".'}
    ref = give(dana, path, "a.png", png()).json()
    assert decide(dana, question, "answer", values={"photo": {**ref, "name": "x"}}).json() == {"state": "answered"}
    question.refresh_from_db()
    assert question.answer["value"] == {"photo": ref}
    assert StoredFile.objects.get().conversation_id == run.conversation_id
