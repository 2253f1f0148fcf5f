"""What the code model is told: the one signature, what there is inside, the flow's own shapes, and the description."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from flows.kinds import kind_of
from flows.kinds.base import Json
from flows.kinds.handler import HandlerNode
from flows.kinds.tool import ToolNode
from flows.units import UnitSpec
from flows.words.document import Document
from runtime.units import packages
from runtime.units.inside.modules import ALLOWED, SUBMODULES

Message = dict[str, str]

_RULES = """\
You write one Python function for a step of an agent. Answer with its code in one ```python block and nothing else.

The function is exactly:

{signature}

- {returns}
- state and args are plain JSON: dict, list, str, int, float, bool, None. Return plain JSON too; dates as text.
- Anything may be missing or null. Do what the description says then; never invent a value.
- Text in `backticks` in the description is copied exactly, letter for letter.
- Import only from the standard library: {modules}. Inside urllib and xml only {submodules}.{packages}
- There are no files, no network, no processes and no environment. The outside is reached only so:
  - await services.http.get(url, *, params=None, headers=None, timeout=None) -> Response; also post, put, patch, delete
    with json=, text= or form=, and request(method, url, …). auth=(user, password) makes Basic authentication.
    Response has status, ok, headers, text, content (bytes), json(). A status of 400 or more raises nothing: check it.
  - await services.files.read(ref) -> bytes, await services.files.base64(ref) -> str,
    await services.files.save({{"name", "mediaType", "data"}}) -> the reference for a file channel.
  - await services.sign(env.NAME, body) -> the HMAC-SHA256 as hex (encoding="base64" for base64).
- env.NAME stands for a secret. Put it into headers, auth, params or a body as it is, alone or in an f-string. Its value
  is filled in outside; do not look at it, cut it, encode it or return it.
- settings.NAME is a value that a deployment may change.
- Within a call the clock stands still and random follows a seed, so that a repeated step does the same.
- Raise an exception with a sentence for a person when the work cannot be done and the description names no way out.
- No eval, exec, open, getattr tricks or names like __this__. Small functions beside the main one are fine.
"""
_ROUTER_RULES = """\
- Return the name of a route as a written-out text, on every path.
- Compare values of the state. Never look for patterns in text: no re, no startswith, no lower, no "x" in text. Code
  cannot read what somebody meant; a model before this step has written a word to compare.
"""
_RETURNS = {
    "handler": "It returns a dict of only the channels it changes: the new value of each. A channel that appends takes "
    "the new items alone.",
    "router": "It returns the name of the route to take.",
    "tool": "It returns exactly what the description says it returns.",
    "service": "It returns the object that all other code of the flow reaches as services.{name}: one of a class of "
    "yours, with what the description offers as async methods. Making it calls nothing. It lives for one call of a "
    "step and remembers nothing for the next.",
}
_OWN_SERVICES = """\
Declared services of this flow, each an object with async functions, called as await services.NAME.function(…):"""


def signature(spec: UnitSpec) -> str:
    if spec.kind == "service":
        return f"def {spec.name}(*, services, settings, env):"
    first, result = {"handler": ("state", " -> dict"), "router": ("state", " -> str"), "tool": ("args", "")}[spec.kind]
    return f"async def {spec.name}({first}, *, services, settings, env){result}:"


def messages(spec: UnitSpec, document: Document, written: Mapping[str, str] | None = None) -> list[Message]:
    """The chat that asks for the unit's code. written: the code that the flow's own services have already."""
    rules = _RULES.format(
        signature=signature(spec),
        returns=_RETURNS[spec.kind].replace("{name}", spec.name),
        modules=", ".join(name for name in ALLOWED[1:] if name not in ("urllib", "xml")),
        submodules=", ".join(name for name in SUBMODULES if name.startswith(("urllib", "xml"))),
        packages=_packages(spec),
    )
    if spec.kind == "router":
        rules += _ROUTER_RULES
    return [{"role": "system", "content": rules}, {"role": "user", "content": _task(spec, document, written or {})}]


def repair(code: str, problems: Sequence[str]) -> list[Message]:
    """What is added to the chat when the first answer was refused."""
    listed = "\n".join(f"- {problem}" for problem in problems)
    words = f"This code is refused:\n{listed}\n\nAnswer with the whole corrected function in one ```python block."
    return [{"role": "assistant", "content": f"```python\n{code}\n```"}, {"role": "user", "content": words}]


def _task(spec: UnitSpec, document: Document, written: Mapping[str, str]) -> str:
    parts = [f"The whole flow: {document.description.strip() or document.name or 'not described'}"]
    if spec.kind == "tool":
        parts += [_arguments(spec), _callers(spec, document)]
    elif spec.kind == "service":
        parts.append(_users(spec, document))
    else:
        parts += [_channels(document), _from_the_engine(document)]
    parts += [
        _named("settings, read as settings.NAME", {name: _setting(value) for name, value in spec.settings.items()}),
        _named("secrets, used as env.NAME", dict.fromkeys(spec.env, "")),
        _services(spec, written),
    ]
    if spec.kind == "router":
        sentences = "\n".join(f"- {route}: {sentence}" for route, sentence in spec.when.items())
        parts.append(
            "Routes, to be tried in this order. In a sentence the channel or field that is read stands in single "
            f"quotes or backticks, and the value it is compared with in double quotes:\n{sentences}"
        )
    else:
        what = f"services.{spec.name} is and offers" if spec.kind == "service" else f"{spec.name} does"
        parts.append(f"What {what}:\n{spec.description.strip()}")
    return "\n\n".join(part for part in parts if part)


