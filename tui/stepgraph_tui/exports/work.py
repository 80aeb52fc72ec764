"""An export that is made in a thread: it can be watched and stopped, and is written whole or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.files import write_output

if TYPE_CHECKING:
    from stepgraph.formats import Exportable, ExportFormat

    Opened = Callable[[], AbstractContextManager[Exportable]]


class ExportStopped(Exception):
    """Somebody stopped the export; nothing was written."""


class ExportTaken(Exception):
    """Files of these names are there already; nothing was written.

    Args:
        paths: The files.
    """

    def __init__(self, paths: list[Path]) -> None:
        super().__init__(", ".join(map(str, paths)))
        self.paths = paths


class ExportWork:
    """Writes a graph or a run to files.

    Args:
        source: Opens what is exported, in the thread that writes it.
        wanted: The format.
        path: The file.
        force: Whether files that are there are written over.
    """

    def __init__(self, source: Opened, wanted: ExportFormat, path: Path, *, force: bool = False) -> None:
        self.wanted, self.path, self.force = wanted, path, force
        self.size = 0
        """How many bytes were made so far."""
        self._source = source
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ask it to end as soon as it can."""
        self._stopped.set()

    def run(self) -> list[Path]:
        """Write the files, and list them.

        Raises:
            ExportStopped: It was stopped.
            ExportTaken: Other files are there.
            StepgraphError: It cannot be exported so, or not be written.
        """
        with self._source() as source:
            self._go_on()
            made = self.wanted.write(source)
            self._go_on()
            files = self.wanted.files(made, self.path)
            taken = [path for path in files if os.path.lexists(path)]
            if taken and not self.force:
                raise ExportTaken(taken)
            for path, parts in files.items():
                write_output(path, self._encode(parts))
        return list(files)

    def _encode(self, parts: Iterable[str]) -> Iterator[bytes]:
        for part in parts:
            self._go_on()
            data = part.encode()
            self.size += len(data)
            yield data

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise ExportStopped
