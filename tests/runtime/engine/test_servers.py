"""Tools of MCP servers in a run: real servers, every call in the ledger, switches, and definitions that change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from runtime import cards
from runtime.demo.testing import Scripted
from runtime.models import McpServer, McpTool, ModelCall, Question, RunEvent, ToolCall
from runtime.services import places
from runtime.services.mcp import definitions
from tests.runtime.engine.conftest import Desk, flow, until
from tests.support import offices

DECLARED = [
    "echo", "broken", "slow", "die", "leak", "huge", "listing",
    {"name": "find", "remote": "find_customer"},
    {"name": "addOrder", "remote": "add_order", "describe": "Places an order.", "inputs": {
        "customer": {"type": "string", "required": True}, "quantity": {"type": "number", "required": True}}},
]  # fmt: skip


def calling(tool: str, args: dict[str, Any], **node: Any) -> dict[str, Any]:
    return flow(
        [{"id": "call", "type": "tool", "tool": tool, "args": args, "output": "result", **node}],
        outputs=["result"],
        state={"result": {"type": "any", "description": "What came back."},
               "error": {"type": "string", "description": "What went wrong."}},
        requires={"mcp": {"office": {"describe": "The office.", "tools": DECLARED}}},
    )  # fmt: skip


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def program(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, workspace: Any) -> McpServer:
    return offices.program(tmp_path, monkeypatch, "--notes", str(notes))


@pytest.fixture
def address(notes: Path) -> Iterator[str]:
    with offices.office("http", str(notes)) as url:
        yield url


ORDER = {"customer": "MERID", "quantity": 2}


@pytest.mark.parametrize("transport", ["http", "sse", "stdio"])
def test_a_tool_of_a_server_is_called_through_the_ledger(
    deploy: Callable[..., Desk], tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, transport: str
) -> None:
    # LG-services-05, LG-services-07, LG-services-11, LG-contract-09
    def run(server: McpServer) -> None:
        desk = deploy(calling("addOrder", ORDER))
        offices.connect(desk.deployment, server)
        done = desk.say(question="go")
        assert (done.status, done.outputs) == ("done", {"result": 1}), done.error
        assert offices.noted(notes) == [{"tool": "add_order", "customer": "MERID", "quantity": 2, "note": ""}]
        listed, call = ToolCall.objects.filter(run=done).order_by("id")
        assert (listed.key, listed.effect) == ("mcp/office", "read")
        assert (call.key, call.effect, call.state) == ("call#1/addOrder/w1", "write", "done")
        assert call.request == {"method": "POST", "url": "mcp://office/add_order", "json": ORDER}

    if transport == "stdio":
        run(offices.program(tmp_path, monkeypatch, "--notes", str(notes)))
        return
    with offices.office(transport, str(notes)) as url:
        run(offices.at(url))


def test_a_program_ends_with_the_run_that_started_it(
    deploy: Callable[..., Desk], program: McpServer, notes: Path
) -> None:
    def running() -> list[Path]:
        return [each for each in Path("/proc").glob("[0-9]*/cmdline") if str(notes).encode() in _read(each)]

    desk = deploy(calling("addOrder", ORDER))
    offices.connect(desk.deployment, program)
    assert desk.say(question="go").status == "done"
    until(lambda: not running())


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_missing_argument_is_asked_for_before_the_server_is_reached(
    deploy: Callable[..., Desk], program: McpServer, notes: Path
) -> None:
    # LG-services-06
    desk = deploy(calling("addOrder", {"customer": "MERID"}))
    offices.connect(desk.deployment, program)
    run = desk.say(question="go")
    form = cards.read(desk.question(run).payload)
    assert (form["kind"], form["values"]) == ("form", {"customer": "MERID"})
    assert not ToolCall.objects.filter(run=run).exists()
    run = desk.answer(run, "answer", values={"customer": "MERID", "quantity": 3})
    assert run.outputs == {"result": 1} and offices.noted(notes)[0]["quantity"] == 3


def test_what_goes_wrong_is_said_in_words(deploy: Callable[..., Desk], program: McpServer) -> None:
    for tool, args, code, words in [
        ("broken", {}, "TOOL_FAILED", 'The tool "broken" failed: Error executing tool broken'),
        ("addOrder", {"customer": "A", "quantity": 1.5}, "TOOL_FAILED", 'The tool "addOrder" failed:'),
    ]:
        desk = deploy(calling(tool, args))
        offices.connect(desk.deployment, program)
        run = desk.say(question="go")
        assert (run.error["code"], run.error["message"][: len(words)]) == (code, words)


@pytest.mark.parametrize("effect", ["write", "read"])
def test_a_server_that_dies_in_a_call_asks_a_person_only_about_writes(
    deploy: Callable[..., Desk], program: McpServer, notes: Path, effect: str
) -> None:
    # reliability 4.1; design 4: started + write → the person is asked, read → repeated
    desk = deploy(calling("die", {}, retry={"maxAttempts": 2}))
    offices.connect(desk.deployment, program, die=effect)
    run = desk.say(question="go")
    if effect == "read":
        assert (run.status, run.error["code"]) == ("failed", "TOOL_FAILED")
        assert len(offices.noted(notes)) == 2
        return
    question = desk.question(run)
    card = cards.read(question.payload)
    assert (question.kind, card["call"]["target"]) == ("outcome", "mcp://office/die")
    assert len(offices.noted(notes)) == 1
    run = desk.answer(run, "happened", reason="Looked.")
    assert run.status == "done" and len(offices.noted(notes)) == 1


@pytest.mark.parametrize("point", ["tool.started", "tool.sent", "tool.answered", "tool.done", "checkpoint.before"])
def test_a_worker_that_ends_makes_no_call_twice(
    deploy: Callable[..., Desk], program: McpServer, notes: Path, power_cut: Callable[..., None], point: str
) -> None:
    desk = deploy(calling("addOrder", ORDER))
    offices.connect(desk.deployment, program)
    power_cut(point)
    run = desk.take_over(desk.send(question="go"))
    sent = point not in ("tool.started", "tool.sent")
    if point in ("tool.done", "checkpoint.before"):
        assert run.status == "done" and len(offices.noted(notes)) == 1
        return
    assert desk.question(run).kind == "outcome" and len(offices.noted(notes)) == int(sent)
    run = desk.answer(run, "again" if not sent else "happened")
    assert run.status == "done" and len(offices.noted(notes)) == 1


def test_a_server_that_nobody_connected_is_named(deploy: Callable[..., Desk]) -> None:
    run = deploy(calling("addOrder", {})).say(question="go")
    # LG-work-23: refused before any form is raised
    assert run.error["code"] == "TOOL_OFF"
    assert run.error["message"] == (
        'The tool "addOrder" is not available here: no server "office" is connected to this agent. Nothing was called.'
    )


def test_nobody_is_asked_to_approve_a_call_of_a_tool_that_is_off(deploy: Callable[..., Desk]) -> None:
    run = deploy(calling("addOrder", {"customer": "MERID"}, approval={"ask": "Order?"})).say(question="go")
    assert run.error["code"] == "TOOL_OFF", run.error
    assert not Question.objects.filter(run=run).exists()


def test_a_switch_holds_from_the_next_call_on(deploy: Callable[..., Desk], program: McpServer, notes: Path) -> None:
    # LG-work-21, LG-work-23, LG-work-24, LG-services-13
    desk = deploy(calling("addOrder", {"customer": "MERID"}))
    link = offices.connect(desk.deployment, program)
    run = desk.say(question="go")
    assert run.status == "waiting"
    McpTool.objects.filter(link=link, name="add_order").update(on=False)
    run = desk.answer(run, "answer", values=ORDER)
    assert "an operator has switched it off" in run.error["message"]
    again = desk.say(question="go")
    assert again.error["code"] == "TOOL_OFF" and not Question.objects.filter(run=again).exists()
    assert offices.noted(notes) == []


def test_a_tool_that_is_described_otherwise_is_off_until_somebody_looks(
    deploy: Callable[..., Desk], tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # reliability R9
    desk = deploy(calling("find", {"name": "Meridian"}))
    server = offices.program(tmp_path, monkeypatch)
    link = offices.connect(desk.deployment, server)
    assert desk.say(question="go").outputs["result"]["id"] == "MERID"
    file = json.loads((tmp_path / "commands.json").read_text())
    file["office"]["argv"].append("--changed")
    (tmp_path / "commands.json").write_text(json.dumps(file))
    run = desk.say(question="go")
    assert run.error["code"] == "TOOL_OFF"
    assert 'the server "office" describes it otherwise than when an operator looked at it' in run.error["message"]
    tool = McpTool.objects.get(link=link, name="find_customer")
    assert "IGNORE ALL RULES" in tool.news["description"] and "IGNORE" not in tool.definition["description"]
    others = McpTool.objects.filter(link=link).exclude(name="find_customer")
    assert not any(other.news for other in others)
    places.accept(tool, definitions.read(tool.news), "Olga")
    assert desk.say(question="go").status == "done"


def test_what_changes_between_approval_and_call_is_not_called(
    deploy: Callable[..., Desk], program: McpServer, notes: Path
) -> None:
    # reliability R9: the definition is inside the approval digest
    desk = deploy(calling("addOrder", ORDER, approval={"ask": "Order?", "show": ["question"]}))
    link = offices.connect(desk.deployment, program)
    run = desk.say(question="go")
    assert cards.read(desk.question(run).payload)["does"]["args"] == ORDER
    tool = McpTool.objects.get(link=link, name="add_order")
    tool.effect = "idempotent"
    tool.save()
    run = desk.answer(run, "approve")
    assert run.error["code"] == "APPROVAL_MISMATCH" and offices.noted(notes) == []


def test_a_new_tool_of_the_server_voids_no_card(deploy: Callable[..., Desk], program: McpServer, notes: Path) -> None:
    desk = deploy(calling("addOrder", ORDER, approval={"ask": "Order?", "show": ["question"]}))
    link = offices.connect(desk.deployment, program)
    run = desk.say(question="go")
    McpTool.objects.create(link=link, name="cancel_order", news={"name": "cancel_order"})
    assert desk.answer(run, "approve").status == "done" and len(offices.noted(notes)) == 1


def test_a_server_is_asked_what_it_offers_once_in_a_run(deploy: Callable[..., Desk], program: McpServer) -> None:
    # LG-work-08
    document = calling("echo", {"text": "one"})
    document["nodes"].append({**document["nodes"][0], "id": "again"})
    document["edges"] = [{"from": "call", "to": "again"}, {"from": "again", "to": "END"}]
    desk = deploy(document)
    offices.connect(desk.deployment, program)
    run = desk.say(question="go")
    assert run.outputs == {"result": "one"}
    assert [call.key for call in ToolCall.objects.filter(run=run).order_by("id")] == [
        "mcp/office", "call#1/echo/w1", "again#1/echo/w1",
    ]  # fmt: skip


def test_a_run_that_waited_for_long_asks_its_server_anew_and_what_was_looked_at_rules(
    deploy: Callable[..., Desk], program: McpServer
) -> None:
    nodes = [{"id": "one", "type": "tool", "tool": "echo", "args": {"text": "a"}, "output": "result"},
             {"id": "which", "type": "ask", "ask": "Which?", "output": "error"},
             {"id": "two", "type": "tool", "tool": "echo", "args": {"text": "b"}, "output": "result"}]  # fmt: skip
    document = {**calling("echo", {"text": "a"}), **{key: flow(nodes)[key] for key in ("nodes", "edges", "start")}}
    desk = deploy(document)
    offices.connect(desk.deployment, program)
    run = desk.say(question="go")
    listed = ToolCall.objects.get(run=run, key="mcp/office")
    text = json.loads(listed.response["text"])
    text["echo"]["description"] = "Described otherwise."
    # As if that had been listed days ago, and the server had gone back to what an operator looked at.
    ToolCall.objects.filter(id=listed.id).update(
        at=timezone.now() - timedelta(days=2), response={**listed.response, "text": json.dumps(text)}
    )
    run = desk.answer(run, "answer", text="This")
    assert run.status == "done", run.error
    assert "otherwise" not in ToolCall.objects.get(run=run, key="mcp/office").response["text"]


def test_secrets_of_a_server_are_nowhere_but_on_their_way(
    deploy: Callable[..., Desk], address: str, notes: Path
) -> None:
    # reliability A12
    secret = "tok-5e1f-canary"
    with offices.office("http", str(notes), OFFICE_BEARER=secret) as url:
        desk = deploy(calling("echo", {"text": f"Bearer {secret}"[::-1]}))
        server = offices.at(url, cipher=places.seal({"Authorization": f"Bearer {secret}"}))
        offices.connect(desk.deployment, server)
        run = desk.say(question="go")
        assert run.status == "done", run.error
        desk.deployment.flow.refresh_from_db()
        everything = json.dumps([
            list(ToolCall.objects.values_list("request", "response", "error")),
            list(RunEvent.objects.values_list("payload", flat=True)),
            list(McpServer.objects.values_list("url", "offered", "look_error")),
            list(ModelCall.objects.values_list("messages", flat=True)),
        ])  # fmt: skip
        assert secret not in everything
        McpServer.objects.update(cipher=places.seal({"Authorization": "Bearer wrong"}))
        run = desk.say(question="go")
        assert (run.error["code"], "refuses the sign-in (status 401)" in run.error["message"]) == ("SERVER_DOWN", True)


def test_a_batch_calls_own_tools_and_servers_alike(
    deploy: Callable[..., Desk], program: McpServer, notes: Path, demo: Scripted
) -> None:
    # LG-tools-03, LG-tools-05
    calls = [{"name": "addOrder", "args": ORDER}, {"name": "broken"}, {"name": "find", "args": {"name": "Bo"}}]
    document = calling("echo", {})
    document["state"]["calls"] = {"type": "list", "description": "Calls.", "default": calls}
    document["state"]["result"]["type"] = "list"
    document["nodes"] = [{"id": "call", "type": "tools", "calls": "calls", "output": "result",
                          "approval": {"ask": "All?", "show": ["calls"], "edit": ["calls"]}}]  # fmt: skip
    desk = deploy(document)
    offices.connect(desk.deployment, program)
    run = desk.answer(desk.say(question="go"), "approve", values={"calls.0.args.quantity": 5})
    assert run.status == "done", run.error
    assert [(entry["result"], bool(entry["error"])) for entry in run.outputs["result"]] == [
        (1, False), (None, True), ({"id": "BO", "name": "Bo"}, False),
    ]  # fmt: skip
    assert offices.noted(notes)[0]["quantity"] == 5


def test_a_batch_is_approved_without_the_calls_of_tools_that_are_off(
    deploy: Callable[..., Desk], program: McpServer, notes: Path
) -> None:
    calls = [{"name": "addOrder", "args": {"customer": "MERID"}}, {"name": "find", "args": {"name": "Bo"}}]
    document = calling("echo", {})
    document["state"]["calls"] = {"type": "list", "description": "Calls.", "default": calls}
    document["state"]["result"]["type"] = "list"
    document["nodes"] = [{"id": "call", "type": "tools", "calls": "calls", "output": "result",
                          "approval": {"ask": "All?"}}]  # fmt: skip
    desk = deploy(document)
    link = offices.connect(desk.deployment, program)
    McpTool.objects.filter(link=link, name="add_order").update(on=False)
    run = desk.say(question="go")
    assert cards.read(desk.question(run).payload)["does"]["args"] == {"find": {"name": "Bo"}}
    run = desk.answer(run, "approve")
    assert [bool(entry["error"]) for entry in run.outputs["result"]] == [True, False], run.error
    assert [one["tool"] for one in offices.noted(notes)] == ["find_customer"]
