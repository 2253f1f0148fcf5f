"""Word documents (.docx): paragraphs, headings, lists and tables, in the order in which they stand."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from .refusal import damaged

MOST_BYTES = 64 << 20
"""How large one part of the document may be when it is unpacked."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_OFFICE = "/officeDocument"
_RELATIONS = "_rels/.rels"
_DECLARATIONS = [
    word.encode(writing) for word in ("<!DOCTYPE", "<!ENTITY") for writing in ("utf-8", "utf-16-le", "utf-16-be")
]


def is_word(package: zipfile.ZipFile) -> bool:
    return _main(package) is not None


def read(content: bytes) -> tuple[str, str]:
    """The title and the text."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            main = _main(package)
            body = _parsed(package, main).find(f"{_W}body") if main else None
            if body is None:
                raise damaged("Word document")
            return _title(package), "\n\n".join(part for part in _blocks(body) if part)
    except (zipfile.BadZipFile, ElementTree.ParseError, OSError, ValueError, RuntimeError):
        raise damaged("Word document") from None


def _main(package: zipfile.ZipFile) -> str | None:
    """The part that holds the document's words."""
    names = set(package.namelist())
    if _RELATIONS in names:
        for relation in _parsed(package, _RELATIONS):
            if relation.get("Type", "").endswith(_OFFICE):
                target = relation.get("Target", "").lstrip("/")
                return target if target.startswith("word/") and target in names else None
    return "word/document.xml" if "word/document.xml" in names else None


def _parsed(package: zipfile.ZipFile, name: str) -> ElementTree.Element:
    with package.open(name) as part:
        content = part.read(MOST_BYTES + 1)
    # No Word document declares anything, in whichever writing; entities are what stands for more than it is.
    if len(content) > MOST_BYTES or any(mark in content for mark in _DECLARATIONS):
        raise ValueError(name)
    return ElementTree.fromstring(content)  # noqa: S314 - no entities, and this is the sandbox


def _title(package: zipfile.ZipFile) -> str:
    try:
        found = _parsed(package, "docProps/core.xml").find(f"{_DC}title")
        return (found.text or "").strip() if found is not None else ""
    except (KeyError, ElementTree.ParseError, ValueError):
        return ""


def _blocks(parent: ElementTree.Element) -> Iterator[str]:
    for child in parent:
        if child.tag == f"{_W}p":
            yield _paragraph(child)
        elif child.tag == f"{_W}tbl":
            yield "\n".join(_rows(child))
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"):
            yield from _blocks(child)


def _rows(table: ElementTree.Element) -> Iterator[str]:
    for row in table.iter(f"{_W}tr"):
        cells = [" ".join(part for part in _blocks(cell) if part) for cell in row.findall(f"{_W}tc")]
        yield "| " + " | ".join(re.sub(r"\s+", " ", cell).strip() for cell in cells) + " |"


def _paragraph(paragraph: ElementTree.Element) -> str:
    text = "".join(_runs(paragraph)).strip()
    if not text:
        return ""
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    named = re.fullmatch(r"[Hh]eading([1-6])|[Tt]itle", style.get(f"{_W}val", "") if style is not None else "")
    if named:
        return f"{'#' * int(named[1] or 1)} {text}"
    return f"- {text}" if paragraph.find(f"{_W}pPr/{_W}numPr") is not None else text


def _runs(paragraph: ElementTree.Element) -> Iterator[str]:
    signs = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
    # What was deleted under tracked changes stands in elements of another name.
    for each in paragraph.iter():
        if each.tag == f"{_W}t":
            yield each.text or ""
        elif each.tag in signs:
            yield signs[each.tag]
