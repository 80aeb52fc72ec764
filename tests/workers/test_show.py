"""A small show: workers are killed while they run, and nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.servers.postgres import PostgresServer

from .processes import LONG
from .show import give


# acceptance 115, 123, 128, 129
@pytest.mark.crash
def test_runs_end_although_workers_are_killed(postgres_server: PostgresServer, tmp_path: Path) -> None:
    # Nobody takes over before it is written down who is gone: others look for that every five seconds. A node
    # takes long enough for a worker to be found at work, also where the machine is busy: else none ever is.
    result = give(postgres_server.fresh_url(), tmp_path / "show", 30, 3, 2, 0.3, lease=15)
    assert result.overlaps == []
    assert len({each.key for each in result.executions}) == 2 * 30


# acceptance 128, 129
@pytest.mark.crash
def test_runs_end_although_the_server_is_stopped_and_started_again(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    def disturb() -> None:
        with psycopg.connect(postgres_server.url(), autocommit=True) as admin:
            for _ in range(20):  # answers are lost in the middle of whatever is asked
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE application_name = 'stepgraph' AND random() < 0.3"
                )
        postgres_server.stop()
        postgres_server.start()

    url = postgres_server.fresh_url()
    result = give(url, tmp_path / "show", 20, 2, 0, 0.02, lease=LONG, disturb=disturb)
    assert (result.overlaps, len(result.executions), result.again) == ([], 2 * 20, 0)
    for said in result.said.values():
        assert "waiting for the store" in said
        assert "answers again" in said
