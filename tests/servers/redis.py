"""A real Redis server for the tests: one for each process of the suite, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest
import redis

from .sweeping import swept_folder

_SETTINGS = {"port": "0", "save": "", "appendonly": "yes", "appendfsync": "no", "logfile": ""}


class RedisServer:
    """A server that listens on a socket in its folder.

    Args:
        folder: Where its data and its socket are; the path is short, as those of sockets must be.
        settings: What is set beside what suits tests.
    """

    def __init__(self, folder: Path, settings: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.settings = _SETTINGS | (settings or {})
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it says that it takes commands."""
        program = shutil.which("redis-server")
        if program is None:
            raise LookupError("there is no Redis on this machine: install Debian's `redis-server`")
        words = [program, "--unixsocket", str(self.socket), "--dir", str(self.folder)]
        for name, value in self.settings.items():
            words += [f"--{name}", value]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            if b"eady to accept connections" in line:
                return
        pytest.fail("redis-server has not started: " + b"".join(said).decode(errors="replace"))

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop it: with SIGKILL in the middle of what it does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.communicate()
            self._process = None

    def signal(self, what: signal.Signals) -> None:
        """Send it a signal that does not end it."""
        assert self._process is not None
        self._process.send_signal(what)

    def url(self, user: str = "", **query: str) -> str:
        """Give its address."""
        words = "&".join(f"{name}={quote(value)}" for name, value in query.items())
        return f"unix://{user}{'@' if user else ''}{self.socket}{'?' if words else ''}{words}"

    def fresh_url(self) -> str:
        """Give the address of a store that is not there yet: behind a prefix of its own."""
        return self.url(prefix=f"test-{next(self._numbers)}:")

    def client(self) -> redis.Redis:
        """Connect to it as redis-py does."""
        return redis.Redis(unix_socket_path=str(self.socket), decode_responses=True)


@contextmanager
def running_server(
    settings: dict[str, str] | None = None, parent: str = tempfile.gettempdir()
) -> Iterator[RedisServer]:
    """Start a server, and stop it with all that it kept.

    Args:
        settings: What is set beside what suits tests.
        parent: Where its folder is made.

    Raises:
        LookupError: There is none on this machine.
    """
    with swept_folder("redis-", parent) as folder:
        server = RedisServer(folder, settings)
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGKILL)


@contextmanager
def skipping() -> Iterator[None]:
    """Leave a test out where there is no server, but never where CI runs."""
    try:
        yield
    except LookupError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def shared_redis() -> Iterator[RedisServer]:
    """The server of this process of the suite."""
    with skipping(), running_server() as server:
        yield server


@pytest.fixture
def redis_server(shared_redis: RedisServer) -> RedisServer:
    """The server of this process of the suite, with nothing on it."""
    with shared_redis.client() as client:
        client.flushall()
    return shared_redis


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A server that a test may set, kill and start again."""
    with skipping(), running_server() as server:
        yield server
