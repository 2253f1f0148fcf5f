"""Cards: what a person is shown and what will be done, as one JSON object with a digest that names all of it.

A payload is a pure function of where the question stands, the flow's own words and the channels they read. It keeps
those (`from`), so a correction rebuilds it without the run, and the engine can build it again just before it acts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from flows.words import arguments, template
from flows.words.fields import Field
from flows.words.label import label
from runtime import batches, canonical, corrections

Json = Any
Payload = dict[str, Json]
Decider = Literal["starter", "reviewers"]

SEAL = b"lgstudio.approval.v1\0"
SCHEMA = 1


@dataclass(frozen=True)
class Place:
    """Where a question stands: ids as text, the version's sha, the step's address and the node as people name it."""

    workspace: str
    deployment: str
    version: str
    run: str
    address: str
    node: str


@dataclass(frozen=True)
class Approval:
    """The approval section of a node, in the flow's own words. ask is a template; the others name channels."""

    ask: str
    show: tuple[str, ...] = ()
    edit: tuple[str, ...] = ()
    why: str | None = None
    exhibits: tuple[str, ...] = ()

    def plain(self) -> dict[str, Json]:
        """As a payload keeps it. Without exhibits it says nothing of them, as before there were any."""
        said = {"ask": self.ask, "show": list(self.show), "edit": list(self.edit), "why": self.why}
        return said | ({"exhibits": list(self.exhibits)} if self.exhibits else {})


@dataclass(frozen=True)
class Deed:
    """What an approval lets happen.

    kind: the node's. tool: the tool's name. args: its arguments as the flow writes them, templates included.
    unit: SHA-256 of the code that will run. inputs: the tool's declared fields, by argument. given: what a person
    typed into the tool's form. setting: SHA-256 of the settings, addresses and secrets it will run with.
    tools: for a batch, each tool's fields by its name; its calls are then the list in args["calls"], and queue names
    the channel that they come from. exact: args are sent as they stand, whatever they look like.
    """

    kind: str
    tool: str | None = None
    args: Mapping[str, Json] = field(default_factory=dict)
    unit: str = ""
    inputs: Mapping[str, Json] = field(default_factory=dict)
    given: Mapping[str, Json] | None = None
    setting: str = ""
    tools: Mapping[str, Mapping[str, Json]] | None = None
    queue: str | None = None
    exact: bool = False


class ArgumentsRefused(ValueError):
    """The tool's own fields refuse what would be sent. errors: {argument: a sentence}."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{label(name)}: {message}" for name, message in errors.items()))
        self.errors = dict(errors)


@dataclass(frozen=True)
class Terms:
    """Who decides, and until when. not_starter: whoever started the run may not."""

    decider: Decider = "starter"
    not_starter: bool = False
    expires_at: datetime | None = None


@dataclass(frozen=True)
class Sealed:
    """A payload's bytes, keys in the order they are shown, and the digest that a decision names."""

    payload: bytes
    digest: str


def approval_payload(
    place: Place,
    approval: Approval,
    deed: Deed,
    terms: Terms,
    *,
    types: Mapping[str, str],
    state: Mapping[str, Json],
    exhibits: Sequence[Json] = (),
) -> Payload:
    """The card of one approval.

    types: the flow's channels by name, with the type each is declared with. state: what the step sees.
    exhibits: the documents that its words name, as files.exhibits reads them.
    Only the channels that the card shows, lets edit or sends are taken from it. Raises ArgumentsRefused.
    """
    channels = {*approval.show, *approval.edit, *([approval.why] if approval.why else [])}
    channels |= template.reads(approval.ask) | (set() if deed.exact else template.reads(dict(deed.args)))
    known = {name: state.get(name) for name in sorted(channels)}
    edit = corrections.fields(
        {name: (types.get(name, "any"), known[name]) for name in approval.edit if name != deed.queue},
        _exact_reads(deed.args), deed.inputs,
    )  # fmt: skip
    if deed.queue in approval.edit:
        batches.add_fields(edit, deed.queue, known[deed.queue], deed.tools or {})
    return {
        **_head("approval", place, terms),
        "ask": template.fill(approval.ask, known),
        "show": [{"label": label(name), "channel": name, "value": known[name]} for name in approval.show],
        "why": _account(approval.why, known),
        **({"exhibits": list(exhibits)} if approval.exhibits else {}),
        "edit": edit,
        "does": {
            "kind": deed.kind,
            "tool": deed.tool,
            "args": _arguments(deed, known),
            "unit": deed.unit,
            "setting": deed.setting,
        },
        "from": {
            "approval": approval.plain(),
            "deed": {
                "args": dict(deed.args),
                "inputs": dict(deed.inputs),
                "given": deed.given and dict(deed.given),
                **({"tools": deed.tools, "queue": deed.queue} if deed.tools is not None else {}),
                **({"exact": True} if deed.exact else {}),
            },
            "types": {name: types.get(name, "any") for name in sorted(channels)},
            "state": known,
        },
    }


def ask_payload(place: Place, terms: Terms, *, text: str, show: list[Json]) -> Payload:
    """A question answered with text. text is Markdown; show: [{label, channel, value}]."""
    return {**_head("ask", place, terms), "ask": text, "show": show}


