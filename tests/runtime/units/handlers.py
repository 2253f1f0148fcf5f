"""Handlers, routers and tools as people describe them: (name, kind, code, what is given, what comes back)."""

HEAD = "*, services, settings, env"

CASES = [
    (
        "rank results by score",
        "handler",
        """
async def rank(state, *, services, settings, env):
    ordered = sorted(state["results"], key=lambda one: (-one["score"], one["name"]))
    return {"top": ordered[: settings.maxResults]}
""",
        {"results": [{"name": "b", "score": 1}, {"name": "a", "score": 3}, {"name": "c", "score": 1}]},
        {"top": [{"name": "a", "score": 3}, {"name": "b", "score": 1}]},
    ),
    (
        "an empty list when there is nothing",
        "handler",
        """
async def top(state, *, services, settings, env):
    return {"top": state.get("results") or []}
""",
        {},
        {"top": []},
    ),
    (
        "a Markdown table",
        "handler",
        """
async def table(state, *, services, settings, env):
    rows = [f"| {one['id']} | {one['name']} |" for one in state["found"]]
    return {"choices": "\\n".join(["| Id | Name |", "| --- | --- |", *rows])}
""",
        {"found": [{"id": 7, "name": "Nordhavn"}]},
        {"choices": "| Id | Name |\n| --- | --- |\n| 7 | Nordhavn |"},
    ),
    (
        "money in decimals",
        "handler",
        """
from decimal import ROUND_HALF_UP, Decimal


async def total(state, *, services, settings, env):
    net = sum(Decimal(str(line["price"])) * line["quantity"] for line in state["lines"])
    gross = (net * Decimal("1.19")).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return {"total": float(gross), "shown": f"{gross:,.2f} EUR"}
""",
        {"lines": [{"price": 9.4, "quantity": 120}, {"price": 0.1, "quantity": 3}]},
        {"total": 1342.68, "shown": "1,342.68 EUR"},
    ),
    (
        "days between dates",
        "handler",
        """
from datetime import date


async def days(state, *, services, settings, env):
    return {"days": (date.fromisoformat(state["end"]) - date.fromisoformat(state["start"])).days}
""",
        {"start": "2026-02-20", "end": "2026-03-02"},
        {"days": 10},
    ),
    (
        "today, in a time zone",
        "handler",
        """
from datetime import datetime
from zoneinfo import ZoneInfo


async def today(state, *, services, settings, env):
    now = datetime.now(ZoneInfo("Europe/Nicosia"))
    return {"today": now.date().isoformat(), "hour": now.hour}
""",
        {},
        {"today": "2023-11-15", "hour": 0},
    ),
    (
        "parse a date as people write it",
        "handler",
        """
from datetime import datetime


async def parse(state, *, services, settings, env):
    return {"iso": datetime.strptime(state["text"], "%d %B %Y").date().isoformat()}
""",
        {"text": "3 May 2026"},
        {"iso": "2026-05-03"},
    ),
    (
        "find numbers in a text",
        "handler",
        """
import re


async def numbers(state, *, services, settings, env):
    return {"numbers": [int(n) for n in re.findall(r"\\d+", state["text"])]}
""",
        {"text": "12 jars and 3 tins"},
        {"numbers": [12, 3]},
    ),
    (
        "read CSV",
        "handler",
        """
import csv
import io


async def rows(state, *, services, settings, env):
    return {"rows": list(csv.DictReader(io.StringIO(state["csv"])))}
""",
        {"csv": "name,age\nAda,36\n"},
        {"rows": [{"name": "Ada", "age": "36"}]},
    ),
    (
        "read XML",
        "handler",
        """
import xml.etree.ElementTree as ET


async def titles(state, *, services, settings, env):
    return {"titles": [one.text for one in ET.fromstring(state["feed"]).iter("title")]}
""",
        {"feed": "<rss><item><title>One</title></item><item><title>Two</title></item></rss>"},
        {"titles": ["One", "Two"]},
    ),
    (
        "text out of HTML",
        "handler",
        """
from html.parser import HTMLParser


class Text(HTMLParser):
    def __init__(self):
        super().__init__()
        self.parts = []

    def handle_data(self, data):
        self.parts.append(data.strip())


async def plain(state, *, services, settings, env):
    reader = Text()
    reader.feed(state["html"])
    return {"text": " ".join(part for part in reader.parts if part)}
""",
        {"html": "<p>Hello <b>there</b></p>"},
        {"text": "Hello there"},
    ),
    (
        "group and count",
        "handler",
        """
from collections import Counter, defaultdict


async def count(state, *, services, settings, env):
    groups = defaultdict(list)
    for one in state["items"]:
        groups[one["kind"]].append(one["id"])
    return {"counts": dict(Counter(one["kind"] for one in state["items"])), "groups": dict(groups)}
""",
        {"items": [{"kind": "a", "id": 1}, {"kind": "b", "id": 2}, {"kind": "a", "id": 3}]},
        {"counts": {"a": 2, "b": 1}, "groups": {"a": [1, 3], "b": [2]}},
    ),
    (
        "statistics",
        "handler",
        """
import statistics


async def stats(state, *, services, settings, env):
    return {"median": statistics.median(state["n"]), "spread": round(statistics.stdev(state["n"]), 3)}
""",
        {"n": [1, 2, 3, 10]},
        {"median": 2.5, "spread": 4.082},
    ),
    (
        "closest name",
        "handler",
        """
import difflib


async def closest(state, *, services, settings, env):
    return {"name": difflib.get_close_matches(state["typed"], state["names"], 1)}
""",
        {"typed": "heather hony", "names": ["Heather honey", "heather honey", "Oat cakes"]},
        {"name": ["heather honey"]},
    ),
    (
        "a dataclass with a method",
        "handler",
        """
from dataclasses import asdict, dataclass


@dataclass
class Line:
    product: str
    quantity: int = 1


async def lines(state, *, services, settings, env):
    return {"lines": [asdict(Line(**one)) for one in state["raw"]]}
""",
        {"raw": [{"product": "tea"}, {"product": "jam", "quantity": 4}]},
        {"lines": [{"product": "tea", "quantity": 1}, {"product": "jam", "quantity": 4}]},
    ),
    (
        "Hebrew and emoji stay whole",
        "handler",
        """
async def words(state, *, services, settings, env):
    return {"text": state["text"][::-1][::-1] + " 👍", "count": len(state["text"])}
""",
        {"text": "שלום עולם ע״י"},
        {"text": "שלום עולם ע״י 👍", "count": 13},
    ),
    (
        "a queue of calls",
        "handler",
        """
async def queue(state, *, services, settings, env):
    return {
        "calls": [
            {"id": f"call-{number}", "name": "book", "args": {"room": one["room"]}}
            for number, one in enumerate(state["plan"]["rooms"], 1)
            if one.get("wanted")
        ]
    }
""",
        {"plan": {"rooms": [{"room": "A", "wanted": True}, {"room": "B"}]}},
        {"calls": [{"id": "call-1", "name": "book", "args": {"room": "A"}}]},
    ),
    (
        "a hash and base64",
        "handler",
        """
import base64
import hashlib


async def digest(state, *, services, settings, env):
    body = state["text"].encode()
    return {"sha": hashlib.sha256(body).hexdigest()[:8], "b64": base64.b64encode(body).decode()}
""",
        {"text": "hello"},
        {"sha": "2cf24dba", "b64": "aGVsbG8="},
    ),
    (
        "an address with parameters",
        "handler",
        """
from urllib.parse import urlencode, urlsplit


async def link(state, *, services, settings, env):
    return {"link": f"{settings.site}/find?{urlencode(state['query'])}", "host": urlsplit(settings.site).netloc}
""",
        {"query": {"q": "a b", "page": 2}},
        {"link": "https://shop.example/find?q=a+b&page=2", "host": "shop.example"},
    ),
    (
        "nothing to change",
        "handler",
        """
async def nothing(state, *, services, settings, env):
    if not state["items"]:
        return
    return {"first": state["items"][0]}
""",
        {"items": []},
        {},
    ),
    (
        "a router by value",
        "router",
        """
async def route(state, *, services, settings, env):
    if state["kind"] == "order" and len(state["lines"]) >= 2:
        return "many"
    return "one"
""",
        {"kind": "order", "lines": [1, 2]},
        "many",
    ),
    (
        "a router by a nested field",
        "router",
        """
async def route(state, *, services, settings, env):
    match (state.get("plan") or {}).get("want"):
        case "call":
            return "call"
        case _:
            return "done"
""",
        {"plan": None},
        "done",
    ),
    (
        "a tool that reads two pages at once",
        "tool",
        """
import asyncio


async def pages(args, *, services, settings, env):
    urls = [f"{settings.site}/{name}" for name in args["names"]]
    replies = await asyncio.gather(*[services.http.get(url) for url in urls])
    return [reply.json()["at"] for reply in replies]
""",
        {"names": ["a", "b", "c"]},
        ["https://shop.example/a", "https://shop.example/b", "https://shop.example/c"],
    ),
    (
        "a tool that tries again",
        "tool",
        """
import asyncio


async def stubborn(args, *, services, settings, env):
    for attempt in range(3):
        reply = await services.http.get(f"{settings.site}/flaky", params={"attempt": attempt})
        if reply.ok:
            return {"attempts": attempt + 1, "type": reply.headers["content-type"]}
        await asyncio.sleep(0.01)
    raise RuntimeError("The shop does not answer.")
""",
        {},
        {"attempts": 3, "type": "application/json"},
    ),
    (
        "a tool that pages through a list",
        "tool",
        """
async def everything(args, *, services, settings, env):
    found, cursor = [], ""
    while True:
        reply = await services.http.get(f"{settings.site}/list", params={"cursor": cursor, "big": True})
        page = reply.json()
        found += page["items"]
        cursor = page["next"]
        if not cursor:
            return found
""",
        {},
        [1, 2, 3, 4],
    ),
    (
        "a generator and a nested function",
        "handler",
        """
from itertools import islice


def primes():
    known = []
    number = 2
    while True:
        if all(number % one for one in known):
            known.append(number)
            yield number
        number += 1


async def first(state, *, services, settings, env):
    return {"primes": list(islice(primes(), state["count"]))}
""",
        {"count": 6},
        {"primes": [2, 3, 5, 7, 11, 13]},
    ),
]
