"""Names as people read them."""

from __future__ import annotations

import re


def label(name: str) -> str:
    """`customer_id` and `customerId` become "Customer id"; a name that is a sentence already stays as written.

    Topic: views ("drawn by its shape").
    """
    if " " in name.strip():
        return name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").split()
    if not words:
        return name
    spoken = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    return " ".join([spoken[0][:1].upper() + spoken[0][1:], *spoken[1:]])
