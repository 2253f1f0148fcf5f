"""Services that a flow describes: written as code once, reached by all other code as services.<name>."""

import copy

import pytest

from flows.check import check
from flows.units import UnitSpec, units_of
from runtime.units.faults import CodeFailed
from runtime.units.generate import generate
from runtime.units.handlerfile import parse_handlers, render_handlers
from runtime.units.lint import Ground, lint
from tests.runtime.units.test_generate import FLOW, Model

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEAD = "*, services, settings, env"
CRM = """\
class Crm:
    def __init__(self, services, settings, env):
        self._http, self._address, self._key = services.http, settings.address, env.KEY

    async def find(self, name, most=3):
        answer = await self._http.get(f"{self._address}/people", params={"name": name}, headers={"X-Key": self._key})
        return answer.json()["people"][:most]


def crm(*, services, settings, env):
    return Crm(services, settings, env)
"""
FIND = f"""\
async def find(args, {HEAD}):
    first = await services.crm.find(args["name"])
    again = await services.crm.find(args["name"], most=1)
    return [first, again, services.crm is services.crm]
"""


async def called(lease, asked, given=None, **units):
    """The result of the tool `find` beside these units."""
    codes = {f"{'tool' if name == 'find' else 'service'}:{name}": code for name, code in units.items()}
    await lease.load(codes)
    return await lease.call(
        "tool:find", given or {"name": "Ada"}, settings={"address": "https://crm.example"}, env=["KEY"], seed="seed",
        clock=0.0, services=asked,
    )  # fmt: skip


# LG-contract-08, LG-services-01
async def test_code_reaches_a_service_whose_calls_go_the_one_way_out(lease, asked):
    answered = asked(http_request={"status": 200, "headers": {}, "text": '{"people": [1, 2, 3, 4]}'})
    assert await called(lease, answered, find=FIND, crm=CRM) == [[1, 2, 3], [1], True]
    # The secret is a mark there as well, and each call passes the worker.
    assert [(name, args["url"]) for name, args in answered.calls] == [
        ("http.request", "https://crm.example/people")
    ] * 2
    assert all(args["headers"]["X-Key"].startswith("{{env:KEY:") for _, args in answered.calls)


async def test_a_service_may_call_another_and_not_itself(lease, asked):
    shop = f"class Shop:\n    async def price(self):\n        return 7\n\ndef shop({HEAD}):\n    return Shop()\n"
    desk = (
        "class Desk:\n    def __init__(self, shop):\n        self.shop = shop\n    async def twice(self):\n"
        f"        return 2 * await self.shop.price()\n\ndef desk({HEAD}):\n    return Desk(services.shop)\n"
    )
    find = f"async def find(args, {HEAD}):\n    return await services.desk.twice()\n"
    assert await called(lease, asked(), find=find, desk=desk, shop=shop) == 14
    round_ = shop.replace("return Shop()", "return services.desk")
    with pytest.raises(CodeFailed, match=r"services\.desk, which needs services\.shop, which needs services\.desk"):
        await called(lease, asked(), find=find, desk=desk, shop=round_)


async def test_what_goes_wrong_inside_is_said_with_both_places(lease, asked):
    answered = asked(http_request={"status": 200, "headers": {}, "text": '{"rows": []}'})
    with pytest.raises(CodeFailed) as failed:
        await called(lease, answered, find=FIND, crm=CRM)
    assert "The code of find stopped at line 2 (first = await services.crm.find" in failed.value.message
    assert "in services.crm at line 7 (return answer.json()[" in failed.value.message
    assert failed.value.line == 2
    with pytest.raises(CodeFailed, match=r"in services\.crm at line 1 .*not Python"):
        await called(lease, asked(), find=FIND, crm="def crm(")
    with pytest.raises(CodeFailed, match="gives no object"):
        await called(lease, asked(), find=FIND, crm=f"def crm({HEAD}):\n    pass\n")


async def test_a_call_that_nobody_waits_for_fails_the_step(lease, asked):
    sent = asked()
    find = f"async def find(args, {HEAD}):\n    crm = services.crm\n    crm.find('x')\n    return 'sent'\n"
    with pytest.raises(CodeFailed, match="calls find without await"):
        await called(lease, sent, find=find, crm=CRM)
    assert sent.calls == []
    # The next call of the same process is not blamed for it.
    fine = f"async def find(args, {HEAD}):\n    return 'fine'\n"
    assert await called(lease, sent, find=fine, crm=CRM) == "fine"


# LG-studio-11
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (CRM, ""),
        (CRM.replace("def crm", "async def crm"), "crm must not be async: def crm(*, services, settings, env)"),
        (CRM.replace("(*, services", "(args, *, services"), "the function must begin def crm(*, services"),
        (CRM.replace("    async def find", "    def find").replace("await ", ""), "find must be async"),
        (CRM.replace("self._http, self", "self._http, services.other, self"), "services.other is not declared"),
        (CRM.replace("env.KEY", "env.OTHER"), "env.OTHER is not declared"),
        ("import os\n" + CRM, "os cannot be imported"),
    ],
)
async def test_a_services_code_is_checked_as_all_code(code, words):
    spec = UnitSpec("service", "crm", "key", settings={"address": ""}, env=("KEY",))
    found = " ".join(lint(Ground.of(spec), code))
    assert words in found if words else found == ""


# LG-contract-08
async def test_it_is_written_from_its_description_and_what_calls_it(lease):
    flow = copy.deepcopy(FLOW)
    flow["tools"][0]["description"] = "Finds goods by services.crm.find('wanted'). RETURNS a list of names."
    document = check(flow).flow
    assert document is not None
    spec, *_ = units_of(document)
    assert (spec.id, dict(spec.services)) == ("service:crm", {})
    code = (
        "class Crm:\n    async def find(self, wanted, *, most: int = 5):\n        return ['/people']\n\n\n"
        f"def crm({HEAD}):\n    return Crm()\n"
    )
    model = Model(code)
    made = await generate(spec, document, model)
    assert (made.code, made.problems) == (code, ())
    rules, task = (each["content"] for each in model.asked[0])
    assert "def crm(*, services, settings, env):" in rules
    assert "What services.crm is and offers:\nGET `/people` at https://crm.example" in task
    assert "- find: Finds goods by services.crm.find('wanted')" in task
    # A tool is written knowing what the service offers by now.
    tool = next(one for one in units_of(document) if one.id == "tool:find")
    model = Model(f"async def find(args, {HEAD}):\n    return await services.crm.find(args['wanted'])\n")
    await generate(tool, document, model, {"crm": code})
    assert (
        "- crm: GET `/people` at https://crm.example\n  - find(wanted, *, most: int=5)" in model.asked[0][1]["content"]
    )


async def test_it_shares_handlers_py_with_the_rest():
    text = render_handlers([CRM, FIND])
    assert parse_handlers(text) == {"crm": CRM, "find": FIND}
