"""check_triggers(): what is wrong with a triggers.json."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator
from urllib.parse import urlsplit

from flows.beside.around import Around
from flows.beside.reading import (
    CheckedBeside,
    addresses_are_relative,
    collected,
    described,
    flow_exists,
    flow_is_new_enough,
    loaded,
    owner_of,
    read_entries,
    read_head,
    twice,
)
from flows.problem import Finding, Problem, at, listed, quoted, rule, suggestion
from flows.words import cron, template
from flows.words.base import Json, read, shape
from flows.words.cron import CronRefused
from flows.words.names import ENV_NAME, is_name
from flows.words.trigger import (
    ALWAYS,
    READABLE,
    SINCE,
    TYPES,
    EventTrigger,
    ScheduleTrigger,
    Trigger,
    Triggers,
    WebhookTrigger,
)

_NEAR = {"localhost", "127.0.0.1", "::1"}
_EVENT_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:")
_PATH_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-~/")


def check_triggers(raw: str | bytes | Json, around: Around | None = None, file: str = "") -> CheckedBeside[Triggers]:
    """Check a triggers.json, against its flow where that is given. Never raises.

    file: where it stands in the flow's tree; "" when nobody knows.
    """
    value, refused = loaded(raw)
    if refused:
        return CheckedBeside(None, refused)
    entries, problems = read_entries(value.get("triggers") if isinstance(value, dict) else None, "triggers", _read)
    word, wrong = read_head(Triggers, value, "triggers", "the file of triggers", [entry for _, entry in entries])
    return CheckedBeside(word, collected([*wrong, *problems, *_problems(word, entries, around, file)]))


def _problems(
    word: Triggers | None, entries: list[tuple[str, Trigger]], around: Around | None, file: str
) -> Iterator[Problem]:
    if word is None:
        return
    yield from addresses_are_relative(word)
    yield from flow_exists(word, around, file)
    yield from flow_is_new_enough(word, "", around, SINCE, "A file of triggers")
    for each in (names_are_different, paths_are_different):
        yield from each(entries)
    for path, trigger in entries:
        for each in (
            names_are_names, schedules_are_read, zones_exist, events_have_names, paths_are_paths, inputs_are_read,
            templates_are_paths, addresses_are_secret, bodies_are_read,
        ):  # fmt: skip
            yield from each(trigger, path)
        yield from inputs_are_declared(trigger, path, around)
        yield from outputs_are_delivered(trigger, path, around)


def _read(raw: Json, path: str) -> tuple[Trigger | None, list[Problem]]:
    """Read one trigger. Its type is chosen first, so that every problem speaks of that type's own words."""
    owner = owner_of("trigger", raw, path, "id")
    if not isinstance(raw, dict):
        message = f"The trigger at {path} must be an object, and it is {shape(raw)}."
        return None, [Problem("WRONG_TYPE", "error", path, message, 'Write { "id": "…", "type": "schedule", … }.')]
    type = raw.get("type")
    if "type" not in raw:
        message = f'{owner[:1].upper() + owner[1:]} does not say "type".'
        return None, [Problem("MISSING_KEY", "error", path, message, f"Use {listed(TYPES)}.")]
    if not isinstance(type, str):
        message = f'"type" of {owner} must be text, and it is {shape(type)}.'
        return None, [Problem("WRONG_TYPE", "error", at(path, "type"), message, f"Use {listed(TYPES)}.")]
    if type not in TYPES:
        message = f'"type" of {owner} is {quoted(type)}, which is not one of {listed(TYPES)}.'
        hint = suggestion(type, TYPES, "Use one of those words.")
        return None, [Problem("NOT_ONE_OF", "error", at(path, "type"), message, hint)]
    return read(TYPES[type], raw, path, owner)


@rule("TRIGGER_ID_INVALID")
def names_are_names(trigger: Trigger, path: str) -> Iterator[Finding]:
    """A trigger's runs are traced by its id."""
    if not is_name(trigger.id):
        yield (
            at(path, "id"),
            f"The id {quoted(trigger.id)} of a trigger is no name.",
            "Use up to 64 letters, digits, _ and -, and begin with a letter.",
        )


@rule("TRIGGER_ID_TWICE")
def names_are_different(entries: list[tuple[str, Trigger]]) -> Iterator[Finding]:
    """Two triggers of one name could not be told apart in a trace."""
    yield from twice(entries, "id", "triggers", "Give each an id of its own.")


