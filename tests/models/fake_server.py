"""A server on loopback that speaks the protocols of OpenAI and Anthropic, with faults on demand.

A test tells it what to answer next; the official libraries talk to it. By hand, each fault has the name of a
model (``--help`` lists them), and any other model says back what it was told:

    python -m tests.models.fake_server --port 8765 --delay 0.1
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.models.fake_protocols import AnthropicProtocol, OpenAIProtocol, Protocol


@dataclass(frozen=True)
class Said:
    """A reply of the model, in pieces as a stream has them."""

    text: str = ""
    thoughts: str = ""
    """What it thinks first."""
    thoughts_key: str = "reasoning_content"
    """What a server of OpenAI's protocol calls that."""
    signature: str = "c2ln"
    """What Anthropic signs it with."""
    tools: Sequence[tuple[str, object]] = ()
    """The tools that it asks for: a name, and arguments (text is sent as it is, be it JSON or not)."""
    finish: str = ""
    """Why it ended, as the provider says it; empty for a reply that is whole."""
    refusal: str = ""
    usage: tuple[int, int] = (12, 7)
    """The tokens of the input and of the output."""
    cached: int = 0
    words: bool = True
    """Whether the text comes word by word, not in one piece."""
    cut: bool = False
    """Whether the connection ends before the reply is whole."""
    error: str = ""
    """An error that the stream ends with, though it began well."""
    gate: threading.Event | None = None
    """Is waited for after the first piece, and the text that comes until then is all there is."""
    garbage: bool = False
    """Whether the last event is not JSON."""


@dataclass(frozen=True)
class Refused:
    """A refusal, as the provider words it."""

    status: int
    message: str = "no"
    type: str = "invalid_request_error"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """An answer that follows no protocol."""

    body: bytes
    status: int = 200
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Endless:
    """A reply that never ends: a piece again and again, or none (``text`` empty), or not even headers."""

    text: str = "and so on "
    headers: bool = True
    comments: bool = False
    """Whether comments come in place of pieces: a sign of life that says nothing."""


Answer = Said | Refused | Raw | Endless
"""What is answered to one request."""

HTML = Raw(
    b"<!doctype html><html><title>Sign in</title><body>Please sign in.</body></html>", type="text/html"
)


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    """By names in small letters."""
    body: dict[str, Any]

    @property
    def last(self) -> str:
        """The text of the last message."""
        content = self.body["messages"][-1]["content"]
        if isinstance(content, str):
            return content
        return "".join(part.get("text", "") or str(part.get("content", "")) for part in content or ())


