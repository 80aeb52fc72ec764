"""The server that keeps the runs is stopped and started again under an open app."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.stores import open_store
from tests.app.bench import REFUND, Bench, P, header, press, said, until
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


def test_who_does_not_want_to_wait_stops_it(served: Bench, postgres_server: PostgresServer) -> None:
    run = served.run(REFUND, steps=1)

    async def script(pilot: P) -> None:
        look_without_waiting(pilot)
        await press(pilot, "s")
        postgres_server.stop()
        await pilot.press("s")
        await until(pilot, lambda: "X stops waiting" in said(pilot))
        await pilot.press("X")
        # The thread and the screen both tell of it, whichever comes last.
        await until(pilot, lambda: "the store" in said(pilot) and "stops waiting" not in said(pilot))
        postgres_server.start()
        await until(pilot, lambda: said(pilot).startswith("NEXT"))
        assert "step 2/30" in header(pilot)

    served.play(script, REFUND, run=run.id)