def form_payload(
    place: Place, terms: Terms, *, title: str, fields: Mapping[str, Json], values: Mapping[str, Json], why: str = ""
) -> Payload:
    """A form: its fields as the language declares them, what it opens with, and why it is asked."""
    said = {"why": why} if why else {}
    return {**_head("form", place, terms), "ask": title, **said, "fields": dict(fields), "values": dict(values)}


def outcome_payload(place: Place, terms: Terms, *, ask: str, show: list[Json], call: Mapping[str, Json]) -> Payload:
    """A write that may already have happened. call: {key, unit, method, target, args_sha}, as in the ledger."""
    return {**_head("outcome", place, terms), "ask": ask, "show": show, "call": dict(call)}


def canonical_bytes(payload: Payload) -> bytes:
    """The bytes that are signed. Raises canonical.NotCanonical for what is no JSON."""
    return canonical.encode(payload)


def digest(payload: Payload) -> str:
    """The hexadecimal SHA-256 by which a decision names what was shown."""
    return hashlib.sha256(SEAL + canonical_bytes(payload)).hexdigest()


def seal(payload: Payload) -> Sealed:
    """Bytes and digest, as a Question row keeps them."""
    return Sealed(canonical.keep(payload), digest(payload))


def read(stored: bytes) -> Payload:
    """The payload that a Question row keeps."""
    return canonical.decode(bytes(stored))


def with_edits(payload: Payload, edits: Mapping[str, Json]) -> Payload:
    """The card as it would have been had the channels held these values: other figures, other arguments, other digest.

    edits: {channel: value}; raises KeyError for a channel that the card does not offer for correction, and
    ArgumentsRefused for one that the tool would not take.
    """
    if not edits:
        return payload
    source = payload["from"]
    offered = source["approval"]["edit"]
    for name in edits:
        if name not in offered:
            raise KeyError(name)
    words = source["approval"]
    does = payload["does"]
    return approval_payload(
        place_of(payload),
        Approval(
            words["ask"],
            tuple(words["show"]),
            tuple(words["edit"]),
            words["why"],
            tuple(words.get("exhibits", ())),
        ),
        Deed(
            does["kind"],
            does["tool"],
            source["deed"]["args"],
            does["unit"],
            source["deed"]["inputs"],
            source["deed"]["given"],
            does["setting"],
            source["deed"].get("tools"),
            source["deed"].get("queue"),
            source["deed"].get("exact", False),
        ),
        terms_of(payload),
        types=source["types"],
        state={**source["state"], **edits},
        exhibits=payload.get("exhibits", ()),
    )


def place_of(payload: Payload) -> Place:
    return Place(*(payload[name] for name in ("workspace", "deployment", "version", "run", "address", "node")))


def terms_of(payload: Payload) -> Terms:
    until = payload["expires_at"]
    decider = payload["decider"]
    return Terms(decider["who"], decider["not_starter"], datetime.fromisoformat(until) if until else None)


def differs(approved: Payload, now: Payload) -> list[str]:
    """The places (`does.args.quantity`) where what is about to be done is not what was approved; empty when it is.

    The engine builds `now` from what it holds just before it acts, and sends nothing unless this is empty.
    """
    if canonical_bytes(approved) == canonical_bytes(now):
        return []
    return sorted(_differences(approved, now, "")) or ["digest"]


def _head(kind: str, place: Place, terms: Terms) -> Payload:
    until = terms.expires_at
    return {
        "v": SCHEMA,
        "kind": kind,
        **asdict(place),
        "decider": {"who": terms.decider, "not_starter": terms.not_starter},
        "expires_at": until.astimezone(UTC).isoformat() if until else None,
    }


def _account(why: str | None, known: Mapping[str, Json]) -> Json:
    """The agent's own account: text is one paragraph, a list of texts one line per step; anything else draws nothing.

    Topic: approval ("why").
    """
    if why is None:
        return None
    value = known[why]
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return None
    lines = [line for line in lines if line.strip()]
    return {"channel": why, "lines": lines} if lines else None


def _arguments(deed: Deed, known: Mapping[str, Json]) -> Json:
    """What will be sent: exactly what the step itself will make of the same words and channels."""
    if deed.exact:
        return dict(deed.args)
    filled = template.value(dict(deed.args), known)
    if deed.tools is not None:
        calls, errors = batches.shown(filled["calls"], deed.tools)
        if errors:
            raise ArgumentsRefused(errors)
        return calls
    if deed.tool is None:
        return filled
    inputs = {name: Field.model_validate(field) for name, field in deed.inputs.items()}
    args, errors = arguments.complete(inputs, filled, deed.given)
    if errors:
        raise ArgumentsRefused(errors)
    return args


def _exact_reads(args: Mapping[str, Json]) -> dict[str, str]:
    """{dotted path: argument} for the arguments that are exactly one {{path}}."""
    return {path: name for name, text in args.items() if (path := template.only(text))}


def _differences(a: Json, b: Json, path: str) -> list[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        found = []
        for key in {**a, **b}:
            here = f"{path}.{key}" if path else key
            found += _differences(a[key], b[key], here) if key in a and key in b else [here]
        return found
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [found for n, (x, y) in pairs for found in _differences(x, y, f"{path}[{n}]")]
    return [] if canonical.encode(a) == canonical.encode(b) else [path]
