"""`manage.py generate`: write every file that is derived from the code; with `--check`, say which ones are stale.

What is derived is the list in `outputs()`. A file is a function of the code alone: no dates, no order that varies.
"""

from __future__ import annotations

import difflib
import json
import re
import subprocess
from types import ModuleType
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand, CommandParser
from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from flows import panels, reference
from flows.edits.lines import ChangeLine
from flows.edits.operations import OPERATIONS, AnyOperation
from flows.schema import schema as flow_schema
from flows.schemas import SCHEMAS
from runtime.processes import ROOT
from runtime.questions import Decision
from studio import strings
from studio.api import wire, wire_asks, wire_edits, wire_files, wire_pasted, wire_runs, wire_tests, wire_units
from studio.api.json import Refused
from studio.frames import items
from studio.language import language

# The areas of the catalogue that page scripts say; the server alone says the others. Those of the inbox and of the
# editor are files of their own, which no other page loads.
SCRIPT_AREAS = ("shared", "chat", "lock")
INBOX_AREAS = ("inbox",)
EDITOR_AREAS = ("editor", "edit", "panel", "trace", "versions", "tests", "ask")
TYPES = "frontend/src/generated"
BANNER = "/* Written by `make generate` from {source}. Never edited. */\n"
MARK = "\n<!-- Written by `make generate` from flows/topics and the words. Never edited. -->\n"
JSON_TYPE = "export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };\n"


class Command(BaseCommand):
    help = "Write the files that are derived from the code."
    requires_system_checks = []  # pyright: ignore[reportAssignmentType] - the stubs know the older spelling only

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is stale")

    def handle(self, *args: Any, check: bool = False, **options: Any) -> None:
        stale = []
        for name, text in outputs().items():
            file = ROOT / name
            old = file.read_text(encoding="utf-8") if file.exists() else ""
            if old == text:
                continue
            stale.append(name)
            if check:
                changes = difflib.unified_diff(old.splitlines(), text.splitlines(), name, "now", lineterm="", n=1)
                self.stderr.write("\n".join(list(changes)[:20]))
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
                self.stdout.write(f"wrote {name}")
        if check and stale:
            raise CommandError(f"Stale: {', '.join(stale)}. Run make generate and commit the result.")


