"""Server-sent events: from any step on, also of runs that others drive, and for clients that hardly read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision
from stepgraph.runs.executor import Executor
from stepgraph_tui.server import events, guard
from stepgraph_tui.server.events import StoreWatcher
from tests.cli.calling import COUNT
from tests.rest.client import Client, exchange, scope_of
from tests.rest.conftest import HELD, Serve, Served
from tests.rest.holding import Hold

RUNS = "/api/v1/agent-executions"
COUNTS = "def work(state):\n    return {'count': state['count'] + 1}\n"
LOOP = COUNT.replace("max_steps = 9", "max_steps = 900").replace("count < 3", "count < LAST")


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


def test_all_steps_are_told_then_where_the_run_stands_until_it_ends(served: Served) -> None:
    token = served.pause()
    client = served.client()

    async def scene() -> None:
        async with alive(client), aclosing(listen(client, f"{RUNS}/e-1/events")) as told:
            kind, number, data = await anext(told)
            assert (kind, number, data["status"]) == ("status", "", "paused")
            assert data["review"]["id"] == token["review"]
            # Somebody else decides, and drives the run: another process, as far as the server knows.
            Reviews(served.service.store).decide(token["review"], Decision.approve(by="ana"))
            executor = Executor(served.service.graphs["ask"], served.service.store)
            executor.run(executor.load("e-1"))
            rest = [each async for each in told]
        steps = [(number, data["node"]) for kind, number, data in rest if kind == "step"]
        assert steps == [("1", "ask"), ("2", "pay")]
        assert rest[-1][2]["outcome"] == "end"

    play(scene())


@pytest.mark.parametrize(("after", "first"), [(0, 1), (1, 2), (150, 151), (249, 250)])
def test_events_go_on_after_the_last_one_that_was_seen(serve: Serve, after: int, first: int) -> None:
    served = serve(LOOP.replace("LAST", "250"), work=COUNTS)
    served.service.start("count", {}, run_id="r").future.result()
    client = served.client()

    async def scene() -> None:
        for target, headers in ((f"?after={after}", {}), ("?after=7", {"last-event-id": str(after)})):
            told = [each async for each in listen(client, f"{RUNS}/r/events{target}", **headers)]
            assert [number for kind, number, _ in told if kind == "step"] == list(map(str, range(first, 251)))
            assert told[-1][0] == "status"

    play(scene())


def test_who_has_seen_all_of_a_run_that_is_over_need_not_come_back(served: Served) -> None:
    token = served.pause()
    served.service.resume("e-1", Decision.approve(), token["review"], token["hash"]).future.result()
    client = served.client()
    assert client("GET", f"{RUNS}/e-1/events", last_event_id="2").status == 204
    assert client("GET", f"{RUNS}/e-1/events", last_event_id="1").status == 200


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 30, "1 2"])
def test_an_event_id_that_is_no_step_is_400(served: Served, last: str) -> None:
    served.pause()
    assert served.client()("GET", f"{RUNS}/e-1/events", last_event_id=last).status == 400


def test_steps_come_while_the_run_goes_on(serve: Serve, hold: Hold) -> None:
    served = serve(COUNT, work=HELD)
    client = served.client()

    async def scene() -> None:
        going = served.service.start("count", {}, run_id="r")
        async with alive(client), aclosing(listen(client, f"{RUNS}/r/events")) as told:
            assert (await anext(told))[2]["status"] == "ready"
            hold.go.set()
            kinds = [kind async for kind, _, _ in told]
        assert kinds.count("step") == 3
        await asyncio.wrap_future(going.future)

    play(scene())


def test_a_step_that_found_its_way_later_is_told_with_that(serve: Serve) -> None:
    served = serve(
        COUNT.replace("count < 3", "count > 9").replace('to = "END"', 'to = "END"\nwhen = "count > 5"'),
        work=COUNTS,
    )
    executor = Executor(served.service.graphs["count"], served.service.store)
    executor.run(executor.start({}, "r"))
    assert [step.next for step in served.service.news("r", 0).steps] == [None]
    executor.edit("r", {"count": 7}, by="ana")
    executor.retry("r")
    assert [step.next for step in served.service.news("r", 0).steps] == ["END"]


def test_a_change_costs_what_is_new_however_long_the_run_is(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared = '[state.token]\ndefault = "hunter2-0"\nsecret = true\n\n[nodes.work]'
    code = "def work(state):\n    n = state['count'] + 1\n    return {'count': n, 'token': f'hunter2-{n}'}\n"
    served = serve(LOOP.replace("LAST", "900").replace("[nodes.work]", declared), work=code)
    store = served.service.store
    executor = Executor(served.service.graphs["count"], store)
    read: list[object] = []

    def note(name: str) -> None:
        asked = getattr(store, name)

        def noted(*words: Any) -> Any:
            found = asked(*words)
            read.extend(found)
            return found

        monkeypatch.setattr(store, name, noted)

    for name in ("rows", "visits", "values", "outline"):
        note(name)
    costs = []
    for length in (20, 400):
        run = executor.start({}, f"r-{length}")
        while run.step < length:
            executor.step(run)
        news = served.service.news(run.id, length)
        record = executor.step(run)
        read.clear()
        (step,) = served.service.news(run.id, length, news.row).steps
        costs.append(len(read))
        assert (step.step, record.output) == (
            length + 1,
            f'{{"count":{length + 1},"token":"hunter2-{length + 1}"}}',
        )
        assert step.output == f'{{"count":{length + 1},"token":"***"}}'
    assert costs == [2, 2]  # the new row, to be told, and for what it has brought of secrets


def test_slow_readers_hold_no_events_and_those_beyond_the_limit_are_told_so(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand listen and take one event each: nothing is read ahead for them, and others are served."""
    monkeypatch.setattr(events, "LISTENERS", 50)
    served = serve(LOOP.replace("LAST", "300"), work=COUNTS)
    served.service.start("count", {}, run_id="r").future.result()
    client = served.client()
    pages = 0
    news = served.service.news

    def counted(run_id: str, after: int, row: int = 0) -> Any:
        nonlocal pages
        pages += 1
        return news(run_id, after, row)

    monkeypatch.setattr(served.service, "news", counted)

    async def scene() -> None:
        async with alive(client):
            listening = []
            for _ in range(1_000):
                told = exchange(client.app, "GET", f"{RUNS}/r/events", client.headers, ())
                if (await anext(told))["status"] == 200:
                    listening.append(told)
                else:
                    await told.aclose()
            assert len(listening) == 50
            assert pages <= 2 * 50  # one to answer at all, and one page for who listens
            assert (await client.ask("GET", "/health")).status == 200
            for each in listening:
                await each.aclose()
            assert (await client.ask("GET", f"{RUNS}/r")).status == 200
            again = [each async for each in listen(client, f"{RUNS}/r/events?after=299")]
            assert [kind for kind, _, _ in again] == ["step", "status"]

    play(scene())


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


