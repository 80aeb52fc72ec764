"""What is in a run, as filters and totals ask for it; secrets are masked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stepgraph.runs import Spending, mask_of, spending_of, view_run
from stepgraph.stores import calls_of, each_row
from stepgraph.values import StepgraphError, dumps

from ..text.run_filter import RunContent, RunFilter

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Mask
    from stepgraph.stores import Row, StateStore, StoredRun
    from stepgraph.values import Json


class ContentReader:
    """Reads what is in runs, one after the other; runs of the same graph share what is made of it.

    Args:
        store: Where they are.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._plans: dict[str, CompiledGraph] = {}

    def holds(self, asked: RunFilter, stored: StoredRun) -> bool:
        """Check whether what is in a run is asked for; of one that cannot be read it is not."""
        try:
            return asked.holds_in(self.read(stored))
        except StepgraphError:  # it was deleted just now, or is damaged
            return False

    def read(self, stored: StoredRun) -> RunContent:
        """Read what is in a run.

        Raises:
            StepgraphError: It cannot be read.
        """
        id_, pointer = stored.head.id, stored.pointer
        mask = mask_of(self._plan(stored), self._store, id_)
        values = mask.values(self._store.values(id_, pointer.version))
        models: set[str] = set()
        tools: set[str] = set()
        errors: list[str] = []
        spent = Spending()
        for row in _rows(self._store, stored):
            calls = calls_of(row)
            spent += spending_of(calls)
            for call in calls:
                names = [str(call[key]).lower() for key in ("name", "model", "provider") if call.get(key)]
                (models if call.get("kind") == "model" else tools).update(names)
            if row.error is not None:
                errors.append(mask.text(str(row.error.get("message") or "")))
        return RunContent(
            values,
            pointer.step,
            frozenset(models),
            frozenset(tools),
            spent.tokens,
            spent.cost,
            errors,
            lambda: _texts(values, _rows(self._store, stored), mask),
        )

    def _plan(self, stored: StoredRun) -> CompiledGraph:
        """Read the graph of a run, which tells its secrets."""
        definition = stored.pointer.definition
        if definition not in self._plans:
            self._plans[definition] = view_run(self._store, stored).plan
        return self._plans[definition]


def _rows(store: StateStore, stored: StoredRun) -> Iterator[Row]:
    return each_row(store, stored.head.id, 0, stored.pointer.version)


def _texts(values: Mapping[str, Json], rows: Iterator[Row], mask: Mask) -> Iterator[str]:
    yield dumps(values)
    for row in map(mask.row, rows):
        yield from (text for text in (row.node, row.output) if text)
        yield from (dumps(part) for part in (row.updates, row.error, row.data) if part)


def runs_chosen(asked: RunFilter, store: StateStore, runs: Sequence[StoredRun]) -> Sequence[StoredRun]:
    """Take the runs that a filter asks for, and read them for that where it asks what is in them."""
    chosen, reader = asked.chosen(runs), ContentReader(store)
    return [run for run in chosen if reader.holds(asked, run)] if asked.of_content else chosen


def spent_by_model(store: StateStore, stored: StoredRun) -> dict[str, Spending]:
    """Add up what the calls of a run took, by the models that answered; replayed ones took nothing.

    Raises:
        StepgraphError: It cannot be read.
    """
    spent: dict[str, Spending] = {}
    for row in _rows(store, stored):
        for call in calls_of(row):
            if call.get("kind") == "model":
                name = str(call.get("model") or call.get("name") or "")
                spent[name] = spent.get(name, Spending()) + spending_of([call])
    return spent
