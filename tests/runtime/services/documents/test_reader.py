"""Documents as text, read in the real sandbox: what they say, and in words why one cannot be read."""

from __future__ import annotations

import pytest
import pytest_asyncio

from runtime.services.documents import reader as reading
from runtime.services.documents.reader import DocumentRefused, Given, Reader
from tests.runtime.services.documents.made import docx, locked_pdf, old_office, paragraph, pdf, table, zipped

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def reader():
    reader = Reader()
    yield reader
    await reader.close()


def given(content: bytes | str, name: str = "paper", media_type: str = "", charset: str = "") -> Given:
    content = content.encode() if isinstance(content, str) else content
    return Given(content, name, f"https://example.com/{name}", media_type, charset)


async def text(reader: Reader, *how, **more) -> str:
    return (await reader.read(given(*how, **more), 100_000))["text"]


async def refusal(reader: Reader, *how, **more) -> tuple[str, str]:
    with pytest.raises(DocumentRefused) as refused:
        await reader.read(given(*how, **more), 100_000)
    return refused.value.code, refused.value.message


async def test_what_is_written_of_a_document(reader: Reader) -> None:  # LG-read-02
    found = await reader.read(given(pdf("One.", "Two.", title="Terms"), "terms.pdf"), 100_000)
    assert found == {
        "title": "Terms",
        "source": "https://example.com/terms.pdf",
        "mediaType": "application/pdf",
        "pages": 2,
        "chars": len(found["text"]),
        "truncated": False,
        "text": "[page 1]\nOne.\n\n[page 2]\nTwo.",
    }


async def test_a_page_without_text_keeps_its_number(reader: Reader) -> None:  # LG-read-03
    assert await text(reader, pdf("One.", "", "Three.")) == "[page 1]\nOne.\n\n[page 2]\n\n\n[page 3]\nThree."


async def test_no_more_is_kept_than_was_asked_for(reader: Reader) -> None:  # LG-read-05
    found = await reader.read(given("0123456789", "a.txt"), 4)
    assert (found["text"], found["chars"], found["truncated"]) == ("0123", 10, True)
    assert (await reader.read(given("0123", "a.txt"), 4))["truncated"] is False


async def test_a_word_document(reader: Reader) -> None:  # LG-read-04
    blocks = (
        paragraph("Terms", "Heading1"),
        paragraph("Pay within 14 days."),
        paragraph("Late", listed=True),
        table(("Item", "Price"), ("Tea", "4 &amp; 5")),
    )
    found = await reader.read(given(docx(*blocks, title="Our terms"), "terms.docx"), 100_000)
    assert found["text"] == "# Terms\n\nPay within 14 days.\n\n- Late\n\n| Item | Price |\n| Tea | 4 & 5 |"
    assert (found["title"], found["pages"]) == ("Our terms", None)
    assert found["mediaType"].endswith("wordprocessingml.document")


PAGE = """<!doctype html><html><head><title>Delivery</title><style>p { color: red }</style></head><body>
<header><a href="/">Shop</a></header>
<nav><ul><li><a href="/a">Teas</a><li><a href="/b">Honey</a></ul></nav>
<div class="cookie-consent"><a>Yes</a> <a>No</a> <a>More</a></div>
<main><h1>Delivery</h1><p>Within <b>three</b> days.<p>To:<ul><li>Leeds<li>York</ul>
<table><tr><th>City<th>Days<tr><td>Leeds<td>2</table><script>alert("no")</script>
<pre>a
  b</pre></main>
<aside>Buy more</aside><footer>© Shop</footer></body></html>"""


async def test_a_web_page_without_what_stands_around_it(reader: Reader) -> None:  # LG-read-04
    found = await reader.read(given(PAGE, "delivery", "text/html"), 100_000)
    assert found["title"] == "Delivery"
    lines = [line for line in found["text"].split("\n") if line]
    assert lines == [
        "# Delivery", "Within three days.", "To:", "- Leeds", "- York", "| City | Days |", "| Leeds | 2 |", "a", "b",
    ]  # fmt: skip


async def test_a_page_without_marks_of_its_parts_loses_its_menus_only(reader: Reader) -> None:  # LG-read-04
    links = "".join(f"<li><a href=/{word}>{word}</a>" for word in ("home", "teas", "honey", "contact"))
    page = f"<html><body><ul>{links}</ul><p>Our <a href=/t>teas</a> come from Leeds.</body></html>"
    assert await text(reader, page, "p", "text/html") == "Our teas come from Leeds."


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        ("שלום".encode("windows-1255"), "windows-1255"),
        ("שלום".encode("utf-16"), ""),
        ("\ufeffשלום".encode(), ""),
        (b'<html><meta charset="windows-1255"><body>' + "שלום".encode("windows-1255"), ""),
    ],
)
async def test_whatever_the_writing(reader: Reader, content: bytes, charset: str) -> None:  # LG-read-04
    assert await text(reader, content, charset=charset) == "שלום"


