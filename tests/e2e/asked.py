"""What the Ask bar's browser tests have the product do from within: drafts, their code, an agent made of one."""

from __future__ import annotations

import json
import uuid
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from flows import scope, store
from flows.check import check
from flows.edits.apply import parse
from flows.models import Flow
from runtime.units import shelf
from studio import drafts, editing, examples, publishing, shelving, terms
from studio.editing import Sent
from studio.models import Membership, User


def draft(workspace: str, document: Any = None) -> str:
    """A flow of the builder's: this document, or a new flow as a person gets it. Returns its id."""
    with scope.workspace(uuid.UUID(workspace)):
        if document is None:
            return str(store.create("My desk", _person("builder")).pk)
        return str(drafts.import_text(json.dumps(document, indent=2), document["name"], _person("builder")).pk)


def draft_of(workspace: str, flow: str) -> str:
    with scope.workspace(uuid.UUID(workspace)):
        return Flow.objects.get(pk=flow).draft


def example(folder: str) -> str:
    return (examples.FOLDER / folder / "flow.json").read_text(encoding="utf-8")


def edit(workspace: str, flow: str, operations: list[Any]) -> None:
    """An edit of the owner's, in another window somewhere."""
    with scope.workspace(uuid.UUID(workspace)):
        found = Flow.objects.get(pk=flow)
        editing.submit(found, Sent(uuid.uuid4(), found.revision, parse(operations)), _person("owner"))


def write_code(workspace: str, flow: str) -> None:
    """Every unit that has no code, written by the model for code."""
    with scope.workspace(uuid.UUID(workspace)):
        found = Flow.objects.get(pk=flow)
        document = check(found.draft).flow
        assert document is not None
        for one in shelf.units(found, document):
            if one.state == "missing" and one.kind != "router":
                written = shelving.generate(found, one.kind, one.name)
                assert written.state == "current", written.reason


def publish(workspace: str, flow: str) -> dict[str, str]:
    """The draft as an agent that may reach the back office. Returns {slug, path}."""
    with scope.workspace(uuid.UUID(workspace)):
        found, builder = Flow.objects.get(pk=flow), _person("builder")
        ready = publishing.readiness(found)
        assert ready.ready, (ready.errors, ready.blocked)
        made = publishing.publish(
            found, ready, terms.of(publishing.workbench(found), ready.checked.flow), builder,
            deployment=None, slug=f"a-{uuid.uuid4().hex[:10]}", name=found.name, operate=False,
        )  # fmt: skip
        host = urlsplit(settings.DEMO_URL).netloc
        made.settings, made.allowed_hosts = {"officeUrl": f"http://{host}/office"}, [host]
        made.save()
        return {"slug": made.slug, "path": f"/a/{made.slug}"}


def _person(role: str) -> User:
    return Membership.objects.select_related("user").filter(role=role).order_by("pk")[0].user
