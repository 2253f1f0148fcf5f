"""The description of an API (OpenAPI 3), read as the requests that it describes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from flows.words import strictjson
from flows.words.fields import Fields
from flows.words.outside import FieldsRefused, from_json_schema
from flows.words.strictjson import JsonRefused
from studio.pasted.request import (
    METHODS,
    Arg,
    Env,
    Json,
    Pasted,
    PastedRefused,
    Text,
    code_name,
    host_of,
    joined,
    tool_name,
)
from studio.strings import t

LONGEST = 1_000_000
MOST_OPERATIONS = 500
_DEEP = 3
_SHOWN = 30
_MOST_SHAPES = 200
_MOST_PARTS = 200
_BOOL, _TIME = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp"


@dataclass(frozen=True)
class Operation:
    """One request of the description. id: its method and path, as in "GET /orders"."""

    id: str
    summary: str


class _Plain(yaml.SafeLoader):
    """YAML without aliases: a few lines of them stand for more than any memory holds."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise PastedRefused("PASTED_ALIASES", t("pasted.aliases"))
        return super().compose_node(parent, index)


# A name such as `on` is a name, and a date is the text that was written, as they are in JSON.
_Plain.yaml_implicit_resolvers = {
    first: [(tag, said) for tag, said in known if tag not in (_BOOL, _TIME)]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Plain.add_implicit_resolver(_BOOL, re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))


def read_document(text: str) -> dict[str, Json]:
    """The description, JSON or YAML. Raises PastedRefused."""
    if len(text.encode("utf-8", "replace")) > LONGEST:
        raise PastedRefused("PASTED_TOO_LONG", t("pasted.too_long", count=LONGEST // 1000))
    try:
        found = strictjson.loads(text, LONGEST) if text.lstrip().startswith("{") else _yaml(text)
    except JsonRefused as refused:
        raise PastedRefused("PASTED_UNREADABLE", t("pasted.unreadable", why=refused.message)) from None
    except yaml.YAMLError as wrong:
        mark = getattr(wrong, "problem_mark", None)
        why = t("pasted.yaml_line", line=mark.line + 1) if mark else ""
        raise PastedRefused("PASTED_UNREADABLE", t("pasted.unreadable", why=why)) from None
    except (RecursionError, TypeError, ValueError):
        raise PastedRefused("PASTED_UNREADABLE", t("pasted.unreadable", why="")) from None
    if not isinstance(found, dict) or not isinstance(found.get("paths"), dict):
        raise PastedRefused("PASTED_NO_OPENAPI", t("pasted.no_openapi"))
    if str(found.get("swagger", "")).startswith("2"):
        raise PastedRefused("PASTED_OLD", t("pasted.old"))
    return found


def _yaml(text: str) -> Json:
    """What YAML says, as JSON would say it: names are texts, and so is everything that JSON does not know."""
    found = yaml.load(text, _Plain)  # noqa: S506
    return strictjson.loads(json.dumps(found, default=str, ensure_ascii=False), 8 * LONGEST)


def operations(document: Mapping[str, Json]) -> list[Operation]:
    """The requests that can be made into tools, in the description's order."""
    return [Operation(id, _words(each.get("summary") or each.get("description"))) for id, each, _ in _each(document)]


def read_operation(document: Mapping[str, Json], id: str) -> Pasted:
    """One of them. Raises PastedRefused."""
    found = next(((each, shared) for name, each, shared in _each(document) if name == id), None)
    if found is None:
        raise PastedRefused("PASTED_NO_OPERATION", t("pasted.no_operation", name=id[:80]))
    each, shared = found
    method, _, path = id.partition(" ")
    base = _server(document, each, shared)
    pasted = Pasted(method=method, url=Text(()), host=host_of(base))
    pasted.summary = _words(each.get("summary") or each.get("description"))
    parameters = _parameters(document, each, shared)
    _address(pasted, base, path, parameters)
    for parameter in parameters:
        _parameter(pasted, document, parameter)
    _body(pasted, document, each)
    _security(pasted, document, each)
    pasted.returns = _returned(document, each)
    named = code_name(str(each.get("operationId") or ""))
    pasted.name = code_name(named[:1].lower() + named[1:]) if named else tool_name(method, path)
    return pasted


def _each(document: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json], Mapping[str, Json]]]:
    """(id, operation, what its path shares)"""
    count = 0
    for path, shared in document["paths"].items():
        for method in METHODS:
            each = shared.get(method.lower()) if isinstance(shared, Mapping) else None
            if isinstance(each, Mapping) and isinstance(path, str) and count < MOST_OPERATIONS:
                count += 1
                yield f"{method} {path}", each, shared


