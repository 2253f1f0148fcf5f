"""Documents made for tests, byte by byte, so that nothing in them is there by chance."""

from __future__ import annotations

import io
import zipfile

from pypdf import PdfReader, PdfWriter

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def pdf(*pages: str, title: str = "") -> bytes:
    """A PDF with one line on each page; "" is a page without text."""
    objects: list[bytes] = []
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects.append(b"<< /Type /Catalog /Pages 2 0 R >>")
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for number, line in enumerate(pages):
        words = f"BT /F1 12 Tf 72 700 Td ({line}) Tj ET".encode() if line else b""
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
        objects.append(f"{page}/Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(words), words))
    objects.append(f"<< /Title ({title}) >>".encode())
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, size - 1, len(written))
    return written + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, rows) + end


def locked_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("secret"))))
    writer.encrypt("open sesame", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def paragraph(text: str, style: str = "", listed: bool = False) -> str:
    looks = f'<w:pStyle w:val="{style}"/>' if style else ""
    looks += '<w:numPr><w:numId w:val="1"/></w:numPr>' if listed else ""
    return f"<w:p><w:pPr>{looks}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    cells = ["".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows]
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def docx(*blocks: str, title: str = "", before: str = "") -> bytes:
    """A Word document of these blocks. before: what stands before its first element."""
    core = f'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></c>'
    return zipped({
        "_rels/.rels": _RELATIONS,
        "word/document.xml": f"{before}<w:document {_W}><w:body>{''.join(blocks)}</w:body></w:document>",
        "docProps/core.xml": core,
    })  # fmt: skip


def zipped(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name, content)
    return out.getvalue()


def old_office(part: str) -> bytes:
    """The beginning of a file of an old Office program that has a part of this name."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500 + part.encode("utf-16-le") + b"\0" * 500
