"""Formats that take their time, and one that fails, for tests of exports."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from stepgraph.formats.export import Exportable, Exported, ExportFormat
from tests.app.hearing import PATIENCE

going_on = threading.Event()
"""Lets the slow one go on."""
begun = threading.Event()
"""Is set once it has written something."""

SLOW = ExportFormat("slow", ".slow", "takes its time", "tests.app.slow_exports:slow")
LACKING = ExportFormat("lacking", ".no", "needs a package", "no_such_package:write", extra="otel")


def slow(source: Exportable) -> Exported:
    return Exported(_parts())


def _parts() -> Iterator[str]:
    yield "first\n"
    begun.set()
    assert going_on.wait(PATIENCE)
    yield "second\n"
