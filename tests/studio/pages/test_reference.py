"""The reference in the app: every topic, its links, and the search over all of them."""

from __future__ import annotations

import re

import pytest

from flows import reference
from runtime.processes import ROOT
from studio.markdown import rendered
from studio.pages.reference import search
from tests.studio.pages.conftest import Clients

TOPICS = [topic.name for topic in reference.topics()]


@pytest.mark.parametrize("name", TOPICS)
def test_each_topic_has_a_page_whose_links_lead_somewhere(member_client: Clients, name: str) -> None:  # LG-doc-01
    client = member_client("builder")
    page = client.get(f"/reference/{name}").content.decode()
    article = page[page.index("<article") : page.index("</article>")]
    assert article.count("<h1>") == 1
    assert "&lt;!--" not in article and not re.search(r'href="[^"]*\.md', article)
    for link in set(re.findall(r'<a href="(/reference[^"]*)"', page)):
        assert client.get(link).status_code == 200, link
    for anchor in re.findall(r'<a href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page or anchor == "main"


def test_the_first_page_is_the_overview(member_client: Clients) -> None:
    page = member_client("builder").get("/reference").content.decode()
    assert "Overview: what a flow is" in page
    assert all(f"/reference/{name}" in page for name in TOPICS if name != "overview")


def test_a_kind_s_type_is_a_name_of_its_topic(member_client: Clients) -> None:
    assert "node kind" in member_client("builder").get("/reference/form").content.decode()


def test_a_topic_that_is_not_there(member_client: Clients) -> None:
    reply = member_client("builder").get("/reference/chanels")
    assert reply.status_code == 404
    assert "Did you mean &quot;channels&quot;?" in reply.content.decode()


def test_a_search_finds_sections(member_client: Clients) -> None:
    page = member_client("builder").get("/reference", {"q": "maxAttempts"}).content.decode()
    assert "/reference/errors#again" in page and "<mark>maxAttempts</mark>" in page
    nothing = member_client("builder").get("/reference", {"q": "zebra crossing"}).content.decode()
    assert "Nothing in the reference" in nothing


def test_a_search_wants_every_word_and_puts_headings_first() -> None:
    found = search("conditional edges")
    assert found[0].href == "/reference/edges#conditional-edges"
    assert search("conditional zebra") == []
    # What every kind's topic repeats leads nobody to what it is about.
    assert {found.href for found in search("retry")[:2]} == {"/reference/errors", "/reference/overview#every-node"}
    assert search("maxChars")[0].href == "/reference/read#fields"


@pytest.mark.parametrize("query", ["<script>alert(1)</script>", "x" * 5000, '"><img', "&amp", "(", "mark"])
def test_what_is_searched_for_is_never_html(member_client: Clients, query: str) -> None:
    reply = member_client("builder").get("/reference", {"q": query})
    assert reply.status_code == 200
    assert b"<script>alert" not in reply.content and b"<img" not in reply.content


def test_markdown_is_cleaned() -> None:
    html = rendered("# A\n\n<b onclick=x>b</b> [x](javascript:alert(1)) [y](edges.md#limits)\n\n## Two words\n", "/r/")
    assert "<b" not in html and "javascript:" not in html.replace("[x](javascript:alert(1))", "")
    assert '<a href="/r/edges#limits">' in html and '<h2 id="two-words">' in html


def test_the_files_of_the_reference_are_the_topics() -> None:  # LG-doc-06
    files = {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "docs/reference").glob("*.md")}
    assert files.keys() == set(TOPICS)
    assert all(text.startswith(reference.topic(name).text) for name, text in files.items())
