"""Screens that nobody touches: they write nothing to the terminal, however long they are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.testing import FakeClock
from stepgraph_tui.app import StepgraphApp
from tests.app.bench import REFUND, Bench, P, press, start
from tests.app.idling import IdleTime
from tests.app.turning import rest

WAKES = 2
"""How many times a second timers may fire: the app's one look at the store, and what a person waits for."""

TO_THE_REVIEW = ("start", "c")
SCREENS = {
    "home": {
        "home": ((), "HomeScreen EntryList"),
        "home's filter": (("/",), "HomeScreen LineField"),
        "open a path": (("escape", "escape", ", o"), "OpenPath LineField"),
        "runs": (("escape", "g r"), "RunsScreen RunList"),
        "runs' filter": (("/",), "RunsScreen LineField"),
        "inbox": (("escape", "escape", "q", "g i"), "InboxScreen InboxList"),
    },
    "before a run": {
        "no run": ((), "Workbench GraphView"),
        "search": (("slash",), "Workbench FindField"),
        "help": (("escape", "question_mark"), "HelpScreen NoneType"),
        "palette": (("escape", "colon"), "StepgraphPalette CommandInput"),
        "run form": (("escape", "c"), "FormDialog AreaEditor"),
        "READY": (("escape", "start"), "Workbench GraphView"),
        "runs above a run": (("g r",), "RunsScreen RunList"),
    },
    "review": {
        "approval": (TO_THE_REVIEW, "ReviewScreen NoneType"),
        "PAUSED": (("escape",), "Workbench GraphView"),
        "details": (("c", "d"), "ReviewScreen NoneType"),
        "a comment": (("d", "tab"), "ReviewScreen TextField"),
        "edit form": (("escape", "e"), "ReviewScreen LineEditor"),
        "question": (("escape", "y"), "ReviewScreen NameField"),
        "several reviews": (("escape", "g i", "space", "enter"), "BulkDialog NoneType"),
        "inbox with a filter": (("escape", "escape", "/", "p", "enter"), "InboxScreen InboxList"),
    },
    "Design": {
        "Design": ((), "Workbench GraphView"),
        "node form": (("enter",), "FormDialog LineEditor"),
        "picker": (("escape", "C"), "Pick PickField"),
    },
}
"""By the app in which one is gone to after the other: the keys from the one before, and where they lead."""
Screens = dict[str, tuple[tuple[str, ...], str]]


async def go(pilot: P, idle: IdleTime, keys: tuple[str, ...]) -> FakeClock:
    """Press keys, and let the words that pass go by."""
    app = pilot.app
    assert isinstance(app, StepgraphApp)
    clock = app.context.clock
    assert isinstance(clock, FakeClock)
    for key in keys:
        if key == "start":
            await start(pilot)
        else:
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


def check(bench: Bench, idle: IdleTime, screens: Screens, path: Path | None, *, design: bool = False) -> None:
    async def script(pilot: P) -> None:
        for name, (keys, where) in screens.items():
            clock = await go(pilot, idle, keys)
            assert place(pilot) == where, name
            written, woken = await count(pilot, idle, clock)
            assert (name, written, woken <= 10 * WAKES) == (name, 0, True), woken
            idle.jump(clock, 2.5 * 3600)
            await idle.pass_by(pilot, clock, 2)
            assert (name, (await count(pilot, idle, clock))[0]) == (name, 0)
            idle.jump(clock, 6)  # whole minutes have passed: on no screen a clock goes on while it is watched

    bench.play(script, path, design=design)


def place(pilot: P) -> str:
    """The screen on top, and what has the keys there."""
    return f"{type(pilot.app.screen).__name__} {type(pilot.app.focused).__name__}"


@pytest.mark.parametrize("app", SCREENS)
def test_ten_idle_seconds_write_nothing(bench: Bench, idle: IdleTime, app: str) -> None:
    check(bench, idle, SCREENS[app], None if app == "home" else REFUND, design=app == "Design")
