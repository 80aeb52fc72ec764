"""A store that workers can reach, and the command line on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.extras.postgres.store import PostgresStore
from tests.cli.calling import Cli
from tests.servers.postgres import PostgresServer


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """The address of a store that is not there yet."""
    return postgres_server.fresh_url()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    """The store at the address."""
    with PostgresStore(url) as store:
        yield store


@pytest.fixture
def cli(url: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command, called in this process; workers are processes of their own."""
    monkeypatch.setenv("STEPGRAPH_STORE", url)
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path / "home"))
    return Cli(capsys, tmp_path)
