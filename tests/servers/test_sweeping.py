"""What a killed test leaves behind: nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workers.processes import until

_HOLDS = """
import sys, threading
from tests.servers.{kind} import running_server
with running_server() as server:
    print(server.folder, flush=True)
    threading.Event().wait()
"""


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_a_server_ends_with_the_test_that_is_killed(kind: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("postgres_server" if kind == "postgres" else "shared_redis")  # or it is left out
    words = [sys.executable, "-c", _HOLDS.format(kind=kind)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        folder = Path(holder.stdout.readline().strip())
        assert working_in(folder)
        holder.send_signal(signal.SIGKILL)
    until(lambda: not folder.exists(), "it is swept")
    assert working_in(folder) == []


def working_in(folder: Path) -> list[int]:
    """Find the processes that work in a folder, or did while it was there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            cwd = (process / "cwd").readlink()
        except OSError:  # it has ended meanwhile, or is of somebody else
            continue
        if cwd.is_relative_to(folder):
            found.append(int(process.name))
    return found
