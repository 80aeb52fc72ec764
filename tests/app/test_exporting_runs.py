"""Exporting from the list of runs: the run with the cursor, by the dialog that the workbench has."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from stepgraph import Executor
from stepgraph.files import read_graph
from stepgraph_tui.dialogs.export import ExportDialog
from stepgraph_tui.screens.home import HomeScreen
from tests.app.bench import LARGE, REFUND, Bench, P, dialog, press, text, until
from tests.app.letters import LETTERS
from tests.app.test_runs_screen import damage, hint, screen, selected


def test_the_run_with_the_cursor_is_written_beside_its_graph(bench: Bench) -> None:
    path = bench.graph(LETTERS, "letters.toml")
    bench.run(path)
    bench.run(path)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "down")
        run = selected(pilot)
        await press(pilot, "f3")
        asked = dialog(pilot, ExportDialog)
        assert f"Export run {run}" in text(pilot)
        assert "needs a run" not in text(pilot)
        await press(pilot, *["down"] * list(asked._formats).index("markdown"))
        out = path.with_name(f"{run}.md")
        assert asked.query_one(Input).value == str(out)
        await press(pilot, "enter")
        await until(pilot, lambda: pilot.app.screen is not asked)
        assert hint(pilot).startswith(f"exported to {out}")
        assert f"Run `{run}`" in out.read_text("utf-8")
        (_, command) = list(screen(pilot)._shared.log)[-1]
        assert command.startswith(f"stepgraph export {run} --to markdown -o {out}")
        await press(pilot, "f3", "escape")
        assert selected(pilot) == run

    bench.play(script)


def test_where_the_graph_is_gone_it_is_written_here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bench.folder / "gone"
    folder.mkdir()
    path = bench.graph(LETTERS, "gone/letters.toml")
    bench.run(path)
    path.unlink()
    folder.rmdir()
    monkeypatch.chdir(bench.folder)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "f3", "enter")
        await until(pilot, lambda: (bench.folder / "r-1.mmd").exists())

    bench.play(script)


def test_where_the_folder_of_its_graph_cannot_be_looked_at_it_is_written_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = read_graph(bench.graph(LETTERS, "letters.toml"))
    graph.source = Path("/", "n" * 300, "letters.toml")  # as of a machine where names may be longer
    executor = Executor(graph.compile(), bench.store)
    executor.run(executor.start({}, run_id="r-1"))
    monkeypatch.chdir(bench.folder)

    async def script(pilot: P) -> None:
        await press(pilot, "R", "f3", "enter")
        await until(pilot, lambda: (bench.folder / "r-1.mmd").exists())

    bench.play(script)


def test_a_run_that_goes_away_meanwhile_is_told_in_the_dialog(bench: Bench) -> None:
    run = bench.run(bench.graph(LETTERS, "letters.toml"))

    async def script(pilot: P) -> None:
        await press(pilot, "R", "f3")
        screen_below = dialog(pilot, ExportDialog)
        bench.store.delete_runs({run.id: run.version})
        await press(pilot, "enter")
        await until(pilot, lambda: "no run" in text(pilot))
        assert pilot.app.screen is screen_below

    bench.play(script, size=LARGE)


def test_without_a_run_or_on_a_damaged_one_nothing_is_asked(bench: Bench) -> None:
    async def nothing(pilot: P) -> None:
        await press(pilot, "R", "f3")
        assert not isinstance(pilot.app.screen, ExportDialog | HomeScreen)

    bench.play(nothing)
    executor = bench.executor(REFUND)
    executor.run(executor.start({}))
    damage(bench, "r-1")

    async def damaged(pilot: P) -> None:
        await press(pilot, "R", "f3")
        assert "r-1: it is damaged" in hint(pilot)

    bench.play(damaged)
