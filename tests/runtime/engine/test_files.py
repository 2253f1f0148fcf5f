"""Files in a run: what steps read and save of them, once, however often a step runs."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from flows.kinds.base import Json
from runtime import retention
from runtime.files import giving, keeping
from runtime.files.giving import Giver
from runtime.models import Conversation, Run, StoredFile, ToolCall
from runtime.retention import Days
from tests.runtime.engine.conftest import REVIEWER, VISITOR, Desk, aside, flow
from tests.runtime.services.documents.made import pdf
from tests.support.pictures import png

COPY = """
async def copy(args, *, services, settings, env):
    photo = args["photo"]
    content = await services.files.read(photo)
    text = await services.files.base64(photo)
    saved = [
        await services.files.save({"name": "bytes.png", "mediaType": "image/png", "data": content}),
        await services.files.save({"name": "text.png", "mediaType": "image/png", "data": text}),
        await services.files.save(name="url.png", mediaType="image/png", data="data:image/png;base64," + text),
    ]
    WRITE
    return saved[0]
"""
ORDER = (
    'await services.http.post(settings.url + "/orders", json={"customerId": "ALFKI", "productId": 1, "quantity": 1})'
)
FILE = {"type": "file", "description": "A picture."}


def copying(url: str = "") -> tuple[Json, Json]:
    made = flow(
        [{"id": "make", "type": "tool", "tool": "copy", "args": {"photo": "{{photo}}"}, "output": "answer"}],
        inputs=["question", "photo"],
        state={"photo": FILE, "answer": FILE},
        tools=[
            {
                "name": "copy",
                "description": "Copies a photo. RETURNS the reference.",
                "inputs": {"photo": {"type": "file"}},
            }
        ],
        requires={"settings": {"url": {"default": url, "description": "The office."}}},
    )
    return made, {"tool:copy": COPY.replace("WRITE", ORDER if url else "pass")}


def given(desk: Desk, name: str, content: bytes, who: Any = VISITOR) -> Json:
    return aside(lambda: giving.keep(Giver(desk.deployment.id, who), name, content)).reference


# LG-files-04, LG-files-05, LG-files-06
def test_code_reads_a_file_and_saves_it_in_every_form(deploy: Callable[..., Desk]) -> None:
    desk = deploy(*copying())
    run = desk.say(question="copy", photo=given(desk, "goods.png", png(5)))
    assert run.status == "done", run.error
    rows = {row.name: row for row in StoredFile.objects.filter(given=False)}
    assert sorted(rows) == ["bytes.png", "text.png", "url.png"]
    assert run.outputs == {"answer": rows["bytes.png"].reference}
    assert {row.sha256 for row in rows.values()} == {hashlib.sha256(png(5)).hexdigest()}
    assert {(row.run_id, row.conversation_id, row.visitor) for row in rows.values()} == {
        (run.id, run.conversation_id, VISITOR.visitor)
    }


def test_a_step_that_runs_again_saves_nothing_twice(
    deploy: Callable[..., Desk], demo: Any, power_cut: Callable[..., None]
) -> None:
    desk = deploy(*copying(demo.office_url))
    power_cut("tool.done")
    id = desk.send(question="copy", photo=given(desk, "goods.png", png(6)))
    desk.left(id)
    first = set(StoredFile.objects.filter(given=False).values_list("id", flat=True))
    run = desk.take_over(id)
    assert run.status == "done" and len(first) == 3
    assert set(StoredFile.objects.filter(given=False).values_list("id", flat=True)) == first
    assert ToolCall.objects.filter(run=run, effect="write").count() == len(demo.writes()["writes"]) == 1


def fails(desk: Desk, **inputs: Json) -> str:
    run = desk.say(question="copy", **inputs)
    assert run.status == "failed" and run.error["code"] == "CODE_FAILED"
    return str(run.error["message"])


def test_files_of_somebody_else_are_not_here(deploy: Callable[..., Desk]) -> None:
    desk, other = deploy(*copying()), deploy(*copying())
    theirs = given(desk, "theirs.png", png(), REVIEWER.__class__(name="Otto", visitor="o" * 64))
    elsewhere = given(other, "elsewhere.png", png())
    for ref, name in (
        (theirs, "file"),
        (elsewhere, "file"),
        ({**theirs, "id": "../x"}, "file"),
        ({"id": None}, "file"),
    ):
        assert f'The file "{name}" is not here any more' in fails(desk, photo=ref)


BAD = {
    '"data": "%%%"': "neither bytes nor base64", '"data": b""': "nothing in the file",
    '"data": b"<svg/>", "mediaType": "image/png"': "says image/png", '"data": b"x" * 6_000_000': "at most 5 MB",
    '"data": "data:image/png;base64,"': "nothing in the file", '"data": b"x" * 12_000_000': "at most 5 MB",
}  # fmt: skip


@pytest.mark.parametrize("parts", BAD)
def test_what_cannot_be_saved_is_said_to_code(deploy: Callable[..., Desk], parts: str) -> None:
    document, units = copying()
    save = f'return await services.files.save({{"name": "x", "mediaType": "text/plain", {parts}}})'
    units["tool:copy"] = units["tool:copy"].replace("photo = args", f"{save}\n    photo = args")
    assert BAD[parts] in fails(deploy(document, units), photo=None)


def test_a_run_makes_only_so_much(deploy: Callable[..., Desk], settings: Any) -> None:
    settings.FILES_A_DAY = 3 * len(png(5)) - 1
    desk = deploy(*copying())
    photo = given(desk, "goods.png", png(5))
    assert "as many files as a run may" in fails(desk, photo=photo)


def test_a_large_picture_goes_all_the_way(deploy: Callable[..., Desk]) -> None:
    desk = deploy(*copying())
    large = png()[:-12] + b"\0" * 0 + _filler(4_900_000) + png()[-12:]
    run = desk.say(question="copy", photo=given(desk, "large.png", large))
    assert (run.status, run.outputs["answer"]["bytes"]) == ("done", len(large)), run.error


def _filler(size: int) -> bytes:
    return base64.b64encode(hashlib.sha512(b"x").digest() * (size // 86))[:size]


DRAW = """
async def draw(args, *, services, settings, env):
    reply = await services.http.post(settings.url, json={"prompt": args["words"]})
    return await services.files.save(name="poster", mediaType="image/png", data=reply.json()["data"][0]["b64_json"])
