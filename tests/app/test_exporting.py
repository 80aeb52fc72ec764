"""Exporting from the app: the graph as it is drawn, or the run that is shown."""

from __future__ import annotations

from stepgraph_tui.dialogs.export import ExportDialog
from tests.app.bench import Bench, P, dialog, press, until, workbench
from tests.app.letters import LETTERS, delete_send


async def choose(pilot: P, name: str) -> None:
    """Open the dialog, and go to a format."""
    await press(pilot, "f3")
    asked = dialog(pilot, ExportDialog)
    names = list(asked._formats)
    await press(pilot, *["down"] * names.index(name))


async def take(pilot: P) -> None:
    """Write it, and wait until that is over."""
    asked = dialog(pilot, ExportDialog)
    await press(pilot, "enter")
    await until(pilot, lambda: asked._work is None or pilot.app.screen is not asked)
    await until(pilot, lambda: pilot.app.screen is not asked or asked._work is None)


def commands(pilot: P) -> list[str]:
    return [command for _, command in workbench(pilot).context.log]


def test_in_design_the_graph_is_written_as_it_is_drawn(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await choose(pilot, "text")
        await take(pilot)
        assert commands(pilot)
        await delete_send(pilot)
        before = commands(pilot)
        await choose(pilot, "text")
        await take(pilot)
        await press(pilot, "y")
        await until(pilot, lambda: pilot.app.screen is workbench(pilot))
        assert commands(pilot) == before  # no command knows of unsaved edits

    path = bench.graph(LETTERS, "letters.toml")
    bench.play(script, path, design=True)
    assert "send" not in path.with_name("letters.txt").read_text("utf-8")
    assert "send" in path.read_text("utf-8")
