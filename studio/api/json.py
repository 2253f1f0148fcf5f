"""Strict JSON in, `{code, message}` out: the two rules of every endpoint."""

from __future__ import annotations

from typing import IO, Any, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import Http404
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from rest_framework import exceptions
from rest_framework.parsers import BaseParser
from rest_framework.response import Response

from flows.problem import Problem
from flows.words.strictjson import MAX_BYTES, JsonRefused, loads
from studio.frames.items import State
from studio.refusal import Forbidden, Missing, Refusal, SignedOut, Wrong
from studio.strings import t

Wire = TypeVar("Wire", bound=BaseModel)


class Refused(BaseModel):
    """The body of every answer that is none: what body_of writes, declared for those who read it.

    fields: by field, the sentence shown beside it. problems: of a flow. state: of a question decided already.
    """

    code: str
    message: str
    fields: dict[str, str] = {}
    problems: list[Problem] = []
    state: State = "pending"


class StrictJSONParser(BaseParser):
    """JSON without duplicate keys, NaN, lone surrogates, depth over 64 or size over 1 MB."""

    media_type = "application/json"
    max_bytes = MAX_BYTES

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        raw = stream.read(self.max_bytes + 1)
        try:
            return loads(raw, self.max_bytes) if raw.strip() else {}
        except JsonRefused as refused:
            raise Refusal(refused.code, refused.message, 400) from refused


def read(model: type[Wire], body: Any) -> Wire:
    """The request's body as a wire model. Raises Wrong with a sentence for each field that does not fit."""
    try:
        return model.model_validate(body)
    except ValidationError as wrong:
        fields = {".".join(str(part) for part in error["loc"]) or "body": _words(error) for error in wrong.errors()}
        raise Wrong(fields) from wrong


_WORDS = {
    "missing": "refusal.field_missing",
    "extra_forbidden": "refusal.field_unknown",
    "string_type": "refusal.field_text",
    "int_type": "refusal.field_number",
    "int_from_float": "refusal.field_number",
    "bool_type": "refusal.field_yes",
    "dict_type": "refusal.field_object",
    "model_type": "refusal.field_object",
    "literal_error": "field.choose",
}


def _words(error: ErrorDetails) -> str:
    """The sentence beside a field for what pydantic found wrong with it."""
    given = error.get("ctx", {})
    if error["type"] == "string_too_long":
        return t("field.too_long", count=f"{given['max_length']:,}")
    return t(_WORDS.get(error["type"], "refusal.field_wrong"))


def answer_exception(exception: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every refusal as `{code, message}`; bugs propagate to the 500 answer."""
    refusal = as_refusal(exception)
    if refusal is None:
        return None
    headers = {}
    if isinstance(exception, exceptions.Throttled) and exception.wait:
        headers["Retry-After"] = str(int(exception.wait) + 1)
    return Response(body_of(refusal), status=refusal.status, headers=headers)


def body_of(refusal: Refusal) -> dict[str, Any]:
    return {"code": refusal.code, "message": refusal.message, **refusal.extra}


def as_refusal(exception: Exception) -> Refusal | None:
    """The refusal that an exception of Django or DRF stands for; None for a bug."""
    if isinstance(exception, Refusal):
        return exception
    if isinstance(exception, Http404):
        return Missing()
    if isinstance(exception, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        return SignedOut()
    if isinstance(exception, exceptions.PermissionDenied | PermissionDenied):
        stale = "CSRF" in str(exception)
        return Refusal("CSRF_FAILED", t("refusal.csrf"), 403) if stale else Forbidden()
    if isinstance(exception, exceptions.MethodNotAllowed):
        return Refusal("METHOD_NOT_ALLOWED", t("refusal.method"), 405)
    if isinstance(exception, exceptions.UnsupportedMediaType):
        return Refusal("NOT_JSON", t("refusal.not_json"), 415)
    if isinstance(exception, exceptions.Throttled):
        return Refusal("TOO_MANY", t("refusal.too_many"), 429)
    if isinstance(exception, exceptions.APIException):
        return Refusal("INVALID", t("refusal.wrong"), exception.status_code)
    return None
