"""A graph inside of a graph in the app: one node, gone into and left; and a wait that asks nobody."""

from __future__ import annotations

from stepgraph.runs.debug.breakpoint import Breakpoint
from stepgraph.runs.debug.kept import KeptDebugging
from tests.app.bench import GRAPHS, Bench, P, press, said, text

LATE = GRAPHS / "late_parcel.toml"


def test_the_command_that_steps_out_halts_at_the_breakpoints_that_are_kept(bench: Bench) -> None:
    KeptDebugging(LATE).add(Breakpoint("before", "letter/read"))
    run = bench.run(LATE)

    async def script(pilot: P) -> None:
        await press(pilot, "s", "i", "shift+f11")
        assert bench.load().current == "letter/read"
        *_, (_, command) = pilot.app.context.log  # type: ignore[attr-defined]  # the app's own
        assert command == f"stepgraph resume {run.id} --until letter/END --kept"

    bench.play(script, LATE, run=run.id)


def test_a_step_into_a_subgraph_may_be_looked_at_from_outside_and_then_from_inside(bench: Bench) -> None:
    run = bench.run(LATE)

    async def script(pilot: P) -> None:
        await press(pilot, "s", "s")
        assert "► S letter" in text(pilot)
        await press(pilot, "i")
        assert "► L letter/write" in text(pilot)
        assert bench.load().step == 2
        await press(pilot, "i")
        assert "letter/write is not a Python function" in said(pilot)
        await press(pilot, "c")
        assert "✓ S letter" in text(pilot)

    bench.play(script, LATE, run=run.id, size=(120, 40))
