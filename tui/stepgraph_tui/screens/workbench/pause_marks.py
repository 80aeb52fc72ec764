"""The nodes after which a continued run pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END
from stepgraph_tui.text.plain import visible

from .availability import NO_NODE

if TYPE_CHECKING:
    from collections.abc import Callable

    from stepgraph_tui.worker import SteppingThread

    from .surface import Surface


class PauseMarks:
    """Marks nodes, and hands the marks to what drives the run.

    Args:
        surface: The screen.
        thread: Drives the run.
        keep: Keeps the marks with the file.
    """

    def __init__(self, surface: Surface, thread: SteppingThread, keep: Callable[[], object]) -> None:
        self._surface, self._thread, self._keep = surface, thread, keep

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that are marked."""
        return self._thread.pause_after

    def toggle(self, node: str) -> None:
        """Mark a node, or take its mark off it."""
        if node == END:
            self._surface.say("a run ends at END: it cannot pause there", "warning")
            return
        self._set(self.nodes ^ {node})
        self._surface.show()
        on = node in self.nodes
        said = "marked: {debug.go} pauses after it" if on else "unmarked: {debug.go} runs on after it"
        self._surface.say(f"{visible(node)} is {self._surface.hints(said)}")

    def rename(self, old: str, new: str) -> None:
        """Keep the mark on a node that has another name now."""
        if old in self.nodes:
            self._set(self.nodes - {old} | {new})

    def _set(self, nodes: frozenset[str]) -> None:
        self._thread.pause_after = nodes
        self._keep()

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool:
        """Tell whether the key works; where nothing is selected it says so."""
        return True

    def action_toggle(self) -> None:
        """Mark the selected node (in the trace: the step's), or take the mark off it."""
        node = self._surface.pointed_at
        if node is None:
            self._surface.say(NO_NODE, "warning")
        else:
            self.toggle(node)
