"""Pasted requests as tools: what is asked for, what is a secret, and that the code sends what was pasted."""

from __future__ import annotations

import json
from typing import Any

import pytest
import pytest_asyncio

from flows.check import check
from flows.units import units_of
from runtime.units.generate import judge
from runtime.units.sandbox import Sandbox
from studio.pasted.request import PastedRefused
from studio.pasted.tool import Drafted, read

ORDER = """curl -X POST 'https://api.shop.example/v1/orders/42/lines?dry_run=true&api_key=PASTED1' \\
  -H 'Authorization: Bearer PASTED2' -H "Content-Type: application/json" -H 'X-Trace: on' --compressed \\
  -d '{"sku": "A-1", "qty": 2, "note": null, "gift": true, "tags": ["a"], "to": {"city": "Oslo"}}'"""
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "servers": [{"url": "https://{region}.shop.example/v2", "variables": {"region": {"default": "eu"}}}],
    "security": [{"key": []}],
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "login": {"type": "http", "scheme": "basic"},
            "bearer": {"type": "http", "scheme": "bearer"},
        },
        "schemas": {
            "Line": {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string"}}},
            "Base": {"type": "object", "required": ["customer"], "properties": {"customer": {"type": "string"}}},
            "Order": {
                "allOf": [{"$ref": "#/components/schemas/Base"}],
                "properties": {
                    "id": {"type": "string", "readOnly": True},
                    "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
                },
            },
        },
    },
    "paths": {
        "/orders/{order-id}": {
            "parameters": [{"name": "order-id", "in": "path", "required": True, "description": "Which one."}],
            "get": {
                "operationId": "GetOrder",
                "summary": "Read an order.",
                "parameters": [
                    {"name": "expand", "in": "query", "schema": {"type": "string", "enum": ["lines", "all"]}},
                    {"name": "X-Wish", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}
                },
            },
        },
        "/orders": {
            "post": {
                "security": [{"bearer": []}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
                "responses": {},
            },
            "delete": {"security": [{"login": []}], "responses": {}},
        },
    },
}


def made(text: str, operation: str = "") -> Drafted:
    found = read(text, operation).tool
    assert found is not None
    return found


def flow_with(tool: Drafted) -> str:
    """A flow that calls the tool, as the editor leaves it."""
    return json.dumps(
        {
            "version": "0.33", "name": "T", "description": "Calls.", "inputs": ["x"], "outputs": ["y"], "start": "call",
            "requires": {"env": [one.name for one in tool.secrets]},
            "state": {"x": {"type": "any", "description": "What."}, "y": {"type": "any", "description": "What came."}},
            "tools": [tool.tool],
            "nodes": [
                {"id": "call", "type": "tool", "tool": tool.tool["name"], "output": "y",
                 "args": dict.fromkeys(tool.tool.get("inputs", {}), "{{x}}")}
            ],
            "edges": [{"from": "call", "to": "END"}],
        }
    )  # fmt: skip


def accepted(tool: Drafted) -> None:
    """The flow's own checks and those of generated code have nothing against it."""
    checked = check(flow_with(tool))
    assert checked.flow is not None
    assert [one.message for one in checked.problems if one.level == "error"] == []
    (spec,) = units_of(checked.flow)
    assert judge(spec, checked.flow, tool.code) == []


ALL = [
    ORDER,
    "curl https://api.github.com/repos/{owner}/{repo}/issues?state=open -H 'X-Api-Key: PASTED'",
    "curl -u me:PASTED -sSL https://host.example:8443/a",
    "curl --json '[1, 2]' https://host.example/things",
    "curl -d 'a=1&b=two%20words' -d c= https://host.example/form",
    "curl -G -d q=chai --data-urlencode 'w=1' https://host.example/search",
    "curl -I https://host.example/there",
    "curl -X DELETE https://host.example/users/3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "curl --oauth2-bearer PASTED 'https://host.example/x' --max-time 3 -o out.json | jq .",
    "curl.exe https://host.example/class -b session=PASTED",
    "curl -H 'Authorization: Basic bWU6UEFTVEVE' https://10.0.0.1/x",
    "curl 'https://host.example/search?tag=a&tag=b&n=1&token=PASTED1&token=PASTED2'",
    "curl https://hooks.chat.example/services/T02/B03/PASTEDkZ7q1WmR4tYb8LxN2 -d text=hi",
    'curl https://host.example/q -d \'{"quote": "it\\u0027s \\"{x}\\" and \\\\ \\u2028"}\'',
]


