"""The look at the engines that the whole app shares: which workers drive which runs."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from stepgraph.stores import engines_at, may_be_driven
from stepgraph.values import StoreError

if TYPE_CHECKING:
    from stepgraph.stores import DrivenRun, StateStore

EVERY = 2.0
"""Seconds between two looks."""


class EngineLook:
    """Reads who drives which run, in a thread of its own: an engine that is away takes its time to say so.

    Args:
        store: The store; only its address is used.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._runs: Mapping[str, DrivenRun] = {}
        self._thread: Thread | None = None
        self._after = 0.0

    def look(self) -> None:
        """Read it anew, unless that was done a moment ago, or lasts."""
        if monotonic() < self._after or (self._thread is not None and self._thread.is_alive()):
            return
        self._after = monotonic() + EVERY
        if may_be_driven(self._store.url):
            self._thread = Thread(target=self._read, name="engines", daemon=True)
            self._thread.start()

    def _read(self) -> None:
        try:
            engines = engines_at(self._store)  # which loads their libraries
            self._runs = {run: stands for engine in engines for run, stands in engine.runs().items()}
        except StoreError:  # whoever hands a run over is told
            self._runs = {}

    def words(self, run_id: str) -> str:
        """Describe how workers are at a run, as it was read last; empty where they do not drive it."""
        run = self._runs.get(run_id)
        return "" if run is None else run.words or "driven by workers"