def test_a_body_that_does_not_come_is_408(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "PATIENCE", 0.01)
    client = served.client()
    said: list[Any] = []

    async def scene() -> None:
        async def receive() -> Any:
            await asyncio.Event().wait()

        async def send(message: Any) -> None:
            said.append(message)

        await client.app(scope_of("POST", f"{RUNS}/start?graph=ask", client.headers), receive, send)

    play(scene())
    assert said[0]["status"] == 408


def test_streams_end_when_the_server_does() -> None:
    async def scene() -> None:
        watcher = StoreWatcher(lambda: 0)
        change = watcher.next_change()
        watcher.stop()
        await change.wait()
        assert watcher.stopped

    play(scene())


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


def test_who_hears_nothing_for_long_is_told_that_the_connection_lives(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "QUIET", 0.01)
    served.pause()
    client = served.client()

    async def scene() -> None:
        text = ""
        async with aclosing(
            exchange(client.app, "GET", f"{RUNS}/e-1/events", client.headers, ())
        ) as messages:
            async for message in messages:
                text += message.get("body", b"").decode()
                if text.count(": nothing new") == 2:
                    break
        assert text.count("event:") == 1

    play(scene())


def test_a_run_that_is_deleted_while_somebody_listens_ends_the_stream(served: Served) -> None:
    served.pause()
    store = served.service.store
    client = served.client()

    async def scene() -> None:
        async with alive(client), aclosing(listen(client, f"{RUNS}/e-1/events")) as told:
            assert (await anext(told))[0] == "status"
            assert store.delete_runs(store.versions()) == ["e-1"]
            kind, _, data = await anext(told)
            assert (kind, data["code"]) == ("error", "S003")
            assert [each async for each in told] == []

    play(scene())
    assert served.failures == []


def test_the_head_of_a_stream_is_told_without_waiting_for_its_end(served: Served) -> None:
    served.pause()
    answer = served.client()("HEAD", f"{RUNS}/e-1/events")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert served.client()("HEAD", f"{RUNS}/nobody/events").status == 404
