"""The kinds that read documents, collections and databases: what they take, and what a check says of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.beside.tests import check_test
from flows.beside.triggers import check_triggers
from flows.check import check
from flows.kinds import BY_TYPE
from flows.kinds.database import MOST_ROWS, DatabaseNode
from flows.kinds.index import PLANNED, IndexNode
from flows.kinds.knowledge import KnowledgeNode
from flows.kinds.read import ReadNode
from flows.panels import language
from flows.problem import Problem
from tests.flows.edits.edited import edited
from tests.flows.files_beside import around, codes, file_of, one
from tests.flows.flow_of import accepted, found
from tests.flows.later_kinds import spread
from tests.flows.reading_kinds import READING, document_chat, handbook, indexer, order_book

Json = Any


def changed(flow: Json, node: int, **keys: Json) -> Json:
    """The flow with these keys on a node; without those that are None."""
    flow["nodes"][node].update(keys)
    for key in [key for key, value in keys.items() if value is None]:
        del flow["nodes"][node][key]
    return flow


def the(flow: Json, code: str) -> Problem:
    """The problem with this code, which is the only one of its code."""
    problems = [problem for problem in check(flow).problems if problem.code == code]
    assert len(problems) == 1, check(flow).problems
    return problems[0]


@pytest.mark.parametrize("flow", READING, ids=lambda flow: flow.__name__)
def test_each_flow_is_accepted(flow: Callable[[], Json]) -> None:
    # LG-read-01, LG-read-12, LG-knowledge-12, LG-db-08, LG-handlers-13: no code anywhere in them
    accepted(flow())


@pytest.mark.parametrize("flow", READING, ids=lambda flow: flow.__name__)
def test_renaming_nodes_and_channels_breaks_nothing(flow: Callable[[], Json]) -> None:
    first = flow()
    renames = [{"op": "renameNode", "id": each["id"], "to": f"{each['id']}_x"} for each in first["nodes"]]
    renames += [{"op": "renameChannel", "name": name, "to": f"{name}_x"} for name in first["state"]]
    assert edited(first, *renames).problems == []


@pytest.mark.parametrize(
    "said", ["document_chat read 0.1", "handbook knowledge 0.30", "indexer index 0.31", "order_book database 0.33"]
)
def test_since_when_each_kind_is_a_word(said: str) -> None:
    # LG-knowledge-02, LG-index-01, LG-db-01
    name, kind, since = said.split()
    assert BY_TYPE[kind].since == since
    if since != "0.1":
        flow: Json = next(each for each in READING if each.__name__ == name)()
        low = f"0.{int(since[2:]) - 1}"
        wrong = [each.path for each in check({**flow, "version": low}).errors if each.code == "VERSION_TOO_LOW"]
        assert f"nodes[{0}].type" in wrong and any(path.startswith("requires.") for path in wrong)
        assert check({**flow, "version": since}).ok


def test_what_is_meant_by_what_is_left_out() -> None:
    # LG-read-05, LG-knowledge-10, LG-index-11, LG-index-12, LG-db-23, LG-db-26, TRAP-02
    read = ReadNode.model_validate({"id": "a", "type": "read", "from": ["{{x}}"], "output": "o"})
    assert (read.max_chars, read.allow_private) == (100_000, False)
    ask = KnowledgeNode.model_validate({"id": "a", "type": "knowledge", "from": "c", "ask": "?", "output": "o"})
    assert ask.most == 5
    build = IndexNode.model_validate({"id": "a", "type": "index", "into": "c", "builtFrom": "the share", "output": "o"})
    assert (build.method, build.size, build.documents) == ("fixed", 1000, None)
    run = DatabaseNode.model_validate({"id": "a", "type": "database", "from": "d", "sql": "{{x}}", "output": "o"})
    assert (run.mode, run.most, MOST_ROWS) == ("sql", None, 200)


@pytest.mark.parametrize(
    ("flow", "node", "key", "least", "most"),
    [
        (document_chat, 0, "maxChars", 1, 1_000_000),  # LG-read-05
        (handbook, 0, "most", 1, 50),  # LG-knowledge-10
        (indexer, 0, "size", 100, 20_000),  # LG-index-11
        (order_book, 2, "most", 1, 200),  # LG-db-26
    ],
)
def test_how_much_may_be_asked_for(flow: Callable[[], Json], node: int, key: str, least: int, most: int) -> None:
    for value, wrong in ((least, False), (most, False), (least - 1, True), (most + 1, True)):
        problems = found(changed(flow(), node, **{key: value}))
        assert problems == ([("OUT_OF_RANGE", f"nodes[{node}].{key}")] if wrong else [])
    for value in ("5", True, 2.5):
        assert ("WRONG_TYPE", f"nodes[{node}].{key}") in found(changed(flow(), node, **{key: value}))


@pytest.mark.parametrize(
    ("source", "private", "fine"),
    [
        ("{{document}}", False, True),  # LG-read-07
        ("{{url}}", False, True),
        ("https://example.com/{{question}}.pdf", False, True),
        ("https://example.com/procedures.pdf", False, True),  # LG-read-08
        ("http://example.com", False, True),
        ("HTTPS://Example.com/A.PDF", False, True),
        ("ftp://example.com/a.pdf", False, False),
        ("file:///srv/a.pdf", True, False),
        ("C:\\papers\\a.pdf", True, False),
        ("papers/a.pdf", True, False),
        ("https://", False, False),
        ("https://[::1", False, False),
        ("http://localhost/a.pdf", False, False),
        ("http://printer.localhost/a.pdf", False, False),
        ("http://127.0.0.1:8000/a.pdf", False, False),
        ("http://10.1.2.3/a.pdf", False, False),
        ("http://[fd00::1]/a.pdf", False, False),
        ("http://169.254.169.254/latest", False, False),
        ("http://localhost/a.pdf", True, True),  # LG-read-06
        ("http://10.1.2.3/a.pdf", True, True),
    ],
)
def test_where_a_document_may_come_from(source: str, private: bool, fine: bool) -> None:  # LG-read-11
    flow = changed(document_chat(), 0, **{"from": ["{{document}}", source], "allowPrivate": private or None})
    if private:
        flow["nodes"][0]["allowPrivate"] = True
    assert found(flow) == ([] if fine else [("SOURCE_NOT_READABLE", "nodes[0].from[1]")])


def test_a_private_address_is_told_from_one_that_is_none() -> None:  # LG-read-11
    private = the(changed(document_chat(), 0, **{"from": ["http://10.0.0.1/a.pdf"]}), "SOURCE_NOT_READABLE")
    assert "allowPrivate" in private.hint
    other = the(changed(document_chat(), 0, **{"from": ["ftp://example.com/a.pdf"]}), "SOURCE_NOT_READABLE")
    assert "https://" in other.hint and "allowPrivate" not in other.hint


@pytest.mark.parametrize(
    ("type", "fine"),
    [
        ("file", True),
        ("string", True),
        ("any", True),
        ("object", True),
        ("list", False),
        ("number", False),
        ("boolean", False),
    ],
)
def test_which_channels_bring_a_document(type: str, fine: bool) -> None:
    flow = changed(document_chat(), 0, **{"from": ["{{given}}"]})
    flow["state"]["given"] = {"type": type, "description": "What somebody gave."}
    assert ("SOURCE_NOT_READABLE" in {code for code, _ in found(flow)}) is not fine


def test_a_document_is_kept_for_the_next_message() -> None:  # LG-read-10
    flow = document_chat()
    del flow["state"]["doc"]["remembers"]
    assert found(flow) == [("DOCUMENT_NOT_REMEMBERED", "state.doc")]
    # Without a conversation there is no next message, and a copy of a fan-out gathers.
    assert "DOCUMENT_NOT_REMEMBERED" not in {code for code, _ in found({**flow, "conversation": False})}
    many = spread()
    many["conversation"] = True
    many["nodes"][2] = {"id": "read", "type": "read", "from": ["{{url}}"], "output": "lines", "onError": "SKIP"}
    assert {code for code, _ in found(many)} <= {"HISTORY_UNREAD"}


@pytest.mark.parametrize(
    ("flow", "node", "channel", "fine"),
    [
        (document_chat, 0, "doc", ("object", "any")),
        (handbook, 0, "paragraphs", ("list", "any")),
        (indexer, 0, "built", ("object", "any")),
        (order_book, 0, "tables", ("object", "any")),
        (order_book, 2, "rows", ("object", "any")),
    ],
)
def test_what_is_written_fits_its_channel(
    flow: Callable[[], Json], node: int, channel: str, fine: tuple[str, ...]
) -> None:
    for type in ("string", "number", "boolean", "list", "object", "any", "file"):
        said = flow()
        said["state"][channel]["type"] = type
        wrong = [path for code, path in found(said) if code.startswith("OUTPUT_NOT_FOR_")]
        assert wrong == ([] if type in fine else [f"nodes[{node}].output"])


@pytest.mark.parametrize(
    ("flow", "node", "key", "code"),
    [
        (handbook, 0, "from", "COLLECTION_NOT_DECLARED"),  # LG-knowledge-08
        (indexer, 0, "into", "COLLECTION_NOT_DECLARED"),
        (order_book, 2, "from", "DATABASE_NOT_DECLARED"),
    ],
)
def test_what_is_asked_is_declared(flow: Callable[[], Json], node: int, key: str, code: str) -> None:
    wrong = the(changed(flow(), node, **{key: "elsewhere"}), code)
    assert wrong.path == f"nodes[{node}].{key}" and "requires." in wrong.hint
    # What cannot be read is not taken for what is missing.
    section = "database" if code.startswith("DATABASE") else "knowledge"
    for broken in ([], "x", None):
        assert code not in {each for each, _ in found({**flow(), "requires": {section: broken}})}
        assert code not in {each for each, _ in found({**flow(), "requires": broken if broken != [] else 7})}
    declared = flow()
    declared["requires"][section] = dict.fromkeys(declared["requires"][section], 7)
    assert code not in {each for each, _ in found(declared)}


def test_only_what_a_flow_builds_is_built() -> None:  # LG-index-01, LG-index-03
    for builds in (None, False, "true", 1):
        flow = indexer()
        flow["requires"]["knowledge"]["hrPolicies"]["builds"] = builds
        if builds is None:
            del flow["requires"]["knowledge"]["hrPolicies"]["builds"]
        assert ("COLLECTION_NOT_BUILDABLE", "nodes[0].into") in found(flow)
    # Asking a collection that the flow builds is fine.
    flow = handbook()
    flow["requires"]["knowledge"]["hrPolicies"]["builds"] = True
    accepted(flow)


@pytest.mark.parametrize("method", PLANNED)
def test_a_planned_method_is_a_word_and_refused(method: str) -> None:  # LG-index-10, LG-index-13, LG-doc-07
    assert found(changed(indexer(), 0, method=method)) == [("METHOD_NOT_BUILT", "nodes[0].method")]


def test_panels_propose_what_is_built() -> None:
    fields = next(each for each in language().kinds if each.type == "index").fields
    method = next(each for each in fields if each.key == "method")
    assert [each.value for each in method.choices if each.offered] == ["fixed", "structure"]
    assert method.default == "fixed"
    assert found(changed(indexer(), 0, method="pages")) == [("NOT_ONE_OF", "nodes[0].method")]


@pytest.mark.parametrize(
    ("type", "fine"),
    [("list", True), ("object", True), ("any", True), ("string", False), ("file", False), ("number", False)],
)
def test_documents_come_with_their_text(type: str, fine: bool) -> None:  # LG-index-06
    flow = changed(indexer(), 0, documents="papers")
    flow["state"]["papers"] = {"type": type, "description": "The papers, each { title, source, text }."}
    assert found(flow) == ([] if fine else [("DOCUMENTS_NOT_WHOLE", "nodes[0].documents")])


@pytest.mark.parametrize("key", ["from", "folder", "path", "url", "source"])
def test_an_index_node_has_no_place_for_an_address(key: str) -> None:  # LG-index-05
    wrong = the(changed(indexer(), 0, **{key: "https://example.com"}), "UNKNOWN_KEY")
    assert wrong.path == f"nodes[0].{key}" and wrong.hint.startswith("Remove it. ") and "documents" in wrong.hint


@pytest.mark.parametrize(
    ("words", "fine"),
    [
        ("the HR share", True),
        ("{{question}}", True),
        ("/srv/hr", False),
        ("\\\\files\\hr", False),
        ("https://hr.example", False),
    ],
)
def test_what_a_collection_was_built_from_is_a_phrase(words: str, fine: bool) -> None:  # LG-index-07
    assert found(changed(indexer(), 0, builtFrom=words)) == (
        [] if fine else [("INVALID_DESCRIPTION", "nodes[0].builtFrom")]
    )


def test_a_nightly_indexer_is_a_trigger_and_one_node() -> None:  # LG-index-19
    flow = indexer()
    del flow["nodes"][1], flow["state"]["answer"]
    flow["edges"] = [{"from": "build", "to": "END"}]
    flow |= {"inputs": ["question"], "outputs": ["built"]}
    accepted(flow)
    nightly = {"id": "nightly", "type": "schedule", "schedule": "0 2 * * *", "timezone": "Europe/Nicosia"}
    file = {"flow": "./flow.json", "triggers": [{**nightly, "input": {"question": "the HR share"}}]}
    assert check_triggers(file, around(flow), "triggers.json").problems == []


def test_a_schema_takes_no_statement_and_no_count() -> None:  # LG-db-22
    flow = changed(order_book(), 0, sql="{{statement}}", most=5)
    wrong = [each for each in check(flow).errors if each.code == "SCHEMA_TAKES_NO_ROWS"]
    assert [each.path for each in wrong] == ["nodes[0].most", "nodes[0].sql"]
    assert ['"most"' in each.message for each in wrong] == [True, False]


@pytest.mark.parametrize("sql", [None, "", "   "])
def test_a_node_that_asks_for_no_schema_has_a_statement(sql: str | None) -> None:  # LG-db-23
    codes = {code for code, _ in found(changed(order_book(), 2, sql=sql))}
    assert codes & {"SQL_MISSING", "TOO_SHORT"}


def test_the_channels_of_a_statement_are_checked() -> None:  # LG-db-24
    wrong = the(changed(order_book(), 2, sql="{{statment}}"), "CHANNEL_NOT_DECLARED")
    assert (wrong.path, wrong.hint) == ("nodes[2].sql", 'Did you mean "statement"?')


@pytest.mark.parametrize("key", ["ask", "question"])
def test_a_database_is_asked_no_question(key: str) -> None:  # LG-db-44, TRAP-05
    wrong = the(changed(order_book(), 2, **{key: "{{question}}"}), "UNKNOWN_KEY")
    assert wrong.path == f"nodes[2].{key}" and f'"{key}"' in wrong.message and "llm node" in wrong.hint


def test_knowledge_nodes_have_no_score() -> None:  # LG-knowledge-11, LG-knowledge-25
    for key in ("score", "threshold", "minScore", "rerank"):
        assert ("UNKNOWN_KEY", f"nodes[0].{key}") in found(changed(handbook(), 0, **{key: 0.4}))


FLOWS = {"reads": document_chat, "knowledge": handbook, "index": indexer, "database": order_book}


@pytest.mark.parametrize(
    ("section", "node", "value", "code"),
    [
        ("reads", "load", "The terms.", ""),  # LG-tests-16
        ("reads", "load", {"title": "Terms", "text": "…"}, ""),
        ("reads", "load", {"fails": "It is a scan."}, ""),
        ("reads", "load", 7, "MOCK_SHAPE"),
        ("reads", "reply", "x", "MOCK_WRONG_KIND"),
        ("knowledge", "find", [{"text": "25 days.", "source": "handbook"}], ""),
        ("knowledge", "find", {"nothingFound": True}, ""),
        ("knowledge", "find", {"then": [[{"text": "a"}], {"nothingFound": True}]}, ""),
        ("knowledge", "find", "25 days.", "MOCK_SHAPE"),
        ("knowledge", "fnd", [], "TEST_NODE_NOT_FOUND"),
        ("index", "build", {"passages": 12}, ""),
        ("index", "build", {"passages": -1}, "MOCK_SHAPE"),
        ("index", "build", {"passages": True}, "MOCK_SHAPE"),
        ("index", "tell", {"passages": 1}, "MOCK_WRONG_KIND"),
        ("database", "schema", {"tables": [], "relationships": []}, ""),
        ("database", "schema", [{"id": 1}], "MOCK_SHAPE"),
        ("database", "schema", {"rows": []}, "MOCK_SHAPE"),
        ("database", "run", [{"id": 1}], ""),
        ("database", "run", [], ""),
        ("database", "run", [1], "MOCK_SHAPE"),
        ("database", "run", "1", "MOCK_SHAPE"),
        ("database", "run", {"rows": [], "of": 0, "cut": False, "nothingFound": True}, ""),
        ("database", "run", {"refused": "It reads a table that is not offered.", "gate": "diagram"}, ""),
        ("database", "run", {"refused": "It writes."}, "MOCK_SHAPE"),
        ("database", "run", {"refused": True, "gate": "diagram"}, "MOCK_SHAPE"),
        ("database", "run", {"refused": "No.", "gate": "door"}, "MOCK_SHAPE"),
        ("database", "run", {"fails": "It is away."}, ""),
    ],
)
def test_what_stands_in_for_them_in_a_test(section: str, node: str, value: Json, code: str) -> None:
    models = {"reply": "There.", "tell": "Done.", "write": "SELECT 1"}
    flow = FLOWS[section]()
    ids = {each["id"] for each in flow["nodes"]}
    mock = {"nodes": {id: words for id, words in models.items() if id in ids}, section: {node: value}}
    problems = check_test(file_of(one(mock=mock)), around(flow), "tests/a.test.json").problems
    assert codes(problems) == ([code] if code else []), problems


@pytest.mark.parametrize(
    ("section", "drop", "node"),
    [("index", "tell", "build"), ("knowledge", "reply", "find"), ("database", "reply", "run")],
)
def test_the_last_answer_from_outside_is_stood_in_for(section: str, drop: str, node: str) -> None:  # LG-tests-24
    flow = FLOWS[section]()
    flow["nodes"] = [each for each in flow["nodes"] if each["id"] != drop]
    flow["edges"] = [
        {**each, "to": "END"} if each["to"] == drop else each for each in flow["edges"] if each["from"] != drop
    ]
    models = {"write": "SELECT 1"} if section == "database" else {}
    schema = {"schema": {"tables": []}} if section == "database" else {}
    bare = one(mock={"nodes": models, **({section: schema} if schema else {})})
    problems = check_test(file_of(bare), around(flow), "tests/a.test.json").problems
    assert codes(problems) == ["MOCK_NEEDED"]
    assert f'"{section}": {{ "{node}":' in problems[0].hint
