"""What a flow needs from this installation, and what of it is not here yet, each with where that is mended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from flows.kinds import kind_of
from flows.models import Flow
from flows.problem import listed
from flows.recent import checked
from flows.runnable import cannot_run
from flows.words.document import Document
from runtime.models import Deployment, Secret
from runtime.models.servers import McpLink, McpServer
from runtime.services import renewal
from runtime.services.endpoints import endpoint_for
from runtime.units import packages
from studio.known import answer_nobody
from studio.shelving import shelved
from studio.strings import t
from studio.transfer.giving import flows_of

State = Literal["there", "missing", "cannot"]
_ORDER: tuple[State, ...] = ("missing", "cannot", "there")


@dataclass(frozen=True)
class Need:
    """One thing. what: "models", "secrets" …, whose sentences and icon a page shows. href: where it is mended."""

    what: str
    name: str
    words: str
    state: State
    href: str = ""
    act: str = ""
    right: str = ""

    @property
    def icon(self) -> str:
        return _ICONS[self.what]


_ICONS = {
    "models": "cpu", "code": "code", "secrets": "key-round", "settings": "settings", "servers": "server",
    "collections": "book-open", "databases": "server", "packages": "code", "people": "users", "policies": "shield",
    "kinds": "workflow",
}  # fmt: skip

# What stands outside of the flow and of this product: in the needs page's words, and in the flow's.
_ELSEWHERE = (("collections", "knowledge"), ("databases", "database"))


def needs(flow: Flow) -> list[Need]:
    """What the flow and every flow that it runs needs: what is missing first."""
    rows = [(each, checked(each.draft).flow) for each in flows_of(flow)]
    readable = [(each, document) for each, document in rows if document is not None]
    found = [
        *_models(flow, [document for _, document in readable]),
        *_code(readable),
        *(need for _, document in readable for need in _required(flow, document)),
        *(need for each, _ in readable for need in _kinds(each)),
    ]
    return sorted(dict.fromkeys(found), key=lambda need: _ORDER.index(need.state))


def _models(flow: Flow, documents: list[Document]) -> Iterator[Need]:
    asks = [node.id for document in documents for node in document.nodes if kind_of(node.type).group == "model"]
    if asks:
        model = endpoint_for(_bench(flow), "answers")
        state: State = "there" if model is not None else "missing"
        words = t(f"needs.models_{state}", count=len(asks))
        yield Need(
            "models", t("needs.models_answers"), words, state, "/settings/models", t("needs.models_act"), "models"
        )


def _code(rows: list[tuple[Flow, Document]]) -> Iterator[Need]:
    for flow, document in rows:
        without = [unit.name for unit in shelved(flow, document) if not unit.runs]
        if without:
            yield Need(
                "code", flow.name, t("needs.code_missing", names=listed(without[:8], "and"), count=len(without)),
                "missing", f"/flows/{flow.pk}/publish", t("needs.code_act"), "flows.view",
            )  # fmt: skip


def _required(flow: Flow, document: Document) -> Iterator[Need]:
    here, publish = f"/flows/{flow.pk}/publish", t("needs.publish_act")
    requires, agents = document.requires, list(Deployment.objects.filter(flow=flow))
    kept = set(Secret.objects.filter(deployment__in=agents).values_list("name", flat=True))
    for name in (*requires.env, *renewal.renewing(requires.env)):
        renews = renewal.is_renewed(name) and all(each in kept for each in renewal.CLIENT)
        state: State = "there" if name in kept or renews else "missing"
        yield Need("secrets", name, t(f"needs.secrets_{state}"), state, here, publish, "operate")
    chosen = {name for agent in agents for name in agent.settings}
    for name, setting in requires.settings.items():
        if setting.default is None and name not in chosen:
            words = setting.description or t("needs.settings_missing")
            yield Need("settings", name, words, "missing", here, publish, "publish")
    yield from _servers(flow, document, agents)
    for what, section in _ELSEWHERE:
        for name, each in getattr(requires, section).items():
            yield Need(what, name, t(f"needs.{what}_cannot", about=each.describe), "cannot")
    for name, wanted in requires.packages.items():
        why = packages.why_not(name, wanted)
        yield Need("packages", name, why or t("needs.packages_there", range=wanted), "cannot" if why else "there")
    if requires.users:
        answers = {agent.pk for agent in agents if agent.known_people and not agent.workbench} - answer_nobody(agents)
        state, words = ("there", "needs.people_there") if answers else ("missing", "needs.people_missing")
        yield Need("people", t("needs.people"), t(words), state, here, publish, "publish")
    for name in dict.fromkeys(node.approval.needs for node in document.nodes if node.approval and node.approval.needs):
        yield Need("policies", name, t("needs.policies_cannot"), "cannot")


def _servers(flow: Flow, document: Document, agents: list[Deployment]) -> Iterator[Need]:
    """Tool servers: known to this installation first, then chosen for the agent under the name that its flow uses."""
    linked = set(McpLink.objects.filter(deployment__in=agents).values_list("name", flat=True))
    any_known = McpServer.objects.exists()
    published = next((agent for agent in agents if not agent.workbench), None)
    for name, server in document.requires.mcp.items():
        if name in linked:
            yield Need("servers", name, t("needs.servers_there"), "there")
        elif any_known:
            words = t("needs.servers_choose", about=server.describe)
            here = f"/agents/{published.slug}/servers" if published else f"/flows/{flow.pk}/servers"
            yield Need("servers", name, words, "missing", here, t("needs.servers_choose_act"), "operate")
        else:
            words = t("needs.servers_missing", about=server.describe)
            yield Need("servers", name, words, "missing", "/settings/servers", t("needs.servers_act"), "operate")


def _kinds(flow: Flow) -> Iterator[Need]:
    for problem in cannot_run(checked(flow.draft)):
        yield Need(
            "kinds", flow.name, problem.message, "cannot", f"/flows/{flow.pk}", t("needs.kinds_act"), "flows.view"
        )


def _bench(flow: Flow) -> Deployment | None:
    return Deployment.objects.filter(flow=flow, workbench=True).first()
