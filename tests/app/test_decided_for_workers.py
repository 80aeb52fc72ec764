"""Decisions in the app about runs that workers drive: they go on, and the app leaves the run to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stepgraph.stores import open_store
from stepgraph.workers.queue import WorkerQueue
from stepgraph_tui.dialogs.approval import ReviewScreen
from tests.app.bench import REFUND, Bench, P, dialog, press, said, text, until
from tests.servers.postgres import PostgresServer


@pytest.fixture
def served(bench: Bench, postgres_server: PostgresServer) -> tuple[Bench, str]:
    """An app, and a run that waits for a person and that workers drive."""
    bench.store.close()
    bench.url = postgres_server.fresh_url()
    bench.store = open_store(bench.url)
    run = bench.run(REFUND, steps=5)
    WorkerQueue(bench.url).enroll(run.id)
    return bench, run.id


@pytest.mark.parametrize("auto_continue", [False, True])
def test_the_workbench_leaves_the_run_to_them(served: tuple[Bench, str], auto_continue: bool) -> None:
    bench, run_id = served

    async def script(pilot: P) -> None:
        await press(pilot, "A")
        dialog(pilot, ReviewScreen)
        await press(pilot, "y", *"review", "enter")
        await until(pilot, lambda: "workers go on with the run" in said(pilot))

    bench.settings = replace(bench.settings, auto_continue=auto_continue)
    bench.play(script, REFUND, run=run_id, size=(160, 40))
    assert WorkerQueue(bench.url).runs()[run_id].words == "waits for a worker"
    assert bench.nodes()[-1] == "amount_check"


def test_the_inbox_says_so(served: tuple[Bench, str]) -> None:
    bench, run_id = served

    async def script(pilot: P) -> None:
        await press(pilot, "A", "enter", "y", *"review", "enter")
        await until(pilot, lambda: "workers go on with the run" in text(pilot))
        assert "stepgraph resume" not in text(pilot)

    bench.play(script, REFUND, size=(160, 40))
    assert WorkerQueue(bench.url).runs()[run_id].words == "waits for a worker"
