"""Real workers for the tests: processes that are started, listened to, and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

import pytest

from stepgraph.extras.workers.queue import WorkerQueue
from tests.cli.calling import COMMAND

LEASE = 6.0
"""The lease of the workers under test: on a busy machine they must not take themselves for dead."""
LONG = 600.0
"""The lease of those that may take as long as they like, and are never taken for dead by themselves."""
SHORT = 3.0
"""The lease of one that is to find out by its own clock that it was silent for too long."""


class WorkerProcess:
    """A worker, started by the command line.

    Args:
        url: The store.
        options: What else the command takes.
        lease: How long it may be silent.
        folder: Where it is started; the server's folder when None.
        env: What its environment has besides.
    """

    def __init__(
        self, url: str, *options: str, lease: float = LEASE, folder: Path | None = None, **env: str
    ) -> None:
        words = ["worker", "--store", url, "--lease", str(lease), *options]
        server = parse_qs(urlsplit(url).query).get("host", [None])[0]  # who works in its folder ends with it
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=folder or server,
            env={**os.environ, **env},
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()

    def until_it_says(self, text: str) -> str:
        """Listen until a line has a text in it, and give that line."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if text in line:
                return line
        return pytest.fail(f"the worker ended without saying {text!r}:\n{''.join(self.said)}")

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def children(self) -> list[int]:
        """Find the processes in which it runs nodes."""
        pid = self.process.pid
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]

    def ends(self) -> int:
        """Listen until it ends, and give its exit code."""
        assert self.process.stderr is not None
        self.said += self.process.stderr.readlines()
        return self.process.wait()


def long_silent(url: str, name: str) -> None:
    """Have it that nothing was heard of a worker for longer than any lease, without waiting for that."""
    with WorkerQueue(url)._connected() as connection:
        named = "id IN (SELECT id FROM workers WHERE name = %s)"
        since = f"UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 day' WHERE {named}"  # noqa: S608
        assert connection.execute(since, (name,)).rowcount == 1


@contextmanager
def frozen(process: subprocess.Popen[str]) -> Iterator[None]:
    """Stop a process as a debugger does; it goes on afterwards."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process.pid, signal.SIGCONT)


def until(holds: Callable[[], object], what: str) -> None:
    """Wait until something holds; the test's own time limit ends it otherwise."""
    never = threading.Event()
    while not holds():
        never.wait(0.02)
    assert what


def alive(pid: int) -> bool:
    """Tell whether a process is there and runs; one that has ended may not have been waited for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


GRAPH = """
format = 1
name = "{name}"
start = "{nodes[0]}"
"""
NODE = """
[nodes.{name}]
type = "handler"
handler = "{module}:{name}"
"""
EDGE = """
[[edges]]
from = "{source}"
to = "{target}"
"""


def handlers(folder: Path, code: str, *nodes: str, timeout: str = "") -> Path:
    """Write a graph that runs Python functions one after the other, and their module beside it."""
    folder.mkdir(exist_ok=True)
    (folder / "work.py").write_text(code)
    text = GRAPH.format(name="work", nodes=nodes)
    for node in nodes:
        text += NODE.format(name=node, module="work") + (f'timeout = "{timeout}"\n' if timeout else "")
    for source, target in zip(nodes, (*nodes[1:], "END"), strict=True):
        text += EDGE.format(source=source, target=target)
    (folder / "work.toml").write_text(text)
    return folder / "work.toml"
