"""Flows that run as a step of another: what crosses, what is asked inside, and what goes wrong there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flows.models import FlowVersion
from runtime.demo.testing import Scripted
from runtime.events import FlowEntered, FlowLeft, StepFailed, StepFinished
from runtime.invocations import invocations
from runtime.models import ModelCall, Question
from tests.runtime.engine.conftest import Desk, flow
from tests.runtime.engine.test_fanout import GATHER, GIVE, LISTS, TOOLS

Deploy = Callable[..., Desk]
FIND = {
    "id": "find", "type": "flow", "flow": "./lookup.json", "input": {"asked": "{{question}}"},
    "output": {"found": "answer"},
}  # fmt: skip
LOOK = "async def look(state, *, services, settings, env):\n    return {'found': %s}\n"


def lookup(nodes: list[dict[str, Any]] | None = None, **keys: Any) -> Any:
    """A flow that is asked and finds: by default its only step is code."""
    state = {
        "asked": {"type": "string", "description": "What was asked."},
        "found": {"type": "string", "description": "What was found."},
    }
    nodes = nodes or [{"id": "look", "handler": "look", "description": "Looks."}]
    return flow(nodes, state={**state, **keys.pop("state", {})}, inputs=["asked"], outputs=["found"], **keys)


def tree(desk: Desk, inner: dict[str, tuple[Any, dict[str, str]]], agents: dict[str, str] | None = None) -> Desk:
    """Give the desk's version the flows that it runs."""
    flows = {file: {"document": document, "units": units} for file, (document, units) in inner.items()}
    pinned = {"top": "flow.json", "flows": flows, "agents": agents or {}}
    FlowVersion.objects.filter(id=desk.deployment.version_id).update(tree=pinned)
    return desk


def steps(desk: Desk, run: Any) -> list[str]:
    return [event.address for event in desk.events(run.id) if isinstance(event, StepFinished)]


def test_a_flow_runs_as_a_step_and_only_the_mapping_crosses(deploy: Deploy) -> None:
    # LG-subflows-01, LG-subflows-02, LG-subflows-03, LG-subflows-13
    code = LOOK % "f\"{state['asked']} {sorted(state)}\""
    top = flow([FIND], state={"mine": {"type": "string", "default": "x", "description": "Nobody else's."}})
    desk = tree(deploy(top), {"lookup.json": (lookup(), {"handler:look": code})})
    run = desk.say(question="Who?")
    assert run.status == "done", run.error
    assert run.outputs["answer"].startswith("Who? ")
    assert "'mine'" not in run.outputs["answer"]
    assert steps(desk, run) == ["find#1/look#1", "find#1"]
    named = [event.node for event in desk.events(run.id) if isinstance(event, StepFinished)]
    assert named == ["find/look", "find"]


def test_what_a_flow_is_entered_and_left_by_is_told(deploy: Deploy) -> None:
    desk = tree(deploy(flow([FIND])), {"lookup.json": (lookup(), {"handler:look": LOOK % "'x'"})})
    run = desk.say(question="Who?")
    events = desk.events(run.id)
    entered = [event for event in events if isinstance(event, FlowEntered)]
    left = [event for event in events if isinstance(event, FlowLeft)]
    assert [(one.address, one.flow, one.parent) for one in entered] == [("find#1", "lookup.json", str(run.id))]
    assert [(one.invocation, one.ok) for one in left] == [(entered[0].invocation, True)]
    types = [event.type for event in events]
    assert types.index("flow_entered") < types.index("step_finished") < types.index("flow_left")


def test_a_question_inside_is_asked_and_answered_inside(deploy: Deploy, demo: Scripted) -> None:
    # LG-subflows-07, LG-subflows-08, LG-subflows-09
    inner = lookup([
        {"id": "look", "handler": "look", "description": "Looks."},
        {"id": "which", "type": "ask", "ask": "Which of {{found}}?", "output": "found"},
    ])  # fmt: skip
    desk = tree(deploy(flow([FIND])), {"lookup.json": (inner, {"handler:look": LOOK % "'two'"})})
    run = desk.say(question="Who?")
    assert run.status == "waiting", run.error
    question = desk.question(run)
    assert (question.node, question.address) == ("find/which", "find#1/which#1")
    run = desk.answer(run, "answer", text="The first")
    assert run.status == "done", run.error
    assert run.outputs["answer"] == "The first"
    assert steps(desk, run) == ["find#1/look#1", "find#1/which#1", "find#1"], "The step began anew"