@pytest.mark.parametrize("text", ALL)
def test_what_is_made_of_a_command_passes_the_checks_and_holds_no_secret(text: str) -> None:
    tool = made(text)
    accepted(tool)
    assert "PASTED" not in json.dumps(tool.tool) + tool.code
    assert all(one.host and one.host in text for one in tool.secrets)


@pytest.mark.parametrize("id", ["GET /orders/{order-id}", "POST /orders", "DELETE /orders"])
def test_what_is_made_of_an_operation_passes_the_checks(id: str) -> None:
    accepted(made(json.dumps(DOCUMENT), id))


def test_what_differs_from_call_to_call_is_asked_for() -> None:
    tool = made(ORDER)
    assert {name: field["type"] for name, field in tool.tool["inputs"].items()} == {
        "order_id": "string", "dry_run": "boolean", "sku": "string", "qty": "number", "note": "any", "gift": "boolean",
        "tags": "list", "to": "object",
    }  # fmt: skip
    assert tool.tool["inputs"]["sku"] == {"type": "string", "required": True, "description": "For example: A-1"}
    assert [(one.name, one.host, one.value) for one in tool.secrets] == [
        ("SHOP_API_KEY", "api.shop.example", "PASTED1"),
        ("SHOP_TOKEN", "api.shop.example", "PASTED2"),
    ]
    assert "PASTED" not in repr(tool.secrets)


# A part of a path that opens something is no part of a flow; what people read or count is.
@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        ("services/T024BE7LD/B024BE7LH/k3Zq1WmR4tYb8LxN2PvC6dSf", "k3Zq1WmR4tYb8LxN2PvC6dSf"),
        ("bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5/sendMessage", "bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5"),
        ("webhooks/3fa85f64-5717-4562-b3fc-2c963f66afa6", "3fa85f64-5717-4562-b3fc-2c963f66afa6"),
        ("api/sk-live-9aB8cD7eF/orders", "sk-live-9aB8cD7eF"), ("token/abc12345/list", "abc12345"),
        ("x/d41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204e9800998ecf8427e"),
        ("commits/2fd4e1c67a2d28fced849ee1bb76e7391b93eb12", ""), ("users/3fa85f64-5717-4562-b3fc-2c963f66afa6", ""),
        ("orders/123456789012345678", ""), ("articles/how-we-measured-10000-flows-in-2026", ""),
        ("v1/sendMessageToEveryone", ""), ("keys/list", ""), ("webhooks/incoming", ""),
    ],
)  # fmt: skip
def test_a_token_in_the_path_is_a_secret(path: str, hidden: str) -> None:
    tool = made(f"curl https://h.example/{path}")
    accepted(tool)
    assert [one.value for one in tool.secrets] == ([hidden] if hidden else [])
    assert len(tool.notes) == bool(hidden)
    assert not hidden or hidden not in json.dumps(tool.tool) + tool.code


def test_a_name_that_comes_more_than_once_takes_a_list() -> None:
    tool = made("curl 'https://h.example/find?tag=a&n=1&tag=2' -d 'to=x&to=y&sender=z'")
    inputs = tool.tool["inputs"]
    assert inputs["tag"] == {"type": "list", "description": "For example: a, 2"}
    assert inputs["to"] == {"type": "list", "required": True, "description": "For example: x, y"}
    assert (inputs["n"]["type"], inputs["sender"]["type"]) == ("number", "string")


def test_an_operation_says_what_it_takes_and_gives_back() -> None:
    tool = made(json.dumps(DOCUMENT), "GET /orders/{order-id}")
    assert tool.tool["name"] == "getOrder"
    assert tool.tool["inputs"] == {
        "order_id": {"type": "string", "required": True, "description": "Which one."},
        "expand": {"type": "string", "options": ["lines", "all"]},
    }
    assert tool.tool["description"] == (
        "Read an order. Calls GET https://eu.shop.example/v2/orders/{order_id}. Signs in with env.SHOP_API_KEY. "
        "Returns what the service answers: { customer: string, id: string, lines: [{ sku: string }] }"
    )
    assert tool.notes == ["The optional header X-Wish is left out."]
    posted = made(json.dumps(DOCUMENT), "POST /orders")
    assert posted.tool["inputs"] == {
        "customer": {"type": "string", "required": True},
        "lines": {"type": "list", "of": {"sku": {"type": "string", "required": True}}},
    }


