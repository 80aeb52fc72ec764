"""From drawing to running: what runs is what is drawn, and a run keeps what it began with."""

from __future__ import annotations

from stepgraph.stores.ledger import RunStatus
from tests.app.bench import (
    Bench,
    P,
    header,
    press,
    said,
    start,
    text,
    workbench,
)
from tests.app.filling import fill
from tests.app.letters import (
    LETTERS,
    draw,
    go,
    nodes,
)


def test_a_run_of_an_unsaved_graph_runs_what_is_on_the_screen(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await press(pilot, "a", "enter")
        await fill(pilot, name="thanks", replies='["Thank you."]')
        await start(pilot)
        assert "letters *   DEBUG   READY   step 0/50" in header(pilot)
        await press(pilot, "c")
        assert "ENDED" in header(pilot)
        run = workbench(pilot).runs.shown.view
        assert run is not None
        assert run.state()["response"] == "Thank you."
        assert "✓ L thanks" in text(pilot)

    path = draw(bench, script)
    assert path.read_text(encoding="utf-8") == LETTERS


def test_editing_while_a_run_is_paused_leaves_it_on_its_own_definition_and_says_so(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s", "m")
        assert "DESIGN   SAVED" in header(pilot)
        await go(pilot, "check")
        await press(pilot, "d", "d")
        assert said(pilot) == "delete check and 3 edges; run r-1 keeps its own graph"
        await press(pilot, "u", "d", "d")
        assert said(pilot) == "delete check and 3 edges"  # it was said of this run
        await press(pilot, "m")
        assert "DEBUG   READY   step 1/50" in header(pilot)
        assert "R check" in text(pilot)
        await press(pilot, "s")
        assert "step 2/50" in header(pilot)
        await press(pilot, "m")
        assert "R check" not in text(pilot)
        assert nodes(pilot) == ["draft", "send"]

    draw(bench, script)
    assert bench.load().status is RunStatus.READY


def test_designing_shows_no_marks_of_the_run_and_debugging_does(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        assert "✓ L draft" in text(pilot)
        await press(pilot, "m")
        assert "✓ L draft" not in text(pilot)
        assert "DESIGN   SAVED" in header(pilot)
        assert "[4 Node]" in text(pilot)
        assert "[6 Problems" in text(pilot)
        await press(pilot, "m")
        assert "✓ L draft" in text(pilot)
        assert "[2 State]" in text(pilot)
        assert "[5 Trace]" in text(pilot)

    draw(bench, script)
