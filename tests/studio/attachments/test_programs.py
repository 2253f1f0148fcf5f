"""Files of programs: given before a run or to a form, named in its inputs by id, fetched from what it gave back."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from runtime import cards
from runtime.files.keeping import Laid
from runtime.files.kinds import Kind
from runtime.models import Deployment, Question, Run, StoredFile
from studio.programs.described import document
from tests.studio.programs.conftest import Program, Programs, program  # noqa: F401 - the fixture
from tests.support import talk
from tests.support.pictures import png

AGENT = "/api/v1/agents/desk/files"


def give(caller: Program, name: str, content: bytes, input: str = "photo", path: str = AGENT) -> tuple[int, Any]:
    sent = {"file": SimpleUploadedFile(name, content)}
    reply = caller.client.post(f"{path}?input={input}", sent, headers=caller.headers)
    return reply.status_code, reply.json()


def fetch(caller: Program, id: str) -> Any:
    return caller.client.get(f"/api/v1/files/{id}", headers=caller.headers)


def test_a_program_gives_and_fetches_files(desk: Deployment, program: Programs) -> None:  # noqa: F811
    caller, other = program(), program("Another")
    status, ref = give(caller, "goods.png", png())
    assert (status, ref["mediaType"]) == (201, "image/png")
    assert give(caller, "a.txt", b"x")[1]["code"] == "FILE_NOT_ACCEPTED"
    assert give(caller, "a.png", png(), "question")[1]["code"] == "NO_FILE_INPUT"
    inputs = {"question": "What is it?", "photo": {"id": ref["id"]}}
    assert other.post("agents/desk/runs", {"inputs": inputs})[1]["fields"] == {
        "photo": '"Photo" is not here any more. Choose the file again.'
    }
    status, run = caller.post("agents/desk/runs", {"inputs": inputs})
    assert (status, run["inputs"]["photo"]) == (202, ref)
    row = Run.objects.get(id=run["id"])
    made = Laid(b"a,b").row(
        Kind("out.csv", "text/csv"), deployment_id=desk.pk, conversation_id=row.conversation_id, run_id=row.pk,
        visitor=row.conversation.visitor, given=False,
    )  # fmt: skip
    for id, content in ((ref["id"], png()), (str(made.pk), b"a,b")):
        reply = fetch(caller, id)
        assert (reply.status_code, reply.content) == (200, content)
        assert reply["Content-Disposition"].startswith("attachment")
        assert fetch(other, id).status_code == 404
    assert fetch(caller, "00000000-0000-0000-0000-000000000000").json()["code"] == "NOT_FOUND"
    # A page's address is for people.
    assert caller.client.get(ref["url"], headers=caller.headers).status_code in (302, 401, 404)
    assert StoredFile.objects.filter(given=True).count() == 1


# LG-forms-02
def test_a_program_gives_the_file_that_a_form_asks_for(desk: Deployment, program: Programs) -> None:  # noqa: F811
    caller, other = program(), program("Another")
    run = Run.objects.get(id=caller.post("agents/desk/runs", {"inputs": {"question": "Broken"}})[1]["id"])
    Run.objects.filter(pk=run.pk).update(status="waiting")
    fields = {"photo": {"type": "file", "accept": "image/*", "required": True, "label": "Photo"}}
    question = talk.ask(run, "form")
    terms = cards.Terms("starter", False, None)
    sealed = cards.seal(cards.form_payload(talk.place(run, "place#1"), terms, title="?", fields=fields, values={}))
    Question.objects.filter(pk=question.pk).update(payload=sealed.payload, digest=sealed.digest)
    path = f"/api/v1/questions/{question.pk}/files"
    assert give(other, "a.png", png(), path=path)[0] == 404
    assert give(caller, "a.png", png(), "paper", path)[1]["code"] == "NO_FILE_INPUT"
    assert give(caller, "a.txt", b"x", path=path)[1]["code"] == "FILE_NOT_ACCEPTED"
    status, ref = give(caller, "a.png", png(), path=path)
    assert (status, ref["name"]) == (201, "a.png")
    answer = {"digest": sealed.digest, "decision": "answer", "values": {"photo": {"id": ref["id"]}}}
    assert caller.post(f"questions/{question.pk}/answer", answer) == (200, {"state": "answered"})
    question.refresh_from_db()
    assert question.answer["value"] == {"photo": ref}
    assert StoredFile.objects.get().conversation_id == run.conversation_id
    # What was answered takes no more.
    assert give(caller, "b.png", png(), path=path)[1]["code"] == "NO_FILE_INPUT"


def test_the_description_tells_of_files() -> None:
    paths = document()["paths"]
    assert paths["/api/v1/questions/{id}/files"]["post"]["requestBody"]["content"]["multipart/form-data"]
    assert paths["/api/v1/agents/{slug}/files"]["post"]["requestBody"]["content"]["multipart/form-data"]
    assert paths["/api/v1/files/{id}"]["get"]["operationId"] == "getFile"
