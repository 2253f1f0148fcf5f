"""The terms of a deployed agent: who may chat, who decides, which settings, secrets, addresses and model it has."""

from __future__ import annotations

import ipaddress
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from typing import Any

from django.http import QueryDict

from flows.problem import listed
from flows.words.document import Document
from flows.words.strictjson import JsonRefused, loads
from runtime.models import Deployment, ModelEntry, Secret
from runtime.services import renewal
from runtime.services.secrets import encrypt
from studio import known, limiting
from studio.models import Membership
from studio.strings import t

HOST = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
MOST_HOSTS = 50
# What an open link is offered first, in US dollars a day.
FIRST_CEILING = "5"


@dataclass
class Value:
    """A setting of requires.settings as the form shows it. kind: text, number, switch or json."""

    name: str
    about: str
    kind: str
    text: str
    default: Any
    error: str = ""

    @property
    def shown_default(self) -> str:
        return _shown(self.default, self.kind)


@dataclass
class SecretField:
    """A secret of requires.env. stored: a value is kept, and is never shown; hosts: where it may be sent.

    renews: a token that needs no value, since it renews itself; renewer: one of the secrets that renew such a token.
    """

    name: str
    stored: bool
    hosts: str
    stored_hosts: tuple[str, ...] = ()
    value: str = ""
    error: str = ""
    hosts_error: str = ""
    renews: bool = False
    renewer: bool = False

    @property
    def help(self) -> str:
        """What to type, beside the value's field."""
        if self.renews:
            return t("terms.secret_renews", names=listed(list(renewal.CLIENT), "and"))
        if self.stored:
            return t("terms.secret_kept")
        return t("terms.secret_renewer") if self.renewer else t("terms.secret_none")


@dataclass
class Terms:
    """The form, as typed, and the sentence beside each field that does not fit.

    known_people: the flow answers only people whom it can name, so that no open link may lead to it.
    """

    access: str = "workspace"
    known_people: bool = False
    people: list[str] = field(default_factory=list)
    visitor_limit: str = "30"
    cost_ceiling: str = FIRST_CEILING
    token_ceiling: str = "2000000"  # noqa: S105 - tokens of a model
    deciders: str = "starter"
    not_starter: bool = True
    approval_hours: str = "72"
    model: str = ""
    allowed_hosts: str = ""
    idempotent_hosts: str = ""
    limits: limiting.Typed = field(default_factory=lambda: limiting.of(None))
    own_yes: bool = False
    values: list[Value] = field(default_factory=list)
    secrets: list[SecretField] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    needs_own_yes: bool = False
    read_values: dict[str, Any] = field(default_factory=dict)
    read_secrets: dict[str, tuple[str, list[str]]] = field(default_factory=dict)

    @property
    def offered(self) -> list[str]:
        """Who may chat, to choose from."""
        return [access for access, _ in Deployment.ACCESS if access != "link" or not self.known_people]


def of(deployment: Deployment | None, document: Document | None) -> Terms:
    """The terms as they stand; the ones offered first when the deployment is new."""
    terms = Terms()
    kept: dict[str, Any] = {}
    stored: dict[str, Secret] = {}
    if deployment is not None:
        ceiling = deployment.cost_ceiling
        terms = Terms(
            access=deployment.access,
            people=[str(id) for id in deployment.people.values_list("pk", flat=True)],
            visitor_limit=str(deployment.visitor_limit),
            cost_ceiling=FIRST_CEILING if ceiling is None else f"{ceiling.normalize():f}",
            token_ceiling=str(deployment.token_ceiling),
            deciders=deployment.deciders,
            not_starter=deployment.not_starter,
            approval_hours=str(deployment.approval_hours),
            model=str(deployment.model_entry_id or ""),
            allowed_hosts="\n".join(deployment.allowed_hosts),
            idempotent_hosts="\n".join(deployment.idempotent_hosts),
            limits=limiting.of(deployment),
        )
        kept = deployment.settings
        stored = {secret.name: secret for secret in Secret.objects.filter(deployment=deployment)}
    terms.known_people = known.is_said(document, deployment)
    if document is not None:
        for name, setting in document.requires.settings.items():
            current = kept.get(name, setting.default)
            kind = _kind(setting.default)
            terms.values.append(Value(name, setting.description, kind, _shown(current, kind), setting.default))
        env = document.requires.env
        for name in (*env, *renewal.renewing(env)):
            secret = stored.get(name)
            kept_hosts = tuple(secret.hosts) if secret else ()
            shown = SecretField(name, secret is not None, "\n".join(kept_hosts), kept_hosts)
            shown.renews, shown.renewer = renewal.is_renewed(name), name in renewal.CLIENT
            if shown.renewer and secret is None:
                shown.hosts = renewal.host()
            terms.secrets.append(shown)
    return terms


def _kind(default: Any) -> str:
    if isinstance(default, bool):
        return "switch"
    if isinstance(default, int | float):
        return "number"
    return "text" if isinstance(default, str) else "json"


