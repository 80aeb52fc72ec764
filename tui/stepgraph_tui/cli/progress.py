"""Telling of steps while they happen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import stopped_by
from stepgraph_tui.text.cells import cell_len, cut, padded
from stepgraph_tui.text.plain import place, took, visible
from stepgraph_tui.text.state_diff import Before

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.executor import Around
    from stepgraph.runs.records import StepRecord
    from stepgraph.runs.run import Run
    from stepgraph_tui.node_debugger import NodeDebugger

    from .output import Output

_WIDEST = 18  # columns of a node's name
_PATIENCE = 1.0  # seconds before a node counts as a long one, and between two looks at it


class Steps:
    """Prints a line for each step: number, node, edge, duration, changed keys.

    Args:
        output: Where to.
        app: The graph, for the widths of the columns.
        run: The run before its next step.
    """

    def __init__(self, output: Output, app: CompiledGraph, run: Run) -> None:
        self._output = output
        self._before = Before(run.values)
        self._node_width = min(_WIDEST, max(map(cell_len, app.nodes), default=0))
        widths = (cell_len(edge.label or "") + cell_len(place(edge.target)) + 4 for edge in app.edges)
        self._edge_width = min(_WIDEST + 8, max(widths, default=0))

    def tell(self, record: StepRecord) -> None:
        """Print one line about a completed step; of a pause or a failed node the report tells."""
        if record.row.kind != "step":
            return
        self._output.tell(
            (f"{record.step:>4}  ", "dim"),
            (padded(visible(record.node), self._node_width), "bold"),
            (f"  {padded(edge_text(record), self._edge_width)}  {took(record.duration):>8}  ", ""),
            (" ".join(self._before.changes(record)), "dim"),
        )


def waiting(output: Output, is_telling: Callable[[], bool] = lambda: False) -> Around:
    """Make what an executor enters around each node: it has sound streams, and a long one shows how long.

    Args:
        output: Where to.
        is_telling: Whether something of the node is shown anyway, so that nothing is written over it.
    """

    @contextmanager
    def quiet(run_id: str, node: str, step: int) -> Iterator[None]:
        output.renew_apart()
        with output.debugged(run_id, node, step):
            yield

    @contextmanager
    def shown(run_id: str, node: str, step: int) -> Iterator[None]:
        output.renew_apart()
        done = threading.Event()
        with output.debugged(run_id, node, step) as debugger:
            ticker = threading.Thread(
                target=_tick, args=(output, node, done, debugger, is_telling), daemon=True
            )
            ticker.start()
            try:
                yield
            finally:
                done.set()
                ticker.join()

    return shown if output.told_stream.is_styled else quiet


def _tick(
    output: Output,
    node: str,
    done: threading.Event,
    debugger: NodeDebugger | None,
    is_telling: Callable[[], bool],
) -> None:
    began, name = time.monotonic(), cut(visible(node), _WIDEST)
    while not done.wait(_PATIENCE):
        if is_telling() or (debugger is not None and debugger.is_lent):  # then the line is not ours
            continue
        output.told_stream.show_passing(f"      {name} runs, {time.monotonic() - began:.0f} s")
    output.told_stream.show_passing()


def edge_text(record: StepRecord) -> str:
    """Name the edge that was taken, and where it leads: ``billing -> lookup``."""
    if stopped_by(record.row) is not None:
        return "stopped"
    if record.next is None:
        return "no edge was taken"
    label = next((edge.label for edge in record.edges if edge.matched), None)
    return f"{visible(label)} -> {place(record.next)}" if label else f"-> {place(record.next)}"
