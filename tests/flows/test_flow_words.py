"""What single words of a flow may say, where a test of their own section does not say it already."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from flows.check import check
from flows.runnable import cannot_run
from flows.words.document import MAX_SUGGESTIONS
from flows.words.fields import ROW_TYPES
from tests.flows.flow_of import every_kind, found, question

Json = Any


def changed(flow: Json, path: list[str | int], value: Json) -> Json:
    """The flow with a value somewhere in it."""
    made = copy.deepcopy(flow)
    here = made
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return made


def refused(flow: Json) -> list[tuple[str, str]]:
    return [(each.code, each.path) for each in check(flow).errors]


# The flow


def test_the_top_of_a_flow_has_these_keys() -> None:  # LG-overview-03, LG-identity-01
    keys = [
        "version", "id", "name", "createdBy", "lastUpdatedBy", "kind", "description", "conversation", "suggestions",
        "inputs", "outputs", "requires", "start", "tools", "state", "nodes", "edges", "views", "page", "shell",
    ]  # fmt: skip
    assert refused({**question(), "triggers": []}) == [("UNKNOWN_KEY", "triggers")]  # LG-overview-26
    hint = check({**question(), "triggers": []}).errors[0].hint
    assert all(f'"{key}"' in hint for key in keys)


def test_a_flow_says_where_it_starts() -> None:  # LG-overview-04
    flow = question()
    del flow["start"]
    assert refused(flow) == [("MISSING_KEY", "")]
    assert refused({**question(), "start": "repyl"}) == [("NODE_NOT_FOUND", "start")]
    assert refused({**question(), "start": "END"}) == [("NODE_NOT_FOUND", "start")]


def test_any_node_may_have_what_every_node_may_have() -> None:  # LG-overview-06
    for index in range(len(every_kind()["nodes"])):
        flow = every_kind()
        flow["nodes"][index] |= {
            "description": flow["nodes"][index].get("description", "What it does."),
            "onError": "reply", "retry": {"maxAttempts": 2}, "approval": {"ask": "Go on?"},
        }  # fmt: skip
        assert refused(flow) == []


def test_every_node_is_reached_and_every_path_ends() -> None:  # LG-overview-10, LG-overview-11, LG-overview-09
    flow = every_kind()
    flow["nodes"].append({"id": "alone", "type": "ask", "ask": "?", "output": "choice"})
    flow["edges"].append({"from": "alone", "to": "END"})
    assert refused(flow) == [("NODE_UNREACHABLE", "nodes[6]")]
    flow = question()
    flow["edges"] = [{"from": "reply", "to": "reply"}]
    assert refused(flow) == [("PATH_NEVER_ENDS", "nodes[0]")]


@pytest.mark.parametrize("name", ["__mine", "__approval", "__error", "__visits", "__"])
def test_channel_names_with_two_underscores_are_reserved(name: str) -> None:  # LG-overview-15, LG-channels-14
    flow = changed(question(), ["state", name], {"type": "any", "description": "x"})
    assert ("CHANNEL_RESERVED", f"state.{name}") in refused(flow)


@pytest.mark.parametrize("id", ["START", "END", "SKIP"])
def test_node_ids_that_mean_something_else_are_reserved(id: str) -> None:  # LG-overview-16
    flow = question()
    flow["nodes"].append({"id": id, "type": "ask", "ask": "?", "output": "answer"})
    assert ("NODE_ID_RESERVED", "nodes[1].id") in refused(flow)


def test_templates_work_in_prompts_args_and_questions() -> None:  # LG-overview-12, LG-channels-15
    flow = every_kind()
    flow["nodes"][0]["title"] = "{{nothing}}"
    flow["nodes"][1]["prompt"] = "{{nothing}}"
    flow["nodes"][2]["args"] = {"a": [{"b": "{{nothing}}"}]}
    flow["nodes"][2]["approval"]["ask"] = "{{nothing}}"
    flow["nodes"][3]["ask"] = "{{nothing}} {{__approval.answer}} {{__error.message}}"
    assert {code for code, _ in refused(flow)} == {"CHANNEL_NOT_DECLARED"}
    assert len(refused(flow)) == 5
    assert refused(changed(question(), ["nodes", 0, "prompt"], "{{history}} {{__visits}}")) == [
        ("CHANNEL_NOT_READABLE", "nodes[0].prompt")
    ]


def test_every_channel_that_is_read_or_written_is_declared() -> None:  # LG-overview-17
    flow = question()
    del flow["state"]["answer"]
    assert refused(flow) == [("CHANNEL_NOT_DECLARED", "outputs[0]"), ("CHANNEL_NOT_DECLARED", "nodes[0].output")]
    flow = changed(question(), ["state", "answer"], {"type": "string"})
    assert [each.code for each in check(flow).warnings] == ["CHANNEL_UNDESCRIBED"]


# Channels


def test_a_channel_says_these_things_and_no_others() -> None:  # LG-channels-01, LG-types-02
    channel = {"type": "list", "description": "a", "reducer": "append", "default": [], "remembers": True}
    assert refused(changed(question(), ["state", "answer"], channel)) == []
    for key in ("required", "options", "enum"):
        assert refused(changed(question(), ["state", "answer"], {**channel, key: True})) == [
            ("UNKNOWN_KEY", f"state.answer.{key}")
        ]


def test_accept_belongs_to_files() -> None:  # LG-channels-12, LG-types-03
    file = {"type": "file", "description": "a", "accept": "image/*"}
    assert refused(changed(question(), ["state", "more"], file)) == []
    assert refused(changed(question(), ["state", "more"], {**file, "type": "string"})) == [
        ("ACCEPT_NOT_FILE", "state.more.accept")
    ]
    form = {"accept": ".pdf", "type": "string"}
    assert refused(changed(every_kind(), ["nodes", 0, "fields", "orderId"], form)) == [
        ("ACCEPT_NOT_FILE", "nodes[0].fields.orderId.accept")
    ]
    assert refused(changed(question(), ["nodes", 0, "schema"], {"type": "string", "accept": ".pdf"})) == [
        ("UNKNOWN_KEY", "nodes[0].schema.accept")
    ]


def test_history_is_there_by_itself() -> None:  # LG-channels-13, LG-overview-19
    assert ("HISTORY_DECLARED", "state.history") in refused(
        changed(question(), ["state", "history"], {"type": "list", "description": "a"})
    )


# Handlers and llm nodes


@pytest.mark.parametrize(
    "words", ["Process the results.", "Handles everything that comes in here as needed.", "Does it"]
)
def test_a_vague_description_is_said(words: str) -> None:  # LG-handlers-05, LG-overview-27
    flow = changed(every_kind(), ["nodes", 4, "description"], words)
    assert ("DESCRIPTION_VAGUE", "nodes[4].description") in found(flow)


@pytest.mark.parametrize(
    "key", ["pattern", "format", "additionalProperties", "oneOf", "$ref", "title", "default", "options", "multipleOf"]
)
def test_a_schema_keyword_that_is_unknown_is_refused_by_name(key: str) -> None:  # LG-llm-10, LG-types-05
    flow = changed(question(), ["nodes", 0, "schema"], {"type": "string", key: "x"})
    problem = check(flow).errors[0]
    assert (problem.code, problem.path) == ("UNKNOWN_KEY", f"nodes[0].schema.{key}")
    assert f'"{key}"' in problem.message


def test_a_schema_says_its_items_and_properties() -> None:  # LG-llm-12, LG-llm-13, LG-llm-11
    flow = changed(question(), ["state", "answer", "type"], "any")
    for schema, code in (
        ({"type": "list"}, "SCHEMA_HAS_NO_ITEMS"),
        ({"type": "object"}, "SCHEMA_HAS_NO_PROPERTIES"),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}, "SCHEMA_REQUIRED"),
        ({"type": "array", "items": {"type": "string"}}, "NOT_ONE_OF"),
    ):
        assert [each for each, _ in refused(changed(flow, ["nodes", 0, "schema"], schema))] == [code]


def test_schema_and_channel_agree_in_the_words_of_the_reference() -> None:  # LG-llm-15, LG-llm-16
    flow = question()
    flow["state"]["classification"] = {"type": "string", "description": "What it is about."}
    schema = {"type": "object", "properties": {"category": {"type": "string"}}}
    flow["nodes"][0] |= {"id": "classify", "output": "classification", "schema": schema}
    flow |= {"start": "classify", "edges": [{"from": "classify", "to": "END"}], "outputs": ["classification"]}
    (problem,) = check(flow).errors
    assert problem.message == (
        'LLM node "classify" schema type "object" is incompatible with output channel "classification" of type '
        '"string".'
    )
    for type in ("object", "any"):
        assert refused(changed(flow, ["state", "classification", "type"], type)) == []
    listing = changed(flow, ["nodes", 0, "schema"], {"type": "list", "items": {"type": "string"}})
    assert [code for code, _ in refused(listing)] == ["SCHEMA_NOT_FOR_CHANNEL"]
    assert refused(changed(listing, ["state", "classification", "type"], "list")) == []


def test_a_node_may_ask_and_say_what_a_cancel_means() -> None:  # LG-llm-22, LG-llm-28
    flow = changed(question(), ["nodes", 0], {**question()["nodes"][0], "asks": True, "onCancel": "Action cancelled."})
    assert check(flow).problems == []
    assert refused(changed(flow, ["nodes", 0, "asks"], "yes")) == [("WRONG_TYPE", "nodes[0].asks")]
    assert refused(changed(flow, ["nodes", 0, "onCancel"], "")) == [("TOO_SHORT", "nodes[0].onCancel")]
    assert cannot_run(check(flow)) == []


def test_a_cancel_without_a_form_is_said() -> None:
    assert found(changed(question(), ["nodes", 0, "onCancel"], "No.")) == [("ON_CANCEL_UNUSED", "nodes[0].onCancel")]


def test_the_deciding_node_asks() -> None:  # LG-llm-25
    flow = every_kind()
    flow["nodes"][5]["asks"] = True
    assert ("ASKS_ON_REPORT", "nodes[5].asks") in found(flow)
    flow = every_kind()
    flow["nodes"][1]["asks"] = True
    assert found(flow) == []


def test_an_unversioned_llm_node_says_no_model() -> None:  # LG-llm-03
    for key in ("model", "apiKey", "temperature"):
        assert refused(changed(question(), ["nodes", 0, key], "x")) == [("UNKNOWN_KEY", f"nodes[0].{key}")]


# Forms


@pytest.mark.parametrize("type", ["list", "object", "any", "file"])
def test_a_row_holds_plain_values(type: str) -> None:  # LG-forms-07
    row = {"type": "list", "of": {"a": {"type": type}, **{each: {"type": each} for each in ROW_TYPES}}}
    assert refused(changed(every_kind(), ["nodes", 0, "fields", "orderId"], row)) == [
        ("FIELD_ROW_TYPE", "nodes[0].fields.orderId.of.a.type")
    ]


def test_a_field_may_be_a_file() -> None:  # LG-forms-02, LG-forms-03
    flow = changed(
        every_kind(), ["nodes", 0, "fields", "orderId"], {"type": "file", "accept": ".pdf", "required": True}
    )
    flow["nodes"][2]["args"] = {}
    assert refused(flow) == []
    assert cannot_run(check(flow)) == []


def test_an_opening_form_needs_no_inputs() -> None:  # LG-forms-13, LG-overview-23
    flow = every_kind()
    flow["inputs"] = []
    assert refused(flow) == []


# Approvals


def approved(**more: Json) -> Json:
    flow = question()
    flow["state"] |= {
        "amount": {"type": "number", "description": "Euro."},
        "case": {"type": "list", "reducer": "append", "description": "One line for each step."},
        "invoice": {"type": "file", "description": "The invoice."},
        "statement": {"type": "file", "description": "The bank's statement."},
    }
    flow["nodes"][0]["approval"] = {"ask": "Pay this refund?", "show": ["amount"], **more}
    return flow


def test_an_approval_has_these_keys() -> None:  # LG-approval-02, LG-approval-30
    whole = {"edit": ["amount"], "onReject": "END", "needs": "two-eyes", "why": "case",
             "exhibits": ["invoice", "statement"]}  # fmt: skip
    assert check(approved(**whole)).problems == []
    assert refused(approved(whoMayApprove=["Dana"])) == [("UNKNOWN_KEY", "nodes[0].approval.whoMayApprove")]


@pytest.mark.parametrize("needs", ["two-eyes", "Zwei Augen", "ﷺ", "nobody mapped this", "x" * 64])
def test_a_policy_is_a_free_name(needs: str) -> None:  # LG-approval-14, LG-approval-16
    assert check(approved(needs=needs)).problems == []


def test_the_account_is_one_channel() -> None:  # LG-approval-21, LG-approval-23, LG-approval-24
    assert refused(approved(why=["case"])) == [("WRONG_TYPE", "nodes[0].approval.why")]
    assert check(approved(why="question")).problems == [] == check(approved(why="case")).problems
    assert found(approved(why="amount")) == [("WHY_NOT_WORDS", "nodes[0].approval.why")]
    assert found(approved(why="invoice")) == [("WHY_NOT_WORDS", "nodes[0].approval.why")]


def test_every_exhibit_is_a_file() -> None:  # LG-approval-32
    assert refused(approved(exhibits=["invoice", "question", "amount"])) == [
        ("EXHIBIT_NOT_FILE", "nodes[0].approval.exhibits[1]"),
        ("EXHIBIT_NOT_FILE", "nodes[0].approval.exhibits[2]"),
    ]
    assert refused(approved(exhibits=["invoyce"])) == [("CHANNEL_NOT_DECLARED", "nodes[0].approval.exhibits[0]")]
    assert refused(approved(exhibits=["invoice", "invoice"])) == [("NAMED_TWICE", "nodes[0].approval.exhibits[1]")]
    assert not cannot_run(check(approved(exhibits=["invoice"])))


def test_what_writes_waits_for_a_person() -> None:  # LG-approval-01
    flow = every_kind()
    flow["tools"][0]["name"] = flow["nodes"][2]["tool"] = "addOrder"
    del flow["nodes"][2]["approval"]
    assert ("WRITE_WITHOUT_APPROVAL", "nodes[2]") in found(flow)


# Edges, errors, asks


@pytest.mark.parametrize("name", ["Call", "call it", "", "x" * 33, "1st", "ok!"])
def test_route_names_are_short_and_lowercase(name: str) -> None:  # LG-edges-04
    flow = every_kind()
    edge = flow["edges"][1]
    edge["routes"] = {name: "which", "talk": "reply"}
    edge["when"] = {name: "'plan.wish' is \"change\"", "talk": "anything else"}
    del edge["limits"]
    assert [code for code, _ in refused(flow)] == ["ROUTE_NAME_INVALID"]


def test_limits_need_state_and_name_routes() -> None:  # LG-edges-07, LG-edges-08, LG-edges-09
    flow = every_kind()
    flow["edges"][1]["limits"]["change"]["then"] = "reply"
    assert [code for code, _ in refused(flow)] == ["LIMIT_ROUTE_UNKNOWN"]
    flow = every_kind()
    flow["edges"][1]["limits"]["change"]["per"] = "nothing"
    assert refused(flow) == [("NODE_NOT_FOUND", "edges[1].limits.change.per")]
    bare = {"version": "0.33", "start": "a", "nodes": [], "edges": []}
    bare["nodes"] = [{"id": "a", "handler": "a"}]
    bare["edges"] = [
        {"from": "a", "type": "conditional", "router": "r", "routes": {"on": "a", "off": "END"},
         "when": {"on": "x", "off": "anything else"}, "limits": {"on": {"max": 2, "then": "off"}}},
    ]  # fmt: skip
    assert refused(bare) == [("LIMITS_WITHOUT_STATE", "edges[0].limits")]


def test_a_node_has_one_way_out() -> None:  # LG-edges-10
    flow = every_kind()
    flow["edges"].append({"from": "reply", "to": "details"})
    assert refused(flow) == [("TWO_WAYS_OUT", "edges[6]")]


def test_skip_is_for_copies_of_a_fan_out() -> None:  # LG-errors-05
    flow = every_kind()
    flow["nodes"][1]["onError"] = "SKIP"
    problem = next(each for each in check(flow).errors if each.code == "SKIP_OUTSIDE_FANOUT")
    assert problem.path == "nodes[1].onError"


def test_an_ask_node_has_a_question_and_what_is_shown_with_it() -> None:  # LG-ask-01, LG-ask-02
    for key in ("ask", "output"):
        flow = every_kind()
        del flow["nodes"][3][key]
        assert refused(flow) == [("MISSING_KEY", "nodes[3]")]
    assert refused(changed(every_kind(), ["nodes", 3, "show"], ["ordr"])) == [
        ("CHANNEL_NOT_DECLARED", "nodes[3].show[0]")
    ]


# Conversation


@pytest.mark.parametrize("kind", ["systm", "System", "", "protected"])
def test_a_kind_that_is_neither_word_is_refused(kind: str) -> None:  # LG-conversation-02
    assert refused({**question(), "kind": kind}) == [("NOT_ONE_OF", "kind")]


def test_a_flow_is_a_users_unless_it_says_otherwise() -> None:  # LG-conversation-01
    flow = check(question()).flow
    assert flow and flow.kind == "user"


def test_there_are_at_most_eight_suggestions() -> None:  # LG-conversation-10
    many = [f"Where is order {number}?" for number in range(MAX_SUGGESTIONS + 1)]
    assert MAX_SUGGESTIONS == 8
    assert refused({**question(), "suggestions": many[:8]}) == []
    assert refused({**question(), "suggestions": many}) == [("TOO_LONG", "suggestions")]
    assert refused({**question(), "suggestions": [""]}) == [("TOO_SHORT", "suggestions[0]")]


# Types


def test_each_of_the_four_has_its_own_words() -> None:  # LG-types-01, LG-types-04, LG-types-05
    # description belongs to all; required to schemas and fields; enum to schemas; options to fields.
    field = {"type": "string", "required": True, "description": "a", "options": ["a", "b"]}
    assert refused(changed(every_kind(), ["nodes", 0, "fields", "orderId"], field)) == []
    assert refused(changed(every_kind(), ["nodes", 0, "fields", "orderId"], {"type": "string", "enum": ["a"]})) == [
        ("UNKNOWN_KEY", "nodes[0].fields.orderId.enum")
    ]
    schema = {"type": "string", "description": "a", "enum": ["a", "b"]}
    assert refused(changed(question(), ["nodes", 0, "schema"], schema)) == []
