"""The tab of watches: adding, editing and removing them, their values and strips, and what is kept."""

from __future__ import annotations

from pathlib import Path

from stepgraph import Watch
from stepgraph.runs.debug.kept import KeptDebugging
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.widgets.watches import WatchesPane
from tests.app.bench import Bench, P, dialog, press, said, text, workbench

COUNT = """
format = 1
name = "count"
start = "add"
max_steps = 50
[state.n]
default = 0
[state.word]
default = "a"
[state.token]
default = "s3cret-1"
secret = true
[nodes.add]
type = "handler"
handler = "adding:add"
[[edges]]
from = "add"
to = "END"
when = "n >= 8"
[[edges]]
from = "add"
to = "add"
"""
ADDING = """
def add(state):
    n = state["n"] + 1
    return {"n": n, "word": "ab"[n // 3 % 2], "token": f"s3cret-{n}", "told": f"it is s3cret-{n}"}
"""


def counted(bench: Bench, *watches: str, steps: int = 8) -> Path:
    """A graph that counts up to eight, a run of it, and what is watched in it."""
    path = bench.trusted(COUNT, "count.toml", adding=ADDING)
    bench.run(path, steps=steps)
    for watch in watches:
        KeptDebugging(path).add(Watch(watch))
    return path


def kept(path: Path) -> list[str]:
    return [watch.text for watch in KeptDebugging(path).watches()]


def test_a_folder_that_cannot_be_written_is_told(bench: Bench) -> None:
    path = counted(bench)
    folder = KeptDebugging(path).folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file in the way")

    async def script(pilot: P) -> None:
        await press(pilot, "2", "v", "w")
        assert "cannot be" in said(pilot)
        assert folder.read_text() == "a file in the way"

    bench.play(script, path, run="r-1")


def test_the_mouse_selects_switches_edits_and_views(bench: Bench) -> None:
    path = counted(bench, "n", "word")

    async def script(pilot: P) -> None:
        await press(pilot, "7")
        await pilot.click(WatchesPane, offset=(6, 2))
        pane = workbench(pilot).panes.watches_pane
        assert pane.copied_path() == "word"
        await pilot.click(WatchesPane, offset=(2, 2))
        assert "▸ ○ word" in text(pilot)
        line = next(line for line in text(pilot).splitlines() if "▸ ○ word" in line)
        await pilot.click(WatchesPane, offset=(line.index("●"), 2))
        assert said(pilot).startswith("VIEWING step 3 of 8")
        await pilot.click(WatchesPane, offset=(6, 1), times=2)
        dialog(pilot, FormDialog)

    bench.play(script, path, run="r-1")


def test_the_watches_of_a_run_without_a_file_last_as_long_as_the_screen(bench: Bench) -> None:
    path = counted(bench)

    async def script(pilot: P) -> None:
        await pilot.app.push_screen(Workbench(workbench(pilot).context, None, "r-1"))
        await press(pilot, "2", "v", "w", "j", "w", "7", "k")
        pane = workbench(pilot).panes.watches_pane
        assert pane.copied() == "n = 8"
        await press(pilot, "space")
        assert "▸ ○ n" in text(pilot)
        await press(pilot, "d")
        assert pane.copied() == 'word = "a"'
        assert kept(path) == []

    bench.play(script, path, run="r-1")