def test_two_questions_one_after_the_other_three_flows_deep(deploy: Deploy) -> None:
    # LG-subflows-08
    deepest = lookup([
        {"id": "first", "type": "ask", "ask": "First?", "output": "found"},
        {"id": "second", "type": "ask", "ask": "Second, after {{found}}?", "output": "found"},
    ])  # fmt: skip
    middle = lookup([{
        "id": "deeper", "type": "flow", "flow": "../deep/flow.json", "input": {"asked": "{{asked}}"},
        "output": {"found": "found"},
    }])  # fmt: skip
    node = {**FIND, "flow": "middle/flow.json"}
    desk = tree(deploy(flow([node])), {"middle/flow.json": (middle, {}), "deep/flow.json": (deepest, {})})
    run = desk.say(question="Who?")
    assert desk.question(run).address == "find#1/deeper#1/first#1"
    run = desk.answer(run, "answer", text="one")
    assert desk.question(run).node == "find/deeper/second"
    run = desk.answer(run, "answer", text="two")
    assert (run.status, run.outputs.get("answer")) == ("done", "two"), run.error


def test_what_fails_inside_fails_the_step_in_the_same_words(deploy: Deploy) -> None:
    # LG-errors-07
    desk = tree(deploy(flow([FIND])), {"lookup.json": (lookup(), {"handler:look": LOOK % "1 // 0"})})
    run = desk.say(question="Who?")
    assert run.status == "failed"
    assert (run.error["node"], run.error["address"]) == ("find/look", "find#1/look#1")
    left = [event for event in desk.events(run.id) if isinstance(event, FlowLeft)]
    assert [one.ok for one in left] == [False]


def test_a_flow_that_failed_runs_again_from_its_beginning(deploy: Deploy, demo: Scripted) -> None:
    # LG-errors-01
    inner = lookup([
        {"id": "say", "type": "llm", "prompt": "Say {{asked}}", "output": "found"},
        {"id": "look", "handler": "look", "description": "Looks."},
    ])  # fmt: skip
    node = {**FIND, "retry": {"maxAttempts": 2}, "onError": "END"}
    desk = tree(deploy(flow([node])), {"lookup.json": (inner, {"handler:look": LOOK % "1 // 0"})})
    run = desk.say(question="Who?")
    assert run.status == "done", run.error
    calls = ModelCall.objects.filter(run=run)
    assert {call.address for call in calls} == {"find#1/say#1"}
    assert calls.count() == 2, "The second attempt was answered by the first one's call"
    failed = [event for event in desk.events(run.id) if isinstance(event, StepFailed) and event.node == "find"]
    assert [(one.attempt, one.next) for one in failed] == [(1, "retry"), (2, "onError")]


def test_an_input_of_another_type_is_refused_by_name(deploy: Deploy) -> None:
    node = {**FIND, "input": {"asked": "{{numbers}}"}}
    top = flow([node], state={"numbers": {"type": "any", "default": [1], "description": "Numbers."}})
    desk = tree(deploy(top), {"lookup.json": (lookup(), {"handler:look": LOOK % "'x'"})})
    run = desk.say(question="Who?")
    assert run.error["code"] == "FLOW_INPUT_REFUSED"
    assert '"asked"' in run.error["message"]


def test_steps_inside_count_against_the_limit(deploy: Deploy) -> None:
    again = "async def again(state, *, services, settings, env):\n    return 'more'\n"
    inner = lookup([{"id": "look", "handler": "look", "description": "Looks."}], edges=[
        {"from": "look", "type": "conditional", "router": "again", "routes": {"more": "look", "end": "END"},
         "when": {"more": "there is more", "end": "anything else"},
         "limits": {"more": {"max": 500, "then": "end"}}},
    ])  # fmt: skip
    units = {"handler:look": LOOK % "'x'", "router:again": again}
    desk = tree(deploy(flow([{**FIND, "onError": "END"}]), limits={"steps": 12}), {"lookup.json": (inner, units)})
    run = desk.say(question="Who?")
    assert (run.status, run.error["code"]) == ("failed", "TOO_MANY_STEPS")
    assert len(steps(desk, run)) <= 12


