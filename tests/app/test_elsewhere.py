"""What other processes do to a run is seen, and nothing is run that nobody has seen come."""

from __future__ import annotations

import asyncio

import pytest

from stepgraph import Decision
from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.dialogs.approval import ReviewScreen
from tests.app.bench import REFUND, SMALL, Bench, P, dialog, header, press, said, text, until, workbench


@pytest.fixture
def looks_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app does not look by itself whether a run was changed."""
    monkeypatch.setattr("stepgraph_tui.app.EVERY", 3600.0)


def test_steps_of_another_process_show_up_by_themselves(bench: Bench) -> None:
    run = bench.run(REFUND, steps=1)
    executor = bench.executor(REFUND)

    async def script(pilot: P) -> None:
        executor.step(executor.load(run.id))
        assert "step 1/30" in header(pilot)
        await until(pilot, lambda: "step 2/30" in header(pilot))
        assert "after step 2  lookup" in text(pilot)

    bench.play(script, REFUND, run=run.id)


@pytest.mark.usefixtures("looks_when_told")
def test_who_views_the_past_stays_there_while_the_run_moves_on(bench: Bench) -> None:
    run = bench.run(REFUND, steps=2)
    executor = bench.executor(REFUND)

    async def script(pilot: P) -> None:
        await press(pilot, "[")
        executor.step(executor.load(run.id))
        assert workbench(pilot).runs.shown.look()
        await pilot.pause()
        assert said(pilot).startswith("VIEWING step 1 of 3")
        await press(pilot, "escape")
        assert "step 3/30" in header(pilot)

    bench.play(script, REFUND, run=run.id)


@pytest.mark.usefixtures("looks_when_told")
def test_a_node_that_nobody_has_seen_come_is_not_run(bench: Bench) -> None:
    run = bench.run(REFUND, steps=1)
    executor = bench.executor(REFUND)

    async def script(pilot: P) -> None:
        executor.step(executor.load(run.id))
        await press(pilot, "s")
        assert "changed elsewhere" in said(pilot)
        assert "step 2/30" in header(pilot)
        await press(pilot, "s")
        assert "step 3/30" in header(pilot)

    bench.play(script, REFUND, run=run.id)
    assert bench.nodes() == ["classify", "lookup", "draft"]


def test_a_decision_made_elsewhere_is_seen_in_the_dialog_and_behind_it(bench: Bench) -> None:
    run = bench.run(REFUND, steps=5)

    async def script(pilot: P) -> None:
        await press(pilot, "g i")
        bench.executor(REFUND).decide(run.id, Decision.reject(by="bob", comment="no"))
        pilot.app._look()  # type: ignore[attr-defined]  # the app's own
        await pilot.pause()
        assert "already" in text(pilot)
        assert "bob" in text(pilot)
        await press(pilot, "y", "escape")
        workbench(pilot).runs.shown.look()
        await pilot.pause()
        assert "READY" in header(pilot)
        assert "gi 0" in header(pilot)
        assert "rejected by bob" in said(pilot)

    bench.play(script, REFUND, run=run.id)
    review = Reviews(bench.store).last_of(run.id)
    assert review is not None
    assert review.decision is not None
    assert review.decision.by == "bob"


@pytest.mark.usefixtures("looks_when_told")
def test_two_apps_share_a_run_and_no_node_runs_twice(bench: Bench) -> None:
    run = bench.run(REFUND)
    first, second = (bench.app(REFUND) for _ in range(2))

    async def both() -> None:
        async with first.run_test(size=SMALL) as one, second.run_test(size=SMALL) as two:
            for app in (one, two):
                workbench(app).runs.shown.open(run.id)
                await app.pause()
            await press(one, "s")
            await press(two, "s")
            assert "changed elsewhere" in said(two)
            await press(two, "s", "c")
            dialog(two, ReviewScreen)
            await press(one, "c")
            assert "changed elsewhere" in said(one)
            assert "AWAITING HUMAN" in header(one)
            await press(one, "g i", "n", *"no", "enter", "enter")
            two.app._look()  # type: ignore[attr-defined]  # the app's own
            await press(two, "enter")
            assert "ENDED" in header(two)

    asyncio.run(both())
    for app in (first, second):
        app.context.store.close()
    assert bench.nodes() == ["classify", "lookup", "draft", "amount_check", "review", "refuse", "notify"]
    assert bench.load().status is RunStatus.ENDED
