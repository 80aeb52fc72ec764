"""Server-sent events: from any step on, also of runs that others drive, and for clients that hardly read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from stepgraph_tui.server import guard
from tests.rest.client import Client, exchange, scope_of
from tests.rest.conftest import Served

RUNS = "/api/v1/agent-executions"


def play(scene: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(60):
            await scene

    asyncio.run(limited())


@asynccontextmanager
async def alive(client: Client) -> AsyncIterator[None]:
    """Run the site's lifespan, in which it watches the store."""
    come: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    said: asyncio.Queue[Any] = asyncio.Queue()

    async def live() -> None:
        await client.app({"type": "lifespan", "state": {}}, come.get, said.put)

    task = asyncio.create_task(live())
    await come.put({"type": "lifespan.startup"})
    assert (await said.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await come.put({"type": "lifespan.shutdown"})
        await task


async def listen(client: Client, target: str, **headers: str) -> AsyncGenerator[tuple[str, str, Any]]:
    """Give each event: its kind, its id and its data."""
    text = ""
    sent = {**client.headers, **headers}
    async with aclosing(exchange(client.app, "GET", target, sent, ())) as messages:
        async for message in messages:
            text += message.get("body", b"").decode()
            *whole, text = text.split("\n\n")
            for each in whole:
                parts = dict(line.split(": ", 1) for line in each.splitlines() if not line.startswith(":"))
                if parts:
                    yield parts["event"], parts.get("id", ""), json.loads(parts["data"])


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 30, "1 2"])
def test_an_event_id_that_is_no_step_is_refused(served: Served, last: str) -> None:
    served.pause()
    assert served.client()("GET", f"{RUNS}/e-1/events", last_event_id=last).status == 422


def test_a_client_that_takes_nothing_is_given_up(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 0.01)
    served.pause()
    client = served.client()

    async def scene() -> None:
        sent = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Any:
            return sent.pop() if sent else await asyncio.Event().wait()

        async def never(message: Any) -> None:
            await asyncio.Event().wait()

        await client.app(scope_of("GET", f"{RUNS}/e-1/events", client.headers), receive, never)

    play(scene())
    assert served.failures == []


def test_a_store_that_is_taken_away_ends_the_stream_with_a_word(served: Served) -> None:
    served.pause()
    client = served.client()

    async def scene() -> None:
        async with alive(client), aclosing(listen(client, f"{RUNS}/e-1/events")) as told:
            assert (await anext(told))[0] == "status"
            served.service.store.close()
            [(kind, _, data)] = [each async for each in told]
            assert kind == "error"
            assert data["code"].startswith("S")

    play(scene())