def outputs() -> dict[str, str]:
    """Every derived file, by its path in the repository."""
    frames = _schema(
        {
            "QuestionKind": items.Kind,
            "QuestionState": items.State,
            "QuestionItem": items.QuestionItem,
            "Item": items.Item,
            "SocketMessage": items.SocketMessage,
        }
    )
    replies, bodies = _wire_models(wire)
    named = {"QuestionKind": items.Kind, "QuestionState": items.State, "QuestionItem": items.QuestionItem}
    named |= {"Decision": Decision, "InboxTab": wire.Tab, "TurnState": wire.TurnState, "Refusal": Refused}
    calls = _schema(named | replies) | _schema(named | bodies, mode="validation")
    shared = sorted(set(calls) & set(frames))
    types = _typescript(
        {
            "frames": _gathered(frames),
            "language": _gathered(_schema(panels.NAMED, mode="validation")),
            "edits": _gathered(_edits()),
            "flow": _gathered(_flow()),
            "runs": _gathered(_beside(wire_runs)),
            "asks": _gathered(_beside(wire_asks)),
            "tests": _gathered(_tests()),
            "units": _gathered(_beside(wire_units)),
            "pasted": _gathered(_beside(wire_pasted)),
            "files": _gathered(_beside(wire_files)),
            "wire": _gathered({name: {"tsType": name} if name in shared else calls[name] for name in sorted(calls)}),
        }
    )
    used = [name for name in sorted(["Json", *shared]) if re.search(rf"\b{name}\b", types["wire"])]
    imported = f'import type {{ {", ".join(used)} }} from "./frames";\n'
    return {
        **{
            f"docs/schema/{name}.schema.json": json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
            for name, schema in SCHEMAS.items()
        },
        f"{TYPES}/frames.ts": BANNER.format(source="studio/frames/items.py") + f"\n{JSON_TYPE}\n{types['frames']}",
        f"{TYPES}/edits.ts": BANNER.format(source="flows/edits and studio/api/wire_edits.py")
        + f'import type {{ Json }} from "./frames";\n\n{types["edits"]}',
        f"{TYPES}/runs.ts": BANNER.format(source="studio/api/wire_runs.py")
        + 'import type { ChangeLine } from "./edits";\nimport type { Json } from "./frames";\n\n'
        + types["runs"],
        f"{TYPES}/asks.ts": BANNER.format(source="studio/api/wire_asks.py")
        + 'import type { ChangeLine } from "./edits";\nimport type { Json } from "./frames";\n\n'
        + types["asks"],
        f"{TYPES}/tests.ts": BANNER.format(source="studio/api/wire_tests.py and runtime/testing/results.py")
        + 'import type { DraftProblem } from "./edits";\nimport type { Json } from "./frames";\n\n'
        + types["tests"],
        f"{TYPES}/pasted.ts": BANNER.format(source="studio/api/wire_pasted.py")
        + 'import type { Json } from "./frames";\n\n'
        + types["pasted"],
        f"{TYPES}/units.ts": BANNER.format(source="studio/api/wire_units.py") + "\n" + types["units"],
        f"{TYPES}/files.ts": BANNER.format(source="studio/api/wire_files.py") + "\n" + types["files"],
        f"{TYPES}/flow.ts": BANNER.format(source="flows/words and flows/kinds")
        + f'import type {{ Json }} from "./frames";\n\n{types["flow"]}',
        f"{TYPES}/wire.ts": BANNER.format(source="studio/api/wire.py") + f"{imported}\n{types['wire']}",
        f"{TYPES}/language.ts": BANNER.format(source="flows/panels.py")
        + f'import type {{ Json }} from "./frames";\n\n{types["language"]}',
        "frontend/tests/language.json": json.dumps(language().wire(), indent=1, ensure_ascii=False) + "\n",
        f"{TYPES}/strings.ts": _sentences("STRINGS", SCRIPT_AREAS),
        f"{TYPES}/inboxstrings.ts": _sentences("INBOX_STRINGS", INBOX_AREAS),
        f"{TYPES}/editorstrings.ts": _sentences("EDITOR_STRINGS", EDITOR_AREAS),
        **{f"docs/reference/{topic.name}.md": topic.text + MARK for topic in reference.topics()},
    }


def _flow() -> dict[str, Any]:
    """A flow with every word that may stand in it, a type for each kind of node."""
    whole: dict[str, Any] = flow_schema()
    words = {**whole.pop("$defs"), "Flow": whole}
    return {name: _plain(_unmarked(words[name])) for name in sorted(words)}


