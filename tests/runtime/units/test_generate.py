"""Writing a unit from its description: what the model is told, what is taken from its answer, and what is refused."""

import copy

import pytest

from flows.check import check
from flows.units import units_of
from runtime.units.generate import code_in, generate, lost_words

FLOW = {
    "version": "0.33",
    "name": "Shop",
    "description": "Sells honey.",
    "conversation": True,
    "inputs": ["question"],
    "outputs": ["answer"],
    "requires": {
        "env": ["SHOP_KEY"],
        "settings": {"most": {"default": 5, "description": "How many to show."}},
        "services": {"crm": "GET `/people` at https://crm.example"},
    },
    "start": "plan",
    "tools": [
        {
            "name": "find",
            "description": "Calls services.http: GET `/goods`. RETURNS a list of names.",
            "inputs": {"wanted": {"type": "string", "required": True}},
        }
    ],
    "state": {
        "question": {"type": "string", "description": "What the person wrote."},
        "goods": {"type": "list", "reducer": "append", "description": "Names of goods."},
        "answer": {"type": "string", "description": "What is shown.", "default": "-"},
    },
    "nodes": [
        {
            "id": "plan",
            "handler": "plan",
            "description": "Reads 'question'. Writes 'answer' as `Hello {name}, welcome`.",
        },
        {"id": "look", "type": "tool", "tool": "find", "args": {"wanted": "{{question}}"}, "output": "goods"},
        {"id": "say", "handler": "say", "description": "If 'goods' is empty, writes 'answer' as `Nothing found.`"},
    ],
    "edges": [
        {"from": "plan", "to": "look"},
        {
            "from": "look",
            "type": "conditional",
            "router": "pick",
            "routes": {"some": "say", "none": "END"},
            "when": {"some": "'goods' holds an entry that is not empty", "none": "anything else"},
        },
        {"from": "say", "to": "END"},
    ],
}
HEAD = "*, services, settings, env"
GOOD = f"async def plan(state, {HEAD}) -> dict:\n    return {{'answer': f'Hello {{state[\"question\"]}}, welcome'}}\n"
BAD = f"import os\nasync def plan(state, {HEAD}):\n    return {{'answer': 'Hello , welcome'}}\n"


