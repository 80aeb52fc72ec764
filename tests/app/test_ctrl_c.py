"""ctrl+c where nothing is selected: Esc in a dialog, elsewhere a word on how to leave."""

from __future__ import annotations

from stepgraph_tui.dialogs.fork_form import ForkForm
from stepgraph_tui.dialogs.open_path import OpenPath
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.palette import StepgraphPalette
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.screens.runs import RunsScreen
from stepgraph_tui.screens.workbench import Workbench
from tests.app.bench import REFUND, Bench, P, dialog, press, said, text
from tests.app.filling import fill, form_on_top


def test_it_says_how_to_leave_and_closes_dialogs_as_esc_does(bench: Bench) -> None:
    bench.run(REFUND, steps=2)

    async def script(pilot: P) -> None:
        await press(pilot, "ctrl+c")
        assert "ctrl+q leaves Stepgraph." in text(pilot)
        dialog(pilot, HomeScreen)
        await press(pilot, "o")
        dialog(pilot, OpenPath)
        await press(pilot, "ctrl+c")
        dialog(pilot, HomeScreen)
        await press(pilot, "R", "ctrl+c")
        assert "q closes the list, ctrl+q leaves Stepgraph" in text(pilot)
        await press(pilot, "f")
        await fill(pilot, "", **{"run id": "mine"})
        await press(pilot, "ctrl+c")
        dialog(pilot, Confirm)
        await press(pilot, "ctrl+c")
        form_on_top(pilot, ForkForm)
        await press(pilot, "ctrl+c", "y")
        dialog(pilot, RunsScreen)
        await press(pilot, "colon")
        dialog(pilot, StepgraphPalette)
        await press(pilot, "ctrl+c")
        dialog(pilot, RunsScreen)
        await press(pilot, "enter", "ctrl+c")
        dialog(pilot, Workbench)
        assert said(pilot) == "q closes the graph, ctrl+q leaves Stepgraph"

    bench.play(script)
    assert len(bench.store.runs()) == 1