def _unmarked(schema: Any) -> Any:
    """Without what a schema says of the language beyond its types."""
    if isinstance(schema, list):
        return [_unmarked(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _unmarked(value) for key, value in schema.items() if not key.startswith(("x-", "$schema"))}


def _edits() -> dict[str, Any]:
    """The operations and what the editor says and hears. What is left out of an operation or a line stays out."""
    replies, bodies = _wire_models(wire_edits)
    said = {"Operation": AnyOperation, **OPERATIONS_BY_CLASS, "ChangeLine": ChangeLine, **bodies}
    return _schema({"Operation": AnyOperation, **replies}) | _schema(said, mode="validation")


def _beside(module: ModuleType) -> dict[str, Any]:
    """What a module of the API says and hears, whose lines of changes are those of the edits."""
    replies, bodies = _wire_models(module)
    known = _schema(replies) | _schema(bodies, mode="validation")
    return known | {"ChangeLine": {"tsType": "ChangeLine"}}


def _tests() -> dict[str, Any]:
    """What the Tests panel says and hears. A draft's problems are those of the edits."""
    known, edits = _beside(wire_tests), _edits()
    own = {name: schema for name, schema in known.items() if name not in edits}
    return own | {"DraftProblem": {"tsType": "DraftProblem"}}


OPERATIONS_BY_CLASS = {kind.__name__: kind for kind in OPERATIONS.values()}


def _wire_models(module: ModuleType) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what the server says, what it is told): the models declared in a module of the API, by name."""
    declared = {
        name: model
        for name, model in vars(module).items()
        if isinstance(model, type) and issubclass(model, items.Wire) and model.__module__ == module.__name__
    }
    bodies = {name: model for name, model in declared.items() if name.endswith("Body")}
    return {name: model for name, model in declared.items() if name not in bodies}, bodies


def _schema(types: dict[str, Any], mode: JsonSchemaMode = "serialization") -> dict[str, Any]:
    """The JSON Schemas of models and unions under the given names, and of all they refer to."""
    found: dict[str, Any] = {}
    named: dict[str, Any] = {}
    for name, type_ in types.items():
        whole = TypeAdapter(type_).json_schema(mode=mode)
        found |= {inner: _plain(schema) for inner, schema in whole.pop("$defs", {}).items()}
        if "$ref" not in whole and "properties" not in whole:
            named[name] = _plain(whole)
        elif "properties" in whole:
            found[name] = _plain(whole)
    known = {json.dumps(schema, sort_keys=True): name for name, schema in named.items()}
    found = {name: _by_name(schema, known) for name, schema in found.items()}
    return dict(sorted({**found, **named}.items()))


def _by_name(schema: Any, known: dict[str, str]) -> Any:
    """With a reference wherever the schema repeats a named union."""
    if isinstance(schema, list):
        return [_by_name(item, known) for item in schema]
    if not isinstance(schema, dict):
        return schema
    name = known.get(json.dumps(schema, sort_keys=True))
    return {"$ref": f"#/$defs/{name}"} if name else {key: _by_name(value, known) for key, value in schema.items()}


def _plain(schema: Any) -> Any:
    """Without titles, which would become a type each, and with our own name for any JSON value.

    How many entries a list needs is left out: it would become a tuple, which no list built at run time fits.
    """
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("title", "discriminator", "default", "minItems")}
    if not kept.keys() - {"description"}:
        return {**kept, "tsType": "Json"}
    if kept.get("additionalProperties") is True:
        kept["additionalProperties"] = {}
    return {
        key: {name: _plain(inner) for name, inner in value.items()} if key == "properties" else _plain(value)
        for key, value in kept.items()
    }


def _gathered(definitions: dict[str, Any]) -> dict[str, Any]:
    return {"title": "Everything", "type": "object", "properties": {}, "$defs": definitions}


def _typescript(schemas: dict[str, Any]) -> dict[str, str]:
    """The TypeScript of each schema. Raises CommandError with node's own words."""
    try:
        run = subprocess.run(
            ["node", "frontend/scripts/types.mjs"],  # noqa: S607
            cwd=ROOT,
            input=json.dumps(schemas),
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise CommandError("node was not found. Run make generate, which installs it where it is missing.") from None
    if run.returncode:
        raise CommandError(f"frontend/scripts/types.mjs failed:\n{run.stderr}")
    return json.loads(run.stdout)


def _sentences(name: str, areas: tuple[str, ...]) -> str:
    """The catalogue's sentences that scripts need, as a constant whose keys the compiler checks."""
    lines = [
        f"  {json.dumps(key)}: {json.dumps(sentence, ensure_ascii=False)},"
        for key, sentence in strings.catalogue().items()
        if key.split(".", 1)[0] in areas
    ]
    return "\n".join(
        [BANNER.format(source="studio/strings/en"), f"export const {name} = {{", *lines, "} as const;", ""]
    )