def _shown(value: Any, kind: str) -> str:
    if kind == "text" and isinstance(value, str):
        return value
    if kind == "switch":
        return "1" if value else ""
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def read(sent: QueryDict, terms: Terms, document: Document | None, *, operate: bool) -> Terms:
    """Reads what was sent into the terms, problems beside fields. Without `operate`, what only operators set stays."""
    text = lambda name: sent.get(name, "").strip()  # noqa: E731
    terms.access, terms.deciders = text("access"), text("deciders")
    terms.people = sent.getlist("people")
    for name in ("visitor_limit", "cost_ceiling", "token_ceiling", "approval_hours"):
        if name in sent:
            setattr(terms, name, text(name))
    terms.not_starter = sent.get("not_starter") == "1"
    terms.own_yes = sent.get("own_yes") == "1"
    if terms.access not in dict(Deployment.ACCESS):
        terms.problems["access"] = t("field.choose")
    if terms.deciders not in dict(Deployment.DECIDERS):
        terms.problems["deciders"] = t("field.choose")
    _whole(terms, "approval_hours", 1, 24 * 90)
    if terms.access == "listed":
        _judge_people(terms)
    if terms.access == "link":
        _judge_link(terms, document)
        if terms.known_people:
            terms.problems["access"] = t("known.no_link")
    terms.problems |= terms.limits.read(sent, day=terms.access != "link")
    if operate:
        read_operated(sent, terms)
    return terms


def _judge_people(terms: Terms) -> None:
    here = {str(id) for id in Membership.objects.values_list("user_id", flat=True)}
    terms.people = [id for id in terms.people if id in here]
    # An agent that knows its people may wait for its list; until then it answers nobody, and the pages say so.
    if not terms.people and not terms.known_people:
        terms.problems["people"] = t("terms.people_missing")


def _judge_link(terms: Terms, document: Document | None) -> None:
    _whole(terms, "visitor_limit", 1, 10_000)
    _whole(terms, "token_ceiling", 1_000, 1_000_000_000)
    if limiting.amount(terms.cost_ceiling, limiting.SMALLEST, limiting.MOST_DAY) is None:
        terms.problems["cost_ceiling"] = t("terms.cost_ceiling_wrong")
    terms.needs_own_yes = visitors_approve(terms.access, terms.deciders, document)
    if terms.needs_own_yes and not terms.own_yes:
        terms.problems["own_yes"] = t("terms.own_yes_missing")


def visitors_approve(access: str, deciders: str, document: Document | None) -> bool:
    """Whether anybody with the link could approve what they themselves asked for: that needs an explicit yes."""
    return access == "link" and deciders == "starter" and (document is None or has_approvals(document))


def has_approvals(document: Document) -> bool:
    """Whether a step of the flow waits for somebody's yes."""
    return any(getattr(node, "approval", None) for node in document.nodes)


def _whole(terms: Terms, name: str, low: int, high: int) -> None:
    text = getattr(terms, name)
    if not re.fullmatch(r"[0-9]{1,12}", text) or not low <= int(text) <= high:
        terms.problems[name] = t("field.whole", low=f"{low:,}", high=f"{high:,}")


def read_operated(sent: Mapping[str, str], terms: Terms) -> None:
    """Reads what only operators set: the model, settings, secrets and addresses; problems beside fields."""
    terms.model = sent.get("model", "").strip()
    if terms.model and not any(str(id) == terms.model for id in ModelEntry.objects.values_list("pk", flat=True)):
        terms.problems["model"] = t("field.choose")
    terms.allowed_hosts = sent.get("allowed_hosts", "")
    terms.idempotent_hosts = sent.get("idempotent_hosts", "")
    for name, port in (("allowed_hosts", True), ("idempotent_hosts", False)):
        try:
            hosts(getattr(terms, name), port=port)
        except ValueError as wrong:
            terms.problems[name] = str(wrong)
    for value in terms.values:
        value.text = sent.get(f"setting:{value.name}", "")
        try:
            terms.read_values[value.name] = _setting(value)
        except ValueError as wrong:
            value.error = terms.problems[f"setting:{value.name}"] = str(wrong)
    for secret in terms.secrets:
        secret.hosts = sent.get(f"hosts:{secret.name}", "")
        value = sent.get(f"secret:{secret.name}", "").strip()
        try:
            allowed = hosts(secret.hosts, port=False)
        except ValueError as wrong:
            secret.hosts_error = terms.problems[f"hosts:{secret.name}"] = str(wrong)
            continue
        if "\x00" in value or len(value) > 8192:
            secret.error = terms.problems[f"secret:{secret.name}"] = t("field.too_long", count=8192)
        if (value or (secret.stored and not secret.renews)) and not allowed:
            secret.hosts_error = terms.problems[f"hosts:{secret.name}"] = t("terms.hosts_missing")
        if not value and set(allowed) - set(secret.stored_hosts):
            # What is stored was given for other hosts; whoever cannot see it must not send it to their own.
            again = _again(sent, terms, secret)
            if again:
                secret.error = terms.problems[f"secret:{secret.name}"] = again
        terms.read_secrets[secret.name] = (value, allowed)


