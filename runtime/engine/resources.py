"""What a run may use: its deployment's model, settings, secrets, HTTP client and sandbox. Loaded once, on first use."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from flows.kinds.base import Json, NodeFailed
from flows.problem import quoted
from flows.words.document import Document
from flows.words.names import variable
from runtime import budget, canonical
from runtime.engine import documents
from runtime.engine.files import Files
from runtime.engine.servers import Servers
from runtime.models import Secret
from runtime.services import endpoints, model, places, renewal
from runtime.services.documents.reader import Reader
from runtime.services.http import Guarded
from runtime.services.model import Endpoint, Reply, SchemaMode
from runtime.services.secrets import SecretUnreadable, SecretValue, decrypt
from runtime.units import packages
from runtime.units.sandbox import ServiceFailed, Services

if TYPE_CHECKING:
    from runtime.engine.calls import Calls, Sends
    from runtime.engine.lease import Lease
    from runtime.engine.program import Part
    from runtime.units.sandbox import Lease as SandboxLease
    from runtime.units.sandbox import Sandbox


MOST_CLIENTS = 64


class Clients:
    """The guarded clients of a worker, one for each list of allowed hosts; the least used are closed. And what reads
    the documents that they fetch."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, ...], Guarded] = {}
        self.tokens = renewal.Tokens()
        self._reader: Reader | None = None

    @property
    def reader(self) -> Reader:
        if self._reader is None:
            self._reader = Reader()
        return self._reader

    async def get(self, allowed: list[str]) -> Guarded:
        key = tuple(allowed)
        found = self._clients.pop(key, None) or Guarded(list(allowed))
        self._clients[key] = found
        if len(self._clients) > MOST_CLIENTS:
            oldest = next(iter(self._clients))
            await self._clients.pop(oldest).close()
        return found

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
        if self._reader is not None:
            await self._reader.close()


