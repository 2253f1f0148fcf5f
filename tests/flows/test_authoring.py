"""How a flow is written well: the reference says it, to people and to the model behind the Ask bar alike."""

from __future__ import annotations

import re
from functools import cache

import pytest

from flows import reference

RULES: dict[str, tuple[str, str]] = {
    "LG-overview-20": ("overview", "at the start is an input no node asks for it"),
    "LG-overview-21": ("overview", "outputs are shown by themselves no node only shows"),
    "LG-overview-24": ("overview", "another flow does already one step flow node"),
    "LG-overview-25": ("overview", "agent node question decides which one"),
    "LG-channels-03": ("overview", "describe each channel exactly code words"),
    "LG-handlers-12": ("handlers", "name the channel say what to do with it"),
    "LG-handlers-13": ("handlers", "read node ask form llm node those leave over"),
    "LG-llm-42": ("llm", "each copy one object its own entry"),
    "LG-llm-46": ("llm", "which columns cells short one thing stays a sentence"),
    "LG-llm-47": ("triggers", "deliver a list of records schema Markdown table"),
    "LG-tools-07": ("tools", "model calls tools node behind one approval"),
    "LG-tools-08": ("tools", "description which service how returns shape of the channel"),
    "LG-tools-12": ("tools", "what is known never invent an id an address or a price"),
    "LG-forms-01": ("forms", "the same fields describe a form inputs of a tool approval edit"),
    "LG-forms-14": ("forms", "several things into one message something exact"),
    "LG-forms-15": ("forms", "single question in free words stays an input"),
    "LG-ask-03": ("ask", "without it people see the words alone"),
    "LG-ask-04": ("ask", "only turns up on the way"),
    "LG-ask-05": ("ask", "first message could have held that is an input"),
    "LG-ask-07": ("ask", "Markdown table channel of its own handler question"),
    "LG-recipes-01": ("recipes", "provider address whole body name of the secret"),
    "LG-recipes-02": ("recipes", "images/generations nothing else response_format b64_json image/png"),
    "LG-recipes-03": ("recipes", "v1/responses input_text input_image output_text joined"),
    "LG-recipes-04": ("recipes", "v1/responses web_search"),
    "LG-patterns-01": ("patterns", "total so far remembers before the node that spends"),
    "LG-patterns-02": ("patterns", "schema plan handler makes calls routes"),
    "LG-patterns-03": ("patterns", "onError leads to the answer facts do not answer say so"),
    "LG-patterns-04": ("patterns", "queues the calls approval edited reports never report a write no result"),
    "LG-patterns-05": ("patterns", "after every call several jobs work node limit"),
    "LG-patterns-06": ("patterns", "lookups without one writes with one"),
    "LG-patterns-07": ("patterns", "list that may be empty"),
    "LG-patterns-08": ("patterns", "read node llm node answers cites the page"),
    "LG-subflows-11": ("subflows", "put the question where the work is"),
    "LG-agents-12": ("agents", "llm schema agent"),
    "LG-agents-13": ("agents", "flow node you know while you write agent node only the question decides"),
    "LG-agents-19": ("agents", "keep the list to what the flow needs"),
    "LG-work-10": ("work", "tool that is named and nothing more described in full"),
    "LG-work-13": ("work", "no prompt speaks of it none tells the model to ask for details first"),
    "LG-work-18": ("patterns", "work node is that loop in one node"),
    "LG-work-20": ("work", "tool and tools nodes flow decides exactly once"),
    "LG-work-22": ("work", "name everything may ever need no prompt that counts on one of them"),
    "LG-views-15": ("views", "two questions one entry each"),
    "LG-views-27": ("views", "smaller picture made by the node that saves it"),
    "LG-views-28": ("views", "request about one leaves the others as they are"),
    "LG-views-29": ("views", "channel of its own description no longer puts it into the reply"),
    "LG-views-30": ("views", "finished value draft when a pinned channel is emptied"),
    "LG-page-11": ("page", "colors dark page background pale"),
    "LG-page-15": ("page", "for what no setting says comes last"),
    "LG-triggers-16": ("triggers", "list of records schema marks around it columns in line"),
    "LG-triggers-17": ("triggers", "no delivery into the flow itself every run from the chat would post too"),
    "LG-contract-07": ("contract", "renews itself write no code for that"),
    "LG-contract-15": ("contract", "users true say in the reply names nowhere in the flow"),
    "LG-files-06": ("files", "saves it returns the reference file channel no second node"),
    "LG-knowledge-04": ("knowledge", "what the collection holds"),
    "LG-knowledge-12": ("knowledge", "this node finds a model after it answers the trace shows"),
    "LG-index-18": ("index", "choose for each collection structure numbered exact questions fixed"),
    "LG-db-20": ("databases", "schema while the flow runs"),
    "LG-db-31": ("databases", "show people refused and never say"),
    "LG-db-08": ("databases", "schema writes statement runs it answers from the rows"),
    "LG-read-09": ("read", "about one document names just that address takes no address"),
    "LG-services-14": ("services", "model context protocol declared not described in prose"),
    "LG-forms-24": ("forms", "one template handler can prepare form what is known"),
    "LG-subflows-16": ("patterns", "more than one agent needs flow of its own six nodes do not need splitting"),
}
"""Requirement → the topic, and words that stand in one paragraph of it."""


@cache
def paragraphs(topic: str) -> list[str]:
    text = reference.topic(topic).text
    return [re.sub(r"[`*\s]+", " ", each).lower() for each in re.split(r"\n\n|\n(?=[-|\d#])", text)]


@pytest.mark.parametrize("requirement", RULES)
def test_the_reference_says_how_it_is_written(requirement: str) -> None:
    topic, words = RULES[requirement]
    wanted = words.lower().split()
    assert any(all(word in paragraph for word in wanted) for paragraph in paragraphs(topic)), (topic, words)