def _again(sent: Mapping[str, str], terms: Terms, secret: SecretField) -> str:
    """Which value has to be typed again before this one may go to more hosts, in words; "" for none."""
    refresh = renewal.CLIENT[2]
    if secret.renews and any(one.name == refresh and one.stored for one in terms.secrets):
        return "" if sent.get(f"secret:{refresh}", "").strip() else t("terms.renewed_again", name=refresh)
    return t("terms.secret_again") if secret.stored else ""


def _setting(value: Value) -> Any:
    """The setting's value as its default's type. Raises ValueError with the sentence."""
    text = value.text.strip()
    if value.kind == "switch":
        return text == "1"
    if not text:
        return value.default
    if value.kind == "text":
        if len(value.text) > 10_000:
            raise ValueError(t("field.too_long", count=10_000))
        return value.text
    try:
        found = loads(text)
    except JsonRefused as refused:
        raise ValueError(t("field.number") if value.kind == "number" else refused.message) from None
    if value.kind == "number" and (isinstance(found, bool) or not isinstance(found, int | float)):
        raise ValueError(t("field.number"))
    return found


def hosts(text: str, *, port: bool) -> list[str]:
    """Hosts, one a line; with `port`, as host:port. Raises ValueError with the sentence."""
    found: list[str] = []
    for line in re.split(r"[\s,]+", text.strip().lower()):
        if not line:
            continue
        host, number = _split(line)
        if not _is_host(host) or (port and number is None) or (number is not None and not 0 < number < 65536):
            raise ValueError(t("terms.host_port_wrong" if port else "terms.host_wrong", host=line[:80]))
        if line not in found:
            found.append(line)
    if len(found) > MOST_HOSTS:
        raise ValueError(t("terms.too_many_hosts", count=MOST_HOSTS))
    return found


def _split(line: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?", line)
    if not match:
        return "", None
    return match[1], int(match[2]) if match[2] else None


def _is_host(host: str) -> bool:
    if host.startswith("["):
        try:
            return bool(ipaddress.IPv6Address(host[1:-1]))
        except ValueError:
            return False
    return bool(HOST.fullmatch(host))


_WRITTEN = (
    "access", "deciders", "not_starter", "approval_hours", "visitor_limit", "token_ceiling", "cost_ceiling", "limits",
)  # fmt: skip
_OPERATED = ("model_entry", "allowed_hosts", "idempotent_hosts", "settings")


def write(terms: Terms, deployment: Deployment, *, operate: bool, also: Sequence[str] = ()) -> None:
    """Puts checked terms onto the deployment and saves it. Call inside a transaction.

    Of one that is there already only the terms are saved, and the fields in `also`: a link that was renewed, a pause or
    a version made live in the same moment stays.

    Raises Refusal where the version that it stands on may not have them.
    """
    known.judge(deployment.version, terms.access)
    deployment.access, deployment.deciders = terms.access, terms.deciders
    deployment.not_starter = terms.not_starter
    deployment.approval_hours = int(terms.approval_hours)
    if terms.access == "link":
        deployment.visitor_limit, deployment.token_ceiling = int(terms.visitor_limit), int(terms.token_ceiling)
        ceiling = Decimal(terms.cost_ceiling.replace(",", "."))
        deployment.cost_ceiling = ceiling.quantize(limiting.SMALLEST, ROUND_DOWN)
    else:
        deployment.cost_ceiling = terms.limits.ceiling()
    terms.limits.write(deployment)
    if operate:
        _operate(terms, deployment)
    if deployment._state.adding:
        deployment.save()
    else:
        deployment.save(update_fields=[*_WRITTEN, *(_OPERATED if operate else ()), *also])
    deployment.people.set(terms.people if terms.access == "listed" else [])
    if operate:
        _keep_secrets(terms, deployment)


def write_operated(terms: Terms, deployment: Deployment) -> None:
    """Puts what only operators set onto the deployment, and nothing else. Call inside a transaction."""
    _operate(terms, deployment)
    deployment.save(update_fields=_OPERATED)
    _keep_secrets(terms, deployment)


def _operate(terms: Terms, deployment: Deployment) -> None:
    deployment.model_entry_id = uuid.UUID(terms.model) if terms.model else None
    deployment.allowed_hosts = hosts(terms.allowed_hosts, port=True)
    deployment.idempotent_hosts = hosts(terms.idempotent_hosts, port=False)
    # A value that equals the flow's default is not kept, so that a later default reaches the agent.
    defaults = {value.name: value.default for value in terms.values}
    kept = {name: value for name, value in deployment.settings.items() if name not in defaults}
    own = {name: value for name, value in terms.read_values.items() if value != defaults[name]}
    deployment.settings = kept | own


def _keep_secrets(terms: Terms, deployment: Deployment) -> None:
    for name, (value, allowed) in terms.read_secrets.items():
        secret = Secret.objects.filter(deployment=deployment, name=name).first()
        if secret is None and not value and not (allowed and renewal.is_renewed(name)):
            continue
        secret = secret or Secret(deployment=deployment, name=name, cipher=encrypt(b""))
        if value:
            secret.cipher = encrypt(value.encode())
        secret.hosts = allowed
        secret.save()