def _server(document: Mapping[str, Json], *inside: Mapping[str, Json]) -> str:
    for holder in (*inside, document):
        servers = holder.get("servers")
        first = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], Mapping) else {}
        url = first.get("url")
        if isinstance(url, str) and url:
            variables = first.get("variables")
            for name, each in variables.items() if isinstance(variables, Mapping) else ():
                if isinstance(each, Mapping):
                    url = url.replace(f"{{{name}}}", str(each.get("default", "")))
            if "://" not in url:
                break
            return url
    raise PastedRefused("PASTED_NO_SERVER", t("pasted.no_server"))


def _resolved(document: Mapping[str, Json], value: Json) -> Mapping[str, Json]:
    """What a reference within the document stands for; a reference elsewhere stands for nothing."""
    for _ in range(8):
        ref = value.get("$ref") if isinstance(value, Mapping) else None
        if not isinstance(ref, str) or not ref.startswith("#/"):
            break
        value = document
        for step in ref[2:].split("/"):
            value = value.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _parameters(document: Mapping[str, Json], *holders: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """The parameters, an operation's own before those of its path."""
    found: dict[tuple[str, str], Mapping[str, Json]] = {}
    for holder in holders:
        listed = holder.get("parameters")
        for raw in listed if isinstance(listed, list) else ():
            one = _resolved(document, raw)
            if isinstance(one.get("name"), str) and isinstance(one.get("in"), str):
                found.setdefault((one["in"], one["name"]), one)
    return list(found.values())


def _fields(document: Mapping[str, Json], properties: Mapping[str, Json], required: list[str]) -> Fields:
    """Named schemas as fields; those that cannot be read as fields take anything."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "components": document.get("components"),
    }
    try:
        return from_json_schema(schema)
    except (FieldsRefused, ValueError):
        raise PastedRefused("PASTED_MANY_FIELDS", t("pasted.many_fields")) from None


def _asked(pasted: Pasted, document: Mapping[str, Json], name: str, schema: Json, *, required: bool, about: str) -> Arg:
    """An input for a named schema."""
    read = _fields(document, {"value": schema if isinstance(schema, Mapping) else {}}, ["value"] if required else [])
    spec = read["value"].plain()
    if about and not spec.get("description"):
        spec["description"] = about
    return pasted.ask(name, spec)


def _address(pasted: Pasted, base: str, path: str, parameters: list[Mapping[str, Json]]) -> None:
    whole = f"{base.rstrip('/')}/{path.lstrip('/')}"
    scheme, _, rest = whole.partition("://")
    about = {one["name"]: _words(one.get("description")) for one in parameters if one["in"] == "path"}
    parts: list[str | Arg | Env] = []
    for index, piece in enumerate(re.split(r"\{([^{}/]+)\}", f"{scheme}://{pasted.host}/{rest.partition('/')[2]}")):
        if index % 2:
            spec: dict[str, Json] = {"type": "string", "required": True}
            if about.get(piece):
                spec["description"] = about[piece]
            parts.append(Arg(pasted.ask(piece, spec).name, quoted=True))
        else:
            parts.append(piece)
    pasted.url = joined(parts)


def _parameter(pasted: Pasted, document: Mapping[str, Json], one: Mapping[str, Json]) -> None:
    name, place = one["name"], one["in"]
    required, about = one.get("required") is True, _words(one.get("description"))
    if place == "query":
        pasted.query[name] = _asked(pasted, document, name, one.get("schema"), required=required, about=about)
    elif place == "header" and name.lower() not in ("accept", "content-type", "authorization"):
        if required:
            pasted.headers[name] = _asked(pasted, document, name, one.get("schema"), required=True, about=about)
        else:
            pasted.notes.append(t("pasted.note_header", name=name))
    elif place == "cookie":
        pasted.notes.append(t("pasted.note_cookie", name=name))


def _body(pasted: Pasted, document: Mapping[str, Json], each: Mapping[str, Json]) -> None:
    body = _resolved(document, each.get("requestBody"))
    content = body.get("content")
    if not isinstance(content, Mapping) or not content:
        return
    kinds = {str(name).partition(";")[0].strip().lower(): one for name, one in content.items()}
    for kind, sent in (("application/json", "json"), ("application/x-www-form-urlencoded", "form")):
        if kind in kinds:
            media = _resolved(document, kinds[kind])
            schema = _resolved(document, media.get("schema"))
            pasted.body_kind = "json" if sent == "json" else "form"
            _properties(pasted, document, schema, body.get("required") is not False)
            return
    if "multipart/form-data" in kinds:
        raise PastedRefused("PASTED_FILES", t("pasted.files"))
    pasted.body_kind = "text"
    pasted.headers["Content-Type"] = next(iter(kinds))
    pasted.body = pasted.ask("body", {"type": "text", "required": True})


def _properties(pasted: Pasted, document: Mapping[str, Json], schema: Mapping[str, Json], required: bool) -> None:
    properties = dict(_all(document, schema))
    if not properties:
        pasted.body = pasted.ask("body", {"type": "object", **({"required": True} if required else {})})
        return
    needed = {str(name) for name in _needed(document, schema)}
    pasted.body = {}
    for name, each in properties.items():
        if _resolved(document, each).get("readOnly") is not True:
            pasted.body[name] = _asked(pasted, document, name, each, required=name in needed, about="")


def _all(document: Mapping[str, Json], schema: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """The properties of an object, with those of what it is put together of."""
    for part in _parts(document, schema, set()):
        properties = part.get("properties")
        yield from properties.items() if isinstance(properties, Mapping) else ()


def _needed(document: Mapping[str, Json], schema: Mapping[str, Json]) -> Iterator[Json]:
    for part in _parts(document, schema, set()):
        required = part.get("required")
        yield from required if isinstance(required, list) else ()


def _parts(document: Mapping[str, Json], schema: Mapping[str, Json], seen: set[int]) -> Iterator[Mapping[str, Json]]:
    """What a schema is put together of, each once, and at the end itself."""
    if id(schema) in seen or len(seen) >= _MOST_PARTS:
        return
    seen.add(id(schema))
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        yield from _parts(document, _resolved(document, part), seen)
    yield schema


def _security(pasted: Pasted, document: Mapping[str, Json], each: Mapping[str, Json]) -> None:
    """The first way to sign in that the operation names; several at once are all used."""
    wanted = each.get("security", document.get("security"))
    first = wanted[0] if isinstance(wanted, list) and wanted else {}
    schemes = _resolved(document, document.get("components")).get("securitySchemes")
    for name in first if isinstance(first, Mapping) else ():
        scheme = _resolved(document, schemes.get(name)) if isinstance(schemes, Mapping) else {}
        kind, place = scheme.get("type"), scheme.get("in")
        if kind == "http" and str(scheme.get("scheme", "")).lower() == "basic":
            pasted.basic = (pasted.hide("USER"), pasted.hide("PASSWORD"))
        elif kind in ("http", "oauth2", "openIdConnect"):
            pasted.headers["Authorization"] = joined(["Bearer ", pasted.hide("TOKEN")])
        elif kind == "apiKey" and place == "header":
            pasted.headers[str(scheme.get("name"))] = pasted.hide("API_KEY")
        elif kind == "apiKey" and place == "query":
            pasted.query[str(scheme.get("name"))] = pasted.hide("API_KEY")
        else:
            pasted.notes.append(t("pasted.note_security", name=str(name)))


def _returned(document: Mapping[str, Json], each: Mapping[str, Json]) -> str:
    """What a good answer holds, in words, as far as the description says it."""
    responses = each.get("responses")
    for status, raw in responses.items() if isinstance(responses, Mapping) else ():
        if str(status).startswith("2"):
            response = _resolved(document, raw)
            content = response.get("content")
            media = _resolved(document, content.get("application/json")) if isinstance(content, Mapping) else {}
            shape = _shape(document, media.get("schema"), 0)
            return shape or _words(response.get("description"))
    return ""


def _shape(document: Mapping[str, Json], raw: Json, deep: int, seen: list[Json] | None = None) -> str:
    """A schema as code reads it: { id: string, lines: [{ … }] }. seen: what was shown so far; there is an end to it."""
    seen = [] if seen is None else seen
    seen.append(raw)
    schema = _resolved(document, raw)
    properties = dict(_all(document, schema)) if deep < _DEEP and len(seen) < _MOST_SHAPES else {}
    if properties:
        inside = [
            f"{name}: {_shape(document, each, deep + 1, seen) or 'any'}"
            for name, each in list(properties.items())[:_SHOWN]
        ]
        return "{ " + ", ".join(inside) + (", …" if len(properties) > _SHOWN else "") + " }"
    kind = schema.get("type")
    if kind == "array" and deep <= _DEEP:
        return f"[{_shape(document, schema.get('items'), deep + 1, seen) or 'any'}]"
    return str(kind) if isinstance(kind, str) else ""


def _words(text: Json) -> str:
    return " ".join(text.split())[:500] if isinstance(text, str) else ""
