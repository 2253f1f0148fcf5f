"""Files in tests: brought by a message or a form, read and saved by code, expected by their names."""

from __future__ import annotations

import base64
from typing import Any

from tests.runtime.testing.conftest import Try
from tests.runtime.testing.test_runner import passed

Json = Any
READS: Json = {
    "version": "0.33", "name": "Reads", "inputs": ["paper"], "outputs": ["copy", "text"], "start": "load",
    "state": {
        "paper": {"type": "file"}, "doc": {"type": "object"}, "more": {"type": "object"}, "copy": {"type": "file"},
        "text": {"type": "string"},
    },
    "nodes": [
        {"id": "load", "type": "read", "from": ["{{paper}}"], "output": "doc"},
        {"id": "ask", "type": "form", "title": "Another?", "fields": {"second": {"type": "file"}}, "output": "more"},
        {"id": "work", "handler": "work", "description": "Copies 'paper' into 'copy'."},
    ],
    "edges": [{"from": "load", "to": "ask"}, {"from": "ask", "to": "work"}, {"from": "work", "to": "END"}],
}  # fmt: skip
WORK = """
async def work(state, *, services, settings, env):
    first = await services.files.read(state["paper"])
    second = await services.files.read(state["more"]["second"])
    copy = await services.files.save(name="copy.txt", mediaType="text/plain", data=first + second)
    return {"copy": copy, "text": state["doc"]["text"]}
"""


def test_files_are_written_into_the_test(attempt: Try) -> None:
    second = {"name": "b.bin", "base64": base64.b64encode(b" two").decode()}
    result = attempt(
        READS, WORK, input={"paper": {"name": "a.txt", "text": "One."}}, mock={"answers": {"ask": {"second": second}}},
        expect={
            "output": {"text": "One."},
            "state": {"copy.name": "copy.txt", "copy.mediaType": "text/plain", "copy.bytes": 8, "paper.name": "a.txt"},
        },
    )  # fmt: skip
    passed(result)
