"""A server of Temporal for each process of the suite, and a crew for each test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.servers.redis import skipping

from .driving import Crew, TemporalServer, running_server

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def temporal() -> Iterator[TemporalServer]:
    """The server of this process of the suite."""
    with skipping(), running_server() as server:
        yield server


@pytest.fixture
def own_temporal() -> Iterator[TemporalServer]:
    """A server that a test may kill and start again."""
    with skipping(), running_server() as server:
        yield server


@pytest.fixture
def crew(temporal: TemporalServer, tmp_path: Path) -> Crew:
    """A store and a task queue of the test's own."""
    return Crew(temporal, tmp_path, f"queue-{next(_NUMBERS)}")