def test_of_several_operations_one_is_chosen_and_yaml_is_read_too() -> None:
    found = read(json.dumps(DOCUMENT))
    assert found.tool is None
    assert [one.id for one in found.operations] == ["GET /orders/{order-id}", "POST /orders", "DELETE /orders"]
    text = "openapi: 3.1.0\nservers:\n  - url: https://h.example\npaths:\n  /ping:\n    get:\n      summary: Ping\n"
    only = read(text).tool
    assert only is not None
    assert only.tool["name"] == "getPing"


def test_a_name_that_the_flow_has_is_left_to_it() -> None:
    assert read("curl https://h.example/ping", taken=frozenset({"getPing", "getPing2"})).tool.tool["name"] == "getPing3"  # type: ignore[union-attr]


REFUSED = [
    ("wget https://h.example", "PASTED_NO_OPENAPI"),
    ("curl", "PASTED_ONE_ADDRESS"),
    ("curl https://a.example https://b.example", "PASTED_ONE_ADDRESS"),
    ("curl 'https://h.example", "PASTED_QUOTES"),
    ("curl ftp://h.example/x", "PASTED_ADDRESS"),
    ("curl https://h.example:99999/x", "PASTED_ADDRESS"),
    ("curl https://{host}/x", "PASTED_HOST_OPEN"),
    ("curl https://h.example -F file=@a.pdf", "PASTED_FILES"),
    ("curl https://h.example -d @body.json", "PASTED_FILES"),
    ("curl https://h.example -X TRACE", "PASTED_METHOD"),
    ("curl https://h.example --proxy http://p", "PASTED_OPTION"),
    ("curl https://h.example -Z", "PASTED_OPTION"),
    ("curl https://h.example -H", "PASTED_OPTION"),
    ('curl https://h.example --json \'{"a": 1, "a": 2}\'', "PASTED_BODY"),
    ("a: [", "PASTED_UNREADABLE"),
    ('{"a": 1}', "PASTED_NO_OPENAPI"),
    ("[1, 2]", "PASTED_NO_OPENAPI"),
    ('{"swagger": "2.0", "paths": {}}', "PASTED_OLD"),
    ('{"openapi": "3.0.0", "paths": {"/a": {"get": {}}}}', "PASTED_NO_SERVER"),
    ('{"openapi": "3.0.0", "servers": [{"url": "/v1"}], "paths": {"/a": {"get": {}}}}', "PASTED_NO_SERVER"),
    ("paths: &a\n  /x: *a\n", "PASTED_ALIASES"),
    ("curl https://h.example -d " + "x" * 64_000, "PASTED_TOO_LONG"),
    ("x" * 1_000_001, "PASTED_TOO_LONG"),
    ("!!python/object/apply:os.system ['touch /tmp/pasted']", "PASTED_UNREADABLE"),
    ("[" * 5_000, "PASTED_UNREADABLE"),
    ("? [1]\n: x\npaths: {}\n", "PASTED_UNREADABLE"),
    ('paths: "\\ud800"\n', "PASTED_UNREADABLE"),
    ('{"openapi": "3.0.0", "servers": [{"url": "http://["}], "paths": {"/a": {"get": {}}}}', "PASTED_ADDRESS"),
    ("curl 'https://h.example/?" + "".join(f"a{n}=1&" for n in range(1_500)) + "'", "PASTED_MANY_FIELDS"),
    ("curl https://h.example" + "/7" * 1_500, "PASTED_MANY_FIELDS"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_what_cannot_be_read_is_refused_in_a_sentence(text: str, code: str) -> None:
    with pytest.raises(PastedRefused) as refused:
        made(text)
    assert refused.value.code == code
    assert refused.value.message.rstrip().endswith((".", "”", ":")), refused.value.message


def operation(each: dict[str, Any], **schemas: Any) -> str:
    shared = {**DOCUMENT, "security": [], "components": {"schemas": schemas}}
    return json.dumps({**shared, "paths": {"/a": {"post": each}}})


def test_what_a_description_grows_to_has_an_end() -> None:
    answer = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    again = {"$ref": "#/components/schemas/A"}
    for schema in (
        {"type": "array", "items": again},
        {"allOf": [again] * 2_000},
        {"type": "object", "properties": {f"field{n}": again for n in range(40)}},
    ):
        tool = made(operation({"requestBody": answer, "responses": {"200": answer}}, A=schema))
        accepted(tool)
        assert len(tool.tool["description"]) <= 4_000


def test_names_that_python_or_yaml_would_read_as_their_own_stay_names() -> None:
    assert made(operation({"operationId": "Import"})).tool["name"] == "import_"
    head = "openapi: 3.0.0\nservers: [{url: https://h.example}]\npaths:\n  /a:\n    post:\n      requestBody:\n"
    fields = "{on: {type: boolean}, 1: {type: string, default: 2020-01-01}}"
    text = f"{head}        content: {{application/json: {{schema: {{type: object, properties: {fields}}}}}}}\n"
    tool = made(text)
    accepted(tool)
    assert tool.tool["inputs"] == {"on": {"type": "boolean"}, "n1": {"type": "string", "default": "2020-01-01"}}


def test_a_description_that_runs_in_a_circle_comes_to_an_end() -> None:
    answer = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    circle = {
        **DOCUMENT,
        "components": {"schemas": {"A": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}}},
        "security": [{"gone": []}],
        "paths": {"/a": {"post": {"requestBody": answer, "responses": {"200": answer}}}},
    }
    tool = made(json.dumps(circle))
    accepted(tool)
    assert tool.notes == ["How to sign in by gone is not understood. Add it to the code."]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def sandbox():
    sandbox = Sandbox()
    yield sandbox
    await sandbox.close()


async def sent(sandbox: Sandbox, tool: Drafted, args: dict[str, Any]) -> dict[str, Any]:
    """What the code asks the guarded client to send."""
    asked: list[dict[str, Any]] = []

    async def serve(name: str, given: Any) -> Any:
        assert name == "http.request"
        asked.append(given)
        return {"status": 200, "headers": {"Content-Type": "application/json"}, "text": '{"ok": true}'}

    lease = await sandbox.lease()
    try:
        unit = f"tool:{tool.tool['name']}"
        await lease.load({unit: tool.code})
        env = [one.name for one in tool.secrets]
        result = await lease.call(unit, args, settings={}, env=env, seed="s", clock=1_700_000_000.0, services=serve)
    finally:
        await lease.close()
    assert result == {"ok": True}
    (one,) = asked
    return one


@pytest.mark.asyncio(loop_scope="module")
async def test_the_code_sends_what_was_pasted(sandbox: Sandbox) -> None:
    args = {"order_id": "4/2", "sku": "B", "qty": 3, "note": None, "gift": False, "tags": [], "to": {"city": "Oslo"}}
    request = await sent(sandbox, made(ORDER), args)
    assert (request["method"], request["url"]) == ("POST", "https://api.shop.example/v1/orders/4%2F2/lines")
    assert request["headers"]["X-Trace"] == "on"
    assert request["headers"]["Authorization"].startswith("Bearer ")
    # What was not given is left out; what was given as nothing in the body is too.
    assert set(request["params"]) == {"api_key"}
    assert request["json"] == {"sku": "B", "qty": 3, "gift": False, "tags": [], "to": {"city": "Oslo"}}


@pytest.mark.asyncio(loop_scope="module")
async def test_forms_and_texts_are_sent_as_they_are(sandbox: Sandbox) -> None:
    request = await sent(sandbox, made("curl -d 'a=1&b=two' https://h.example/f"), {"a": 1, "b": "x y"})
    assert request["form"] == {"a": "1", "b": "x y"}
    request = await sent(
        sandbox, made("curl -d hello -H 'Content-Type: text/csv' https://h.example/f"), {"body": "c,d"}
    )
    assert (request["text"], request["headers"]) == ("c,d", {"Content-Type": "text/csv"})
    request = await sent(sandbox, made("curl --json '[1]' https://h.example/f"), {"body": [1, 2]})
    assert request["json"] == [1, 2]
    hook = "curl 'https://h.example/hook/ab12cd34?tag=1&tag=2'"
    request = await sent(sandbox, made(hook), {"tag": ["x", 3]})
    assert request["params"] == {"tag": ["x", "3"]}
    assert "ab12cd34" not in request["url"]
