"""Small real servers: they do exactly what a test says, well or badly, and note what they were asked."""

from __future__ import annotations

import asyncio
import datetime
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class Asked:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


Answer = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Server:
    port: int = 0
    connections: int = 0
    asked: list[Asked] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def reply(status: int = 200, body: bytes | str = b"", **headers: str) -> bytes:
    """A whole HTTP reply; header names are written with underscores."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content


def always(content: bytes, *, close: bool = False) -> Answer:
    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        await writer.drain()
        if close:
            writer.close()

    return answer


async def echo(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """What was asked, as JSON."""
    said = {"method": asked.method, "target": asked.target, "headers": asked.headers, "body": asked.body.decode()}
    writer.write(reply(200, json.dumps(said), Content_Type="application/json"))


@asynccontextmanager
async def serve(
    answer: Answer, host: str = "127.0.0.1", *, port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """host "" listens on every address of the machine, of both kinds."""
    server = Server()
    tasks: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            while (asked := await _read(reader)) is not None:
                server.asked.append(asked)
                await answer(asked, writer)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            writer.close()

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(talk(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    if tls is not None:
        tls.sni_callback = lambda _, name, __: server.names.append(name)  # type: ignore[assignment]
    if host:
        listening = await asyncio.start_server(take, host, port, ssl=tls)
    else:
        both = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if both else socket.AF_INET
        everywhere = socket.create_server(("", port), family=family, dualstack_ipv6=both)
        listening = await asyncio.start_server(take, sock=everywhere, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.gather(*tasks, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    return Asked(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))


class Names:
    """A name server of the test's own: what each name stands for, one answer after the other. Counts look-ups."""

    def __init__(self, **names: list[list[str]]) -> None:
        self.names = {name.replace("_", "."): list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answers = self.names.get(host)
        if not answers:
            raise OSError(f"no such name: {host}")
        return answers.pop(0) if len(answers) > 1 else answers[0]


def certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's TLS context with a certificate for the name, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain = folder / f"{name}.pem"
    chain.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(chain)
    calling = ssl.create_default_context(cadata=made.public_bytes(serialization.Encoding.PEM).decode())
    return serving, calling
