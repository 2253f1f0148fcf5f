"""Refusals a page or an endpoint raises: a code, a sentence for the person, and the status that goes with it."""

from __future__ import annotations

from typing import Any

from studio.strings import t


class Refusal(Exception):
    """Becomes `{code, message, …}` on the API and a page in words elsewhere. extra joins the JSON body."""

    def __init__(self, code: str, message: str, status: int = 400, **extra: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.extra = extra


class SignedOut(Refusal):
    def __init__(self) -> None:
        super().__init__("SIGNED_OUT", t("refusal.signed_out"), 401)


class Forbidden(Refusal):
    def __init__(self, message: str = "") -> None:
        super().__init__("FORBIDDEN", message or t("refusal.forbidden"), 403)


class Missing(Refusal):
    def __init__(self, message: str = "") -> None:
        super().__init__("NOT_FOUND", message or t("refusal.missing"), 404)


class Wrong(Refusal):
    """What was sent does not fit: fields maps a field's name to the sentence shown beside it."""

    def __init__(self, fields: dict[str, str], message: str = "") -> None:
        super().__init__("INVALID", message or t("refusal.wrong"), 422, fields=fields)
        self.fields = fields
