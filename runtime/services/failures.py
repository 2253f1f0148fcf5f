"""What went wrong with a model, as a code and a sentence that says where to set it right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from runtime.services.secrets import mask
from runtime.storable import one_line

if TYPE_CHECKING:
    from runtime.services.model import Endpoint

WHERE = "Settings → Models"

CODES = {
    "MODEL_KEY_MISSING": "The endpoint wants a key and none is set.",
    "MODEL_KEY_REFUSED": "The endpoint does not accept the key.",
    "MODEL_NOT_FOUND": "The endpoint has no such model, or there is no model endpoint at that address.",
    "MODEL_BUSY": "The endpoint takes no more calls at the moment, or its credit is used up.",
    "MODEL_DOWN": "Nothing answers at the address.",
    "MODEL_FAILED": "The endpoint reported an error.",
    "MODEL_CUT": "The answer broke off.",
    "MODEL_SHAPE": "What came back is no answer of a chat model.",
    "MODEL_EMPTY": "The model said nothing.",
    "MODEL_NO_TOOLS": "The endpoint or its model takes no tools.",
    "MODEL_TOO_LONG": "The prompt or the answer is longer than the model can take, or took too long.",
}

KEY_CODES = ("MODEL_KEY_REFUSED", "MODEL_KEY_MISSING")
"""Those that an operator ends with another key."""


class ModelFailed(Exception):
    """No usable answer. code: one of CODES. message: a sentence or two for the person, without any key."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ModelCancelled(Exception):
    """The caller's `cancelled` said so while the model was answering."""


_LONG = re.compile(
    r"context[ _-](length|window|size)|maximum context|too many (input )?tokens|prompt is too long|"
    r"exceeds? the available",
    re.IGNORECASE,
)


def refused(endpoint: Endpoint, status: int, error: Any) -> ModelFailed:
    """The failure that an HTTP status means. error: the server's own `error` member, or its text, or None."""
    name, says = f"The model “{endpoint.name}”", _says(endpoint, error)
    code = _field(error, "code") or _field(error, "type")
    if status == 401 and endpoint.key is None:
        return ModelFailed("MODEL_KEY_MISSING", f"{name} wants a key and has none. Enter it under {WHERE}.{says}")
    if status in (401, 403):
        return ModelFailed(
            "MODEL_KEY_REFUSED", f"{name} does not accept its key. Enter a valid one under {WHERE}.{says}"
        )
    if is_long(status, error):
        return ModelFailed(
            "MODEL_TOO_LONG",
            f"{name} cannot take a prompt this long. Shorten what the step reads, or choose a model with a larger "
            f"context under {WHERE}.{says}",
        )
    if status == 404 or code == "model_not_found":
        if code == "model_not_found" or endpoint.model.lower() in _message(error).lower():
            return ModelFailed(
                "MODEL_NOT_FOUND", f"{name} has no model called {endpoint.model}. Choose another under {WHERE}.{says}"
            )
        return ModelFailed(
            "MODEL_NOT_FOUND",
            f"{name} has no chat completions at {endpoint.base_url}. The base URL usually ends in /v1; "
            f"correct it under {WHERE}.{says}",
        )
    if status in (402, 429) and (status == 402 or code == "insufficient_quota"):
        return ModelFailed(
            "MODEL_BUSY", f"The credit of {_lower(name)} is used up. Top it up, or choose another under {WHERE}.{says}"
        )
    if status == 429:
        return ModelFailed(
            "MODEL_BUSY",
            f"{name} takes no more calls at the moment. Try again shortly, or choose another under {WHERE}.{says}",
        )
    if 300 <= status < 400:
        return ModelFailed(
            "MODEL_NOT_FOUND",
            f"{name} has moved away from {endpoint.base_url}. Correct the base URL under {WHERE}.{says}",
        )
    what = "has a fault of its own" if status >= 500 else "did not accept the request"
    return ModelFailed(
        "MODEL_FAILED", f"{name} {what} (status {status}). Try again, or choose another under {WHERE}.{says}"
    )


def in_stream(endpoint: Endpoint, error: Any) -> ModelFailed:
    """The failure that an error in the middle of a stream means."""
    words = f"{_field(error, 'code')} {_field(error, 'type')} {_message(error)}".lower()
    status = 429 if "rate_limit" in words or "rate limit" in words else 500
    found = _field(error, "code")
    return refused(endpoint, int(found) if found.isdecimal() and 400 <= int(found) < 600 else status, error)


