"""Keys may be faster than the screen: a dialog is left before anything of it was there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen

from stepgraph.files import read_graph
from stepgraph_tui.dialogs.design import DeclaredDialog, EdgeForm, KeyForm, NodeForm, SettingsForm, ToolForm
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.dialogs.new_graph import NewGraph
from stepgraph_tui.dialogs.open_path import OpenPath
from stepgraph_tui.dialogs.pick import NamePrompt, Pick, types_to_pick
from stepgraph_tui.dialogs.questions import Confirm, Unsaved
from stepgraph_tui.dialogs.run_form import RunForm
from tests.app.bench import REFUND as FILE
from tests.app.forms import REFUND
from tests.app.playing import play

DIALOGS: dict[str, Callable[[], ModalScreen[Any]]] = {
    "confirm": lambda: Confirm("Delete it?", "Delete"),
    "declarations": lambda: DeclaredDialog(REFUND, "state"),
    "edge": lambda: FormDialog(EdgeForm(REFUND, 0)),
    "key": lambda: FormDialog(KeyForm(REFUND, None)),
    "name": lambda: NamePrompt("Rename pay", "pay", lambda name: None),
    "new graph": NewGraph,
    "node": lambda: FormDialog(NodeForm(REFUND, "review")),
    "open": OpenPath,
    "pick": lambda: Pick("Add a node", types_to_pick()),
    "run": lambda: FormDialog(RunForm(read_graph(FILE).compile())),
    "settings": lambda: FormDialog(SettingsForm(REFUND)),
    "tool": lambda: FormDialog(ToolForm(REFUND, None)),
    "unsaved": lambda: Unsaved(Path("refund.toml")),
}


def test_a_dialog_that_is_left_before_it_is_there_is_gone() -> None:
    app: App[None] = App()

    async def script(pilot: Pilot[None]) -> None:
        for name, make in DIALOGS.items():
            dialog = make()
            gone = app.push_screen(dialog)
            dialog.dismiss(None)
            await gone
            await pilot.pause()
            assert dialog not in app.screen_stack, name

    play(app, script)