class Model:
    """Answers what it was given, in turn, and keeps what it was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[list[dict[str, str]]] = []

    async def __call__(self, messages):
        self.asked.append(messages)
        return self.answers.pop(0)


@pytest.fixture
def document():
    checked = check(FLOW)
    assert checked.flow is not None
    return checked.flow


def spec_of(document, id):
    return next(spec for spec in units_of(document) if spec.id == id)


# LG-handlers-01, LG-handlers-03
async def test_a_handler_is_written_from_its_description(document):
    model = Model(f"Here it is:\n```python\n{GOOD}```\nEnjoy.")
    made = await generate(spec_of(document, "handler:plan"), document, model)
    assert (made.code, made.problems, made.by_model, made.answers) == (GOOD, (), True, 1)
    rules, task = model.asked[0]
    assert f"async def plan(state, {HEAD}) -> dict:" in rules["content"]
    for words in (
        'state["goods"]: list, a write adds items. Names of goods.',
        'state["answer"]: string, starts as "-". What is shown.',
        'state["history"]',
        "- most: How many to show. (default 5)",
        "- SHOP_KEY",
        "- crm: GET `/people` at https://crm.example",
        "Writes 'answer' as `Hello {name}, welcome`.",
    ):
        assert words in task["content"]


async def test_a_tool_is_told_its_arguments_and_who_calls_it(document):
    code = f"async def find(args, {HEAD}):\n    return (await services.http.get('https://x.example/goods')).json()\n"
    model = Model(code)
    made = await generate(spec_of(document, "tool:find"), document, model)
    assert made.code == code
    task = model.asked[0][1]["content"]
    assert '"wanted"' in task
    assert '- look gives {"wanted": "{{question}}"}; the result goes to goods (list: Names of goods.)' in task
    assert 'state["' not in task


# LG-edges-03, LG-edges-12
async def test_a_router_that_matches_patterns_is_mended_or_refused(document):
    spec = spec_of(document, "router:pick")
    bad = f"async def pick(state, {HEAD}):\n    return 'some' if 'a' in str(state['goods']) else 'none'\n"
    good = f"async def pick(state, {HEAD}):\n    return 'some' if any(state['goods']) else 'none'\n"
    model = Model(bad, good)
    made = await generate(spec, document, model)
    assert (made.code, made.problems, made.answers) == (good, (), 2)
    assert "some: 'goods' holds an entry" in model.asked[0][1]["content"]
    assert "the router looks for something inside str(state['goods'])" in model.asked[1][-1]["content"]
    refused = await generate(spec, document, Model(bad, bad, bad))
    assert refused.code == bad
    assert "let an llm node write one word" in refused.problems[0]


async def test_a_regular_router_needs_no_model():
    flow = copy.deepcopy(FLOW)
    flow["edges"][1]["when"]["some"] = "'goods' is not empty"
    document = check(flow).flow
    made = await generate(spec_of(document, "router:pick"), document, Model())
    assert (made.by_model, made.problems, made.answers) == (False, (), 0)
    assert 'return "some"' in made.code


async def test_one_repair_round_with_the_problems(document):
    model = Model(BAD, GOOD)
    made = await generate(spec_of(document, "handler:plan"), document, model)
    assert (made.code, made.problems, made.answers) == (GOOD, (), 2)
    assert "os cannot be imported" in model.asked[1][-1]["content"]
    assert BAD.strip() in model.asked[1][-2]["content"]


async def test_refused_three_times_is_refused_with_reasons(document):
    model = Model(BAD, BAD.replace("os", "sys"), BAD)
    made = await generate(spec_of(document, "handler:plan"), document, model)
    assert made.answers == 3
    # Each time the newest answer goes back, with what is wrong with that one.
    assert [len(asked) for asked in model.asked] == [2, 4, 4]
    assert "sys cannot be imported" in model.asked[2][-1]["content"]
    assert made.code == BAD
    assert "os cannot be imported" in made.problems[0]


async def test_no_code_at_all(document):
    made = await generate(spec_of(document, "handler:plan"), document, Model("", "```python\n```", ""))
    assert made.problems == ("The model wrote no code.",)


# LG-handlers-05
async def test_without_a_description_nobody_is_asked():
    flow = {**FLOW, "nodes": [{"id": "plan", "handler": "plan"}, *FLOW["nodes"][1:]]}
    document = check(flow).flow
    made = await generate(spec_of(document, "handler:plan"), document, Model())
    assert "plan is not described" in made.problems[0]


# LG-handlers-04
async def test_text_in_backticks_is_asked_for_again_when_it_is_lost(document):
    lost = GOOD.replace("welcome", "hi")
    model = Model(lost, GOOD)
    made = await generate(spec_of(document, "handler:plan"), document, model)
    assert (made.code, made.answers) == (GOOD, 2)
    assert "`Hello {name}, welcome` must be in the code exactly" in model.asked[1][-1]["content"]


@pytest.mark.parametrize(
    ("description", "code", "lost"),
    [
        ("Writes `Nothing found.`", "x = 'Nothing found.'", 0),
        ("Writes `Nothing found.`", "x = 'nothing found'", 1),
        ('Writes `it\'s "done"`', 'x = "it\'s \\"done\\""', 0),
        ("Reads `plan.want`", "x = state['plan']['want']", 0),
        ('Gives `{ "a": 1 }`', "x = 1", 0),
        ("Writes `<n> of <m> left`", "x = f'{n} of {m} left'", 0),
        ("Writes `<n> of <m> left`", "x = f'{n} of {m} gone'", 1),
    ],
)
def test_lost_words(description, code, lost):
    assert len(lost_words(description, code)) == lost


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("x = 1", "x = 1\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("```python\nx = 1", "x = 1\n"),
        ("Use:\n```bash\npip install everything and more\n```\n```py\nx = 1\n```", "x = 1\n"),
        ("```python\nx = 1\n```\nor\n```python\nx = 1\ny = 2\n```", "x = 1\ny = 2\n"),
        ("  ```python\n  \n```", ""),
        ("", ""),
    ],
)
def test_code_is_taken_out_of_fences(answer, code):
    assert code_in(answer) == code