def test_copies_that_failed_in_one_flow_leave_out_none_of_the_next(deploy: Deploy) -> None:
    each = "async def each(state, *, services, settings, env):\n    return {'lines': [8 // int(state['asked'])]}\n"
    gather = "async def gather(state, *, services, settings, env):\n    return {'found': str(state['lines'])}\n"
    nodes = [
        {"id": "give", "handler": "give", "description": "Says what there is."},
        {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "each"},
        {"id": "each", "handler": "each", "description": "Works on one."},
        {"id": "gather", "handler": "gather", "description": "Puts the lines together."},
    ]
    edges = [{"from": "give", "to": "spread"}, {"from": "each", "to": "gather"}, {"from": "gather", "to": "END"}]
    units = {"handler:give": GIVE % "[1, 2]", "handler:each": each, "handler:gather": gather}
    again = {**FIND, "id": "again", "input": {"asked": "2"}}
    top = flow([{**FIND, "input": {"asked": "0"}, "onError": "again"}, again],
               [{"from": "find", "to": "END"}, {"from": "again", "to": "END"}])  # fmt: skip
    desk = tree(deploy(top), {"lookup.json": (lookup(nodes, edges=edges, state=LISTS), units)})
    run = desk.say(question="Go")
    assert run.outputs == {"answer": "[4, 4]"}, run.error


def test_copies_that_run_a_flow_wait_and_go_on_each_by_itself(deploy: Deploy) -> None:
    nodes = [
        {"id": "give", "handler": "give", "description": "Says what there is."},
        {"id": "spread", "type": "fanout", "over": "items", "as": "item", "to": "find"},
        {**FIND, "input": {"asked": "{{item}}"}, "output": {"found": "lines"}},
        {"id": "gather", "handler": "gather", "description": "Puts the lines together."},
    ]
    edges = [{"from": "give", "to": "spread"}, {"from": "find", "to": "gather"}, {"from": "gather", "to": "END"}]
    inner = lookup([{"id": "which", "type": "ask", "ask": "Which {{asked}}?", "output": "found"}])
    units = {"handler:give": GIVE % "['a', 'b', 'c']", "handler:gather": GATHER}
    desk = tree(deploy(flow(nodes, edges, state=LISTS), units), {"lookup.json": (inner, {})})
    run = desk.say(question="Go")
    asked = {one.address: one for one in Question.objects.filter(run=run, state="pending")}
    assert set(asked) == {f"find[{n}]/which#1" for n in range(3)}
    assert {one.node for one in asked.values()} == {"find/which"}
    run = desk.answer_one(run, asked["find[2]/which#1"], "third")
    assert "find[2]" in steps(desk, run), "The copy that was answered waits for the others"
    run = desk.answer_one(run, asked["find[0]/which#1"], "first")
    run = desk.answer_one(run, asked["find[1]/which#1"], "second")
    assert run.outputs["answer"] == "first, second, third"


def test_a_worker_that_takes_over_goes_on_inside(
    deploy: Deploy, power_cut: Callable[..., None], demo: Scripted
) -> None:
    # LG-subflows-08
    inner = lookup([
        {"id": "look", "handler": "look", "description": "Looks."},
        {"id": "say", "type": "llm", "prompt": "Say {{found}}", "output": "found"},
    ])  # fmt: skip
    for point in ("checkpoint.after", "model.answered", "model.started", "checkpoint.before", "finish.before"):
        desk = tree(deploy(flow([FIND])), {"lookup.json": (inner, {"handler:look": LOOK % "'two'"})})
        power_cut(point)
        run = desk.take_over(desk.send(question="Who?"))
        assert run.status == "done", (point, run.error)
        assert steps(desk, run)[-1] == "find#1"
        assert ModelCall.objects.filter(run=run).count() == 1


AGENT = {
    "id": "delegate", "type": "agent", "agents": ["sql", "papers"], "agent": "{{question}}",
    "input": {"asked": "What?"}, "output": "result",
}  # fmt: skip
RESULT = {"result": {"type": "object", "description": "What the agent gave."}}


def agents(deploy: Deploy, code: str = LOOK % "'rows'", inner: Any = None, **node: Any) -> Desk:
    top = flow([{**AGENT, **node}], state=RESULT, outputs=["result"])
    found = {"agents/sql/flow.json": (inner or lookup(), {"handler:look": code})}
    return tree(deploy(top), found, {"sql": "agents/sql/flow.json", "me": "flow.json"})


def test_an_agent_is_chosen_while_the_run_goes_on(deploy: Deploy) -> None:
    # LG-agents-01, LG-agents-02, LG-agents-09, LG-agents-16
    desk = agents(deploy)
    run = desk.say(question="sql")
    assert run.status == "done", run.error
    assert run.outputs["result"] == {"found": "rows", "agent": "sql"}
    assert steps(desk, run) == ["delegate#1/sql/look#1", "delegate#1"]
    entered = [event for event in desk.events(run.id) if isinstance(event, FlowEntered)]
    left = [event for event in desk.events(run.id) if isinstance(event, FlowLeft)]
    assert [(one.agent, one.node) for one in entered] == [("sql", "delegate")]
    assert [(one.agent, one.ok) for one in left] == [("sql", True)]


