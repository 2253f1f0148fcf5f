"""Real listeners on this machine that keep what they are sent: a mail server, and one for HTTP requests."""

from __future__ import annotations

import contextlib
import email.message
import email.parser
import email.policy
import http.server
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Mails:
    """A mail server. refuse: what it answers to a recipient whose address begins so, such as "550 no such person".

    taken: the messages. given: for whom each of them was.
    """

    port: int = 0
    refuse: dict[str, str] = field(default_factory=dict)
    taken: list[email.message.EmailMessage] = field(default_factory=list)
    given: list[list[str]] = field(default_factory=list)

    def answer(self, person: str) -> str:
        return next((said for start, said in self.refuse.items() if person.startswith(start)), "250 yes")


@contextlib.contextmanager
def mails() -> Iterator[Mails]:
    """A mail server that keeps every message."""
    kept = Mails()

    class Talk(socketserver.StreamRequestHandler):
        def say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        def handle(self) -> None:
            self.say("220 here")
            people: list[str] = []
            while line := self.rfile.readline():
                verb = line.decode().strip().upper().partition(" ")[0]
                if verb == "DATA":
                    self.say("354 go on")
                    text = b""
                    while (each := self.rfile.readline()) not in (b".\r\n", b""):
                        text += each.removeprefix(b".") if each.startswith(b"..") else each
                    kept.taken.append(email.parser.BytesParser(policy=email.policy.default).parsebytes(text))
                    kept.given.append(people)
                    people = []
                    self.say("250 taken")
                elif verb == "RCPT":
                    person = line.decode().partition("<")[2].partition(">")[0]
                    answer = kept.answer(person)
                    people += [person] if answer.startswith("250") else []
                    self.say(answer)
                elif verb == "QUIT":
                    self.say("221 bye")
                    return
                else:
                    self.say("250 yes")

    with _serving(socketserver.ThreadingTCPServer, Talk) as kept.port:
        yield kept


@dataclass
class Heard:
    """One request that came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Requests:
    """A web server. status: what it answers to every request."""

    port: int = 0
    status: int = 200
    heard: list[Heard] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def requests() -> Iterator[Requests]:
    """A web server that keeps every POST."""
    kept = Requests()

    class Talk(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            kept.heard.append(Heard(self.path, headers, body))
            self.send_response(kept.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with _serving(http.server.ThreadingHTTPServer, Talk) as kept.port:
        yield kept


@contextlib.contextmanager
def _serving(kind: type[socketserver.TCPServer], talk: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    with kind(("127.0.0.1", 0), talk) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
