"""Exporting from the list of runs: the run with the cursor, by the dialog that the workbench has."""

from __future__ import annotations

from stepgraph_tui.dialogs.export import ExportDialog
from tests.app.bench import LARGE, Bench, P, dialog, press, text, until
from tests.app.letters import LETTERS


def test_a_run_that_goes_away_meanwhile_is_told_in_the_dialog(bench: Bench) -> None:
    run = bench.run(bench.graph(LETTERS, "letters.toml"))

    async def script(pilot: P) -> None:
        await press(pilot, "g r", "f3")
        screen_below = dialog(pilot, ExportDialog)
        bench.store.delete_runs({run.id: run.version})
        await press(pilot, "enter")
        await until(pilot, lambda: "no run" in text(pilot))
        assert pilot.app.screen is screen_below

    bench.play(script, size=LARGE)
