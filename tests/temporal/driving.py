"""A real development server of Temporal, workers of it, and the command line in processes of its own.

Nothing here speaks to Temporal in the suite's own process: its client brings threads, and other tests fork.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stepgraph.runs.views import open_run
from stepgraph.stores.opening import open_store
from tests.cli.calling import COMMAND
from tests.servers.sweeping import swept_folder
from tests.workers.processes import LEASE, WorkerProcess, until

HISTORIES = Path(__file__).parent / "histories"
"""What workflows have done, as Temporal keeps it: ``STEPGRAPH_RECORD=1`` records it anew."""
_FOLDERS = (str(Path(sys.executable).parent), os.environ.get("PATH", ""))
PROGRAM = shutil.which("temporal", path=os.pathsep.join(_FOLDERS))


class TemporalServer:
    """Temporal's development server, in a folder of its own.

    Args:
        folder: Where its file is; whoever works in it ends with the suite.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def target(self) -> str:
        """Its host and port."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers for its namespace."""
        listens = ("--headless", "--ip", "127.0.0.1", "--port", str(self.port), "--log-level", "never")
        words = ("server", "start-dev", *listens, "--db-filename", str(self.folder / "temporal.db"))
        self._process = subprocess.Popen(
            [str(PROGRAM), *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until(lambda: self.ask("operator", "namespace", "describe", "default") is not None, "it answers")

    def kill(self) -> None:
        """End it as a power cut does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def ask(self, *words: str) -> Any:
        """Ask it with its own program; None where it refuses or does not answer."""
        command = [str(PROGRAM), *words, "--address", self.target, "--output", "json"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            return None
        return json.loads(done.stdout) if done.stdout.startswith(("{", "[")) else done.stdout

    def workflow(self, run_id: str) -> Any:
        """Describe the newest workflow of a run."""
        return self.ask("workflow", "describe", "--workflow-id", run_id)

    def ended(self, run_id: str) -> str:
        """Wait until the newest workflow of a run is closed, and give how it stands."""
        self.ask("workflow", "result", "--workflow-id", run_id)
        return self.status(run_id)

    def keep_history(self, run_id: str) -> None:
        """Keep what a workflow has done for the replays, where histories are recorded anew."""
        if os.environ.get("STEPGRAPH_RECORD"):
            text = json.dumps(self.ask("workflow", "show", "--workflow-id", run_id), indent=1)
            for payload in set(re.findall(r'"data": "([^"]+)"', text)):
                plain = re.sub(rb"sqlite:///[^\"]*", b"sqlite:///runs.db", b64decode(payload))
                text = text.replace(payload, b64encode(plain).decode())
            for name in ("stackTrace", "identity", "hostName"):
                text = re.sub(rf'("{name}": )"(?:[^"\\]|\\.)*"', r'\1""', text)
            (HISTORIES / f"{run_id}.json").write_text(f"{text}\n", encoding="utf-8")

    def status(self, run_id: str) -> str:
        """Give how the newest workflow of a run stands: ``RUNNING``, ``COMPLETED``, ``FAILED``."""
        found = self.workflow(run_id)["workflowExecutionInfo"]["status"]
        return str(found).removeprefix("WORKFLOW_EXECUTION_STATUS_")


@contextmanager
def running_server() -> Iterator[TemporalServer]:
    """Run a server.

    Raises:
        LookupError: Its program is not there.
    """
    if PROGRAM is None:
        raise LookupError("Temporal's development server is not installed")
    with swept_folder("stepgraph-temporal-") as folder:
        server = TemporalServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.kill()


@dataclass
class Called:
    """What a command has said."""

    code: int
    out: str
    err: str


class Crew:
    """A store, a task queue of its own, and whoever works on both.

    Args:
        server: The server.
        folder: Where the store and the graphs are.
        queue: The task queue.
        url: The store; a file in the folder when None.
    """

    def __init__(self, server: TemporalServer, folder: Path, queue: str, url: str | None = None) -> None:
        self.server, self.folder = server, folder
        self.url = url if url is not None else f"sqlite:///{folder / 'runs.db'}"
        self.engine = f"temporal://{server.target}?queue={queue}"
        self._env = {"STEPGRAPH_ENGINE": self.engine, "STEPGRAPH_STORE": self.url}

    def __call__(self, *words: object) -> Called:
        """Call the command."""
        done = subprocess.run(
            [*COMMAND, *map(str, words)],
            cwd=self.server.folder,
            env={**os.environ, **self._env},
            capture_output=True,
            text=True,
            check=False,
        )
        return Called(done.returncode, done.stdout, done.stderr)

    def hand_over(self, file: Path, run_id: str, *options: str) -> None:
        """Start a run, and hand it over."""
        done = self("run", "--detach", file, "--run-id", run_id, *options)
        assert (done.code, done.out.strip()) == (0, run_id), done.err

    def enroll(self, run_id: str) -> None:
        """Hand over a run that is there."""
        done = self("resume", run_id, "--detach")
        assert done.code == 0, done.err

    def worker(self, *options: str, lease: float = LEASE, trusts: bool = True) -> WorkerProcess:
        """Start a worker."""
        words = ("--trust", *options) if trusts else options
        return WorkerProcess(self.url, *words, lease=lease, folder=self.server.folder, **self._env)

    def stands(self, run_id: str) -> tuple[str, int]:
        """Read how a run stands: its status, and how many steps it has made."""
        with open_store(self.url) as store:
            run = open_run(store, run_id)
            return run.status.value, run.step

    def until(self, run_id: str, status: str) -> None:
        """Wait until a run is of a status."""
        with open_store(self.url) as store:
            until(lambda: store.load(run_id).pointer.status.value == status, status)

    def review(self) -> str:
        """Give the one review that waits."""
        (found,) = json.loads(self("approvals", "--json").out)
        return str(found["id"])


def kill_all(worker: WorkerProcess) -> None:
    """Kill a worker and the processes in which it runs nodes, as a machine dies."""
    children = worker.children()
    worker.signal(signal.SIGKILL)
    worker.process.wait()
    for pid in children:
        os.kill(pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
