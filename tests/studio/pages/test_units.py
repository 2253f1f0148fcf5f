"""The code of a unit over HTTP: read, typed by hand, written by a model, looked at before it is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from flows.models import Flow
from runtime.units import generate
from runtime.units.generate import Generated
from studio import shelving
from tests.studio.pages.conftest import Clients

Json = Any
GOOD = "async def pickCustomer(state, *, services, settings, env):\n    return {'wanted': 'x'}\n"
OTHER = "async def pickCustomer(state, *, services, settings, env):\n    return {'wanted': 'y'}\n"
HANDLER = "handler/pickCustomer"


class Units:
    """A builder's requests about units."""

    def __init__(self, client: Client, flow: Flow) -> None:
        self.client, self.base = client, f"/api/flows/{flow.pk}/units/"

    def get(self, unit: str) -> Json:
        return self.client.get(self.base + unit).json()["unit"]

    def send(self, method: str, path: str, body: Json) -> Json:
        call = getattr(self.client, method)
        reply = call(self.base + path, body, content_type="application/json")
        return {"status": reply.status_code, **reply.json()}


@pytest.fixture
def units(flow: Flow, member_client: Clients) -> Units:
    return Units(member_client("builder"), flow)


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Says what the model writes next."""
    answers: list[Generated] = []

    async def made(*_: object) -> Generated:
        return answers.pop(0)

    def say(code: str, *problems: str) -> None:
        answers.append(Generated(code, problems, answers=1))

    monkeypatch.setattr(generate, "generate", made)
    monkeypatch.setattr("runtime.units.shelf.generate", made)
    yield say
    assert not answers


def test_a_unit_is_read_with_its_state(units: Units) -> None:
    unit = units.get(HANDLER)
    assert (unit["state"], unit["name"], unit["regular"]) == ("current", "pickCustomer", False)
    assert "async def pickCustomer" in unit["code"]
    assert unit["description"].startswith("Reads 'request'")
    assert units.client.get(units.base + "handler/nobody").status_code == 404


# LG-edges-03: a router of regular sentences is shown as the code they are.
def test_a_regular_router_says_so(units: Units) -> None:
    unit = units.get("router/routePriced")
    assert unit["regular"] is True
    assert (unit["origin"], unit["state"]) == ("regular", "current")
    assert 'return "place"' in unit["code"]


def test_code_typed_by_hand_is_kept_and_marked(units: Units) -> None:
    before = units.get(HANDLER)
    saved = units.send("put", HANDLER, {"code": GOOD.replace("\n", "\r\n"), "was": before["mark"]})
    assert (saved["status"], saved["unit"]["origin"], saved["unit"]["state"]) == (200, "edited", "current")
    assert units.get(HANDLER)["code"] == GOOD


def test_two_people_never_replace_each_other_unseen(units: Units) -> None:
    mark = units.get(HANDLER)["mark"]
    assert units.send("put", HANDLER, {"code": GOOD, "was": mark})["status"] == 200
    late = units.send("put", HANDLER, {"code": OTHER, "was": mark})
    assert (late["status"], late["code"]) == (409, "UNIT_CHANGED")
    assert units.get(HANDLER)["code"] == GOOD


def test_code_that_breaks_a_rule_is_kept_as_refused(units: Units) -> None:
    mark = units.get(HANDLER)["mark"]
    saved = units.send("put", HANDLER, {"code": "import os\n" + GOOD, "was": mark})
    assert saved["unit"]["state"] == "refused"
    assert "os" in saved["unit"]["reason"]


@pytest.mark.parametrize(
    ("body", "field"),
    [({"code": "x" * 200_001, "was": ""}, "code"), ({"code": 1, "was": ""}, "code"),
     ({"was": ""}, "code"), ({"code": "", "was": "", "also": 1}, "also")],
)  # fmt: skip
def test_what_does_not_fit_is_said_beside_its_field(units: Units, body: Json, field: str) -> None:
    refused = units.send("put", HANDLER, body)
    assert refused["status"] == 422
    assert field in refused["fields"]


def test_written_code_is_shown_before_it_is_taken(units: Units, writes: Callable[..., None]) -> None:
    before = units.get(HANDLER)
    writes(GOOD)
    shown = units.send("post", HANDLER + "/generate", {"keep": False})
    assert shown["proposed"]["code"] == GOOD
    assert units.get(HANDLER) == before, "nothing is changed by looking"
    body = {"code": GOOD, "seal": shown["proposed"]["seal"], "was": before["mark"], "yes": True}
    taken = units.send("post", HANDLER + "/take", body)
    assert (taken["status"], taken["unit"]["origin"], taken["unit"]["code"]) == (200, "generated", GOOD)


def test_what_a_person_wrote_needs_a_yes(units: Units, writes: Callable[..., None]) -> None:
    mark = units.send("put", HANDLER, {"code": GOOD, "was": units.get(HANDLER)["mark"]})["unit"]["mark"]
    writes(OTHER)
    seal = units.send("post", HANDLER + "/generate", {"keep": False})["proposed"]["seal"]
    body = {"code": OTHER, "seal": seal, "was": mark}
    refused = units.send("post", HANDLER + "/take", body)
    assert (refused["status"], refused["code"]) == (409, "EDITED_BY_HAND")
    assert units.get(HANDLER)["code"] == GOOD
    assert units.send("post", HANDLER + "/take", {**body, "yes": True})["unit"]["code"] == OTHER
    direct = units.send("put", HANDLER, {"code": GOOD, "was": units.get(HANDLER)["mark"]})
    assert direct["status"] == 200
    kept = units.send("post", HANDLER + "/generate", {})
    assert (kept["status"], kept["code"]) == (409, "EDITED_BY_HAND")


def test_only_what_was_written_here_counts_as_written(units: Units, writes: Callable[..., None]) -> None:
    before = units.get(HANDLER)
    writes(GOOD)
    seal = units.send("post", HANDLER + "/generate", {"keep": False})["proposed"]["seal"]
    for body in (
        {"code": OTHER, "seal": seal, "was": before["mark"], "yes": True},
        {"code": GOOD, "seal": seal[:-2], "was": before["mark"], "yes": True},
        {"code": GOOD, "seal": "", "was": before["mark"], "yes": True},
    ):
        refused = units.send("post", HANDLER + "/take", body)
        assert (refused["status"], refused["code"]) == (409, "NOT_WHAT_WAS_WRITTEN")
    elsewhere = units.send("post", "handler/takeCustomer/take", {"code": GOOD, "seal": seal, "was": before["mark"]})
    assert elsewhere["status"] == 409
    stale = units.send("post", HANDLER + "/take", {"code": GOOD, "seal": seal, "was": "other", "yes": True})
    assert (stale["status"], stale["code"]) == (409, "UNIT_CHANGED")
    assert units.get(HANDLER) == before


def test_refused_code_is_shown_and_cannot_be_taken(units: Units, writes: Callable[..., None]) -> None:
    before = units.get(HANDLER)
    bad = "import os\n" + GOOD
    writes(bad, "It imports os.")
    shown = units.send("post", HANDLER + "/generate", {"keep": False})["proposed"]
    assert shown["problems"] == ["It imports os."]
    body = {"code": bad, "seal": shown["seal"], "was": before["mark"], "yes": True}
    refused = units.send("post", HANDLER + "/take", body)
    assert (refused["status"], refused["code"]) == (422, "CODE_REFUSED")
    assert units.get(HANDLER) == before


def test_without_a_model_the_words_say_what_to_do(units: Units) -> None:
    refused = units.send("post", HANDLER + "/generate", {"keep": False})
    assert (refused["status"], refused["code"]) == (409, "NO_CODE_MODEL")
    assert "Settings" in refused["message"]


def test_code_changed_since_it_was_written_by_hand_of_others(units: Units, flow: Flow, member_client: Clients) -> None:
    # An operator looks at code and changes none.
    operator = member_client("operator")
    assert operator.get(units.base + HANDLER).status_code == 200
    body = {"code": GOOD, "was": shelving.mark(shelving.unit_of(flow, "handler", "pickCustomer"))}
    for method, path in (("put", HANDLER), ("post", HANDLER + "/generate"), ("post", HANDLER + "/take")):
        reply = getattr(operator, method)(units.base + path, body, content_type="application/json")
        assert reply.status_code == 403