def _packages(spec: UnitSpec) -> str:
    """What the flow declares and this installation has: distribution, version, and what is imported."""
    usable = [name for name, wanted in spec.packages.items() if not packages.why_not(name, wanted)]
    found = [packages.available()[packages.canonical(name)] for name in usable]
    listed = ", ".join(f"{one.name} {one.version} ({', '.join(one.modules)})" for one in found)
    return f" And of packages, in memory, without files: {listed}." if listed else ""


def _named(words: str, entries: Mapping[str, str]) -> str:
    listed = "\n".join(f"- {name}{': ' + text if text else ''}" for name, text in entries.items())
    return f"Declared {words}:\n{listed}" if listed else f"Declared {words}: none."


def _services(spec: UnitSpec, written: Mapping[str, str]) -> str:
    """The flow's own services: what each is said to be, and the functions that its code has by now."""
    lines = []
    for name, words in spec.services.items():
        lines += [f"- {name}: {words.strip()}", *(f"  - {each}" for each in offered(written.get(name, "")))]
    return "\n".join([_OWN_SERVICES, *lines]) if lines else ""


def offered(code: str) -> list[str]:
    """The functions that a service's code offers, each as it is called: `find(name)`."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        f"{node.name}({', '.join(ast.unparse(node.args).split(', ')[1:])})"
        for holder in ast.walk(tree)
        if isinstance(holder, ast.ClassDef)
        for node in holder.body
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]


def _users(spec: UnitSpec, document: Document) -> str:
    """What the flow says elsewhere of this service: how the rest of its code will call it."""
    said = re.compile(rf"(?<![\w.])services\.{re.escape(spec.name)}(?!\w)")
    lines = [f"- {name}: {words.strip()}" for name, words in _described(document) if said.search(words)]
    return "\n".join(["What calls it is described so:", *lines]) if lines else ""


def _described(document: Document) -> Iterator[tuple[str, str]]:
    for tool in document.tools:
        yield tool.name, tool.description
    for node in document.nodes:
        if isinstance(node, HandlerNode):
            yield node.handler, node.description


def _setting(value: Json) -> str:
    words = value.get("description") or "" if isinstance(value, dict) else ""
    default = value.get("default") if isinstance(value, dict) else value
    return f"{words} (default {json.dumps(default, ensure_ascii=False)})".strip()


def _channels(document: Document) -> str:
    lines = []
    for name, channel in document.state.items():
        combined = {"append": ", a write adds items", "merge": ", a write adds keys"}.get(channel.reducer, "")
        start = "" if channel.default is None else f", starts as {json.dumps(channel.default, ensure_ascii=False)}"
        lines.append(f'- state["{name}"]: {channel.type}{combined}{start}. {channel.description.strip()}'.rstrip())
    if document.conversation:
        lines.append(
            '- state["history"]: list of the turns before this message: { at, asked, answered }; never written.'
        )
    lines.append('- state["__approval"]: object or null, the last decision: { node, approved, answer }; never written.')
    lines.append('- state["__error"]: object or null, the failure that led here: { node, message }; never written.')
    return "The state's channels, as they are at the moment of the call:\n" + "\n".join(lines)


_ENGINE = """\
What these channels hold comes from the engine, which says it here itself. Where what is to be done is described with \
other fields, that description is out of date: go by this."""
_ORDERS = """\
Do this with it wherever it applies. A description that says nothing of it has not decided against it:"""


def _from_the_engine(document: Document) -> str:
    """The shapes of the channels that the engine's own results are written to, and what must not be lost of them."""
    shapes: list[str] = []
    orders: dict[str, None] = {}
    for node in document.nodes:
        shape, output = kind_of(node.type).gives(node), getattr(node, "output", None)
        channel = document.state.get(output) if isinstance(output, str) else None
        if shape is None or channel is None:
            continue
        each = "a list, each entry " if channel.appends else ""
        shapes.append(f'- state["{output}"], written by the {node.type} step {node.id}: {each}{shape.words}')
        orders |= dict.fromkeys(f'- state["{output}"]: {order}' for order in shape.orders)
    if not shapes:
        return ""
    return "\n".join([_ENGINE, *dict.fromkeys(shapes), *([_ORDERS, *orders] if orders else [])])


def _arguments(spec: UnitSpec) -> str:
    if not spec.inputs:
        return "args is a dict of what the calling step gives; its names are in the description."
    return "args is a dict of these fields:\n" + json.dumps(dict(spec.inputs), ensure_ascii=False, indent=1)


def _callers(spec: UnitSpec, document: Document) -> str:
    lines = []
    for node in document.nodes:
        if isinstance(node, ToolNode) and node.tool == spec.name:
            channel = document.state.get(node.output) if node.output else None
            kept = f"; the result goes to {node.output}" if node.output else ""
            shape = f" ({channel.type}: {channel.description.strip()})" if channel else ""
            lines.append(f"- {node.id} gives {json.dumps(node.args, ensure_ascii=False)}{kept}{shape}")
    return "The steps that call it:\n" + "\n".join(lines) if lines else ""