async def test_text_is_kept_as_it_stands(reader: Reader) -> None:  # LG-read-04
    found = await reader.read(given("# Notes\n\n- one\n", "notes.md", "text/markdown"), 100_000)
    assert (found["title"], found["mediaType"], found["text"]) == ("Notes", "text/markdown", "# Notes\n\n- one\n")


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (pdf("", ""), "DOCUMENT_SCANNED", "its pages are pictures"),
        (old_office("WordDocument"), "DOCUMENT_OLD_WORD", "Save it as .docx"),
        (old_office("Workbook"), "DOCUMENT_KIND", "old Office program"),
        (old_office("EncryptedPackage"), "DOCUMENT_LOCKED", "password"),
        (locked_pdf(), "DOCUMENT_LOCKED", "Give a copy without one"),
        (b"%PDF-1.7 and nothing more", "DOCUMENT_DAMAGED", "damaged"),
        (pdf("One.")[:200], "DOCUMENT_DAMAGED", "damaged"),
        (docx(paragraph("One."))[:300], "DOCUMENT_KIND", "neither a document nor a text"),
        (zipped({"xl/workbook.xml": "<x/>"}), "DOCUMENT_KIND", "PDF, Word (.docx), web pages and text"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "DOCUMENT_KIND", "neither a document nor a text"),
        (b"{\\rtf1 Hello}", "DOCUMENT_KIND", "RTF"),
        (b"  \n\t ", "DOCUMENT_EMPTY", "no text in it"),
        (b"", "DOCUMENT_EMPTY", "is empty"),
        (b"<html><body><script>x()</script></body></html>", "DOCUMENT_EMPTY", "no text in it"),
    ],
)
async def test_what_cannot_be_read_is_said_in_words(  # LG-read-11
    reader: Reader, content: bytes, code: str, words: str
) -> None:
    found, message = await refusal(reader, content, "paper.pdf")
    assert found == code
    assert words in message and message.startswith('"paper.pdf" ') and message.endswith(".")


async def test_more_than_a_document_may_be(reader: Reader) -> None:
    code, message = await refusal(reader, b"a" * (reading.LARGEST + 1), "big.txt")
    assert code == "DOCUMENT_TOO_LARGE" and "15 MB" in message


BOMBS = {
    "a zip that unpacks to very much": docx(paragraph("a" * 80_000_000)),
    "entities inside entities": docx(
        paragraph("&b;"), before='<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    ),
    "elements nested a hundred thousand deep": b"<div>" * 100_000 + b"x",
    "a table that never ends": b"<table><tr><td>" * 50_000 + b"x",
    "comments that never end": b"<!--" * 100_000 + b"x",
}


async def test_many_comments_before_a_text_are_soon_read(reader: Reader) -> None:
    assert (await text(reader, "<!---->" * 10_000 + "plain")).endswith("plain")


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
async def test_a_document_meant_to_do_harm_ends_in_words_or_in_text(reader: Reader, bomb: bytes) -> None:
    try:
        assert (await reader.read(given(bomb, "bomb"), 1000))["chars"] < 1_000_000
    except DocumentRefused as refused:
        assert refused.code in ("DOCUMENT_DAMAGED", "DOCUMENT_TOO_MUCH", "DOCUMENT_EMPTY")
    # And the next document is read as ever.
    assert await text(reader, "fine") == "fine"


@pytest.mark.parametrize(
    "said",
    [
        None, [], {"refused": "x"}, {"refused": {"code": "RUN ME", "message": "x"}},
        {"refused": {"code": "DOCUMENT_X", "message": "x" * 999}}, {"title": 1}, {"text": "only"},
    ],
)  # fmt: skip
async def test_nothing_is_believed_that_our_code_never_says(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, said: object
) -> None:
    monkeypatch.setattr(reading, "_CODE", f"async def read_document(args, *, services, settings, env): return {said!r}")
    code, _ = await refusal(reader, "x")
    assert code == "DOCUMENT_DAMAGED"


async def test_the_process_of_a_document_sees_no_file_and_no_network(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
import pypdf, reading

async def read_document(args, *, services, settings, env):
    found = []
    import sys
    os, socket = sys.modules["os"], sys.modules["socket"]
    for act in (lambda: os.listdir("/"), lambda: socket.socket(), lambda: os.open("/packages/pypdf/__init__.py", 0)):
        try:
            act()
            found.append("got out")
        except BaseException as error:
            found.append(type(error).__name__)
    raise ValueError(" ".join(found))
"""
    monkeypatch.setattr(reading, "_CODE", code)
    told = []
    real = reading.Sandbox.lease

    async def lease(sandbox):
        found = await real(sandbox)
        call = found.call

        async def listen(*args, **named):
            try:
                return await call(*args, **named)
            except Exception as error:
                told.append(str(error))
                raise

        found.call = listen
        return found

    monkeypatch.setattr(reading.Sandbox, "lease", lease)
    await refusal(reader, "x")
    assert told and "got out" not in told[0]