@rule("SCHEDULE_INVALID")
def schedules_are_read(trigger: Trigger, path: str) -> Iterator[Finding]:
    """Five fields, and nothing that only some clocks understand: no @daily, no L, no seconds."""
    if isinstance(trigger, ScheduleTrigger):
        try:
            cron.parse(trigger.schedule)
        except CronRefused as refused:
            yield (
                at(path, "schedule"),
                f"The schedule {quoted(trigger.schedule)} of trigger {quoted(trigger.id)} {refused.message}.",
                refused.hint,
            )


@rule("TIMEZONE_UNKNOWN")
def zones_exist(trigger: Trigger, path: str) -> Iterator[Finding]:
    """Eight in the morning is another moment in each zone, and moves twice a year in many."""
    zone = trigger.timezone if isinstance(trigger, ScheduleTrigger) else None
    if zone is not None and zone not in zoneinfo.available_timezones():
        yield (
            at(path, "timezone"),
            f"Trigger {quoted(trigger.id)} is in the time zone {quoted(zone)}, which is none.",
            suggestion(zone, _zones_near(zone), 'Use an IANA name, such as "Europe/Nicosia".'),
        )


@rule("EVENT_NAME_INVALID")
def events_have_names(trigger: Trigger, path: str) -> Iterator[Finding]:
    """A trigger listens for one name, matched exactly; a pattern would match what nobody thought of."""
    if isinstance(trigger, EventTrigger) and not _EVENT_LETTERS.issuperset(trigger.event):
        pattern = any(sign in trigger.event for sign in "*?[]#+")
        yield (
            at(path, "event"),
            f"Trigger {quoted(trigger.id)} listens for {quoted(trigger.event)}, which is "
            f"{'a pattern' if pattern else 'no name of an event'}.",
            "Write one exact name, such as order.created; another name is another trigger.",
        )


@rule("WEBHOOK_PATH_INVALID")
def paths_are_paths(trigger: Trigger, path: str) -> Iterator[Finding]:
    """Where this is deployed is the deployment's business, so a webhook says a path and never a URL."""
    if not isinstance(trigger, WebhookTrigger):
        return
    given = trigger.path
    if "://" in given or given.startswith("//"):
        yield (
            at(path, "path"),
            f"Trigger {quoted(trigger.id)} has the URL {quoted(given)}, where a path belongs.",
            f"Write the path alone: {quoted(urlsplit(given).path or '/support-ticket')}.",
        )
    elif not given.startswith("/") or not _PATH_LETTERS.issuperset(given) or "//" in given or "/.." in given:
        yield (
            at(path, "path"),
            f"Trigger {quoted(trigger.id)} has the path {quoted(given)}, which is none.",
            "Begin with /, and use letters, digits, ., _, -, ~ and /: /support-ticket.",
        )


@rule("WEBHOOK_PATH_TWICE")
def paths_are_different(entries: list[tuple[str, Trigger]]) -> Iterator[Finding]:
    """One request starts one run."""
    seen: dict[tuple[str, str], str] = {}
    for path, trigger in entries:
        if isinstance(trigger, WebhookTrigger):
            key = (trigger.method, trigger.path)
            if key in seen:
                yield (
                    at(path, "path"),
                    f"The triggers {quoted(seen[key])} and {quoted(trigger.id)} both take {trigger.method} "
                    f"{trigger.path}.",
                    "Give each a path of its own.",
                )
            seen.setdefault(key, trigger.id)


@rule("TRIGGER_READS_UNKNOWN")
def inputs_are_read(trigger: Trigger, path: str) -> Iterator[Finding]:
    """What a trigger may read depends on its type. Headers are never among it: they carry tokens."""
    readable = {**ALWAYS, **READABLE[trigger.type]}
    for text, here in texts(trigger.input, at(path, "input")):
        for read_path in template.paths(text):
            first, *rest = read_path.split(".")
            if rest[:1] == ["headers"] and first == "webhook":
                yield (
                    here,
                    f'Trigger {quoted(trigger.id)} reads "{{{{{read_path}}}}}", and headers are never handed on.',
                    "Send what is needed in the body or the query. A header may hold a token, which would then "
                    "stand in the state and in every trace.",
                )
            elif first not in readable or (rest and readable[first] != () and rest[0] not in readable[first]):
                yield (
                    here,
                    f'Trigger {quoted(trigger.id)} reads "{{{{{read_path}}}}}", which a trigger of type '
                    f"{quoted(trigger.type)} has not.",
                    suggestion(read_path, _names(readable), f"There is {listed(_names(readable), 'and')}."),
                )


