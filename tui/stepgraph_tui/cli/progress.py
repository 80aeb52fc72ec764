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
        with output.debugged(run_id, node, step) as debugger:

            def is_ours() -> bool:
                return not (is_telling() or (debugger is not None and debugger.is_lent))

            with showing_time(output, f"      {cut(visible(node), _WIDEST)} runs", is_ours):
                yield

    return shown if output.told_stream.is_styled else quiet


@contextmanager
def showing_time(output: Output, what: str, is_ours: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Show on a terminal how long something takes, once that is more than a moment.

    Args:
        output: Where to.
        what: What takes its time.
        is_ours: Whether the line may be written to.
    """
    if not output.told_stream.is_styled:
        yield
        return
    done = threading.Event()
    ticker = threading.Thread(target=_tick, args=(output, visible(what), done, is_ours), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()


def _tick(output: Output, what: str, done: threading.Event, is_ours: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not done.wait(_PATIENCE):
        if is_ours():
            output.told_stream.show_passing(f"{what}, {time.monotonic() - began:.0f} s")
    output.told_stream.show_passing()


def edge_text(record: StepRecord) -> str:
    """Name the edge that was taken, and where it leads: ``billing -> lookup``."""
    if stopped_by(record.row) is not None:
        return "stopped"
    if record.next is None:
        return "no edge was taken"
    label = next((edge.label for edge in record.edges if edge.matched), None)
    return f"{visible(label)} -> {place(record.next)}" if label else f"-> {place(record.next)}"
