"""The string catalogue: every sentence a person sees, by key, in `studio/strings/en/<area>.json`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "strings" / "en"


class _Given(dict[str, object]):
    def __missing__(self, name: str) -> str:
        raise KeyError(f"The sentence needs {{{name}}}, which was not given.")


@cache
def catalogue() -> dict[str, str]:
    """All sentences by `area.key`. Raises ValueError when two files give the same key."""
    found: dict[str, str] = {}
    for file in sorted(FOLDER.glob("*.json")):
        for key, sentence in json.loads(file.read_text(encoding="utf-8")).items():
            whole = key if key.startswith(f"{file.stem}.") else f"{file.stem}.{key}"
            if whole in found:
                raise ValueError(f"The sentence {whole} is written twice.")
            found[whole] = sentence
    return found


def t(key: str, **values: object) -> str:
    """The sentence with its `{name}` places filled. Raises KeyError for an unknown key or a missing value.

    With `count=1` the key `<key>.one` is used where it exists.
    """
    sentences = catalogue()
    if values.get("count") == 1 and f"{key}.one" in sentences:
        key = f"{key}.one"
    sentence = sentences[key]
    return sentence.format_map(_Given(values)) if values else sentence
