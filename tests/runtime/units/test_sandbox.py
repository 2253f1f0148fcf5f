"""Units run as their authors expect: what they are given, what comes back, and what they are told when it fails."""

import asyncio
import contextvars
import json

import pytest

from flows.units import UnitSpec
from runtime.units.lint import Ground, lint
from runtime.units.sandbox import (
    CodeFailed,
    CodeLimit,
    Limits,
    ServiceFailed,
    env_marks,
)
from tests.runtime.units.handlers import CASES, HEAD

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS = {"maxResults": 2, "site": "https://shop.example", "nested": {"a": [1]}}


def shop(args):
    """A small web shop."""
    url, params = args["url"], args.get("params", {})
    answer = {"at": url}
    if url.endswith("/flaky") and params["attempt"] != "2":
        return {"status": 503, "headers": {}, "text": "busy"}
    if url.endswith("/list"):
        assert params["big"] == "true"
        answer = {"items": [3, 4], "next": ""} if params["cursor"] == "x" else {"items": [1, 2], "next": "x"}
    return {"status": 200, "headers": {"Content-Type": "application/json"}, "text": json.dumps(answer)}


# LG-handlers-02, LG-edges-03
@pytest.mark.parametrize(("kind", "code", "given", "wanted"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
async def test_realistic_units(lease, run, asked, kind, code, given, wanted):
    assert await run(lease, code, given, kind=kind, settings=SETTINGS, services=asked(http_request=shop)) == wanted


@pytest.mark.parametrize(("kind", "code"), [pytest.param(*case[1:3], id=case[0]) for case in CASES])
async def test_realistic_units_pass_the_check(kind, code):
    name = code.rpartition("async def ")[2].partition("(")[0]
    spec = UnitSpec(kind, name, "", routes={"many": "a", "one": "b", "call": "a", "done": "b"}, settings=SETTINGS)
    problems = lint(Ground.of(spec), code)
    assert [problem for problem in problems if "is never returned" not in problem] == []


async def test_given_is_a_copy(lease, run):
    given = {"items": [1]}
    assert await run(lease, f"async def f(args, {HEAD}):\n    args['items'].append(2)\n    return args", given) == {
        "items": [1, 2]
    }
    assert given == {"items": [1]}


async def test_settings_read_as_attributes_or_names(lease, run):
    code = f"""
async def f(args, {HEAD}):
    return [settings.maxResults, settings["site"], settings.get("none", "x"), sorted(settings), settings.nested["a"]]
"""
    assert await run(lease, code, settings=SETTINGS) == [
        2,
        "https://shop.example",
        "x",
        ["maxResults", "nested", "site"],
        [1],
    ]


# LG-contract-05: a secret is a name inside; its value is filled in by the worker.
async def test_env_is_a_mark_that_only_the_worker_can_fill(lease, run, asked):
    services = asked()
    code = f"""
async def f(args, {HEAD}):
    await services.http.post(
        "https://api.example/", headers={{"Authorization": f"Bearer {{env.KEY}}"}}, json={{"key": env.KEY}},
        params={{"k": "x" + env.KEY}}, auth=(env.KEY, env.OTHER),
    )
    return [str(env.KEY), repr(env.KEY), "%s" % env.KEY, args]
"""
    told = await run(lease, code, "{{env:KEY}}", env=["KEY", "OTHER"], services=services)
    marks = {name: mark for mark, name in env_marks(["KEY", "OTHER"], "seed").items()}
    assert told == [marks["KEY"]] * 3 + ["{{env:KEY}}"]
    assert marks["KEY"] != "{{env:KEY}}"
    assert services.calls == [
        (
            "http.request",
            {
                "method": "POST",
                "url": "https://api.example/",
                "params": {"k": "x" + marks["KEY"]},
                "headers": {"Authorization": f"Bearer {marks['KEY']}"},
                "json": {"key": marks["KEY"]},
                "auth": [marks["KEY"], marks["OTHER"]],
            },
        )
    ]
    assert env_marks(["KEY"], "another seed").keys() != env_marks(["KEY"], "seed").keys()


async def test_undeclared_names_say_what_to_do(lease, run):
    for name, words in (
        ("env.NONE", "list it in requires.env"),
        ("settings.none", "describe it in requires.settings"),
        ("services.crm", "services.http, services.files, services.sign and what the flow describes"),
    ):
        with pytest.raises(CodeFailed, match=words):
            await run(lease, f"async def f(args, {HEAD}):\n    return {name}")


async def test_http_round_trip(lease, run, asked):
    replies = iter(
        [
            {"status": 404, "headers": {"X-Why": "gone"}, "text": "not here"},
            {"status": 200, "headers": {}, "base64": "AP8="},
            {"status": 200, "headers": {}, "text": "<html>no JSON</html>"},
        ]
    )
    services = asked(http_request=lambda args: next(replies))
    code = f"""
async def f(args, {HEAD}):
    first = await services.http.delete("https://a.example/x", timeout=3)
    second = await services.http.request("report", "https://a.example/", text="body", headers={{"A": 1}})
    third = await services.http.put("https://a.example/", form={{"a": [1, 2], "b": None}})
    try:
        third.json()
    except Exception as error:
        told = str(error)
    return [first.status, first.ok, first.headers.get("x-why"), first.text, list(second.content), told]
"""
    assert await run(lease, code, services=services) == [
        404,
        False,
        "gone",
        "not here",
        [0, 255],
        'The answer (status 200) is not JSON; it begins with "<html>no JSON</html>".',
    ]
    assert [args for _, args in services.calls] == [
        {"method": "DELETE", "url": "https://a.example/x", "timeout": 3},
        {"method": "REPORT", "url": "https://a.example/", "text": "body", "headers": {"A": "1"}},
        {"method": "PUT", "url": "https://a.example/", "form": {"a": ["1", "2"]}},
    ]


# LG-files-04, LG-files-05
async def test_files_and_signatures(lease, run, asked):
    ref = {"id": "f1", "name": "a.txt", "mediaType": "text/plain", "url": "/x", "bytes": 2}
    services = asked(files_read="aGk=", files_save=lambda args: {**ref, "name": args["name"]}, sign="00ff")
    code = f"""
async def f(args, {HEAD}):
    text = (await services.files.read(args)).decode()
    one = await services.files.save({{"name": "b.txt", "mediaType": "text/plain", "data": text.encode()}})
    two = await services.files.save(name="c", mediaType="image/png", data="data:image/png;base64,AAAA")
    signed = [await services.sign(env.KEY, b"body"), await services.sign(env.KEY, "body", "base64")]
    return [text, one["name"], two["name"], *signed]
"""
    told = await run(lease, code, ref, env=["KEY"], services=services)
    assert told == ["hi", "b.txt", "c", "00ff", "AP8="]
    assert services.calls[0] == ("files.read", {"id": "f1"})
    assert services.calls[2][1]["base64"] == "AAAA"
    assert services.calls[3] == ("sign", {"env": "KEY", "data": "Ym9keQ=="})


async def test_a_refused_request_is_an_error_that_code_may_catch(lease, run, asked):
    services = asked(http_request=ServiceFailed("The address is not allowed."))
    caught = f"""
async def f(args, {HEAD}):
    try:
        await services.http.get("http://169.254.169.254/")
    except Exception as error:
        return str(error)
"""
    assert await run(lease, caught, services=services) == "The address is not allowed."
    with pytest.raises(CodeFailed) as failed:
        await run(lease, f"async def f(args, {HEAD}):\n    await services.http.get('http://x/')", services=services)
    assert failed.value.line == 2
    assert failed.value.message.endswith("The address is not allowed.")


class Stopped(BaseException):
    """A worker's own control flow."""


@pytest.mark.parametrize("error", [Stopped("pause"), KeyError("a bug")])
async def test_other_exceptions_of_the_callback_pass_through_unchanged(lease, run, asked, error):
    code = f"""
async def f(args, {HEAD}):
    try:
        await services.http.get("http://x/")
    except BaseException:
        return 1
"""
    with pytest.raises(type(error)) as seen:
        await run(lease, code, services=asked(http_request=error))
    assert seen.value is error
    assert await run(lease, f"async def f(args, {HEAD}):\n    return args", 5) == 5


async def test_the_callback_runs_in_the_callers_context(lease, run):
    workspace = contextvars.ContextVar("workspace")
    workspace.set("mine")
    seen = []

    async def services(name, args):
        seen.append(workspace.get())
        return {"status": 200, "headers": {}, "text": ""}

    await run(lease, f"async def f(args, {HEAD}):\n    await services.http.get('http://x/')", services=services)
    assert seen == ["mine"]


async def test_waiting_for_a_service_is_not_the_codes_time(lease, run):
    async def slow(name, args):
        await asyncio.sleep(0.5)
        return {"status": 200, "headers": {}, "text": "ok"}

    code = f"async def f(args, {HEAD}):\n    return (await services.http.get('http://x/')).text"
    assert await run(lease, code, services=slow, limits=Limits(seconds=0.3)) == "ok"
    with pytest.raises(CodeLimit, match=r"longer than 0\.3 seconds"):
        later = code.replace("return", "await services.http.get('http://x/')\n    while True: pass\n    return")
        await run(lease, later, services=slow, limits=Limits(seconds=0.3))


async def test_a_request_under_way_is_finished_when_the_code_ends_early(lease, run):
    finished = []

    async def write(name, args):
        await asyncio.sleep(0.2)
        finished.append(args["method"])
        return {"status": 200, "headers": {}, "text": ""}

    code = f"""
import asyncio
async def f(args, {HEAD}):
    asyncio.create_task(services.http.post("http://x/"))
    await asyncio.sleep(0.01)
    return 1
"""
    assert await run(lease, code, services=write) == 1
    assert finished == ["POST"]
    assert await run(lease, f"async def f(args, {HEAD}):\n    return 2") == 2


async def test_overlapping_calls_of_a_lease(lease, run):
    code = f"""
import asyncio, random
async def f(args, {HEAD}):
    first = random.random()
    await services.http.get("http://x/")
    return [args, first, random.random()]
"""
    gate = asyncio.Event()
    waiting = []

    async def services(name, args):
        waiting.append(1)
        if len(waiting) == 4:
            gate.set()
        await gate.wait()
        return {"status": 200, "headers": {}, "text": ""}

    alone = await run(lease, code, 0, seed="0")
    many = await asyncio.gather(*[run(lease, code, n, services=services, seed=str(n)) for n in range(4)])
    assert [one[0] for one in many] == [0, 1, 2, 3]
    assert many[0] == alone
    assert len({one[1] for one in many}) == 4


@pytest.mark.parametrize(
    ("kind", "body", "words", "line"),
    [
        ("handler", "return state['none']", "there is no 'none' in the object", 2),
        ("handler", "return 1 / 0", "ZeroDivisionError: division by zero", 2),
        ("handler", "return [1]", "gave a list back; it must return an object of the channels it changes", None),
        ("router", "return None", "gave nothing back; it must return the name of a route", None),
        ("handler", "return {'a': {'b': [1, {2}]}}", "its 'a.b.1' is a set", None),
        ("handler", "return {'a': float('nan')}", "its 'a' is nan", None),
        ("handler", "return {1: 2}", "has the name 1, which is no text", None),
        ("handler", "return {'a': chr(0xd800)}", "half a character", None),
        ("handler", "raise SystemExit", "tried to end the program", 2),
        ("handler", "return {", "it is not Python", 2),
        ("handler", "import requests", "requests cannot be imported here", 2),
        ("handler", "open('x')", "code has no files of its own; use services.files", 2),
        ("handler", "raise ValueError('The order has no lines.')", "ValueError: The order has no lines.", 2),
    ],
)
async def test_errors_are_told_in_words(lease, run, kind, body, words, line):
    with pytest.raises(CodeFailed) as failed:
        await run(lease, f"async def f(state, {HEAD}):\n    {body}\n", {}, kind=kind)
    assert words in failed.value.message
    assert failed.value.line == line
    assert "Traceback" not in failed.value.message
    assert "/box/" not in failed.value.message


async def test_a_unit_without_code(lease):
    with pytest.raises(CodeFailed, match="plan has no code yet"):
        await lease.call("handler:plan", {}, settings={}, env=[], seed="", clock=0.0, services=None)


async def test_new_code_of_the_same_name_replaces_the_old(lease, run):
    assert await run(lease, f"async def f(args, {HEAD}):\n    return 1") == 1
    assert await run(lease, f"async def f(args, {HEAD}):\n    return 2") == 2


async def test_what_is_given_may_be_large_but_not_endless(lease, run):
    code = f"async def f(args, {HEAD}):\n    return len(args)"
    assert await run(lease, code, "x" * (5 << 20)) == 5 << 20
    with pytest.raises(CodeLimit, match="larger than 32 MB"):
        await run(lease, code, "x" * (33 << 20))