class FakeServer:
    """The server; in a ``with`` it listens.

    Args:
        answers: What it answers, in order; afterwards ``otherwise``.
        otherwise: Answers what nothing was told for.
        key: The key that it takes; None for any.
        port: Where it listens; any free port when 0.
        delay: Seconds between the pieces of a stream.
    """

    def __init__(
        self,
        *answers: Answer,
        otherwise: Callable[[Request], Answer] = lambda request: Said(f"You said: {request.last}"),
        key: str | None = None,
        port: int = 0,
        delay: float = 0.0,
    ) -> None:
        self.requests: list[Request] = []
        """What was asked, in order."""
        self.key, self.delay = key, delay
        self.gone = threading.Event()
        """Is set when somebody who was being answered has gone away."""
        self.ends = threading.Event()
        self._answers = list(answers)
        self._otherwise = otherwise
        self._lock = threading.Lock()
        self._server = _QuietServer(("127.0.0.1", port), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        """The address, for Anthropic's ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def openai_url(self) -> str:
        """The address for OpenAI's ``base_url``."""
        return f"{self.address}/v1"

    def then(self, *answers: Answer) -> Self:
        """Answer so what comes next."""
        with self._lock:
            self._answers.extend(answers)
        return self

    def answer(self, request: Request) -> Answer:
        """Choose the answer to a request."""
        with self._lock:
            self.requests.append(request)
            if self._answers:
                return self._answers.pop(0)
        return self._otherwise(request)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening, and let go of whoever waits."""
        self.ends.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait(self) -> None:
        """Listen until it is closed."""
        self._thread.join()


def _handler(server: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Answering):
        fake = server

    return Handler


class _QuietServer(ThreadingHTTPServer):
    """Says nothing of clients that go away: some tests are about that."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Tell of what is not a lost connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # as it came


class _Answering(BaseHTTPRequestHandler):
    """Answers one connection."""

    fake: FakeServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each small piece waits 40 ms for the one before

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        protocol: Protocol = AnthropicProtocol() if self.path.endswith("/messages") else OpenAIProtocol()
        answer = self.fake.answer(request)
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix(
            "Bearer "
        )
        if self.fake.key is not None and given != self.fake.key:
            answer = Refused(
                401, f"Incorrect API key provided: {given}.", "authentication_error", "invalid_api_key"
            )
        try:
            self._give(answer, request, protocol)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
            self.fake.gone.set()

    def _give(self, answer: Answer, request: Request, protocol: Protocol) -> None:
        match answer:
            case Refused():
                told = protocol.refusal(answer.message, answer.type, answer.code)
                self._whole(json.dumps(told).encode(), answer.status, headers=answer.headers)
            case Raw():
                self._whole(answer.body, answer.status, answer.type, answer.headers)
            case Endless():
                self._endless(answer, request, protocol)
            case Said() if request.body.get("stream"):
                self._stream(answer, protocol.stream(answer, request.body))
            case Said():
                self._whole(json.dumps(protocol.whole(answer, request.body)).encode())

    def _whole(
        self, body: bytes, status: int = 200, type: str = "application/json", headers: Mapping[str, str] = {}
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": type, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _piece(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _stream(self, answer: Said, events: Iterator[bytes]) -> None:
        self._begin()
        for place, event in enumerate(events):
            if answer.gate is not None and place == 2:
                self._until(answer.gate)
            elif place and self.fake.delay:
                self.fake.ends.wait(self.fake.delay)
            self._piece(event)
        if answer.cut:
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def _until(self, gate: threading.Event) -> None:
        while not gate.wait(0.02) and not self.fake.ends.is_set():
            self._piece(b": still there\n\n")  # a comment, by which it is noticed that nobody listens

    def _endless(self, answer: Endless, request: Request, protocol: Protocol) -> None:
        if answer.headers:
            self._begin()
        events = protocol.stream(Said(f"{answer.text} "), request.body)
        first, piece = next(events), next(events)
        if answer.headers:
            self._piece(first)
        while not self.fake.ends.wait(
            0.02 if not answer.text or answer.comments or not answer.headers else self.fake.delay
        ):
            if answer.comments:
                self._piece(b": still there\n\n")
            elif answer.headers and answer.text:
                self._piece(piece)
        self.close_connection = True


_TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9104 tokens."
)
FAULTS: dict[str, Sequence[Answer]] = {
    "401": [Refused(401, "Incorrect API key provided.", "authentication_error", "invalid_api_key")],
    "403": [Refused(403, "You may not use this model.", "permission_error")],
    "404": [Refused(404, "The model does not exist.", "not_found_error", "model_not_found")],
    "429": [Refused(429, "Too many requests.", "rate_limit_error", None, {"retry-after": "2"})],
    "429-once": [
        Refused(429, "Too many requests.", "rate_limit_error", None, {"retry-after": "3"}),
        Said("At last."),
    ],
    "quota": [Refused(429, "You exceeded your current quota.", "insufficient_quota", "insufficient_quota")],
    "500": [Refused(500, "Internal error.", "api_error")],
    "529": [Refused(529, "Overloaded", "overloaded_error")],
    "529-once": [Refused(529, "Overloaded", "overloaded_error"), Said("At last.")],
    "too-long": [Refused(400, _TOO_LONG, "invalid_request_error", "context_length_exceeded")],
    "cut": [Said("This reply is cut in the middle", cut=True)],
    "garbage": [Said("This reply ends in garbage", garbage=True)],
    "error": [Said("This reply ends in an error", error="overloaded_error")],
    "malformed": [Raw(b'{"choices": [{"mess')],
    "html": [HTML],
    "arguments": [Said(tools=[("look_up", '{"order": 12')])],
    "length": [Said("This reply was too", finish="length")],
    "filter": [Said("I", finish="content_filter")],
    "refusal": [Said(refusal="I cannot help with that.")],
    "endless": [Endless()],
    "silent": [Endless(headers=False)],
    "comments": [Endless(comments=True)],
    "empty": [Said("")],
}
"""The faults by name."""


def by_model(request: Request, turns: dict[str, int]) -> Answer:
    """Answer as the model's name says: a fault; ``tools`` asks for the first tool; others say it back."""
    name = str(request.body.get("model", ""))
    if name in FAULTS:
        turn = turns[name] = turns.get(name, -1) + 1
        return FAULTS[name][turn % len(FAULTS[name])]
    schema = OpenAIProtocol.schema_of(request.body) or AnthropicProtocol.schema_of(request.body)
    if schema is not None:
        return Said(json.dumps(sample(schema)), words=False)
    tools = request.body.get("tools") or []
    if tools and request.body["messages"][-1]["role"] == "user" and not _answers_tool(request.body):
        tool = tools[0].get("function", tools[0])
        return Said(
            f"I call {tool['name']}.",
            tools=[(tool["name"], sample(tool.get("parameters") or tool.get("input_schema")))],
        )
    return Said(f"You said: {request.last}", usage=(len(request.last.split()), len(request.last.split()) + 2))


def _answers_tool(body: Mapping[str, Any]) -> bool:
    content = body["messages"][-1]["content"]
    return isinstance(content, list) and any(part.get("type") == "tool_result" for part in content)


def sample(schema: Mapping[str, Any] | None) -> Any:
    """Make a value that fits a JSON schema."""
    schema = schema or {}
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    plain = {"string": "text", "number": 1.5, "integer": 1, "boolean": True, "null": None, "array": []}
    if kind in plain:
        return plain[kind]
    return {name: sample(part) for name, part in schema.get("properties", {}).items()}


def main(arguments: Iterable[str] | None = None) -> None:
    """Listen until it is interrupted."""
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], epilog=f"models: {', '.join(FAULTS)}"
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds between the pieces of a stream")
    parser.add_argument("--key", help="the key that it takes; any otherwise")
    given = parser.parse_args(None if arguments is None else list(arguments))
    turns: dict[str, int] = {}
    server = FakeServer(
        otherwise=lambda request: by_model(request, turns), key=given.key, port=given.port, delay=given.delay
    )
    with server:
        print(f"OpenAI: {server.openai_url}   Anthropic: {server.address}", flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
