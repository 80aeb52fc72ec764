"""The states that a node can be tried with: those of a run, what was last tried, the defaults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stepgraph_tui.worker import Try

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph_tui.run_view import RunSnapshot, RunView

_MOST = 6
"""How many of a node's visits are offered, the last ones."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A state to try a node with, and how often a run had been there by then."""

    name: str
    trial: Callable[[], Try]
    """Reads it. It raises StoreError where the store cannot be read."""
    run_id: str = ""
    """The run that it is of; empty when it is of none."""


def beginnings(
    app: CompiledGraph, node: str, moment: RunSnapshot | None = None, before: Try | None = None
) -> list[Beginning]:
    """List what a node can be tried with, the likeliest first.

    That is what was last tried, then the past state that is viewed, then the states that the node was
    visited with, the newest first; and where the run stands now comes before them when the node is next.

    Args:
        app: The graph, which need not be that of the run.
        node: The node.
        moment: A run, and which step of it is viewed.
        before: The last trial, for another one.
    """
    found = []
    if before is not None:
        found.append(Beginning("as last tried", lambda: replace(before, app=app)))
    if moment is not None:
        found += _of_run(app, node, moment)
    found.append(Beginning("the defaults", lambda: Try(app, node, {})))
    return found


def _of_run(app: CompiledGraph, node: str, moment: RunSnapshot) -> Iterator[Beginning]:
    view, run = moment.view, moment.view.run

    def at(name: str, row: int, step: int) -> Beginning:
        return Beginning(name, lambda: _trial(app, node, view, row, step), view.run_id)

    now = at(f"now, after step {run.step}" if run.step else "now, at the start", view.version, run.step + 1)
    if not moment.live:
        record = moment.record
        said = f"viewed, after step {moment.step}" if moment.step else "viewed, the start"
        yield at(said, record.row.seq if record is not None else 1, moment.step + 1)
    is_next = run.current == node
    if is_next:
        yield now
    visited = (record for record in reversed(view.steps) if record.node == node)
    for _, record in zip(range(_MOST), visited, strict=False):
        yield at(f"before step {record.step}", record.row.seq - 1, record.step)
    if not is_next:
        yield now


def _trial(app: CompiledGraph, node: str, view: RunView, row: int, step: int) -> Try:
    """Take the state after a row of a run's ledger. What the run has no more, no default brings back."""
    steps = [record for record in view.steps if record.row.seq <= row]
    visits = Counter(record.node for record in steps)
    last = next((record for record in reversed(steps) if record.node == node), None)
    values = view.store.values(view.run_id, row)
    gone = {name: None for name in view.plan.keys if name in app.keys and name not in values}
    return Try(
        app,
        node,
        {**values, **gone},
        step=step,
        visit=visits.pop(node, 0) + 1,
        visits=visits,
        previous_output=last.output if last is not None else None,
        last_output=(steps[-1].output or "") if steps else "",
    )
