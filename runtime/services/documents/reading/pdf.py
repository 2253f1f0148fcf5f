"""PDFs, page by page, with marks by which an answer can cite one."""

from __future__ import annotations

import io

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from .refusal import Unreadable, damaged, locked


def read(content: bytes) -> tuple[str, str, int]:
    """The title, the text and the number of pages."""
    try:
        reader = PdfReader(io.BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise locked()
        pages = [_text(page) for page in reader.pages]
        title = _title(reader)
    except (DependencyError, FileNotDecryptedError):
        raise locked() from None
    except (PyPdfError, OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise damaged("PDF") from None
    if not pages:
        raise damaged("PDF")
    if not any(text.strip() for text in pages):
        raise Unreadable(
            "DOCUMENT_SCANNED",
            "is a scanned PDF: its pages are pictures, and there is no text in them. "
            "Give a PDF with text, such as one that text recognition has gone over.",
        )
    marked = "\n\n".join(f"[page {number}]\n{text.strip()}" for number, text in enumerate(pages, 1))
    return title, marked, len(pages)


def _text(page: object) -> str:
    """What stands on one page. A page that cannot be read is an empty one, so that it hides no other."""
    try:
        return page.extract_text()  # type: ignore[attr-defined]
    except MemoryError:
        raise
    except Exception:
        return ""


def _title(reader: PdfReader) -> str:
    try:
        return str(reader.metadata.title or "") if reader.metadata else ""
    except Exception:
        return ""
