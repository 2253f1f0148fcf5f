"""Documents in tests of flows: stood in for by text, as a whole, or by a reading that goes wrong."""

from __future__ import annotations

from typing import Any

from tests.runtime.testing.conftest import Try
from tests.runtime.testing.flows import OBJECT, flow, says, to
from tests.runtime.testing.test_runner import failed, passed

Json = Any

READS = flow(
    [
        {"id": "load", "type": "read", "from": ["{{q}}"], "output": "doc", "maxChars": 10, "onError": "reply"},
        says(prompt="{{doc.title}}: {{doc.text}} {{__error}}"),
    ],
    to("load", "reply"),
    {"doc": OBJECT},
)


# LG-tests-16
def test_a_document_is_a_text_an_object_or_a_failure(attempt: Try) -> None:
    said: Json = {"nodes": {"reply": "ok"}, "reads": {"load": "The terms of all."}}
    given = {"q": "https://example.org/terms"}
    expect = {"state": {"doc.text": "The terms ", "doc.truncated": True, "doc.chars": 17, "doc.source": given["q"]}}
    passed(attempt(READS, input=given, mock=said, expect=expect))
    said["reads"]["load"] = {"title": "Terms", "text": "All.", "pages": 3}
    result = attempt(READS, input=given, mock=said, expect={"state": {"doc.title": "Terms", "doc.pages": 3}})
    assert passed(result).prompts[0].text.startswith("Terms: All.")
    said["reads"]["load"] = {"fails": "The page is gone."}
    result = attempt(READS, input=given, mock=said, expect={"path": ["reply"]})
    assert "The page is gone." in passed(result).prompts[0].text


# LG-tests-16
def test_without_one_a_read_reads_for_real(attempt: Try) -> None:
    result = attempt(
        READS, input={"q": "http://127.0.0.1:9/x"}, mock={"nodes": {"reply": "ok"}}, expect={"path": ["reply"]}
    )
    # The machine's own addresses are refused, in the words of a real reading.
    assert "127.0.0.1" in passed(result).prompts[0].text
    assert result.path == ["reply"]


def test_read_once_more_than_said_stops_the_run(attempt: Try) -> None:
    twice = flow(
        [
            {"id": "load", "type": "read", "from": ["{{q}}"], "output": "doc", "retry": {"maxAttempts": 2}},
            says(),
        ],
        to("load", "reply"), {"doc": OBJECT},
    )  # fmt: skip
    mock = {"nodes": {"reply": "ok"}, "reads": {"load": {"then": [{"fails": "Busy."}]}}}
    result = attempt(twice, input={"q": "https://example.org"}, mock=mock)
    assert failed(result).startswith('"load" read 2 times, and the test says what is read once.')
