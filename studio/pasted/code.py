"""The Python of a tool that sends a pasted request: what somebody would write by hand, and may change."""

from __future__ import annotations

import json
from collections.abc import Mapping

from studio.pasted.request import Arg, Env, Json, Pasted, Text

_HELPER = """

def _given(values):
    return {name: value for name, value in values.items() if value is not None}
"""


def code(pasted: Pasted) -> str:
    """One async function of the tool's name, with the helper that leaves out what was not given."""
    method = pasted.method.lower()
    call = f"services.http.{method}" if method in ("get", "post", "put", "patch", "delete") else "services.http.request"
    lines = [] if call != "services.http.request" else [json.dumps(pasted.method)]
    lines.append(_text(pasted.url, pasted))
    sparse = False
    for name, values in (("params", pasted.query), ("headers", pasted.headers)):
        if values:
            optional = name == "params"
            sparse = sparse or optional
            lines.append(f"{name}={_sparse(values, pasted) if optional else _value(values, pasted, 8)}")
    if pasted.basic:
        lines.append(f"auth=({_value(pasted.basic[0], pasted, 8)}, {_value(pasted.basic[1], pasted, 8)})")
    if pasted.body_kind:
        given = isinstance(pasted.body, Mapping) and _optional(pasted.body, pasted)
        sparse = sparse or given
        lines.append(f"{pasted.body_kind}={_sparse(pasted.body, pasted) if given else _value(pasted.body, pasted, 8)}")
    head = "from urllib.parse import quote\n\n\n" if any(isinstance(p, Arg) for p in pasted.url.parts) else ""
    body = ",\n        ".join(lines)
    returned = (
        "    return response.ok\n"
        if pasted.method == "HEAD"
        else '    said = response.headers.get("content-type") or ""\n'
        '    return response.json() if "json" in said else response.text\n'
    )
    failed = (
        "    if not response.ok:\n"
        '        raise RuntimeError(f"The service answered {response.status}: {response.text[:300]}")\n'
    )
    return (
        f"{head}async def {pasted.name}(args, *, services, settings, env):\n"
        f"    response = await {call}(\n        {body},\n    )\n"
        f"{'' if pasted.method == 'HEAD' else failed}{returned}{_HELPER if sparse else ''}"
    )


def _optional(values: Mapping[str, Json], pasted: Pasted) -> bool:
    return any(isinstance(each, Arg) and not _required(each, pasted) for each in values.values())


def _required(arg: Arg, pasted: Pasted) -> bool:
    return bool(pasted.inputs[arg.name].get("required"))


def _sparse(values: Mapping[str, Json], pasted: Pasted) -> str:
    return f"_given({_value(values, pasted, 8)})"


def _value(value: Json, pasted: Pasted, indent: int) -> str:
    """The value as an expression."""
    if isinstance(value, Arg):
        name = json.dumps(value.name)
        return f"args[{name}]" if _required(value, pasted) else f"args.get({name})"
    if isinstance(value, Env):
        return f"env.{value.name}"
    if isinstance(value, Text):
        return _text(value, pasted)
    if isinstance(value, Mapping):
        inside = " " * (indent + 4)
        entries = [f"{inside}{_string(name)}: {_value(each, pasted, indent + 4)},\n" for name, each in value.items()]
        return "{\n" + "".join(entries) + " " * indent + "}" if entries else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(each, pasted, indent) for each in value) + "]"
    return _string(value) if isinstance(value, str) else repr(value)


def _string(text: str) -> str:
    """A Python string that reads as the JSON string would; the two differ in nothing that either can hold."""
    return json.dumps(text, ensure_ascii=False)


def _text(text: Text, pasted: Pasted) -> str:
    """The parts as one expression: a secret within a text in an f-string, as secrets must be."""
    if any(isinstance(part, Env) for part in text.parts) and len(text.parts) > 1:
        return 'f"' + "".join(_in_f_string(part, pasted) for part in text.parts) + '"'
    found = [_part(part, pasted) for part in text.parts]
    return " + ".join(found) or '""'


def _part(part: str | Arg | Env, pasted: Pasted) -> str:
    if isinstance(part, str):
        return _string(part)
    if isinstance(part, Arg):
        inside = f"str({_value(part, pasted, 8)})"
        return f'quote({inside}, safe="")' if part.quoted else inside
    return f"env.{part.name}"


def _in_f_string(part: str | Arg | Env, pasted: Pasted) -> str:
    if isinstance(part, str):
        return _string(part)[1:-1].replace("{", "{{").replace("}", "}}")
    if isinstance(part, Env):
        return "{env." + part.name + "}"
    return "{args['" + part.name + "']}"