class Resources:
    """One run's, for as long as this process holds its lease."""

    def __init__(self, lease: Lease, sandbox: Sandbox, clients: Clients) -> None:
        self._lease, self._box, self._clients = lease, sandbox, clients
        self._endpoint: Endpoint | None = None
        self._secrets: dict[str, SecretValue] | None = None
        self._grant: dict[str, SecretValue] = {}
        """What tokens are renewed with, where the deployment has all of it."""
        self._children: dict[str, SandboxLease] = {}
        self._opening = asyncio.Lock()
        self._learning: asyncio.Task[None] | None = None
        self.servers = Servers(lease)
        self.files = Files(lease)

    async def endpoint(self) -> Endpoint | None:
        """The model that answers in this deployment; None when nobody set one up."""
        if self._endpoint is None:
            deployment = self._lease.run.deployment
            self._endpoint = await self._lease.database.read(lambda: endpoints.endpoint_for(deployment, "answers"))
        return self._endpoint

    async def complete(
        self,
        endpoint: Endpoint,
        messages: list[Json],
        *,
        address: str,
        schema: Json,
        on_text: Callable[[str], None] | None,
        cancelled: Callable[[], bool],
        tools: Sequence[Mapping[str, Json]] = (),
    ) -> Reply:
        """Ask the model, for the step of this address."""

        def learned(mode: SchemaMode) -> None:
            work = self._lease.database.write(lambda: endpoints.remember_schema_mode(endpoint, mode))
            self._learning = asyncio.get_running_loop().create_task(work)

        return await model.complete(
            endpoint, messages, schema=schema, on_text=on_text, cancelled=cancelled, on_learned=learned, tools=tools
        )

    async def http(self) -> Sends:
        """The deployment's client for what code sends; tokens that renew themselves are fresh in it."""
        client = await self._clients.get(self._lease.run.deployment.allowed_hosts)
        renewed = [name for name in await self.secrets() if renewal.is_renewed(name)]
        if not self._grant or not renewed:
            return client
        return renewal.Renewing(client, self._clients.tokens, self._grant, renewed)

    async def document(
        self, source: Json, *, address: str, most: int, private: bool, calls: Callable[[Sends], Calls]
    ) -> dict[str, Json]:
        """What a read node writes, for the step of this address. source: an address, or a file's reference.

        calls: the step's ledger over a client. private: whether addresses that an operator allowed inside this
        network may be read. Raises NodeFailed.
        """
        client = await self._clients.get(self._lease.run.deployment.allowed_hosts if private else [])
        return await documents.read(self._clients.reader, client, calls, self.files, source, most=most, private=private)

    async def secrets(self) -> dict[str, SecretValue]:
        """The deployment's values for requires.env, by name, each with the hosts it may go to."""
        if self._secrets is None:
            parts = self._lease.program.parts.values()
            declared = {name for part in parts for name in part.document.requires.env}
            wanted = declared.union(renewal.renewing(declared))

            def load() -> dict[str, SecretValue]:
                rows = Secret.objects.filter(deployment_id=self._lease.run.deployment_id, name__in=wanted)
                return {row.name: SecretValue(_readable(row), tuple(row.hosts)) for row in rows}

            found = await self._lease.database.read(load) if declared else {}
            if all(name in found for name in renewal.CLIENT):
                self._grant = {name: found[name] for name in renewal.CLIENT}
                # A value of its own it needs none; where it may be sent is said with its name all the same.
                for name in filter(renewal.is_renewed, declared):
                    found[name] = SecretValue(renewal.UNKNOWN, found[name].hosts if name in found else ())
            self._secrets = {name: value for name, value in found.items() if name in declared}
        return self._secrets

    async def code(
        self, unit: str, given: Json, *, address: str, env: list[str], seed: str, clock: float, services: Services
    ) -> Json:
        """Run a unit of the version, for the step of this address, as the sandbox's lease does."""
        part = self._lease.program.at(address)
        sandbox = await self.sandbox(part)
        return await sandbox.call(
            unit, given, settings=self.settings(part.document), env=env, seed=seed, clock=clock, services=services
        )

    async def sandbox(self, part: Part) -> SandboxLease:
        """The processes in which the code of one flow of this run's version runs; each flow has its own."""
        async with self._opening:
            if part.file not in self._children:
                wanted = part.document.requires.packages
                box = self._box.stocked(await asyncio.to_thread(packages.places)) if wanted else self._box
                self._children[part.file] = child = await box.lease()
                await child.load(dict(part.units), packages.barred(wanted) if wanted else None)
        return self._children[part.file]

    def settings(self, flow: Document) -> dict[str, Json]:
        """requires.settings: the deployment's value, else the environment's SETTING_<NAME>, else the flow's default."""
        requires = flow.requires
        chosen = self._lease.run.deployment.settings
        found: dict[str, Json] = {}
        for name, setting in requires.settings.items():
            given = os.environ.get(f"SETTING_{variable(name)}")
            if name in chosen or given is None:
                found[name] = chosen.get(name, setting.default)
                continue
            try:
                found[name] = setting.of_text(given)
            except ValueError as wanted:
                raise NodeFailed(
                    f"The environment's SETTING_{variable(name)} is {quoted(given[:80])}, and this flow needs "
                    f"{wanted} there. Change it, or set {quoted(name)} in the agent's settings.",
                    "SETTING_INVALID",
                ) from None
        return found

    async def setting(self, flow: Document) -> str:
        """SHA-256 over what decides, beside the flow, where a call goes and with what; an approval names it."""
        deployment = self._lease.run.deployment
        secrets = await self._lease.database.read(
            lambda: list(
                Secret.objects.filter(deployment_id=deployment.id)
                .order_by("name")
                .values("name", "hosts", "updated_at")
            )
        )
        servers = await self._lease.database.read(lambda: places.standing(deployment.id))
        everything = {
            **({"servers": servers} if servers else {}),
            "settings": self.settings(flow),
            "allowed": deployment.allowed_hosts,
            "idempotent": deployment.idempotent_hosts,
            "secrets": [{**secret, "updated_at": secret["updated_at"].isoformat()} for secret in secrets],
        }
        return hashlib.sha256(canonical.encode(everything)).hexdigest()

    def sign(self, secrets: dict[str, SecretValue], args: Json) -> Json:
        """The HMAC-SHA256 of base64 `data` under a secret, in hexadecimal; the key itself stays here."""
        name = str(args.get("env", ""))
        if name not in secrets:
            raise ServiceFailed(f"{name} has no value in this deployment. Set it in the agent's settings.")
        content = base64.b64decode(args["data"])
        return hmac.new(secrets[name].value.encode(), content, hashlib.sha256).hexdigest()

    async def check_budget(self, endpoint: Endpoint) -> None:
        """Refuse a model call once the deployment's day is used up. Raises NodeFailed."""
        deployment = self._lease.run.deployment
        if deployment.cost_ceiling is None and deployment.access != "link":
            return
        if await self._lease.database.read(lambda: budget.used_up(deployment)):
            raise NodeFailed(
                "This agent has used up its budget for today. It answers again tomorrow, or when its ceiling is raised "
                "in the agent's settings.",
                "BUDGET_USED",
            )

    async def close(self) -> None:
        try:
            for child in self._children.values():
                await child.close()
            self._children.clear()
        finally:
            await self.servers.close()


def _readable(secret: Secret) -> str:
    """A stored secret's value. Raises NodeFailed when it was stored under a key that is gone."""
    try:
        return decrypt(secret.cipher).decode()
    except SecretUnreadable:
        raise NodeFailed(
            f"The value of {secret.name} cannot be read any more: it was stored under another SECRET_KEY. "
            "Enter it again in the agent's settings.",
            "SECRET_UNREADABLE",
        ) from None
