"""triggers.json: what starts a flow. The flow itself never mentions it, and can be run by hand without it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializeAsAny

from flows.words.base import Dsl, Json, Word
from flows.words.beside import Beside

MAX_TRIGGERS = 100
SINCE = "0.20"


class Delivery(Word):
    """Where the answer goes. A delivery that fails does not fail the run."""

    to: Annotated[Literal["webhook"], Dsl(widget="choice", topic="triggers")] = Field(
        description='"webhook": anything that takes a POST.'
    )
    url_from: Annotated[
        str | None, Field(min_length=1, max_length=64), Dsl(widget="line", placeholder="SLACK_WEBHOOK_URL")
    ] = Field(None, description="The environment variable that holds the address, which is a secret.")
    url: Annotated[str | None, Field(min_length=1, max_length=2000), Dsl(widget="line")] = Field(
        None, description="An address of this machine (localhost), for trying things out; never another."
    )
    format: Annotated[
        Literal["json", "table"],
        Dsl(
            widget="choice",
            says={"json": "The values as they are.", "table": "Records in columns that line up; text stays as it is."},
        ),
    ] = Field("json", description='"json", or "table" to lay lists of records out in columns.')
    body: Annotated[dict[str, Json], Field(max_length=100), Dsl(widget="json")] = Field(
        description="What is sent, filled as a prompt is from outputs, trigger and now."
    )


class Trigger(Word):
    """What every trigger has."""

    id: Annotated[str, Dsl(widget="line", topic="triggers", label="Name")] = Field(
        description="The trigger's name within the file."
    )
    # Each type narrows it to its own word, which a checker allows only over Any.
    type: Annotated[Any, Dsl(widget="choice")] = Field(description="schedule, event or webhook.")
    input: Annotated[dict[str, Json], Field(max_length=100), Dsl(widget="json")] = Field(
        default_factory=dict,
        description="Input of the flow → its value, filled as a prompt is; one template alone hands the value over.",
    )
    enabled: Annotated[bool, Dsl(widget="switch")] = Field(
        True, description="false leaves the trigger in the file and stops it."
    )
    deliver: Annotated[Delivery | None, Dsl(topic="triggers")] = Field(None, description="Where the answer goes.")


class ScheduleTrigger(Trigger):
    """Fires by the clock."""

    type: Annotated[Literal["schedule"], Dsl(topic="triggers")] = Field(description='"schedule"')
    schedule: Annotated[str, Field(min_length=1, max_length=200), Dsl(widget="line", placeholder="0 8 * * 1-5")] = (
        Field(description="Five fields: minute, hour, day of the month, month, day of the week.")
    )
    timezone: Annotated[str | None, Field(min_length=1, max_length=64), Dsl(widget="line")] = Field(
        None, description='The IANA time zone that it is read in, such as "Europe/Nicosia"; else UTC.'
    )


class EventTrigger(Trigger):
    """Fires when something of this name happens."""

    type: Annotated[Literal["event"], Dsl(topic="triggers")] = Field(description='"event"')
    event: Annotated[str, Field(min_length=1, max_length=200), Dsl(widget="line", placeholder="order.created")] = Field(
        description="The one name that it listens for, matched exactly."
    )


class WebhookTrigger(Trigger):
    """Fires when a request comes in."""

    type: Annotated[Literal["webhook"], Dsl(topic="triggers")] = Field(description='"webhook"')
    path: Annotated[str, Field(min_length=1, max_length=200), Dsl(widget="line", placeholder="/support-ticket")] = (
        Field(description="The path of the request; where this runs is the deployment's business.")
    )
    method: Annotated[Literal["POST", "GET"], Dsl(widget="choice")] = Field("POST", description='"POST" or "GET".')


TYPES: dict[str, type[Trigger]] = {"schedule": ScheduleTrigger, "event": EventTrigger, "webhook": WebhookTrigger}

READABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "schedule": {},
    "event": {"event": ("name", "data")},
    "webhook": {"webhook": ("method", "path", "body", "query")},
}
"""Type of trigger → what its input may read beside trigger and now, and the keys of that."""

ALWAYS: dict[str, tuple[str, ...]] = {"trigger": ("id", "type"), "now": ()}


class Triggers(Beside):
    """What starts a flow."""

    triggers: Annotated[list[SerializeAsAny[Trigger]], Field(max_length=MAX_TRIGGERS), Dsl(topic="triggers")] = Field(
        description="Each thing that starts it."
    )
