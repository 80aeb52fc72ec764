"""What is in a run, as filters and totals ask for it; secrets are masked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from stepgraph.runs import Spending, mask_of, shown_plan, spending_of
from stepgraph.stores import calls_of, each_row
from stepgraph.values import dumps

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Mask
    from stepgraph.stores import Row, StateStore, StoredRun
    from stepgraph.values import Json

_T = TypeVar("_T")
_EVERY = 0.1  # seconds between two batches


@dataclass(frozen=True)
class RunContent:
    """What a filter may ask of a run beside its line; secrets are masked."""

    values: Mapping[str, Json]
    """The state as it is."""
    step: int
    models: frozenset[str] = frozenset()
    """Every model that was asked, by its alias, its own name and its provider; in lower case."""
    tools: frozenset[str] = frozenset()
    """Every tool that was called, in lower case."""
    tokens: int = 0
    cost: float = 0.0
    errors: Sequence[str] = ()
    """What every failure said."""
    texts: Callable[[], Iterator[str]] = field(default=lambda: iter(()))
    """Reads all that its ledger says, piece by piece."""


class ContentReader:
    """Reads what is in runs, one after the other; runs of the same graph share what is made of it.

    Args:
        store: Where they are.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._plans: dict[str, CompiledGraph] = {}

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
            self._plans[definition] = shown_plan(self._store, stored)
        return self._plans[definition]


def _rows(store: StateStore, stored: StoredRun) -> Iterator[Row]:
    return each_row(store, stored.head.id, 0, stored.pointer.version)


def _texts(values: Mapping[str, Json], rows: Iterator[Row], mask: Mask) -> Iterator[str]:
    yield dumps(values)
    for row in map(mask.row, rows):
        yield from (text for text in (row.node, row.output) if text)
        yield from (dumps(part) for part in (row.updates, row.error, row.data) if part)


def in_batches(
    runs: Iterable[StoredRun], read: Callable[[StoredRun], _T], cancelled: Callable[[], bool]
) -> Iterator[list[_T]]:
    """Read runs one by one; hand on what was read every tenth of a second, and stop once it is cancelled."""
    batch: list[_T] = []
    handed_on = monotonic()
    for run in runs:
        if cancelled():
            return
        batch.append(read(run))
        if monotonic() - handed_on > _EVERY:
            yield batch
            batch, handed_on = [], monotonic()
    yield batch


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
