"""Prints what a chat turn costs, from the POST to the last event on the socket, beside the bare floor.

The floor is LangGraph and the openai package alone, asking the same model in the same minute, with nothing stored.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
import uuid
from typing import Any, TypedDict

import httpx
import websockets
from langgraph.graph import END, START, StateGraph
from openai import AsyncOpenAI

from tests.support.stack import Stack, running

TURNS = int(os.environ.get("BENCH_TURNS", "200"))
RATE_SECONDS = float(os.environ.get("BENCH_SECONDS", "8"))
FIRST_DELAY = 0.15
TOKEN = "b" * 32


class Client:
    """One signed-in person with one conversation and one open socket."""

    def __init__(self, stack: Stack, http: httpx.AsyncClient, slug: str, session: str) -> None:
        self.stack, self.http, self.slug = stack, http, slug
        self.cookies = {"sessionid": session, "csrftoken": TOKEN}
        self.first_delta = self.over = 0.0
        self.seq = 0

    async def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reply = await self.http.post(path, json=body, headers={"cookie": cookie})
        reply.raise_for_status()
        return reply

    async def open(self) -> None:
        made = await self.post(f"/api/a/{self.slug}/conversations", {"key": uuid.uuid4().hex})
        self.id = made.json()["conversation"]
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        address = f"{self.stack.url.replace('http', 'ws')}/ws/conversations/{self.id}?since=0"
        self.socket = await websockets.connect(
            address,
            additional_headers={"cookie": cookies},
            origin=self.stack.url,  # type: ignore[arg-type]
        )

    async def turn(self) -> float:
        """Milliseconds from the POST to the frame that says the turn is over."""
        began = time.perf_counter()
        post = asyncio.create_task(self.send("Hello there"))
        await self.until_idle()
        ms = (time.perf_counter() - began) * 1000
        await post
        return ms

    async def send(self, text: str) -> None:
        body = {"conversation": self.id, "text": text, "inputs": {}, "key": uuid.uuid4().hex}
        await self.post(f"/api/a/{self.slug}/messages", body)

    async def until_idle(self) -> None:
        """Until the page is told that the turn is over. seq: the last event that it was shown; over: when."""
        self.first_delta, answered, state = 0.0, False, "idle"
        async for message in self.socket:
            said = json.loads(message)
            if said["type"] == "delta" and not self.first_delta:
                self.first_delta = time.time()
            for frame in said.get("frames", ()):
                item = frame.get("item") or {}
                if item.get("type") == "status":
                    state = item["state"]
                elif item.get("type") == "answer" and not item["streaming"]:
                    answered = True
            self.seq = said.get("seq", self.seq)
            # A quick turn may begin and end within one message, so that its page never was anything but idle.
            if answered and state == "idle":
                self.over = time.time()
                return
        raise AssertionError("The socket closed in mid-turn")


def _spread(times: list[float]) -> str:
    ordered = sorted(times)
    return f"p50 {statistics.median(ordered):6.1f} ms   p95 {ordered[int(len(ordered) * 0.95) - 1]:6.1f} ms"


async def _rate(clients: list[Client]) -> float:
    """Turns per second with every client always in a turn."""
    done = 0
    until = time.perf_counter() + RATE_SECONDS

    async def go(client: Client) -> None:
        nonlocal done
        while time.perf_counter() < until:
            await client.turn()
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(go(client) for client in clients))
    return done / (time.perf_counter() - began)


async def floor(base_url: str) -> tuple[list[float], float]:
    """The same answer through LangGraph and openai alone: (milliseconds of each, answers per second at 64)."""
    model = AsyncOpenAI(base_url=base_url, api_key="bench")

    class State(TypedDict):
        question: str
        answer: str

    async def reply(state: State) -> dict[str, Any]:
        words = []
        messages: Any = [{"role": "user", "content": f"Answer: {state['question']}"}]
        async for chunk in await model.chat.completions.create(model="demo", messages=messages, stream=True):
            if chunk.choices and chunk.choices[0].delta.content:
                words.append(chunk.choices[0].delta.content)
        return {"answer": "".join(words)}

    graph: Any = StateGraph(State)
    graph.add_node("reply", reply)
    graph.add_edge(START, "reply")
    graph.add_edge("reply", END)
    app = graph.compile()
    times = []
    for _ in range(TURNS):
        began = time.perf_counter()
        await app.ainvoke({"question": "Hello there", "answer": ""})
        times.append((time.perf_counter() - began) * 1000)
    done = 0
    until = time.perf_counter() + RATE_SECONDS / 2

    async def go() -> None:
        nonlocal done
        while time.perf_counter() < until:
            await app.ainvoke({"question": "Hello there", "answer": ""})
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(go() for _ in range(64)))
    rate = done / (time.perf_counter() - began)
    await model.close()
    return times, rate


async def _clients(stack: Stack, http: httpx.AsyncClient, slug: str, sessions: list[str]) -> list[Client]:
    made = [Client(stack, http, slug, session) for session in sessions]
    for client in made:
        await client.open()
    return made


async def bench(stack: Stack, sessions: list[str]) -> None:
    demo = stack.demo
    demo.add({"when": {"contains": "Answer:"}, "answer": "It is a pleasure to meet you."})
    headers = {"x-csrftoken": TOKEN, "origin": stack.url}
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with httpx.AsyncClient(base_url=stack.url, headers=headers, limits=limits, timeout=30) as http:
        bare, bare_rate = await floor(demo.base_url)
        print(f"bare floor, one answer            {_spread(bare)}   {bare_rate:6.0f}/s at 64")
        one = (await _clients(stack, http, "one-llm", sessions[:1]))[0]
        for _ in range(20):
            await one.turn()
        turns = [await one.turn() for _ in range(TURNS)]
        ratio = statistics.median(turns) / statistics.median(bare)
        print(f"one chat turn, POST to last event {_spread(turns)}   {ratio:.1f} × floor")
        ten = (await _clients(stack, http, "ten-steps", sessions[:1]))[0]
        for _ in range(5):
            await ten.turn()
        print(f"ten deterministic steps           {_spread([await ten.turn() for _ in range(TURNS // 2)])}")
        for flight in (16, 64):
            rate = await _rate(await _clients(stack, http, "one-llm", sessions[:flight]))
            print(f"turns per second, {flight:3d} in flight  {rate:6.1f}/s   floor {bare_rate:.0f}/s")
        demo.set(speed=1)
        demo.add({"when": {"contains": "Answer:"}, "answer": "It is a pleasure.", "first_delay": FIRST_DELAY * 1000})
        delays = []
        for _ in range(40):
            before = len(demo.requests())
            await one.turn()
            asked = demo.requests()[before]
            delays.append((one.first_delta - asked["at"] - FIRST_DELAY) * 1000)
        print(f"first token, model to socket      {_spread(delays)}")


def main() -> None:
    url = os.environ.get("DATABASE_URL", "")
    print(f"database: {'PostgreSQL' if url else 'SQLite'}; one web and one worker process")
    with running() as stack:
        sessions = stack.call("tests.bench.seed:publish", people=64)
        asyncio.run(bench(stack, sessions))


if __name__ == "__main__":
    main()
