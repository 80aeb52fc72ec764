"""What is sent to the terminal when a screen comes, goes or changes: a line may be slow."""

from __future__ import annotations

import pytest

from stepgraph.testing import FakeClock
from stepgraph_tui.app import StepgraphApp
from tests.app.bench import REFUND, Bench, P, press, start
from tests.app.idling import IdleTime

LITTLE = 1.5
"""How many times a whole screen may be sent: a scroll bar comes, a line of keys, or completions."""


async def sent(pilot: P, idle: IdleTime, key: str = "") -> int:
    """The bytes that a key has the app send; those of the whole screen without one."""
    assert isinstance(pilot.app, StepgraphApp)
    clock = pilot.app.context.clock
    assert isinstance(clock, FakeClock)
    idle.written = 0
    if key:
        await press(pilot, key)
    else:
        pilot.app.screen.refresh()
    await idle.pass_by(pilot, clock, 1)
    return idle.written


@pytest.mark.parametrize(("key", "back"), [("?", "escape"), ("g r", "q"), ("g i", "q"), ("c", "escape")])
def test_a_screen_that_comes_or_goes_is_sent_once(bench: Bench, idle: IdleTime, key: str, back: str) -> None:
    async def script(pilot: P) -> None:
        below = await sent(pilot, idle)
        for again in (False, True):  # the first time much is loaded for it
            coming = await sent(pilot, idle, key)
            above = await sent(pilot, idle)
            assert 0 < coming < LITTLE * above, (again, coming, above)
            leaving = await sent(pilot, idle, back)
            assert 0 < leaving < LITTLE * below, (again, leaving, below)

    bench.play(script, REFUND)


def test_a_graph_that_is_opened_is_sent_once_early_and_once_whole(bench: Bench, idle: IdleTime) -> None:
    async def script(pilot: P) -> None:
        first = idle.written
        whole = await sent(pilot, idle)
        assert whole < first < (1 + LITTLE) * whole, (first, whole)

    bench.play(script, REFUND)


def test_a_step_sends_less_than_a_screen(bench: Bench, idle: IdleTime) -> None:
    """No pane is repainted for a title that nobody sees."""

    async def script(pilot: P) -> None:
        await start(pilot)
        whole = await sent(pilot, idle)
        assert 0 < await sent(pilot, idle, "s") < 0.9 * whole

    bench.play(script, REFUND)
