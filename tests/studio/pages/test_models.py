"""Settings → Models: entries, keys, choices, the test and the demo model."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from flows.models import Workspace
from runtime.demo.testing import Scripted
from runtime.models import ModelChoice, ModelEntry
from runtime.services.secrets import decrypt
from tests.studio.pages.conftest import Clients

ENTRY = {"name": "Main", "base_url": "https://api.example.com/v1", "model": "gpt-x", "key": "sk-canary-12345"}


@pytest.fixture
def client(workspace: Workspace, member_client: Clients) -> Client:
    return member_client("operator")


def test_a_key_is_kept_encrypted_and_never_shown_again(client: Client) -> None:
    client.post("/settings/models/new", {**ENTRY, "input_price": "1,25", "output_price": "10"})
    entry = ModelEntry.objects.get()
    assert decrypt(entry.key_cipher).decode() == ENTRY["key"]
    assert ENTRY["key"].encode() not in bytes(entry.key_cipher)
    assert (str(entry.input_price), str(entry.output_price)) == ("1.250000", "10.000000")
    for address in ("/settings/models", f"/settings/models/{entry.pk}"):
        page = client.get(address).content.decode()
        assert ENTRY["key"] not in page
        assert "stored" in page
    client.post(f"/settings/models/{entry.pk}", {**ENTRY, "key": "", "name": "Renamed"})
    entry.refresh_from_db()
    assert (entry.name, decrypt(entry.key_cipher).decode()) == ("Renamed", ENTRY["key"])
    client.post(f"/settings/models/{entry.pk}", {**ENTRY, "key": "", "drop_key": "1"})
    entry.refresh_from_db()
    assert not entry.key_cipher


@pytest.mark.parametrize("other", ["https://evil.example/v1", "plain"])
def test_a_stored_key_never_goes_to_another_server(client: Client, other: str) -> None:
    client.post("/settings/models/new", ENTRY)
    entry = ModelEntry.objects.get()
    # The same server without encryption is another one to whoever listens on the way.
    other = ENTRY["base_url"].replace("https://", "http://") if other == "plain" else other
    assert other != ENTRY["base_url"]
    elsewhere = {**ENTRY, "key": "", "base_url": other}
    reply = client.post(f"/settings/models/{entry.pk}", elsewhere)
    assert reply.status_code == 422
    assert "Enter the key for it again" in reply.content.decode()
    body = {"entry": str(entry.pk), "base_url": other, "key": "", "model": "m"}
    tested = client.post("/api/models/test", json.dumps(body), content_type="application/json")
    assert tested.status_code == 422
    assert "Enter the key" in tested.json()["fields"]["key"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": ""}, "Give the model a name"),
        ({"name": "x" * 81}, "At most 80 characters"),
        ({"base_url": "api.example.com"}, "Write the whole address"),
        ({"base_url": "file:///etc/passwd"}, "Write the whole address"),
        ({"base_url": "https://user:pass@example.com/v1"}, "Write the whole address"),
        ({"base_url": "http://[bad/v1"}, "Write the whole address"),
        ({"model": ""}, "Write the model"),
        ({"key": "two words"}, "no spaces"),
        ({"input_price": "cheap"}, "Write a number"),
        ({"input_price": "-1"}, "Write a number"),
        ({"output_price": "NaN"}, "Write a number"),
    ],
)
def test_a_wrong_field_says_so_and_the_key_is_not_sent_back(client: Client, wrong: dict, words: str) -> None:
    reply = client.post("/settings/models/new", {**ENTRY, **wrong})
    page = reply.content.decode()
    assert reply.status_code == 422
    assert words in page
    assert ENTRY["key"] not in page
    assert not ModelEntry.objects.exists()


def test_the_first_entry_serves_everything_and_real_ones_replace_the_demo(client: Client) -> None:
    client.post("/settings/models/demo")
    client.post("/settings/models/demo")
    demo = ModelEntry.objects.get()
    assert demo.demo
    assert {choice.entry_id for choice in ModelChoice.objects.all()} == {demo.pk}
    client.post("/settings/models/new", ENTRY)
    main = ModelEntry.objects.get(demo=False)
    assert {choice.purpose: choice.entry_id for choice in ModelChoice.objects.all()} == dict.fromkeys(
        ("answers", "ask", "code"), main.pk
    )
    chosen = {"answers": str(demo.pk), "ask": str(main.pk), "code": str(main.pk)}
    client.post("/settings/models/choices", chosen)
    assert ModelChoice.objects.get(purpose="answers").entry == demo
    assert client.post("/settings/models/choices", {**chosen, "ask": "nonsense"}).status_code == 422


def test_names_are_unique_and_removing_leaves_no_purpose_without_a_model(client: Client) -> None:
    client.post("/settings/models/new", ENTRY)
    assert client.post("/settings/models/new", ENTRY).status_code == 422
    client.post("/settings/models/new", {**ENTRY, "name": "Other"})
    main = ModelEntry.objects.get(name="Main")
    client.post(f"/settings/models/{main.pk}/delete")
    assert ModelChoice.objects.get(purpose="answers").entry.name == "Other"
    assert client.get(f"/settings/models/{main.pk}").status_code == 404
    assert client.post(f"/settings/models/{main.pk}/delete").status_code == 404


def test_the_test_button_asks_a_real_server(client: Client, demo: Scripted) -> None:
    def test(**body: str):
        return client.post("/api/models/test", json.dumps(body), content_type="application/json")

    good = test(base_url=demo.base_url, key="", model="demo")
    assert good.status_code == 200
    assert good.json()["ok"], good.json()
    dead = test(base_url="http://127.0.0.1:9/v1", key="", model="demo").json()
    assert not dead["ok"]
    assert "cannot be reached" in dead["message"]
    assert test(base_url="nowhere", key="", model="demo").status_code == 422
    assert test(base_url=demo.base_url, key="", model="").status_code == 422
    assert not ModelEntry.objects.exists()


def test_local_servers_are_looked_for(client: Client) -> None:
    reply = client.get("/api/models/found")
    assert reply.status_code == 200
    assert isinstance(reply.json()["found"], list)
