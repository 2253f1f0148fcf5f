"""The code of a draft's units: states, what may run, whose code is never overwritten silently, and handlers.py."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync

from flows.check import check
from flows.models import Flow, Unit
from flows.units import units_of
from runtime.units import shelf
from runtime.units.handlerfile import FileRefused, parse_handlers, render_handlers
from tests.runtime.units.test_generate import BAD, FLOW, GOOD, HEAD, Model

SAY = f"async def say(state, {HEAD}):\n    return {{'answer': 'Nothing found.'}}\n"


def parts(flow: dict):
    return check(flow).flow


@pytest.fixture
def flow(workspace):
    return Flow.objects.create(path="shop", name="Shop", draft=json.dumps(FLOW))


def states(flow, document):
    return {one.id: one.state for one in shelf.units(flow, document)}


def test_everything_is_missing_at_first(flow):
    document = parts(FLOW)
    assert set(states(flow, document).values()) == {"missing"}
    told = shelf.ready(flow, document)
    assert not told.ok
    assert told.problems[:2] == (
        'The service "crm" has no code. Generate it, or write it.',
        'The handler "plan" has no code. Generate it, or write it.',
    )


# LG-handlers-01: code is generated from the description, and again when the description changed.
def test_a_changed_description_makes_generated_code_stale_and_edited_code_a_question(flow):
    document = parts(FLOW)
    specs = {spec.id: spec for spec in units_of(document)}
    shelf.write(flow, specs["handler:plan"], GOOD, "generated")
    shelf.edit(flow, document, "handler", "say", SAY)
    assert states(flow, document)["handler:plan"] == states(flow, document)["handler:say"] == "current"

    changed = copy.deepcopy(FLOW)
    for node in (0, 2):
        changed["nodes"][node]["description"] += " Politely."
    document = parts(changed)
    found = states(flow, document)
    assert found["handler:plan"] == "stale"
    assert found["handler:say"] == "edited"
    told = shelf.ready(flow, document)
    assert "handler:say" in told.units
    assert "handler:plan" not in told.units
    assert [one.id for one in told.asks] == ["handler:say"]
    assert any("generated from an older description" in problem for problem in told.problems)

    # What the description did not touch stays current.
    document = parts({**FLOW, "description": "Sells tea."})
    assert states(flow, document)["handler:plan"] == "current"


def test_an_edited_unit_is_never_overwritten_silently(flow):
    document = parts(FLOW)
    one = shelf.edit(flow, document, "handler", "plan", GOOD + "\n# by hand\n")
    model = Model(GOOD)
    with pytest.raises(shelf.EditedByHand, match="needs your yes"):
        async_to_sync(shelf.write_with_model)(flow, document, one, model)
    assert model.asked == []
    spec = one.spec
    with pytest.raises(shelf.EditedByHand):
        shelf.write(flow, spec, GOOD, "generated")
    async_to_sync(shelf.write_with_model)(flow, document, one, model, yes=True)
    assert shelf.find(flow, document, "handler", "plan").origin == "generated"


def test_a_refused_generation_says_why_and_keeps_the_code_there_was(flow):
    document = parts(FLOW)
    one = shelf.find(flow, document, "handler", "plan")
    async_to_sync(shelf.write_with_model)(flow, document, one, Model(GOOD))
    one = shelf.find(flow, document, "handler", "plan")
    assert (one.state, one.code, one.origin) == ("current", GOOD, "generated")
    async_to_sync(shelf.write_with_model)(flow, document, one, Model(BAD, BAD, BAD))
    one = shelf.find(flow, document, "handler", "plan")
    assert (one.state, one.code) == ("current", GOOD)
    assert "os cannot be imported" in one.turned_down
    assert (one.reason, shelf.ready(flow, document).units["handler:plan"]) == ("", GOOD)
    async_to_sync(shelf.write_with_model)(flow, document, one, Model(GOOD))
    one = shelf.find(flow, document, "handler", "plan")
    assert (one.state, one.turned_down) == ("current", "")


def test_a_refused_generation_leaves_older_code_stale_and_a_persons_code_where_it_was(flow):
    document = parts(FLOW)
    spec = next(spec for spec in units_of(document) if spec.id == "handler:plan")
    shelf.write(flow, replace(spec, key="0" * 64), GOOD, "generated")
    shelf.write(flow, spec, BAD, "generated", problems=("It imports os.",))
    one = shelf.find(flow, document, "handler", "plan")
    assert (one.state, one.code, one.turned_down) == ("stale", GOOD, "It imports os.")
    shelf.edit(flow, document, "handler", "plan", BAD)
    shelf.write(flow, spec, "import sys", "generated", problems=("It imports sys.",), over_edited=True)
    one = shelf.find(flow, document, "handler", "plan")
    assert (one.state, one.code, one.origin, one.turned_down) == ("refused", BAD, "edited", "It imports sys.")


def test_what_a_person_typed_is_kept_even_when_it_is_refused(flow):
    document = parts(FLOW)
    one = shelf.edit(flow, document, "handler", "plan", BAD)
    assert (one.state, one.code, one.origin) == ("refused", BAD, "edited")
    assert "os cannot be imported" in one.reason
    assert shelf.edit(flow, document, "handler", "plan", GOOD).state == "current"
    assert shelf.edit(flow, document, "handler", "nobody", GOOD) is None


def test_regular_routers_are_written_without_anybody(flow):
    regular = copy.deepcopy(FLOW)
    regular["edges"][1]["when"]["some"] = "'goods' is not empty"
    document = parts(regular)
    told = shelf.ready(flow, document)
    assert "router:pick" in told.units
    row = Unit.objects.get(flow=flow, kind="router")
    assert row.origin == "regular"

    regular["edges"][1]["when"]["some"] = "'goods' has at least 2 items"
    assert ">= 2" in shelf.ready(flow, parts(regular)).units["router:pick"]

    # A router that a person wrote is not replaced, though its sentences are regular.
    mine = f"async def pick(state, {HEAD}):\n    return 'some' if state['goods'] else 'none'\n"
    shelf.edit(flow, parts(regular), "router", "pick", mine)
    regular["edges"][1]["when"]["some"] = "'goods' has at least 3 items"
    assert shelf.ready(flow, parts(regular)).units["router:pick"] == mine


FILE = f'''"""Code of a shop."""

import re
from datetime import date, datetime
from math import ceil, floor

WORD = re.compile("[a-z]+")


# What counts as a word.
def words(text):
    return WORD.findall(text)


async def plan(state, {HEAD}):
    # A comment inside.
    return {{"answer": " ".join(words(state["question"])),   "day": date.today().isoformat()}}


async def find(args, {HEAD}):
    return [ceil(1.5)]


async def say(state, {HEAD}):
    return {{"answer": "Nothing found."}}
'''


def test_a_file_is_taken_apart_with_what_each_function_needs():
    codes = parse_handlers(FILE)
    assert list(codes) == ["plan", "find", "say"]
    assert codes["say"] == SAY.replace("'", '"')
    assert codes["find"] == f"from math import ceil\n\n\nasync def find(args, {HEAD}):\n    return [ceil(1.5)]\n"
    assert codes["plan"].startswith("import re\nfrom datetime import date\n\n\nWORD = re.compile")
    assert "# What counts as a word.\ndef words" in codes["plan"]
    assert '# A comment inside.\n    return {"answer": " ".join(words(state["question"])),   "day"' in codes["plan"]


def test_a_file_put_together_is_taken_apart_alike():
    codes = parse_handlers(FILE)
    text = render_handlers(codes.values(), "Code of a shop.")
    assert parse_handlers(text) == codes
    assert text.count("def words") == 1
    assert text.startswith('"""Code of a shop."""\n\nimport re\nfrom datetime import date\nfrom math import ceil\n')
    assert render_handlers(parse_handlers(text).values(), "Code of a shop.") == text


@pytest.mark.parametrize(
    "file", sorted(Path("flows/examples").glob("*/handlers.py")), ids=lambda file: file.parent.name
)
def test_the_examples_survive_both_ways(file):
    codes = parse_handlers(file.read_text(encoding="utf-8"))
    assert parse_handlers(render_handlers(codes.values())) == codes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("async def (", "line 1: this is not Python"),
        ("x = 1\0", "null bytes|NUL characters"),
        (f"async def a(state, {HEAD}):\n    return {{}}\n" * 2, "line 3: a is defined twice"),
        ("print(1)", "line 1: outside functions stand only"),
    ],
)
def test_a_file_that_is_refused(text, words):
    with pytest.raises(FileRefused, match=words):
        parse_handlers(text)


def test_units_that_define_a_name_differently_cannot_share_a_file():
    one = f"def tidy(x):\n    return x\n\n\nasync def a(state, {HEAD}):\n    return tidy({{}})\n"
    two = f"def tidy(x):\n    return [x]\n\n\nasync def b(state, {HEAD}):\n    return tidy({{}})\n"
    with pytest.raises(FileRefused, match="Two units define tidy differently"):
        render_handlers([one, two])
    assert render_handlers([one, one.replace("def a", "def b")]).count("def tidy") == 1


def test_a_draft_takes_a_file_in_and_gives_it_out(flow):
    document = parts(FLOW)
    assert shelf.fill(flow, FILE) == ["handler:plan", "handler:say", "tool:find"]
    found = {one.id: one for one in shelf.units(flow, document)}
    assert found["handler:plan"].origin == "edited"
    assert found["handler:plan"].state == "current"
    assert parse_handlers(shelf.export(flow, document)) == parse_handlers(FILE)


@pytest.mark.parametrize("folder", sorted(Path("flows/examples").glob("*/")), ids=lambda folder: folder.name)
def test_an_example_is_ready_with_its_file(workspace, folder):
    text = (folder / "flow.json").read_text(encoding="utf-8")
    flow = Flow.objects.create(path=folder.name, name=folder.name, draft=text)
    shelf.fill(flow, (folder / "handlers.py").read_text(encoding="utf-8"))
    told = shelf.ready(flow, check(text).flow)
    assert told.problems == ()


def test_a_draft_that_cannot_be_read_takes_no_file(workspace):
    flow = Flow.objects.create(path="broken", name="Broken", draft="{")
    with pytest.raises(FileRefused, match="The flow itself cannot be read"):
        shelf.fill(flow, FILE)


# LG-contract-08
def test_it_is_kept_by_its_description_and_by_whose_hand_it_is(flow):
    document = check(FLOW).flow
    good = f"class Crm:\n    async def people(self):\n        return []\n\n\ndef crm({HEAD}):\n    return Crm()\n"
    assert shelf.find(flow, document, "service", "crm").state == "missing"
    shelf.write(flow, units_of(document)[0], good, "generated")
    assert shelf.services(flow, document) == {"crm": good}
    changed = copy.deepcopy(FLOW)
    changed["requires"]["services"]["crm"] += "/v2"
    assert shelf.find(flow, check(changed).flow, "service", "crm").state == "stale"
    shelf.edit(flow, document, "service", "crm", good + "# mine\n")
    assert shelf.find(flow, check(changed).flow, "service", "crm").state == "edited"
    assert Unit.objects.get(flow=flow).kind == "service"


# LG-contract-24, LG-services-02: code that was right stops being so when the declaration goes.
def test_code_that_calls_what_is_declared_no_longer_is_refused(flow):
    document = check(FLOW).flow
    code = f"async def find(args, {HEAD}):\n    return await services.crm.people()\n"
    assert shelf.edit(flow, document, "tool", "find", code).state == "current"
    without = copy.deepcopy(FLOW)
    del without["requires"]["services"]
    one = shelf.find(flow, check(without).flow, "tool", "find")
    assert one.state == "refused"
    assert "services.crm is not declared" in one.reason
    assert not shelf.ready(flow, check(without).flow).ok
    assert shelf.find(flow, document, "tool", "find").state == "current"
