"""The whole workbench: from the key of an edit to the painted frame, and to the new drawing."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from stepgraph.editing.nodes import AddNode, DeleteNodes
from stepgraph.editing.renaming import Rename
from stepgraph.editing.text import design_text
from stepgraph.stores import open_store
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.settings import Settings

from .design import large_design
from .table import Line

_NODES = 2_000
_ROUNDS = 7


def lines() -> list[Line]:
    """Add, rename, delete and undo in a graph of 2,000 nodes."""
    with tempfile.TemporaryDirectory() as folder:
        frames, drawings = asyncio.run(_measure(Path(folder)))
    return [
        *(
            Line(f"{name} in {_NODES:,} nodes, to the painted frame", statistics.median(took), "s", 0.016)
            for name, took in frames.items()
        ),
        Line(f"an edit of {_NODES:,} nodes, to the new drawing", statistics.median(drawings), "s", None),
    ]


class _Watched(StepgraphApp):
    """The app, noting when frames were painted."""

    # It would be looked for beside this module, and the workbench brings its own.
    CSS_PATH = None  # type: ignore[assignment]  # Textual takes None, too
    painted: list[float]

    def _display(self, screen: Any, renderable: Any) -> None:
        super()._display(screen, renderable)
        self.painted.append(time.perf_counter())


async def _measure(folder: Path) -> tuple[dict[str, list[float]], list[float]]:
    path = folder / "large.toml"
    path.write_text(design_text(large_design(_NODES)), encoding="utf-8")
    store = open_store("memory:")
    app = _Watched(
        AppContext(store, lambda: store, Settings(name="bench"), Remembered(folder / "remembered.json"))
    )
    app.painted = []
    app.animation_level = "none"
    frames: dict[str, list[float]] = {name: [] for name in ("adding", "renaming", "deleting", "undoing")}
    drawings: list[float] = []
    async with app.run_test(size=(120, 40)) as pilot:
        app.open_graph(path, design=True)
        await _at_rest(pilot)
        screen = app.screen
        assert isinstance(screen, Workbench)  # noqa: S101  # it was just opened
        edits: dict[str, Callable[[], object]] = {
            "adding": lambda: screen.design.edit(AddNode("llm", name="fresh", after="node_5")),
            "renaming": lambda: screen.design.edit(Rename("nodes", "fresh", "renamed")),
            "deleting": lambda: screen.design.edit(DeleteNodes(["renamed"])),
            "undoing": screen.design.action_undo,
        }
        for _ in range(_ROUNDS):
            for name, edit in edits.items():
                began = time.perf_counter()
                screen.call_later(edit)
                await _at_rest(pilot)
                painted = [at - began for at in app.painted if at > began]
                frames[name].append(painted[0])
                drawings.append(painted[-1])
            screen.design.action_undo()
            screen.design.action_undo()
            await _at_rest(pilot)
    store.close()
    return frames, drawings


async def _at_rest(pilot: Pilot[Any]) -> None:
    """Wait until no thread has work and all is painted."""
    for _ in range(3):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
