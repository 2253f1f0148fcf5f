"""Nothing that anybody writes is evaluated anywhere: not in prompts, titles, Markdown, words of a page or errors."""

# reliability R4, A7

from __future__ import annotations

import html
import json
import re
import string
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from flows.models import Flow, Workspace
from flows.words.template import fill, paths, value
from runtime.demo.testing import Scripted
from runtime.models import ModelEntry
from studio import markdown
from studio.strings import catalogue, t
from tests.attacks.obedient import obedient, ordering
from tests.attacks.payloads import PAYLOADS, TELLS
from tests.runtime.engine.conftest import Desk, flow

STATE: dict[str, Any] = {"question": "QUESTION", "doc": {"text": "TEXT"}, "config": None, "secret": "canary-11aa22bb"}


def inert(shown: str) -> bool:
    return not any(tell in shown for tell in TELLS)


def test_the_table_is_whole() -> None:
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 100
    assert all(inert(payload) for payload in PAYLOADS)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_text_is_filled_and_never_run(payload: str) -> None:
    # As an author's own text: what is no path of a channel stays as it stands.
    assert inert(fill(payload, STATE))
    if not paths(payload):
        assert fill(payload, STATE) == payload
    # As what a person wrote, and what a model answered: what is filled in is not read again.
    said = {**STATE, "question": payload, "doc": {payload: payload, "text": payload}}
    assert fill("Say: {{question}}.", said) == f"Say: {payload}."
    assert value({"a": ["{{doc}}", "{{doc.text}}!"]}, said) == {"a": [said["doc"], f"{payload}!"]}
    assert inert(fill("{{doc}}", said))


def test_no_sentence_reads_what_it_is_given() -> None:
    """Every sentence that people see, with every place of it filled by a stranger."""
    for key, sentence in catalogue().items():
        places = [(name, spec) for _, name, spec, _ in string.Formatter().parse(sentence) if name is not None]
        # Some sentences show code in braces; those are given nothing, and are not read at all.
        names = {name for name, _ in places} if all(n.isidentifier() and not s for n, s in places) else set()
        for payload in ("{0.__class__}", "{key.__class__}", "{{7*191}}", "%s{}", "{names}") if names else ():
            said = t(key, **dict.fromkeys(names, payload))
            assert said.count(payload) >= len(names) and inert(said), key


@pytest.mark.parametrize("payload", PAYLOADS)
def test_markdown_draws_it(payload: str) -> None:
    drawn = str(markdown.rendered(f"# {payload}\n\n{payload}\n\n- {payload}\n\n`{payload}`", "/reference/"))
    assert inert(drawn)
    tags = " ".join(re.findall(r"<[a-z/!][^>]*>", drawn, re.IGNORECASE))
    assert not re.search(r"<(script|img|svg|style|iframe|!)|\son\w+\s*=|javascript:", tags, re.IGNORECASE), tags


def test_pages_show_it(workspace: Workspace, member_client: Callable[..., Client]) -> None:
    """A flow by each of these names, with an agent, a description and words of its page, as the studio shows them."""
    client = member_client("owner")
    for number, payload in enumerate(PAYLOADS):
        document = {"version": "0.33", "name": payload, "description": payload}
        Flow.objects.create(path=f"f{number}", name=payload[:60], draft=json.dumps(document))
    shown = client.get("/flows", {"q": PAYLOADS[0], "next": PAYLOADS[1]}).content.decode()
    assert inert(shown)
    hidden = [payload for payload in PAYLOADS if not _shown(payload[:60], shown)]
    assert not hidden


def _shown(payload: str, page: str) -> bool:
    """Does the text stand in the page, as text?"""
    return html.escape(payload) in page or payload in html.unescape(page)


def test_prompts_and_answers_of_a_run_hold_it(deploy: Callable[..., Desk]) -> None:
    everything = "\n".join(PAYLOADS)
    with obedient() as model:
        desk = deploy(flow([{"id": "say", "type": "llm", "prompt": "Say: {{question}}", "output": "answer"}]))
        ModelEntry.objects.update(base_url=f"{model.url}/v1", demo=False)
        question = ordering(answer=everything, before=everything)
        run = desk.say(question=question)
    assert f"Say: {question}" in [message["content"] for message in model.told[0]]
    assert (run.status, run.outputs) == ("done", {"answer": everything}), run.error


RAISES = """
async def raises(state, *, services, settings, env):
    raise ValueError(state["question"])
"""


def test_an_error_of_code_says_it_as_it_is(deploy: Callable[..., Desk]) -> None:
    desk = deploy(
        flow([{"id": "raises", "handler": "raises", "description": "Writes 'answer'."}]), {"handler:raises": RAISES}
    )
    for start in range(0, len(PAYLOADS), 40):
        said = " ".join(PAYLOADS[start : start + 40])[:500]
        run = desk.say(question=said)
        assert run.status == "failed" and said in run.error["message"] and inert(run.error["message"])


KEEPS = """
async def keeps(state, *, services, settings, env):
    odd = {"nul": "a\\0b", "esc": "a\\x1b[2Jb", "rtl": "a\\u202eb", "end": "a\\u2028b\\uffffc", "deep": {"\\0": "\\0"}}
    if state["question"] == "raise":
        raise ValueError("a\\0b\\x1b[2J")
    if state["question"] == "post":
        answer = await services.http.post("OFFICE/echo\\0", text="a\\0b", headers={"X-A": "a"})
    if state["question"] == "name":
        return {"doc": {"\\0": 1}}
    return {"doc": odd, "answer": odd.get(state["question"], "fine")}
"""


@pytest.mark.parametrize("question", ["nul", "esc", "rtl", "end", "raise", "post", "name"])
def test_characters_that_no_database_keeps_end_in_words(
    deploy: Callable[..., Desk], demo: Scripted, question: str
) -> None:
    document = flow(
        [{"id": "keeps", "handler": "keeps", "description": "Writes 'doc' and 'answer'."},
         {"id": "say", "type": "llm", "prompt": "{{question}} {{doc}} {{answer}}", "output": "said"}],
        state={"doc": {"type": "object", "description": "Anything."}, "said": {"type": "string", "description": "It."}},
    )  # fmt: skip
    demo.add({"when": {"contains": question}, "answer": "Well."})
    desk = deploy(document, {"handler:keeps": KEEPS.replace("OFFICE", demo.office_url)})
    run = desk.say(question=question)
    assert run.status in ("done", "failed")
    if run.status == "failed":
        assert run.error["message"] and run.error["code"] != "INTERNAL" and "\0" not in json.dumps(run.error), run.error
    assert desk.say(question="fine").status in ("done", "failed")