def down(endpoint: Endpoint, cause: str = "nothing answers there") -> ModelFailed:
    return ModelFailed(
        "MODEL_DOWN",
        f"The model “{endpoint.name}” cannot be reached at {_place(endpoint)}: {cause}. "
        f"Start its server, or correct the address under {WHERE}.",
    )


def not_a_chat(endpoint: Endpoint, why: str) -> ModelFailed:
    return ModelFailed(
        "MODEL_SHAPE",
        f"{_place(endpoint)} answered, but {why}. The base URL usually ends in /v1; "
        f"check “{endpoint.name}” under {WHERE}.",
    )


def cut(endpoint: Endpoint) -> ModelFailed:
    return ModelFailed(
        "MODEL_CUT",
        f"The answer of the model “{endpoint.name}” broke off before its end, so it was not used. Try again.",
    )


def empty(endpoint: Endpoint, why: str) -> ModelFailed:
    return ModelFailed("MODEL_EMPTY", f"The model “{endpoint.name}” {why}. Try again, or choose another under {WHERE}.")


def declined(endpoint: Endpoint, words: str) -> ModelFailed:
    return ModelFailed("MODEL_SHAPE", f"The model “{endpoint.name}” declined to answer: “{_short(endpoint, words)}”.")


def too_long(endpoint: Endpoint, why: str) -> ModelFailed:
    return ModelFailed(
        "MODEL_TOO_LONG",
        f"The answer of the model “{endpoint.name}” {why}, so it was not used. "
        f"Ask for a shorter answer, or choose another model under {WHERE}.",
    )


def late(endpoint: Endpoint, seconds: float, begun: bool) -> ModelFailed:
    if begun:
        return too_long(endpoint, f"was not complete after {seconds:g} seconds")
    return down(endpoint, f"it said nothing within {seconds:g} seconds")


def key_missing(endpoint: Endpoint) -> ModelFailed:
    return ModelFailed("MODEL_KEY_MISSING", f"The model “{endpoint.name}” has no key. Enter it under {WHERE}.")


def no_tools(endpoint: Endpoint, error: Any) -> ModelFailed:
    return ModelFailed(
        "MODEL_NO_TOOLS",
        f"The model “{endpoint.name}” cannot call tools, which this needs. "
        f"Choose another under {WHERE}.{_says(endpoint, error)}",
    )


def unscripted() -> ModelFailed:
    return ModelFailed(
        "MODEL_KEY_MISSING",
        "The demo model has no script for this step; it only answers the example flows' own questions. "
        f"Add a model under {WHERE}.",
    )


def is_long(status: int, error: Any) -> bool:
    """Whether the server says that the prompt exceeds what the model can take."""
    if status == 413:
        return True
    return status in (400, 422, 500) and (
        _field(error, "code") == "context_length_exceeded" or _LONG.search(_message(error)) is not None
    )


def _message(error: Any) -> str:
    if isinstance(error, dict):
        inner = error.get("message", error.get("detail", error.get("error", "")))
        return inner if isinstance(inner, str) else str(inner)
    return error if isinstance(error, str) else ""


def _field(error: Any, name: str) -> str:
    found = error.get(name) if isinstance(error, dict) else None
    return str(found) if isinstance(found, (str, int)) else ""


def _says(endpoint: Endpoint, error: Any) -> str:
    words = _message(error).strip()
    if not words or "<html" in words.lower() or "<!doctype" in words.lower():
        return ""
    return f" It says: “{_short(endpoint, words).rstrip('.')}”."


def _short(endpoint: Endpoint, words: str) -> str:
    plain = one_line(words[:10_000])
    plain = mask(plain, [endpoint.key.value] if endpoint.key else [])
    return plain if len(plain) <= 300 else plain[:299] + "…"


def _place(endpoint: Endpoint) -> str:
    """The address as a sentence may show it: no name, password or query."""
    return re.sub(r"//[^/@]*@", "//", endpoint.base_url.split("?")[0])


def _lower(words: str) -> str:
    return words[0].lower() + words[1:]
