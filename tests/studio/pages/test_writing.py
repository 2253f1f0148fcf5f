"""Writing what is missing: one unit a request, so that no request waits for all of them and none is lost."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from flows.models import Flow, Unit
from runtime.demo.testing import Scripted
from runtime.models import ModelChoice, ModelEntry
from tests.studio.pages.conftest import Clients

HEAD = "state, *, services, settings, env"
GOOD = f'async def pickCustomer({HEAD}):\n    return {{"wanted": ""}}\n'
BAD = f"import os\n\n\nasync def prepareOrder({HEAD}):\n    return {{}}\n"


@pytest.fixture
def model(flow: Flow, demo: Scripted) -> Scripted:
    """A model that writes one unit well and another badly."""
    entry = ModelEntry.objects.create(name="Writes", base_url=demo.base_url, model="demo")
    ModelChoice.objects.create(purpose="code", entry=entry)
    for name, code in (("pickCustomer", GOOD), ("prepareOrder", BAD)):
        demo.add({"when": {"system": f"async def {name}("}, "answer": f"```python\n{code}```"})
    return demo


def missing(flow: Flow, *names: str) -> None:
    found = Unit.objects.filter(flow=flow, name__in=names)
    assert found.update(code="", refused="", origin="generated", key="") == len(names)


def test_each_press_writes_one_and_a_bad_one_stops_no_other(
    flow: Flow, model: Scripted, member_client: Clients
) -> None:
    missing(flow, "pickCustomer", "prepareOrder")
    client = member_client("builder")
    for _ in range(2):
        reply = client.post(f"/flows/{flow.pk}/units/write", {"then": "publish"})
        assert (reply.status_code, reply["Location"]) == (302, f"/flows/{flow.pk}/publish")
    written = Unit.objects.filter(name__in=("pickCustomer", "prepareOrder")).exclude(code="")
    states = {unit.name: bool(unit.refused) for unit in written}
    assert states == {"pickCustomer": False, "prepareOrder": True}
    page = client.get(f"/flows/{flow.pk}/publish").content.decode()
    assert "os cannot be imported" in page
    assert f'value="/api/flows/{flow.pk}/units/handler/prepareOrder/generate"' in page
    assert "/units/handler/pickCustomer/generate" not in page


def test_the_pages_script_asks_for_each_by_itself(flow: Flow, model: Scripted, member_client: Clients) -> None:
    missing(flow, "pickCustomer")
    client = member_client("builder")
    page = client.get(f"/flows/{flow.pk}/publish").content.decode()
    path = f"/api/flows/{flow.pk}/units/handler/pickCustomer/generate"
    assert f'data-unit="pickCustomer" value="{path}"' in page
    reply = client.post(path, "{}", content_type="application/json")
    assert (reply.status_code, reply.json()["unit"]["state"]) == (200, "current")
    assert client.post(f"/flows/{flow.pk}/units/write").status_code == 302
    assert "All code is written" in client.get(f"/flows/{flow.pk}").content.decode()


def test_a_refused_try_leaves_code_that_fits_and_says_so(
    flow: Flow, model: Scripted, member_client: Clients, publish: Callable
) -> None:
    unit = Unit.objects.get(flow=flow, name="prepareOrder")
    Unit.objects.filter(pk=unit.pk).update(origin="generated")
    client, page = member_client("builder"), f"/flows/{flow.pk}/units/handler/prepareOrder"
    assert client.post(page, {"act": "generate"}).status_code == 302
    shown = client.get(page).content.decode()
    assert "the code stays as it was" in shown
    assert "os cannot be imported" in shown
    units = client.get(f"/api/flows/{flow.pk}/draft").json()["units"]
    kept = next(one for one in units if one["name"] == "prepareOrder")
    assert (kept["state"], kept["code"]) == ("current", unit.code)
    assert json.loads(Flow.objects.get(pk=flow.pk).draft)
    assert publish().status_code == 302


def test_a_refused_key_is_noted_where_notices_look_for_it_and_so_is_its_end(
    flow: Flow, model: Scripted, member_client: Clients
) -> None:
    missing(flow, "pickCustomer")
    client, path = member_client("builder"), f"/api/flows/{flow.pk}/units/handler/pickCustomer/generate"
    for status, wanted, refused in ((401, 502, True), (0, 200, False)):
        if status:
            model.fail(status, times=1)
        assert client.post(path, "{}", content_type="application/json").status_code == wanted
        assert ModelEntry.objects.get(name="Writes").key_refused is refused
