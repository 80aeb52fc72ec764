"""Who answered in a run of the list, and what that cost: read where a run is pointed at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.runs.modes import SAYING_MODE, mode_word, modes_said
from stepgraph.runs.spending import SpendingReader
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StoreError, UnknownRun
from stepgraph_tui.text.calls import spent_text

if TYPE_CHECKING:
    from stepgraph.stores.base import StateStore, StoredRun

_MOST = 5_000  # rows of a run that are read to add up what it cost


class RunAnswers:
    """Tells who answered in runs; of each run what was read last is kept.

    Args:
        store: Where they live.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._told: tuple[str, int, str] = ("", 0, "")
        self._outside: tuple[object, bool] = None, False  # a definition, and whether it reaches outside

    def told(self, run: StoredRun) -> str:
        """Tell who answered, and what calls to models took: ``LIVE, 2 model calls, $0.0025``."""
        run_id, version = run.head.id, run.pointer.version
        if self._told[:2] != (run_id, version):
            try:
                self._told = run_id, version, self._read(run)
            except (StoreError, UnknownRun):
                return ""
        return self._told[2]

    def _read(self, run: StoredRun) -> str:
        pointer = run.pointer
        said = modes_said(self._store.rows(run.head.id, upto=pointer.version, kinds=SAYING_MODE))
        word = mode_word(said, pointer.step, ended=pointer.status is RunStatus.ENDED)
        if word == "SCRIPTED":
            return "CODE" if self._reaches_outside(run) else word
        if pointer.version > _MOST:
            return word
        spent = spent_text(SpendingReader(self._store, run.head.id).upto(pointer.version).total)
        return f"{word}, {spent}" if spent else word

    def _reaches_outside(self, run: StoredRun) -> bool:
        """Return whether the graph of a run runs more than what is scripted."""
        from stepgraph.files import reaches_outside  # with what reads definitions
        from stepgraph.runs.views import stored_graph

        at = run.pointer.definition, run.head.source
        if at != self._outside[0]:
            self._outside = at, reaches_outside(stored_graph(self._store, run))
        return self._outside[1]