@rule("TEMPLATE_NOT_A_PATH")
def templates_are_paths(trigger: Trigger, path: str) -> Iterator[Finding]:
    """A template looks a value up; it does not compute."""
    filled = [(trigger.input, at(path, "input"))]
    if trigger.deliver is not None:
        filled.append((trigger.deliver.body, at(path, "deliver", "body")))
    for value, where in filled:
        for text, here in texts(value, where):
            for wrong in template.mistakes(text):
                yield here, f"{quoted('{{' + wrong + '}}')} is not a path.", "Write {{event.data}} or {{now}}."


@rule("TRIGGER_INPUT_UNKNOWN")
def inputs_are_declared(trigger: Trigger, path: str, around: Around | None) -> Iterator[Finding]:
    """A payload reaches a run through the flow's own inputs and through nothing else."""
    inputs = around.inputs if around else None
    for name in trigger.input if inputs is not None else ():
        if name not in (inputs or ()):
            yield (
                at(path, "input", name),
                f"Trigger {quoted(trigger.id)} gives {quoted(name)}, which is no input of the flow.",
                suggestion(name, inputs or (), described(inputs or (), "The flow takes", "The flow takes no inputs.")),
            )


@rule("DELIVERY_ADDRESS")
def addresses_are_secret(trigger: Trigger, path: str) -> Iterator[Finding]:
    """Whoever has the address can post there, so it is named and never written into a file."""
    deliver = trigger.deliver
    if deliver is None:
        return
    here = at(path, "deliver")
    by = f"The delivery of trigger {quoted(trigger.id)}"
    name = 'Name the environment variable that holds it: "urlFrom": "SLACK_WEBHOOK_URL".'
    if deliver.url is None and deliver.url_from is None:
        yield here, f"{by} says no address.", name
    elif deliver.url is not None and deliver.url_from is not None:
        yield at(here, "url"), f"{by} says two addresses.", 'Keep "urlFrom".'
    elif deliver.url is not None and not _is_near(deliver.url):
        yield at(here, "url"), f"{by} has an address written out, and an address is a secret.", name
    elif deliver.url_from is not None and not ENV_NAME.fullmatch(deliver.url_from):
        pasted = "://" in deliver.url_from
        yield (
            at(here, "urlFrom"),
            f"{by} has an address written out, and an address is a secret."
            if pasted
            else f"{by} names {quoted(deliver.url_from)}, which no environment variable can be called.",
            name,
        )


@rule("DELIVERY_READS")
def bodies_are_read(trigger: Trigger, path: str) -> Iterator[Finding]:
    """What is sent is what the flow gave back, and when; never what came in or what the run knew."""
    readable = {"outputs": (), **ALWAYS}
    for text, here in texts(trigger.deliver.body if trigger.deliver else {}, at(path, "deliver", "body")):
        for read_path in template.paths(text):
            first, *rest = read_path.split(".")
            if first not in readable or (rest and first == "trigger" and rest[0] not in ALWAYS["trigger"]):
                yield (
                    here,
                    f'The delivery of trigger {quoted(trigger.id)} reads "{{{{{read_path}}}}}". It may read outputs, '
                    "trigger and now, and nothing else.",
                    f"Write {{{{outputs.{read_path}}}}} for what the flow gives back.",
                )


@rule("DELIVERY_OUTPUT_UNKNOWN")
def outputs_are_delivered(trigger: Trigger, path: str, around: Around | None) -> Iterator[Finding]:
    """Only what the flow gives back can be sent."""
    outputs = around.outputs if around else None
    if outputs is None or trigger.deliver is None:
        return
    for text, here in texts(trigger.deliver.body, at(path, "deliver", "body")):
        for read_path in template.paths(text):
            first, *rest = read_path.split(".")
            if first == "outputs" and rest and rest[0] not in outputs:
                yield (
                    here,
                    f"The delivery of trigger {quoted(trigger.id)} sends {quoted(rest[0])}, which the flow does not "
                    "give back.",
                    suggestion(
                        rest[0], outputs, described(outputs, "It gives back", 'Add it to "outputs" in the flow.')
                    ),
                )


def _zones_near(zone: str) -> list[str]:
    """The zones of the same part of the world."""
    region = zone.partition("/")[0].lower()
    return sorted(each for each in zoneinfo.available_timezones() if each.lower().startswith(region))


def texts(value: Json, path: str) -> Iterator[tuple[str, str]]:
    """Every text inside a value, with its path."""
    if isinstance(value, str):
        yield value, path
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from texts(each, at(path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from texts(each, at(path, index))


def _names(readable: dict[str, tuple[str, ...]]) -> list[str]:
    return [name for first, keys in readable.items() for name in ([f"{first}.{key}" for key in keys] or [first])]


def _is_near(url: str) -> bool:
    try:
        found = urlsplit(url)
    except ValueError:
        return False
    return found.scheme in ("http", "https") and found.hostname in _NEAR