"""


@pytest.fixture
def drawing() -> Iterator[str]:
    """The address of a service that draws one large picture and gives it in JSON, as such services do."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            picture = png()[:-12] + _filler(3_000_000) + png()[-12:]
            body = json.dumps({"data": [{"b64_json": base64.b64encode(picture).decode()}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/pictures"
        server.shutdown()


# LG-files-06, LG-recipes-02
def test_a_picture_that_a_service_draws_goes_straight_into_the_channel(
    deploy: Callable[..., Desk], drawing: str
) -> None:
    document, _ = copying(drawing)
    tool = {"name": "draw", "description": "Draws. RETURNS the reference.", "inputs": {"words": {"type": "string"}}}
    document["tools"] = [tool]
    document["nodes"][0] |= {"tool": "draw", "args": {"words": "{{question}}"}}
    desk = deploy(document, {"tool:draw": DRAW})
    desk.deployment.allowed_hosts = [drawing.split("/")[2]]
    desk.deployment.save()
    run = desk.say(question="A poster", photo=None)
    assert run.status == "done", run.error
    answer = run.outputs["answer"]
    assert (answer["name"], answer["mediaType"]) == ("poster.png", "image/png")
    assert answer["bytes"] > 2_900_000 and StoredFile.objects.get().id.hex == answer["id"].replace("-", "")


READ = {"id": "load", "type": "read", "from": ["{{paper}}"], "output": "doc"}
SAY = """
async def say(state, *, services, settings, env):
    return {"answer": state["doc"].get("text") or "nothing"}
"""


# LG-read-07, LG-read-12
def test_a_read_node_reads_what_a_message_brings(deploy: Callable[..., Desk]) -> None:
    state = {"paper": {"type": "file"}, "doc": {"type": "object", "remembers": True}}
    say = {"id": "say", "handler": "say", "description": "Writes the text of 'doc' to 'answer'."}
    desk = deploy(flow([READ, say], inputs=["question", "paper"], state=state), {"handler:say": SAY})

    def said(paper: Json) -> str:
        run = desk.say(question="?", paper=paper)
        return run.outputs["answer"] if run.status == "done" else f"{run.error['code']}: {run.error['message']}"

    assert said(given(desk, "terms.pdf", pdf("Pay at once."))) == "[page 1]\nPay at once."
    assert said(None) == "[page 1]\nPay at once."
    assert said(given(desk, "notes.txt", b"Pay later.")) == "Pay later."
    assert said(given(desk, "a.png", png())).startswith('DOCUMENT_KIND: "a.png" is neither a document nor a text.')
    gone = given(desk, "gone.txt", b"x")
    StoredFile.objects.get(id=gone["id"]).delete()
    assert said(gone) == 'FILE_MISSING: The file "gone.txt" is not here any more. Give it again.'


@pytest.mark.parametrize("where", ["inputs", "checkpoints"])
def test_a_file_of_a_conversation_that_is_over_stays_while_a_run_elsewhere_waits_with_it(
    deploy: Callable[..., Desk], where: str
) -> None:
    document, units = copying()
    document["nodes"].insert(0, {"id": "sure", "type": "ask", "ask": "Sure?", "output": "said"})
    document["edges"].insert(0, {"from": "sure", "to": "make"})
    document["start"], document["state"]["said"] = "sure", {"type": "string", "description": "What was said."}
    desk = deploy(document, units)
    photo, other = given(desk, "cat.png", png(3)), given(desk, "dog.png", png(4))
    first = desk.answer(desk.say(question="copy", photo=photo), "answer", text="yes")
    assert first.status == "done", first.error
    earlier, desk.conversation = desk.conversation, None
    run = desk.say(question="again", photo=photo)
    if where == "checkpoints":
        Run.objects.filter(id=run.id).update(inputs={})
    assert earlier is not None
    with transaction.atomic():
        giving.attach({"photo": other}, Giver(desk.deployment.id, VISITOR), earlier, first.id)
    long_ago = timezone.now() - timedelta(days=40)
    StoredFile.objects.update(created_at=long_ago)
    Conversation.objects.filter(id=earlier.id).update(last_at=long_ago)
    retention.set_days(Days(conversations=30, files=30), "Olga")
    due = retention.due(retention.days())
    assert (due["conversations"], due["files"]) == (0, StoredFile.objects.filter(conversation=earlier).count() - 1)
    assert aside(lambda: retention.sweep("conversations")) == 0
    assert aside(lambda: retention.sweep("files")) > 0
    left = StoredFile.objects.filter(conversation=earlier)
    assert [file.name for file in left] == ["cat.png"] and keeping.stands(left[0])
    run = desk.answer(run, "answer", text="yes")
    assert run.status == "done", run.error
    assert aside(lambda: retention.sweep("conversations")) == 1
    assert not StoredFile.objects.filter(name="cat.png").exists()


def test_a_message_that_takes_a_file_while_its_conversation_is_about_to_go_keeps_both(
    deploy: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    document, units = copying()
    document["nodes"].insert(0, {"id": "sure", "type": "ask", "ask": "Sure?", "output": "said"})
    document["edges"].insert(0, {"from": "sure", "to": "make"})
    document["start"], document["state"]["said"] = "sure", {"type": "string", "description": "What was said."}
    desk = deploy(document, units)
    photo = given(desk, "cat.png", png(3))
    first = desk.answer(desk.say(question="copy", photo=photo), "answer", text="yes")
    other = desk.answer(desk.say(question="copy", photo=photo), "answer", text="yes")
    long_ago = timezone.now() - timedelta(days=40)
    Conversation.objects.update(last_at=long_ago)
    retention.set_days(Days(conversations=30), "Olga")
    hold = retention._hold

    def meanwhile(talks: list[Any]) -> None:
        # Between the look for what is old and the hold on it somebody writes elsewhere, with a file of it.
        hold(talks)
        Run.objects.filter(id=other.id).update(status="waiting", finished_at=None)

    elsewhere = Conversation.objects.create(deployment=desk.deployment, visitor=VISITOR.visitor)
    Run.objects.filter(id=other.id).update(conversation=elsewhere)
    monkeypatch.setattr(retention, "_hold", meanwhile)
    assert aside(lambda: retention.sweep("conversations")) == 0
    assert StoredFile.objects.get(name="cat.png").conversation_id == first.conversation_id
