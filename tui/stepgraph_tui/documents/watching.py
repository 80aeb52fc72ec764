"""Hearing at once that a file has changed on disk, where the system can tell that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

_GATHER = 200  # milliseconds in which several changes are told as one
_PATIENCE = 2.0  # seconds


class Watcher:
    """Watches a file in a thread, until it is stopped.

    It only makes things quicker: where a folder cannot be watched, nothing is ever heard.

    Args:
        path: The file. It need not exist; its folder is what is watched, for editors replace files.
        changed: Told in that thread, once for several changes that come together.
    """

    def __init__(self, path: Path, changed: Callable[[], object]) -> None:
        self._path = path
        self._changed = changed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stepgraph-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; nothing is told after this."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)

    def _watch(self) -> None:
        from watchfiles import watch as changes_of  # it takes a while to import

        try:
            places = {self._path.absolute(), self._path.resolve()}
            changes = changes_of(
                *{place.parent for place in places},
                watch_filter=lambda _, path: Path(path) in places,
                debounce=_GATHER,
                step=_GATHER,  # a look every 50 ms, which is usual, takes time for ever
                stop_event=self._stop,
                raise_interrupt=False,
                recursive=False,
            )
            for _ in changes:
                if not self._stop.is_set():
                    self._changed()
        except (
            OSError,
            RuntimeError,
            ValueError,
        ):  # no such folder, no more watches, a loop of links, a bad name
            return
