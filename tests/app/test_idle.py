"""Screens that nobody touches: they write nothing to the terminal, however long they are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.graphs import FAILS
from stepgraph.testing import FakeClock
from stepgraph_tui.app import StepgraphApp
from tests.app.bench import REFUND, Bench, P, press, start
from tests.app.idling import IdleTime
from tests.app.playing import screen_lines
from tests.app.turning import rest

WAKES = 2
"""How many times a second timers may fire: the app's one look at the store, and what a person waits for."""
A_TICK = 450
"""The most bytes that a clock may write when it says something else, once a minute: a row, or less."""
A_COUNT = 250
"""The most bytes that a countdown may write a second: its own cells, with their place and their style."""

TO_THE_REVIEW = ("start", "c")
SCREENS = {
    "home": (),
    "home's filter": ("/",),
    "open a path": ("o",),
    "runs": ("R",),
    "inbox": ("A",),
    "inbox with a filter": ("open", *TO_THE_REVIEW, "A", "/", "p", "enter"),
    "several reviews": ("open", *TO_THE_REVIEW, "A", "space", "enter"),
    "runs' filter": ("R", "/"),
    "runs above a run": ("open", "start", "R"),
    "no run": ("open",),
    "READY": ("open", "start"),
    "PAUSED": ("open", *TO_THE_REVIEW, "escape"),
    "search": ("open", "slash"),
    "run form": ("open", "c"),
    "help": ("open", "question_mark"),
    "palette": ("open", "colon"),
    "Design": ("design",),
    "node form": ("design", "enter"),
    "picker": ("design", "C"),
    "approval": ("open", *TO_THE_REVIEW),
    "approval, details": ("open", *TO_THE_REVIEW, "d"),
    "approval, a comment": ("open", *TO_THE_REVIEW, "c"),
    "approval's edit form": ("open", *TO_THE_REVIEW, "e"),
    "approval's question": ("open", *TO_THE_REVIEW, "y"),
}


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> IdleTime:
    return IdleTime(monkeypatch)


async def go(pilot: P, idle: IdleTime, keys: tuple[str, ...]) -> FakeClock:
    """Press keys, and let the words that pass go by."""
    app = pilot.app
    assert isinstance(app, StepgraphApp)
    clock = app.context.clock
    assert isinstance(clock, FakeClock)
    for key in keys:
        if key == "start":
            await start(pilot)
        elif key not in ("open", "design"):
            await press(pilot, key)
    await rest(pilot)
    idle.jump(clock, 90)
    await idle.pass_by(pilot, clock, 2)
    return clock


async def count(pilot: P, idle: IdleTime, clock: FakeClock) -> tuple[int, int]:
    """The bytes of ten seconds, and how many times timers fired in them."""
    idle.written = idle.woken = 0
    await idle.pass_by(pilot, clock, 10)
    return idle.written, idle.woken


def check(bench: Bench, idle: IdleTime, keys: tuple[str, ...], path: Path = REFUND) -> None:
    async def script(pilot: P) -> None:
        clock = await go(pilot, idle, keys)
        written, woken = await count(pilot, idle, clock)
        assert (written, woken <= 10 * WAKES) == (0, True), woken
        idle.jump(clock, 2.5 * 3600)
        await idle.pass_by(pilot, clock, 2)
        assert (await count(pilot, idle, clock))[0] == 0

    at_home = not keys or keys[0] not in ("open", "design")
    bench.play(script, None if at_home else path, design="design" in keys)


@pytest.mark.parametrize("name", SCREENS)
def test_ten_idle_seconds_write_nothing(bench: Bench, idle: IdleTime, name: str) -> None:
    check(bench, idle, SCREENS[name])


def test_a_run_that_has_failed_or_ended_writes_nothing(bench: Bench, idle: IdleTime) -> None:
    fails = bench.graph(FAILS)
    check(bench, idle, ("open", "start", "c"), fails)
    bench.graph(FAILS.replace("yes", "no"))
    check(bench, idle, ("open", "S", "c"), fails)


@pytest.mark.parametrize("name", ["home", "PAUSED", "approval", "approval's edit form"])
def test_a_clock_writes_its_own_cells_once_a_minute(bench: Bench, idle: IdleTime, name: str) -> None:
    if name == "home":
        executor = bench.executor(REFUND)
        executor.run(executor.start({}))

    async def script(pilot: P) -> None:
        clock = await go(pilot, idle, SCREENS[name])
        idle.written = 0
        await idle.pass_by(pilot, clock, 60)
        assert 0 < idle.written <= A_TICK

    bench.play(script, None if name == "home" else REFUND)


def test_a_countdown_writes_its_own_cells_once_a_second(bench: Bench, idle: IdleTime) -> None:
    terms = '[reviews]\ndeadline = "10m"\non_timeout = "reject"\n'
    node = '[nodes.ask]\ntype = "approval"\nprompt = "Go on?"\n[[edges]]\nfrom = "ask"\nto = "END"\n'
    path = bench.graph(f'format = 1\nname = "timed"\nstart = "ask"\n{terms}{node}')

    async def script(pilot: P) -> None:
        clock = await go(pilot, idle, ("open", *TO_THE_REVIEW))
        assert "rejects itself in 8m" in "\n".join(screen_lines(pilot.app))
        written, woken = await count(pilot, idle, clock)
        assert 0 < written <= 10 * A_COUNT
        assert woken <= 10 * (WAKES + 1)  # what is written is painted by a timer, too
        await press(pilot, "escape")
        await idle.pass_by(pilot, clock, 2)
        assert (await count(pilot, idle, clock))[0] == 0

    bench.play(script, path)
