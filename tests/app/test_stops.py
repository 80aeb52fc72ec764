"""Going from stop to stop in the past of a run: changes of watches, and hits of breakpoints."""

from __future__ import annotations

import pytest

from stepgraph_tui.screens.workbench import watch_controller
from tests.app.bench import Bench, P, press, settle, until, workbench
from tests.app.test_watches import counted


async def jump(pilot: P, key: str) -> int:
    """Press a key, and say which step is viewed once the run is read."""
    await press(pilot, key)
    watches = workbench(pilot).watches
    await until(pilot, lambda: not watches.is_reading)
    await settle(pilot)
    return viewed(pilot)


def viewed(pilot: P) -> int:
    moment = workbench(pilot).runs.shown.moment
    assert moment is not None
    return moment.step


@pytest.fixture
def read_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is read by a thread, however short it is: keys may come meanwhile."""
    monkeypatch.setattr(watch_controller, "FEW", 0)


@pytest.mark.usefixtures("read_aside")
def test_keys_that_come_while_the_run_is_read_are_all_done(bench: Bench) -> None:
    path = counted(bench, "n")

    async def script(pilot: P) -> None:
        await pilot.press("left_curly_bracket", "left_curly_bracket")
        assert await jump(pilot, "left_curly_bracket") == 5

    bench.play(script, path, run="r-1")
