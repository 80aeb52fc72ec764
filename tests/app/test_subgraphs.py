"""A graph inside of a graph in the app: one node, gone into and left; and a wait that asks nobody."""

from __future__ import annotations

from stepgraph.runs.debug.breakpoint import Breakpoint
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph.stores.ledger import RunStatus
from tests.app.bench import GRAPHS, SIZES, Bench, P, header, press, said, text

LATE = GRAPHS / "late_parcel.toml"


@SIZES
def test_i_goes_into_a_subgraph_and_shift_f11_out_of_it(bench: Bench, size: tuple[int, int]) -> None:
    run = bench.run(LATE)

    async def script(pilot: P) -> None:
        await press(pilot, "s")
        assert "► S letter" in text(pilot)
        await press(pilot, "I")
        assert "► L letter/write" in text(pilot)
        assert "rules" not in text(pilot).split("State")[0]
        assert "step 2/30" in header(pilot)
        await press(pilot, "s")
        assert "✓ L letter/write" in text(pilot)
        assert "► L letter/read" in text(pilot)
        await press(pilot, "shift+f11")
        assert "► S letter" in text(pilot)
        assert bench.load().current == "letter/END"
        await press(pilot, "s")
        assert "✓ S letter" in text(pilot)
        await press(pilot, "shift+f11")
        assert "the run is not inside of a subgraph" in said(pilot)

    bench.play(script, LATE, run=run.id, size=size)


def test_the_command_that_steps_out_halts_at_the_breakpoints_that_are_kept(bench: Bench) -> None:
    KeptDebugging(LATE).add(Breakpoint("before", "letter/read"))
    run = bench.run(LATE)

    async def script(pilot: P) -> None:
        await press(pilot, "s", "I", "shift+f11")
        assert bench.load().current == "letter/read"
        *_, (_, command) = pilot.app.context.log  # type: ignore[attr-defined]  # the app's own
        assert command == f"stepgraph resume {run.id} --until letter/END --kept"

    bench.play(script, LATE, run=run.id)


def test_a_step_into_a_subgraph_may_be_looked_at_from_outside_and_then_from_inside(bench: Bench) -> None:
    run = bench.run(LATE)

    async def script(pilot: P) -> None:
        await press(pilot, "s", "s")
        assert "► S letter" in text(pilot)
        await press(pilot, "I")
        assert "► L letter/write" in text(pilot)
        assert bench.load().step == 2
        await press(pilot, "I")
        assert "letter/write is no Python function" in said(pilot)
        await press(pilot, "c")
        assert "✓ S letter" in text(pilot)

    bench.play(script, LATE, run=run.id, size=(120, 40))


def test_a_run_that_waits_for_its_time_asks_nobody(bench: Bench) -> None:
    run = bench.run(LATE)

    async def script(pilot: P) -> None:
        await press(pilot, "c")
        assert bench.load().status is RunStatus.PAUSED
        assert "WAITS FOR ITS TIME" in header(pilot)
        assert "0 waiting" in header(pilot)
        assert "patience waits until" in text(pilot)
        assert "APPROVAL" not in text(pilot)
        for key in ("s", "c"):
            await press(pilot, key)
            assert "the run waits until" in said(pilot)
            assert "A lets it go on sooner" in said(pilot)
        await press(pilot, "A")
        assert "┏━ WAIT ━" in text(pilot)
        assert "RISK" not in text(pilot)
        await press(pilot, "y", "enter", "c")
        assert bench.load().values["waited"] == "skipped"
        assert bench.load().status is RunStatus.ENDED

    bench.play(script, LATE, run=run.id, size=(120, 40))