def test_everything_that_is_refused_has_a_code_and_no_other_agent_answers(deploy: Deploy) -> None:
    # LG-agents-05, LG-agents-08, LG-agents-14, LG-agents-15
    def code(desk: Desk, chosen: str = "sql") -> str:
        run = desk.say(question=chosen)
        assert run.status == "failed"
        return run.error["code"]

    assert code(agents(deploy), "./flow.json") == "AGENT_NAME_INVALID"
    assert code(agents(deploy), "payments") == "AGENT_NOT_ALLOWED"
    assert code(agents(deploy), "papers") == "AGENT_NOT_REGISTERED"
    assert code(agents(deploy, agents=["sql", "me"]), "me") == "AGENT_RUNNING_ABOVE"
    assert code(agents(deploy, input={"asked": "What?", "more": "x"})) == "AGENT_INPUT_REFUSED"
    assert code(agents(deploy, input={})) == "AGENT_INPUT_REFUSED"
    assert code(agents(deploy, LOOK % "1 // 0")) == "AGENT_FAILED"
    assert code(agents(deploy, LOOK % "''")) == "AGENT_NO_OUTPUT"


def test_an_agent_may_ask_the_person_itself(deploy: Deploy) -> None:
    inner = lookup([{"id": "which", "type": "ask", "ask": "Which?", "output": "found"}])
    desk = agents(deploy, inner=inner)
    run = desk.say(question="sql")
    assert desk.question(run).node == "delegate/sql/which"
    run = desk.answer(run, "answer", text="This one")
    assert run.outputs["result"] == {"found": "This one", "agent": "sql"}


def test_the_log_says_which_agent_ran_inside_which(deploy: Deploy) -> None:
    # LG-agents-16
    inner = lookup([{
        "id": "deeper", "type": "flow", "flow": "../../lookup.json", "input": {"asked": "{{asked}}"},
        "output": {"found": "found"},
    }])  # fmt: skip
    desk = agents(deploy, inner=inner)
    version = FlowVersion.objects.get(id=desk.deployment.version_id)
    version.tree["flows"]["lookup.json"] = {"document": lookup(), "units": {"handler:look": LOOK % "'rows'"}}
    version.save()
    run = desk.say(question="sql")
    assert run.status == "done", run.error
    (outer,) = invocations(desk.events(run.id))
    assert (outer.agent, outer.address, outer.ok) == ("sql", "delegate#1", True)
    (deeper,) = outer.inside
    assert (deeper.flow, deeper.address, deeper.ok) == ("lookup.json", "delegate#1/sql/deeper#1", True)
    assert deeper.ms is not None and outer.ms is not None and outer.ms >= deeper.ms


def test_a_flow_inside_one_that_is_tried_again_is_told_as_another(deploy: Deploy) -> None:
    node = {**FIND, "retry": {"maxAttempts": 2}, "onError": "END"}
    middle = lookup([{**FIND, "id": "deeper", "flow": "./deeper.json", "input": {"asked": "x"},
                      "output": {"found": "found"}}])  # fmt: skip
    inner = {"lookup.json": (middle, {}), "deeper.json": (lookup(), {"handler:look": LOOK % "1 // 0"})}
    desk = tree(deploy(flow([node])), inner)
    run = desk.say(question="Who?")
    told = invocations(desk.events(run.id))
    assert [[one.address for one in each.inside] for each in told] == [["find#1/deeper#1"]] * 2


def test_an_approval_inside_is_decided_on_its_own_card(deploy: Deploy, demo: Scripted) -> None:
    # LG-subflows-07
    place = "async def place(args, *, services, settings, env):\n    return 'placed %s' % args['quantity']\n"
    inner = lookup([{
        "id": "place", "type": "tool", "tool": "place", "args": {"customerId": "{{asked}}", "quantity": 2},
        "output": "found", "approval": {"ask": "Place it for {{asked}}?", "show": ["asked"]},
    }], tools=TOOLS)  # fmt: skip
    desk = tree(deploy(flow([FIND])), {"lookup.json": (inner, {"tool:place": place})})
    run = desk.say(question="MERID")
    assert (desk.question(run).kind, desk.question(run).node) == ("approval", "find/place")
    run = desk.answer(run, "approve")
    assert (run.status, run.outputs.get("answer")) == ("done", "placed 2"), run.error
