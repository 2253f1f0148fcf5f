"""Edits over HTTP: applied whole, refused whole with every mistake, and never twice."""

from __future__ import annotations

import json
import uuid

from flows.models import Flow, FlowEdit


def test_an_edit_is_applied_and_said(flow: Flow, editor) -> None:
    ann = editor("Ann")
    reply = ann.set("reply", "prompt", "Say hello to {{question}}.")
    assert (ann.status, reply["revision"]) == (200, 2)
    assert reply["changes"] == [
        {
            "doc": "flow",
            "path": ["nodes", 5, "prompt"],
            "old": "{{history}} {{__approval}} {{__error}}",
            "new": "Say hello to {{question}}.",
        }
    ]
    assert reply["undo"]["label"] and reply["redo"] is None
    assert [line["words"] for line in reply["lines"]] == ['"prompt" of node "reply" changed']
    assert ann.node("reply")["prompt"] == "Say hello to {{question}}."
