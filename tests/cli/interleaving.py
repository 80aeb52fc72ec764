"""A store on which somebody else acts between two calls of a command, at any place that a test names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stepgraph import StateStore


class Interleaved:
    """A store that lets somebody else act right after one of its calls.

    Args:
        store: The store.
        at: After which call, counted from 1.
        act: What the other one does.
    """

    def __init__(self, store: StateStore, at: int, act: Callable[[], object]) -> None:
        self._store = store
        self._at = at
        self._act = act
        self.calls = 0

    def __enter__(self) -> Interleaved:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found

        def call(*args: Any, **named: Any) -> Any:
            try:
                return found(*args, **named)
            finally:
                self.calls += 1
                if self.calls == self._at:
                    self._act()

        return call
