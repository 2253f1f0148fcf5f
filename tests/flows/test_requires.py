"""requires: what a flow may say of the place where it runs, and what it may not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.check import check
from flows.edits.fixes import fix_of
from flows.runnable import cannot_run
from flows.words import ranges
from flows.words.names import variable
from flows.words.requires import Collection, Database, McpServer, Requires
from flows.words.whereabouts import whereabouts
from tests.flows.edits.edited import edited
from tests.flows.flow_of import accepted, question
from tests.flows.needing import HOLDS, SERVER, every, needing, paths
from tests.flows.reading_kinds import handbook, order_book, support

Json = Any

# What a declaration may not hold


REFUSED = [
    *(("mcp", "crm", SERVER, key) for key in McpServer.refuses),
    *(("knowledge", "hrPolicies", HOLDS, key) for key in Collection.refuses),
    *(("database", "northwind", HOLDS, key) for key in Database.refuses),
]


@pytest.mark.parametrize(("section", "name", "declared", "key"), REFUSED)
def test_places_and_secrets_are_refused_by_name(section: str, name: str, declared: Json, key: str) -> None:
    # LG-knowledge-03, LG-db-02, LG-db-04, LG-db-06, LG-services-09
    flow = needing(**{section: {name: {**declared, key: "x"}}})
    (wrong,) = every(flow, "UNKNOWN_KEY")
    assert wrong.path == f"requires.{section}.{name}.{key}"
    assert f'"{key}"' in wrong.message and wrong.hint.startswith("Remove it. ") and len(wrong.hint) > 30
    # At one press it is gone.
    after = edited(flow, *fix_of(flow, wrong)).document
    assert after["requires"][section][name] == declared


@pytest.mark.parametrize("key", ["user", "username", "password", "credential"])
def test_who_signs_in_to_a_database_is_never_said(key: str) -> None:  # LG-db-02
    flow = order_book()
    flow["requires"]["database"]["northwind"][key] = "reader"
    (wrong,) = every(flow, "UNKNOWN_KEY")
    assert wrong.message == f'"{key}" may not stand in "requires.database.northwind" of the flow.'


def test_nothing_else_is_declared_of_a_database() -> None:  # LG-db-01
    for key in ("tables", "schema", "relationships", "readOnly", "most", "reader", "builds"):
        flow = needing(database={"northwind": {**HOLDS, key: True}})
        assert paths(flow, "UNKNOWN_KEY") == [f"requires.database.northwind.{key}"]


PLACES = [
    ("Local MCP server at C:\\Dev\\Apps\\mcpDb exposing tools", "C:\\Dev\\Apps\\mcpDb"),
    ("d:/apps/crm", "d:/apps/crm"),
    ("See https://crm.example.com/api.", "https://crm.example.com/api"),
    ("postgres://reader@db/northwind", "postgres://reader@db/northwind"),
    ("jdbc:oracle:thin:@db", "jdbc:oracle:thin:@db"),
    ("On www.example.com, mostly", "www.example.com"),
    ("Under /srv/documents/hr.", "/srv/documents/hr"),
    ("In /usr/share/dict and elsewhere", "/usr/share/dict"),
    ("In ~/notes", "~/notes"),
    ("On the share \\\\files\\hr", "\\\\files\\hr"),
    ("Runs on localhost.", "localhost"),
    ("Runs on localhost:5432", "localhost:5432"),
    ("The order book on db.internal", "db.internal"),
    ("db01.prod.corp has it", "db01.prod.corp"),
    ("The order book on db.internal.", "db.internal"),
    ("At 192.168.1.20", "192.168.1.20"),
    ("At 10.0.0.5.", "10.0.0.5"),
    ("At 203.0.113.9:5432", "203.0.113.9:5432"),
    ("crm.example.com:8443 answers", "crm.example.com:8443"),
    ("Server=sql01;Database=orders", "Server=sql01"),
    ("It listens on port 5432", "port 5432"),
    ("The order book. Orders, customers and products.", ""),
    ("Read-only except for openTicket; open 24/7, and/or on call.", ""),
    ("Reservations made on Booking.com and by phone.", ""),
    ("Questions go to hr@example.com.", ""),
    ("Clauses such as 4.1.2.3, and version 10.0.", ""),
    ("Node.js and .NET packages, e.g. for a:12 or 10:30.", ""),
    ("Ships in the port of Hamburg; either/or C: the third.", ""),
    ("Localhosts of the past, and the home.page of each.", ""),
    ("השרת של הלקוחות", ""),
    ("", ""),
]


@pytest.mark.parametrize(("words", "place"), PLACES)
def test_a_place_is_found_in_a_sentence(words: str, place: str) -> None:
    # LG-services-10, LG-knowledge-03, LG-knowledge-04, LG-db-03
    assert whereabouts(words) == place
    if words:
        for section, name, declared in (
            ("mcp", "crm", {**SERVER, "describe": words}),
            ("knowledge", "hrPolicies", {"describe": words}),
            ("database", "northwind", {"describe": words}),
        ):
            wanted = [f"requires.{section}.{name}.describe"] if place else []
            assert paths(needing(**{section: {name: declared}}), "INVALID_DESCRIPTION") == wanted


@given(st.text(max_size=300))
def test_no_sentence_is_too_odd(words: str) -> None:
    assert whereabouts(words) in words


@pytest.mark.parametrize(
    "words", ["a." * 20_000, "a-" * 20_000, "/" * 40_000, "\\" * 40_000, "1." * 20_000, "a:" * 20_000]
)
def test_a_long_sentence_is_looked_through_in_time(words: str) -> None:
    whereabouts(words)


def test_what_a_server_is_for_is_checked_since_its_version() -> None:  # LG-services-10, LG-versions-01
    tools = ["findCustomer", {"name": "openTicket", "describe": "POSTs to https://crm.example.com."}]
    flow = needing(mcp={"crm": {"describe": "At https://crm.example.com.", "tools": tools}})
    wanted = ["requires.mcp.crm.describe", "requires.mcp.crm.tools[1].describe"]
    assert paths({**flow, "version": "0.25"}, "INVALID_DESCRIPTION") == wanted
    assert paths({**flow, "version": "0.24"}, "INVALID_DESCRIPTION") == []


# Names


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("hrPolicies", "HR_POLICIES"), ("northwind", "NORTHWIND"), ("maxResults", "MAX_RESULTS"),
        ("max_results", "MAX_RESULTS"), ("crmV2", "CRM_V2"),
    ],
)  # fmt: skip
def test_how_the_deployment_spells_a_name(name: str, spelled: str) -> None:
    # LG-knowledge-22, LG-db-04
    assert variable(name) == spelled


@pytest.mark.parametrize("section", ["knowledge", "database"])
def test_names_work_in_code(section: str) -> None:  # LG-knowledge-06
    flow = needing(**{section: {"hr-policies": HOLDS, "class": HOLDS, "hrPolicies": HOLDS}})
    wrong = every(flow, "REQUIRED_NAME_INVALID")
    assert [each.path for each in wrong] == [f"requires.{section}.class", f"requires.{section}.hr-policies"]
    assert wrong[1].hint.endswith('Call it "hrPolicies".')


def test_a_server_has_the_name_of_a_node() -> None:
    servers = {"azure-devops": SERVER, "our crm": {**SERVER, "tools": ["other"]}}
    assert paths(needing(mcp=servers), "REQUIRED_NAME_INVALID") == ['requires.mcp["our crm"]']


@pytest.mark.parametrize(
    ("requires", "path"),
    [
        ({"services": {"http": "An API."}}, "requires.services.http"),
        ({"services": {"files": "An archive."}}, "requires.services.files"),
        ({"services": {"hr": "An API."}, "knowledge": {"hr": HOLDS}}, "requires.knowledge.hr"),
        ({"knowledge": {"hr": HOLDS}, "database": {"hr": HOLDS}}, "requires.database.hr"),
        ({"database": {"northWind": HOLDS, "north_wind": HOLDS}}, "requires.database.north_wind"),
        ({"settings": {"mostRows": {}, "most_rows": {}}}, "requires.settings.most_rows"),
        ({"packages": {"python-dateutil": ">=2", "Python.DateUtil": ">=2"}}, 'requires.packages["Python.DateUtil"]'),
        ({"settings": {"hr": {}}, "knowledge": {"hr": HOLDS}}, ""),
        ({"mcp": {"hr": SERVER}, "knowledge": {"hr": HOLDS}}, ""),
    ],
)
def test_each_name_means_one_thing(requires: Json, path: str) -> None:
    assert paths(needing(**requires), "REQUIRED_NAME_TWICE") == ([path] if path else [])


# Packages


@pytest.mark.parametrize(
    ("wanted", "fine", "meant"),
    [
        (">=2.9,<3", True, ""),
        ("~=2.9", True, ""),
        ("==2.9.*", True, ""),
        (">= 2.9 , < 3", True, ""),
        ("", False, ">=2.9,<3"),
        ("*", False, ">=2.9,<3"),
        ("newest", False, ">=2.9,<3"),
        ("^2.9", False, ">=2.9,<3"),
        ("^0.3.1", False, ">=0.3.1,<0.4"),
        ("^0.0.3", False, ">=0.0.3,<0.0.4"),
        ("~1.2.3", False, ">=1.2.3,<1.3"),
        ("1.2.3", False, "==1.2.3"),
        ("2.x", False, ">=2,<3"),
        (">=3,<2", False, ">=2.9,<3"),
    ],
)
def test_packages_have_a_range_that_pip_reads(wanted: str, fine: bool, meant: str) -> None:  # LG-contract-12
    wrong = every(needing(packages={"python-dateutil": wanted}), "PACKAGE_INVALID")
    assert [each.path for each in wrong] == ([] if fine else ["requires.packages.python-dateutil"])
    assert fine or meant in wrong[0].hint


@given(st.from_regex(r"[\^~]?v?(\d{1,5}|x)(\.(\d{1,5}|x|\*)){0,2}", fullmatch=True))
def test_what_is_proposed_is_a_range(wanted: str) -> None:
    meant = ranges.meant(wanted)
    assert not meant or (ranges.is_range(meant) and not ranges.is_empty(meant))


@given(st.text(max_size=40))
def test_any_text_is_a_range_or_none(wanted: str) -> None:
    if ranges.is_range(wanted):
        ranges.is_empty(wanted)
    ranges.meant(wanted)


# Users


@pytest.mark.parametrize("users", [False, "Dana", ["Dana", "Noa"], {"names": ["Dana"]}, 1])
def test_users_is_true_and_nothing_else(users: Json) -> None:  # LG-contract-13, LG-contract-14
    (wrong,) = every(needing(users=users), "NOT_ONE_OF")
    assert wrong.path == "requires.users" and "can only be true" in wrong.message
    assert "Nobody is named in a flow" in wrong.hint
    accepted(needing(users=True))


def test_there_is_no_other_place_for_people() -> None:  # LG-contract-14
    for key in ("people", "user", "allow"):
        assert paths(needing(**{key: ["Dana"]}), "UNKNOWN_KEY") == [f"requires.{key}"]


def test_a_flow_for_known_people_runs() -> None:  # LG-contract-13
    assert cannot_run(check(needing(users=True))) == []


@pytest.mark.parametrize(("users", "told"), [(None, True), (True, False), (["Dana"], False)])
def test_a_collection_that_answers_by_reader_needs_users(users: Json, told: bool) -> None:
    # LG-knowledge-19, LG-knowledge-20
    flow = handbook()
    flow["requires"]["knowledge"]["hrPolicies"]["reader"] = "required"
    if users is not None:
        flow["requires"]["users"] = users
    wanted = ["requires.knowledge.hrPolicies.reader"] if told else []
    assert paths(flow, "KNOWLEDGE_NEEDS_USERS") == wanted


def test_a_collection_reads_the_same_for_everybody_unless_it_says_so() -> None:  # LG-knowledge-19
    flow = handbook()
    flow["requires"]["knowledge"]["hrPolicies"]["reader"] = "optional"
    (wrong,) = every(flow, "NOT_ONE_OF")
    assert wrong.message.endswith('is "optional", and it can only be "required".')


# What is required, and what uses it


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ("services.shop", False), ("services.hrPolicies", False), ("services.http", True), ("services.files", True),
        ("services.sign", True), ("services.mail", True),
    ],
)  # fmt: skip
def test_code_speaks_of_services_that_are_declared(words: str, known: bool) -> None:
    # LG-contract-24, LG-services-01, LG-services-02, LG-files-04
    flow = needing(services={"mail": "Sends mail: POST https://mail.example/send."}, knowledge={"hrPolicies": HOLDS})
    flow["tools"] = [{"name": "send", "description": f"Calls {words} for 'question'. Returns an object."}]
    wrong = every(flow, "NOT_DECLARED_IN_REQUIRES")
    assert bool(wrong) is not known
    if "hrPolicies" in words:
        assert "knowledge node" in wrong[0].hint


def test_what_is_required_is_used() -> None:
    flow = needing(mcp={"crm": SERVER}, knowledge={"hrPolicies": HOLDS}, database={"northwind": HOLDS})
    wanted = ["requires.database.northwind", "requires.knowledge.hrPolicies", "requires.mcp.crm"]
    assert sorted(paths(flow, "REQUIRED_UNUSED")) == wanted
    assert all(each.level == "warning" for each in every(flow, "REQUIRED_UNUSED"))
    # A queue may hold a call of any tool.
    flow["state"] |= {
        "queue": {"type": "list", "description": "Calls."},
        "results": {"type": "list", "description": "Results."},
    }
    flow["nodes"].append({"id": "batch", "type": "tools", "calls": "queue", "output": "results"})
    assert "requires.mcp.crm" not in paths(flow, "REQUIRED_UNUSED")


def test_secrets_are_named_once() -> None:
    assert paths(needing(env=["SHOP_KEY", "SHOP_KEY"]), "NAMED_TWICE") == ["requires.env[1]"]


@pytest.mark.parametrize(
    ("name", "description", "told"),
    [
        ("picture", "The URL of the picture that was drawn.", True),
        ("photo_url", "A photo of the goods.", True),
        ("report", "A link to the report's PDF.", False),
        ("report", "A link to a PDF with the figures.", True),
        ("page", "The address of the page.", False),
        ("answer_text", "The reply, which may speak of a document.", False),
    ],
)
def test_a_file_is_no_text_with_its_address(name: str, description: str, told: bool) -> None:  # LG-files-01
    flow = question()
    flow["state"][name] = {"type": "string", "description": description}
    assert paths(flow, "FILE_IS_TEXT") == ([f"state.{name}.type"] if told else [])
    # A link that somebody gives, or that a read node opens, is one.
    assert paths({**flow, "inputs": ["question", name]}, "FILE_IS_TEXT") == []
    flow["state"]["picture"] = {"type": "file", "description": "The picture."}
    assert "state.picture.type" not in paths(flow, "FILE_IS_TEXT")


BROKEN: list[Json] = [
    None,
    7,
    "x",
    [],
    [None],
    {"a": None},
    {"a": 7},
    {"a": {"describe": 7}},
    {"a": {"tools": {}}},
    {"": {}},
    True,
]


@pytest.mark.parametrize("section", list(Requires.model_fields))
@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_broken_declaration_is_named_where_it_is(section: str, broken: Json) -> None:
    for flow in (question(), handbook(), order_book(), support()):
        flow["requires"] = {**flow.get("requires", {}), section: broken}
        checked = check(flow)
        assert all(each.message and each.code for each in checked.problems)
        # Nothing else is blamed for it, but what is named and is not there.
        assert all(
            each.path.startswith("requires") for each in checked.errors if not each.code.endswith("_NOT_DECLARED")
        )
