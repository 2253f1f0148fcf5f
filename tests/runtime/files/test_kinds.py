"""What a file is, by what is in it: names and senders may agree with that and not change it."""

from __future__ import annotations

import io
import zipfile

import pytest

from runtime.files.kinds import SHEET, WORD, FileRefused, accepts, clean, judge, judge_made
from runtime.files.pictures import MOST_MARKS, is_drawable
from tests.support.pictures import gif, png


def packed(*names: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * 5000)
    return held.getvalue()


KNOWN = {
    "a.png": (png(), "image/png"),
    "a.PNG": (png(), "image/png"),
    "a.gif": (gif(), "image/gif"),
    "a.jpg": (b"\xff\xd8\xff\xe0" + bytes(40), "image/jpeg"),
    "a.webp": (b"RIFF\x10\0\0\0WEBPVP8X" + bytes(20), "image/webp"),
    "a.wav": (b"RIFF\x10\0\0\0WAVEfmt " + bytes(20), "audio/wav"),
    "a.mp3": (b"ID3\x04\0\0" + bytes(20), "audio/mpeg"),
    "b.mp3": (b"\xff\xfb\x90\x64" + bytes(20), "audio/mpeg"),
    "a.mp4": (b"\0\0\0\x18ftypisom" + bytes(20), "video/mp4"),
    "a.mov": (b"\0\0\0\x18ftypqt  " + bytes(20), "video/quicktime"),
    "a.m4a": (b"\0\0\0\x18ftypM4A " + bytes(20), "audio/mp4"),
    "a.pdf": (b"%PDF-1.7\n", "application/pdf"),
    "a.docx": (packed("[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "word/document.xml"), WORD),
    "a.xlsx": (packed("[Content_Types].xml", "xl/workbook.xml"), SHEET),
    "a.zip": (packed("word/letter.txt"), "application/zip"),
    "a.txt": (b"MZ is a country code", "text/plain"),
    "b.txt": (b"BM and ID3 are letters", "text/plain"),
    "c.txt": ("Grüße".encode("utf-16"), "text/plain"),
    "a.csv": (b"a;b\n1;2\n", "text/csv"),
    "a.md": (b"# A\n", "text/markdown"),
    "a.html": (b"<p>hello", "text/html"),
    "page": (b"  <!DOCTYPE html><script>", "text/html"),
    "drawing": (b'<?xml version="1.0"?><svg onload="x()">', "image/svg+xml"),
    "a.svg": (b"<svg/>", "image/svg+xml"),
    "a.bin": (bytes(range(256)), "application/octet-stream"),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_what_it_is_follows_from_its_content(name: str) -> None:
    content, type = KNOWN[name]
    assert judge(name, content).media_type == type


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("photo.png", b"%PDF-1.7\n"), ("letter.pdf", png()), ("photo.jpg", b"<svg onload=x()>"), ("notes.txt", png()),
        ("photo.png", b""), ("photo.png", b"<html>"), ("letter.docx", packed("a.txt")), ("page.html", gif()),
        ("song.mp3", b"MZ\x90\0" + bytes(60)), ("letter.pdf", b"{}"),
    ],
)  # fmt: skip
def test_a_name_that_says_something_else_is_refused_in_words(name: str, content: bytes) -> None:
    with pytest.raises(FileRefused) as refused:
        judge(name, content)
    assert refused.value.code == "FILE_IS_OTHER" and name in refused.value.message


def test_a_name_is_only_a_name() -> None:
    assert clean("../../etc/passwd") == "passwd"
    assert clean("C:\\letters\\offer.pdf") == "offer.pdf"
    assert clean("offer\u202efdp.exe") == "offerfdp.exe"
    assert clean('a\r\nSet-Cookie: "x".txt') == "aSet-Cookie_ _x_.txt"
    assert clean("...") == clean("\0\n") == clean("") == "file"
    assert len(clean("a" * 400 + ".docx")) == 120 and clean("a" * 400 + ".docx").endswith(".docx")
    assert clean("  תמונה  1.png ") == "תמונה 1.png"
    assert judge("picture", png()).name == "picture.png"


def test_accept_names_endings_and_types() -> None:
    assert accepts(None, "a.exe", "application/x-executable")
    assert accepts(".pdf, .DOCX", "A.Docx", WORD)
    assert accepts("image/*", "a.png", "image/png") and accepts("image/png,text/csv", "a.csv", "text/csv")
    assert not accepts("image/*", "a.pdf", "application/pdf") and not accepts(".pdf", "pdf", "application/pdf")


def test_code_may_say_more_of_a_text_and_nothing_false() -> None:
    assert judge_made("picture.png", "image/png", png()).media_type == "image/png"
    assert judge_made("report", "text/csv", b"a,b").media_type == "text/csv"
    assert judge_made("page", "text/plain", b"<html><script>").media_type == "text/html"
    assert judge_made("parts.step", "application/step", bytes(range(256))).media_type == "application/step"
    for name, said, content in (
        ("x", "image/png", b"hello"), ("x", "video/mp4", bytes(range(256))), ("x", "application/pdf", png()),
        ("x", "text/html\r\nX: y", b"hello"),
    ):  # fmt: skip
        with pytest.raises(FileRefused):
            judge_made(name, said, content)


def test_a_picture_too_large_to_unfold_is_not_drawn() -> None:
    assert is_drawable(png(), "image/png") and is_drawable(gif(), "image/gif")
    huge = png()[:16] + (60_000).to_bytes(4, "big") * 2 + png()[24:]
    assert not is_drawable(huge, "image/png")
    assert not is_drawable(b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\xff\xff\xff\xff", "image/jpeg")
    assert is_drawable(b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\0\x10\0\x10", "image/jpeg")
    filled = b"\xff\xd8" + b"\xff\x01" * (MOST_MARKS + 1) + b"\xff\xc0\0\x11\x08\0\x10\0\x10"
    assert not is_drawable(filled, "image/jpeg"), "It is not read for seconds."
    for type in ("image/png", "image/gif", "image/jpeg", "image/webp", "image/avif"):
        assert not is_drawable(b"", type)
