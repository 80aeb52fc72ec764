"""The server that keeps the runs is stopped and started again under an open app."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stepgraph.stores import open_store
from stepgraph.stores.postgres.store import PostgresStore
from tests.app.bench import REFUND, Bench, P, header, press, said, text, until
from tests.servers.postgres import PostgresServer


@pytest.fixture
def served(bench: Bench, postgres_server: PostgresServer) -> Iterator[Bench]:
    """An app whose runs are in PostgreSQL; the server runs again after the test at the latest."""
    bench.store.close()
    bench.url = postgres_server.fresh_url()
    bench.store = open_store(bench.url)
    yield bench
    if not postgres_server.is_running():
        postgres_server.start()


def look_without_waiting(pilot: P) -> None:
    """Let the screen's own connection give up at once, as the command sets it."""
    store = pilot.app.context.store  # type: ignore[attr-defined]  # the app's own
    assert isinstance(store, PostgresStore)
    store.on_outage = lambda outage: False


def test_a_screen_tells_that_the_store_does_not_answer_until_it_does(
    served: Bench, postgres_server: PostgresServer
) -> None:
    run = served.run(REFUND, steps=2)

    async def script(pilot: P) -> None:
        look_without_waiting(pilot)
        before = said(pilot)
        postgres_server.stop()
        await until(pilot, lambda: "the store does not answer" in said(pilot))
        assert said(pilot).endswith("; looking again")
        await press(pilot, "[")  # what is not in memory cannot be read now
        await press(pilot, "]")
        postgres_server.start()
        await until(pilot, lambda: said(pilot) == before)
        assert "step 2/30" in header(pilot)

    served.play(script, REFUND, run=run.id)


def test_a_step_waits_for_the_store_and_is_recorded_once(
    served: Bench, postgres_server: PostgresServer
) -> None:
    run = served.run(REFUND, steps=1)

    async def script(pilot: P) -> None:
        look_without_waiting(pilot)
        await press(pilot, "s")
        assert "step 2/30" in header(pilot)
        postgres_server.stop()
        await pilot.press("s")
        await until(pilot, lambda: "X stops waiting" in said(pilot))
        postgres_server.start()
        await until(pilot, lambda: "step 3/30" in header(pilot))
        assert "after step 3" in text(pilot)

    served.play(script, REFUND, run=run.id)
    assert [row.step for row in served.store.rows(run.id, kinds=("step",))] == [1, 2, 3]


def test_who_does_not_want_to_wait_stops_it(served: Bench, postgres_server: PostgresServer) -> None:
    run = served.run(REFUND, steps=1)

    async def script(pilot: P) -> None:
        look_without_waiting(pilot)
        await press(pilot, "s")
        postgres_server.stop()
        await pilot.press("s")
        await until(pilot, lambda: "X stops waiting" in said(pilot))
        await pilot.press("X")
        await until(pilot, lambda: "the store does not answer" in said(pilot))
        postgres_server.start()
        await until(pilot, lambda: said(pilot).startswith("NEXT"))
        assert "step 2/30" in header(pilot)

    served.play(script, REFUND, run=run.id)


def test_an_inbox_that_is_opened_meanwhile_counts_nothing_before_it_has_read(
    served: Bench, postgres_server: PostgresServer
) -> None:
    run = served.run(REFUND, steps=1)

    async def script(pilot: P) -> None:
        look_without_waiting(pilot)
        postgres_server.stop()
        await pilot.app.run_action("app.inbox")  # from home, say: nothing is to be read first
        await until(pilot, lambda: "1 Pending ?" in text(pilot))
        assert "4 Broken ?" in text(pilot)
        assert "Nothing waits" not in text(pilot)
        postgres_server.start()
        await until(pilot, lambda: "1 Pending 0" in text(pilot))
        assert "Nothing waits for you." in text(pilot)

    served.play(script, REFUND, run=run.id)
