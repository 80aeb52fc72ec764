"""A small show: workers are killed while they run, and nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.postgres import PostgresServer

from .show import give


# acceptance 123, 128, 129
@pytest.mark.crash
def test_runs_end_although_workers_are_killed(postgres_server: PostgresServer, tmp_path: Path) -> None:
    result = give(postgres_server.fresh_url(), tmp_path / "show", 16, 3, 2, 0.02)
    assert result.overlaps == []
    assert len({each.key for each in result.executions}) == 2 * 16
