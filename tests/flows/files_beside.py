"""Files beside a flow, each right as it is; a test breaks what it is about."""

from __future__ import annotations

import json
from typing import Any

from flows.beside.around import Around
from flows.problem import Problem

Json = Any


def around(flow: Json, **files: Json) -> Around:
    return Around.of({"flow.json": json.dumps(flow), **{name: json.dumps(each) for name, each in files.items()}})


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def file_of(*each: Json, **more: Json) -> Json:
    return {"flow": "../flow.json", **more, "tests": list(each)}


def one(**said: Json) -> Json:
    return {"name": "Answers", "input": {"question": "Where?"}, "mock": {"nodes": {"reply": "There."}}, **said}


TRIGGERS = {
    "flow": "./flow.json",
    "triggers": [
        {
            "id": "daily-report",
            "type": "schedule",
            "schedule": "0 8 * * mon-fri",
            "timezone": "Europe/Nicosia",
            "input": {"question": "What came in before {{now}}?"},
            "deliver": {
                "to": "webhook",
                "urlFrom": "SLACK_WEBHOOK_URL",
                "format": "table",
                "body": {"text": "```\n{{outputs.answer}}\n```", "by": "{{trigger.id}}", "at": "{{now}}"},
            },
        },
        {"id": "new-order", "type": "event", "event": "order.created", "input": {"question": "{{event.data}}"}},
        {
            "id": "ticket",
            "type": "webhook",
            "path": "/support-ticket",
            "method": "POST",
            "enabled": False,
            "input": {"question": "{{webhook.body.subject}} {{webhook.query.q}} {{webhook.method}} {{webhook.path}}"},
        },
    ],
}
EVALS = {
    "flow": "../flow.json",
    "criteria": {
        "correctness": {"description": "It agrees with the facts.", "weight": 0.6},
        "groundedness": {"description": "It claims nothing else.", "weight": 0.4},
    },
    "metrics": {"latencyMs": {"max": 5000}, "tokens": {"max": 900}, "toolCalls": {"max": 2}, "llmCalls": {"max": 1}},
    "thresholds": {"overall": 0.85, "criteria": {"correctness": 0.9}},
    "evals": [
        {
            "name": "City",
            "input": {"question": "Where?"},
            "reference": {"facts": ["City: Berlin"], "answer": "Berlin."},
        },
        {"name": "Short", "input": {"question": "Where?"}, "metrics": {"tokens": {"max": 100}}},
    ],
}
TESTS = file_of(
    one(
        expect={
            "state": {"answer": "There."},
            "output": {"answer": {"notEmpty": True, "contains": "Th", "length": 6}},
            "path": ["reply"],
            "visits": {"reply": 1},
            "notVisited": [],
            "tools": [],
        }
    )
)
