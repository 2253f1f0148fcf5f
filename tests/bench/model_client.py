"""What a model call costs in this process: python -m tests.bench.model_client [calls]

Against a server of its own, in another process, that answers at once. Beside each figure stand the bare floor of the
same minute (an HTTP client that only reads the stream) and the openai package's own streaming, for comparison.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

ASK = [{"role": "user", "content": "Hello?"}]


def body_of(words: int) -> bytes:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    events = [{**head, "choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}]}] * words
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    events.append({**head, "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": words}})
    written = [f"data: {json.dumps(event)}\n\n".encode() for event in events] + [b"data: [DONE]\n\n"]
    return b"".join(b"%x\r\n%s\r\n" % (len(event), event) for event in written) + b"0\r\n\r\n"


async def answer_at_once(words: int) -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + body_of(words)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(length[15:]))
                writer.write(whole)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@asynccontextmanager
async def ways(base_url: str) -> AsyncIterator[dict[str, Callable[[], Awaitable[object]]]]:
    import httpx2
    import openai

    from runtime.services import clients
    from runtime.services.model import Endpoint, complete

    bare = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=None), timeout=60)
    package = openai.AsyncOpenAI(base_url=base_url, api_key="x", max_retries=0, timeout=60)
    endpoint = Endpoint("bench", base_url, None, "bench")

    async def floor() -> None:
        asked = {"model": "bench", "messages": ASK, "stream": True}
        async with bare.stream("POST", f"{base_url}/chat/completions", json=asked) as response:
            async for _ in response.aiter_bytes():
                pass

    async def stream() -> None:
        chunks = await package.chat.completions.create(model="bench", messages=ASK, stream=True)  # type: ignore[call-overload]
        async for _ in chunks:
            pass

    async def ours() -> None:
        await complete(endpoint, ASK, on_text=len, cancelled=bool)

    async with bare, package, clients.apart():
        yield {"floor: read the bytes": floor, "openai package, streamed": stream, "runtime.services.model": ours}


async def measure(words: int, calls: int, port: int) -> None:
    print(f"\nan answer of {words} words")
    async with ways(f"http://127.0.0.1:{port}/v1") as named:
        for name, call in named.items():
            for _ in range(20):
                await call()
            took = []
            busy = time.process_time()
            for _ in range(calls):
                began = time.perf_counter()
                await call()
                took.append((time.perf_counter() - began) * 1000)
            busy = (time.process_time() - busy) * 1000 / calls
            began = time.perf_counter()
            rounds = max(calls // 64, 2)
            for _ in range(rounds):
                await asyncio.gather(*(call() for _ in range(64)))
            rate = 64 * rounds / (time.perf_counter() - began)
            p95 = statistics.quantiles(took, n=20)[-1]
            print(
                f"  {name:26} p50 {statistics.median(took):6.2f} ms   p95 {p95:6.2f} ms   "
                f"processor {busy:5.2f} ms   {rate:5.0f}/s at 64 in flight"
            )


def main() -> None:
    import uvloop

    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for words in (1, 20, 200):
        server = subprocess.Popen([sys.executable, __file__, "serve", str(words)], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            uvloop.run(measure(words, calls, int(server.stdout.readline())))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(answer_at_once(int(sys.argv[2])))
    else:
        main()
