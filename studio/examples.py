"""The example flows that ship with the product, and making a flow of one's own from one."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from flows import files, identity
from flows.models import Flow
from runtime.models import Deployment
from runtime.units import shelf
from studio import drafts
from studio.models import User
from studio.refusal import Refusal
from studio.strings import t

FOLDER = Path(settings.BASE_DIR) / "flows" / "examples"
# Where an example's own words expect the demo server; another DEMO_URL takes its place.
DEMO_HOST = "127.0.0.1:8421"


@dataclass(frozen=True)
class Example:
    """name: its folder. shows: what it demonstrates, a few words each."""

    name: str
    title: str
    summary: str
    shows: tuple[str, ...]


def examples() -> list[Example]:
    """The examples in the order of their titles."""
    found = []
    for file in FOLDER.glob("*/about.json"):
        words = json.loads(file.read_text(encoding="utf-8"))
        found.append(Example(file.parent.name, words["title"], words["summary"], tuple(words.get("shows", ()))))
    return sorted(found, key=lambda example: example.title)


def start_from(name: str, user: User) -> Flow:
    """A flow from an example, with its code and tests, and a workbench that may reach what it needs.

    Raises Refusal for a name that is no example.
    """
    example = next((one for one in examples() if one.name == name), None)
    if example is None:
        raise Refusal("NO_EXAMPLE", t("flows.no_example"), 404)
    folder = FOLDER / example.name
    text = (folder / "flow.json").read_text(encoding="utf-8")
    about = json.loads(_here((folder / "about.json").read_text(encoding="utf-8")))
    with transaction.atomic():
        # The example's own id stays with the example, so that it can be started from again and again.
        name = drafts.free_name(identity.name_of(text) or example.title)
        flow = drafts.import_text(identity.identified(text, uuid.uuid4(), name), name, user)
        code = folder / "handlers.py"
        if code.exists():
            shelf.fill(flow, code.read_text(encoding="utf-8"))
        for file in sorted(folder.glob("tests/*.test.json")):
            files.write(flow, file.relative_to(folder).as_posix(), file.read_text(encoding="utf-8"), user)
        Deployment.objects.create(
            flow=flow, slug=f"draft-{flow.pk.hex}", name=flow.name, workbench=True,
            settings=about.get("settings", {}), allowed_hosts=about.get("allowedHosts", []),
        )  # fmt: skip
    return flow


def _here(text: str) -> str:
    return text.replace(DEMO_HOST, urlsplit(settings.DEMO_URL).netloc)
