"""The workspace's models: reading what a form says, saving entries, and which purpose uses which."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.http import QueryDict

from runtime.models import ModelChoice, ModelEntry
from runtime.services.secrets import SecretUnreadable, decrypt, encrypt
from studio.strings import t

PURPOSES = ("answers", "ask", "code")
DEMO_MODEL = "demo"
LARGEST_PRICE = Decimal("100000")


@dataclass
class EntryForm:
    """What the form says, as typed, and the sentence beside each field that does not fit."""

    name: str = ""
    base_url: str = ""
    model: str = ""
    key: str = ""
    drop_key: bool = False
    input_price: str = ""
    output_price: str = ""
    problems: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: ModelEntry) -> EntryForm:
        def shown(price: Decimal | None) -> str:
            return "" if price is None else f"{price.normalize():f}"

        return cls(
            name=entry.name,
            base_url=entry.base_url,
            model=entry.model,
            input_price=shown(entry.input_price),
            output_price=shown(entry.output_price),
        )

    @classmethod
    def read(cls, sent: QueryDict) -> EntryForm:
        names = ("name", "base_url", "model", "key", "input_price", "output_price")
        form = cls(drop_key=sent.get("drop_key") == "1")
        for name in names:
            setattr(form, name, sent.get(name, "").strip())
        return form


def save(form: EntryForm, entry: ModelEntry | None = None) -> ModelEntry | None:
    """Writes the entry; None when the form has problems, which then stand on it. The first one serves every purpose."""
    entry = entry or ModelEntry()
    _judge(form, entry)
    if form.problems:
        return None
    address_changed = (entry.base_url, entry.model) != (form.base_url, form.model)
    entry.name, entry.base_url, entry.model = form.name, form.base_url.rstrip("/"), form.model
    entry.input_price, entry.output_price = price(form.input_price), price(form.output_price)
    if form.key:
        entry.key_cipher = encrypt(form.key.encode())
    elif form.drop_key:
        entry.key_cipher = b""
    if address_changed:
        entry.schema_mode = "unknown"
    with transaction.atomic():
        entry.save()
        fill_choices(entry)
    return entry


def _judge(form: EntryForm, entry: ModelEntry) -> None:
    for name, most in (("name", 80), ("base_url", 300), ("model", 120)):
        value = getattr(form, name)
        if not value:
            form.problems[name] = t(f"models.{name}_missing")
        elif len(value) > most:
            form.problems[name] = t("field.too_long", count=most)
    if form.base_url and not is_address(form.base_url):
        form.problems["base_url"] = t("models.base_url_wrong")
    if form.name and ModelEntry.objects.filter(name=form.name).exclude(pk=entry.pk).exists():
        form.problems["name"] = t("models.name_taken")
    for name in ("input_price", "output_price"):
        try:
            price(getattr(form, name))
        except ValueError:
            form.problems[name] = t("field.number")
    if entry.key_cipher and not form.key and not form.drop_key and moved(entry.base_url, form.base_url):
        # The stored key was given for another server; sending it elsewhere would give it away.
        form.problems["key"] = t("models.key_again")
    if len(form.key) > 4096:
        form.problems["key"] = t("field.too_long", count=4096)
    elif any(ord(letter) < 33 or ord(letter) > 126 for letter in form.key):
        form.problems["key"] = t("models.key_wrong")


def moved(old: str, new: str) -> bool:
    """Whether two base URLs are on different servers, or one of them is read along the way and the other is not."""
    before, after = urlsplit(old), urlsplit(new)
    return is_address(new) and (before.scheme, before.netloc.lower()) != (after.scheme, after.netloc.lower())


def is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username and parts.port != 0
    except ValueError:
        return False


def price(text: str) -> Decimal | None:
    """USD per million tokens; None for an empty field. Raises ValueError."""
    if not text.strip():
        return None
    try:
        found = Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        raise ValueError(text) from None
    if not found.is_finite() or not 0 <= found <= LARGEST_PRICE:
        raise ValueError(text)
    return found.quantize(Decimal("0.000001"))


def fill_choices(entry: ModelEntry) -> None:
    """Purposes that nothing serves yet, or only the demo model, get this entry."""
    chosen = {choice.purpose: choice for choice in ModelChoice.objects.select_related("entry")}
    for purpose in PURPOSES:
        known = chosen.get(purpose)
        if known is None:
            ModelChoice.objects.create(purpose=purpose, entry=entry)
        elif known.entry.demo and not entry.demo:
            known.entry = entry
            known.save(update_fields=["entry"])


def choose(purpose: str, entry: ModelEntry) -> None:
    ModelChoice.objects.update_or_create(
        purpose=purpose, defaults={"entry": entry}, create_defaults={"entry": entry, "workspace_id": entry.workspace_id}
    )


def add_demo() -> ModelEntry:
    """The scripted model, once."""
    known = ModelEntry.objects.filter(demo=True).first()
    if known is None:
        name = t("models.demo_name")
        if ModelEntry.objects.filter(name=name).exists():
            name = t("models.demo_name_other")
        known = ModelEntry.objects.create(name=name, base_url=settings.DEMO_URL, model=DEMO_MODEL, demo=True)
    fill_choices(known)
    return known


def delete(entry: ModelEntry) -> None:
    """Removes the entry; purposes it served fall to the newest other one, so that no flow is left without a model."""
    with transaction.atomic():
        served = list(ModelChoice.objects.filter(entry=entry).values_list("purpose", flat=True))
        other = ModelEntry.objects.exclude(pk=entry.pk).order_by("demo", "-created_at").first()
        entry.delete()
        for purpose in served if other else ():
            choose(purpose, other)  # pyright: ignore[reportArgumentType]


def stored_key(entry: ModelEntry) -> str:
    """The entry's key, "" when it has none or it can no longer be read."""
    if not entry.key_cipher:
        return ""
    try:
        return decrypt(entry.key_cipher).decode()
    except SecretUnreadable:
        return ""
