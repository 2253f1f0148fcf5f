"""Documents that mean harm, made byte by byte: name → (file name, media type as it is said, content)."""

# A document stays in one piece, however long its line.
# ruff: noqa: E501

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from functools import cache

from tests.runtime.services.documents.made import docx, paragraph, pdf, table, zipped

Bomb = tuple[str, str, bytes]

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LAUGHS = '<!DOCTYPE d [<!ENTITY a0 "ha">{}]>'.format(
    "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
)
OUTER = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y SYSTEM "http://127.0.0.1:9/y">]>'


def word(document: str | bytes, **parts: str | bytes) -> bytes:
    return zipped({"word/document.xml": document, **parts})


def body(inner: str) -> str:
    return f"<w:document {W}><w:body>{inner}</w:body></w:document>"


def lying_zip() -> bytes:
    """The list of files says that a megabyte is nine bytes."""
    whole = word(body(paragraph("a" * 1_000_000)))
    return whole.replace(struct.pack("<I", len(body(paragraph("a" * 1_000_000)))), struct.pack("<I", 9))


def many_files(count: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("word/document.xml", body(paragraph("few")))
        for number in range(count):
            package.writestr(f"word/media/{number}", "")
    return out.getvalue()


def same_name() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for text in ("first", "second"):
            package.writestr("word/document.xml" if text == "first" else "word/document.xmm", body(paragraph(text)))
    return out.getvalue().replace(b"word/document.xmm", b"word/document.xml")


def relation(target: str) -> bytes:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    rels = f'<Relationships xmlns="x"><Relationship Id="r" Type="{kind}" Target="{target}"/></Relationships>'
    return zipped({"_rels/.rels": rels, "word/document.xml": body(paragraph("plain"))})


def objects(*bodies: bytes, trailer: bytes = b"", prev: int | None = None) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalogue."""
    written, places = b"%PDF-1.7\n", []
    for number, each in enumerate(bodies, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    start = len(written)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    before = b"" if prev is None else b"/Prev %d" % (start if prev < 0 else prev)
    size = len(bodies) + 1
    return written + b"xref\n0 %d\n0000000000 65535 f \n%btrailer << /Size %d /Root 1 0 R %b %b >>\nstartxref\n%d\n%%%%EOF" % (
        size, rows, size, before, trailer, start)  # fmt: skip


CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> %b >> >>"


def page_of(stream: bytes, filters: bytes = b"", resources: bytes = b"", *more: bytes) -> bytes:
    content = b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(stream), filters, stream)
    return objects(CATALOGUE, PAGES, PAGE % resources, FONT, content, *more)


def packed(times: int, size: int) -> bytes:
    content = bytes(size)
    for _ in range(times):
        content = zlib.compress(content, 9)
    return content


def word_bombs() -> dict[str, bytes]:
    return {
    "a paragraph of seventy megabytes": docx(paragraph("a" * 70_000_000)),
    "many paragraphs of nothing": docx("<w:p/>" * 600_000),
    "laughs": word(LAUGHS + body(paragraph("&a11;"))),
    "laughs in another writing": word((LAUGHS + body(paragraph("&a11;"))).encode("utf-16")),
    "laughs after a long comment": word(f"<!--{'x' * 9000}-->" + LAUGHS + body(paragraph("&a11;"))),
    "laughs in an attribute": word(LAUGHS + body('<w:p w:x="&a11;"/>')),
    "outer entities": word(OUTER + body(paragraph("&x;&y;"))),
    "outer entities in another writing": word((OUTER + body(paragraph("&x;&y;"))).encode("utf-16")),
    "blocks nested deep": docx("<w:sdt><w:sdtContent>" * 50_000 + "x" + "</w:sdtContent></w:sdt>" * 50_000),
    "tables in tables": docx("<w:tbl><w:tr><w:tc>" * 20_000 + "x" + "</w:tc></w:tr></w:tbl>" * 20_000),
    "a row of many cells": docx(table(tuple("x" for _ in range(200_000)))),
    "a title of many megabytes": docx(paragraph("x"), title="t" * 8_000_000),
    "attributes of many megabytes": word(body(f'<w:p w:x="{"y" * 8_000_000}"/>')),
    "many name spaces": word("<a " + " ".join(f"xmlns:n{n}='u{n}'" for n in range(30_000)) + "/>"),
    "sizes that are lies": lying_zip(),
    "ten thousand files": many_files(10_000),
    "one name twice": same_name(),
    "a part above the package": relation("/word/../../../etc/passwd"),
    "a part at an address": relation("http://127.0.0.1:9/word/document.xml"),
    "a part that is its own list": relation("_rels/.rels"),
    "a zip in a zip": zipped({"word/document.xml": zipped({"word/document.xml": bytes(9_000_000)})}),
    "cut in the middle": docx(paragraph("x" * 100_000))[:-400],
    "a zip without a list": docx(paragraph("x"))[:60] + b"PK\x05\x06" + bytes(18),
}  # fmt: skip


def pdf_bombs() -> dict[str, bytes]:
    return {
    "pages that hold themselves": objects(CATALOGUE, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"),
    "two nodes that hold each other": objects(
        CATALOGUE, b"<< /Type /Pages /Kids [3 0 R] /Count 9 >>", b"<< /Type /Pages /Kids [2 0 R] /Count 9 >>"),
    "a count of more than there is": objects(CATALOGUE, b"<< /Type /Pages /Kids [] /Count 2000000000 >>"),
    "a count of less than nothing": objects(CATALOGUE, b"<< /Type /Pages /Kids [] /Count -5 >>"),
    "twenty thousand pages": objects(
        CATALOGUE, b"<< /Type /Pages /Kids [%b] /Count 20000 >>" % (b"3 0 R " * 20_000), PAGE % b"", FONT, b"<<>>"),
    "a list of places that goes round": objects(CATALOGUE, PAGES, prev=-1),
    "a length that is its own": objects(
        CATALOGUE, PAGES, PAGE % b"", FONT, b"<< /Length 5 0 R >>\nstream\nx\nendstream"),
    "a catalogue that is itself": objects(b"1 0 R", PAGES),
    "text that unpacks to very much": page_of(packed(1, 120_000_000), b"/Filter /FlateDecode"),
    "text packed four times": page_of(packed(4, 60_000_000), b"/Filter [/FlateDecode /FlateDecode /FlateDecode /FlateDecode]"),
    "filters without end": page_of(b"x", b"/Filter [%b]" % (b"/ASCIIHexDecode " * 20_000)),
    "runs that grow": page_of(bytes([129, 120]) * 4_000_000, b"/Filter /RunLengthDecode"),
    "a table of codes that grows": page_of(b"\x80" * 3_000_000, b"/Filter /LZWDecode"),
    "a prediction of great width": page_of(
        packed(1, 9999), b"/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2000000000 >>"),
    "a drawing that draws itself": page_of(
        b"/X Do", b"", b"/XObject << /X 6 0 R >>",
        b"<< /Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream"),
    "words shown a million times": page_of(b"BT /F 1 Tf " + b"(word) Tj " * 1_000_000 + b"ET"),
    "brackets nested deep": page_of(b"[" * 100_000),
    "names nested deep": objects(CATALOGUE, PAGES, b"<< /A " * 20_000 + b">> " * 20_000),
    "numbers of many digits": page_of(b"BT " + b"9" * 1_000_000 + b" Tf ET"),
    "a script, a program and a file in it": objects(
        b"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:9/'\\)) >> "
        b"/AA << /O << /S /Launch /F (/bin/sh) >> >> >>", PAGES, PAGE % b"", FONT,
        b"<< /Length 20 /F (/etc/passwd) /FFilter /FlateDecode >>\nstream\nBT /F 1 Tf (x) Tj ET\nendstream"),
    "a lock with odd words": objects(
        CATALOGUE, PAGES, trailer=b"/Encrypt << /Filter /Standard /V 5 /R 99 /Length 999999 /O (x) /U (x) /P 1 >> /ID [(a)(b)]"),
    "an end and nothing before": b"%PDF-1.7\nstartxref\n99999999999999999999\n%%EOF",
    "many ends": pdf("x") + b"startxref\n0\n%%EOF\n" * 50_000,
}  # fmt: skip


def page_bombs() -> dict[str, bytes]:
    return {
        name: b"<html><body>" + content
        for name, content in {
            "elements nested deep": b"<div>" * 400_000,
            "tables without end": b"<table><tr><td>" * 100_000,
            "comments without end": b"<!--" * 300_000,
            "half comments": b"<!-- --" * 200_000,
            "marks without end": b"<a " * 300_000,
            "closing marks without end": b"</a" * 300_000,
            "attributes without end": b"<a" + b" b=c" * 500_000 + b">x",
            "a quote that never closes": b'<a b="' * 200_000,
            "instructions without end": b"<?" * 300_000,
            "declarations without end": b"<![CDATA[" * 200_000,
            "definitions without end": b"<!DOCTYPE [" * 200_000,
            "characters by number": b"&#" * 400_000 + b"&#x110000;&#99999999999999999999;&#0;",
            "characters by name": b"&" + b"a" * 2_000_000,
            "scripts that never close": b"<script>" * 200_000 + b"alert(1)",
            "a script with its end inside": b"<script>'</scr" * 200_000,
            "styles, names and roles": b'<p class="'
            + b"nav-" * 400_000
            + b'" style="'
            + b"display:" * 300_000
            + b'">x',
            "links without end": b"<ul>" + b"<li><a href=x>y" * 200_000,
            "white space without end": b" \t\n\xc2\xa0" * 1_000_000 + b"x",
            "lists in lists": b"<ul><li>" * 150_000,
            "no characters": b"\xff\xfe\xfd" * 500_000,
        }.items()
    }


def text_bombs() -> dict[str, Bomb]:
    return {
    "a line of fifteen megabytes": ("a.txt", "text/plain", b"a" * (15 << 20)),
    "new lines without end": ("a.txt", "text/plain", b"\n" * (15 << 20)),
    "marks of order without end": ("a.txt", "text/plain", "\ufeff".encode() * 4_000_000),
    "turned words": ("a.txt", "text/plain", "\u202e\u2066".encode() * 1_000_000 + b"x"),
    "marks upon marks": ("a.txt", "text/plain", b"e" + "\u0301".encode() * 5_000_000),
    "a heading of megabytes": ("a.md", "text/markdown", b"# " + b"h" * 9_000_000),
    **{f"a writing called {charset}": ("a.txt", f"text/plain; charset={charset}", b"+AD0-xn--a" * 100_000)
       for charset in ("hex", "zip", "rot13", "punycode", "idna", "utf-7", "unicode_escape", "undefined", "bz2",
                       "raw_unicode_escape", "\u00e9", "../../x", "a" * 9000)},
    "a page that says it is a picture": ("a.png", "image/png", b"<html><body>words</body></html>"),
    "a picture that says it is a page": ("a.html", "text/html", b"\x89PNG\r\n\x1a\n" + bytes(9999)),
    "a PDF that is a page and a package": ("a.pdf", "text/html", b"<html><body>x" + pdf("y") + zipped({"a": "b"})),
    "a package after a page": ("a.docx", "", b"<html><body>x" + zipped({"word/document.xml": "x"})),
    "a picture with words to draw": ("a.svg", "image/svg+xml", f"{LAUGHS}<svg onload='x'>&a11;</svg>".encode()),
    "words to write with": ("a.rtf", "", rb"{\rtf1{\object\objemb{\*\objdata 0105}}" * 9999),
    "half of everything": ("a.pdf", "application/pdf", pdf("x")[: len(pdf("x")) // 2]),
    "nothing but ends": ("a.docx", "", b"PK\x05\x06" + bytes(18)),
}  # fmt: skip


@cache
def bombs() -> dict[str, Bomb]:
    """All of them. Some take a second to make, so they are made when they are asked for."""
    return {
        **{f"Word: {name}": ("a.docx", "", content) for name, content in word_bombs().items()},
        **{f"PDF: {name}": ("a.pdf", "application/pdf", content) for name, content in pdf_bombs().items()},
        **{f"page: {name}": ("a.html", "text/html", content) for name, content in page_bombs().items()},
        **{f"text: {name}": bomb for name, bomb in text_bombs().items()},
    }
