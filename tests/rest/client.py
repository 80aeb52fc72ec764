"""A client of the site within this process: an ASGI server of forty lines, without sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message


@dataclass(frozen=True)
class Answer:
    """What the site answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


def scope_of(method: str, target: str, headers: Mapping[str, str]) -> dict[str, Any]:
    path, _, query = target.partition("?")
    from urllib.parse import unquote

    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8000),
    }


async def exchange(
    app: ASGIApp, method: str, target: str, headers: Mapping[str, str], parts: Iterable[bytes]
) -> AsyncGenerator[Message]:
    """Send one request, and give the messages of its answer as they come; closing it hangs up."""
    sent = list(parts) or [b""]
    messages: asyncio.Queue[Message | None] = asyncio.Queue(1)
    gone = asyncio.Event()

    async def receive() -> Message:
        if sent:
            return {"type": "http.request", "body": sent.pop(0), "more_body": bool(sent)}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def answer() -> None:
        await app(scope_of(method, target, headers), receive, messages.put)
        await messages.put(None)

    task = asyncio.create_task(answer())
    try:
        while (message := await messages.get()) is not None:
            yield message
    finally:
        gone.set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Client:
    """Asks a site."""

    def __init__(self, app: ASGIApp, **headers: str) -> None:
        self.app = app
        self.headers = {"host": "127.0.0.1:8000", **headers}

    async def ask(
        self, method: str, target: str, parts: Iterable[bytes] = (), headers: Mapping[str, str] | None = None
    ) -> Answer:
        status, found, body = 0, {}, b""
        sent = {**self.headers, **(headers or {})}
        async for message in exchange(self.app, method, target, sent, parts):
            if message["type"] == "http.response.start":
                status = message["status"]
                found = {name.decode(): value.decode() for name, value in message["headers"]}
            body += message.get("body", b"")
        return Answer(status, found, body)

    def __call__(self, method: str, target: str, body: object = None, **headers: str) -> Answer:
        """Ask once; a body that is no bytes is sent as JSON."""
        parts = [] if body is None else [body if isinstance(body, bytes) else json.dumps(body).encode()]
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            named = {"content-type": "application/json", **named}
        return asyncio.run(self.ask(method, target, parts, named))
