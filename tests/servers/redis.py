"""A real Redis server for the tests: one for each worker of xdist, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import redis

PROGRAM = shutil.which("redis-server")


class TestServer:
    """A redis-server on a unix socket, which can be killed and started again on what it has on disk."""

    __test__ = False

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, **settings: str) -> str:
        """Give the address of the server, with these settings in it."""
        said = "&".join(f"{name}={quote(value)}" for name, value in settings.items())
        return f"unix://{self.socket}{'?' if said else ''}{said}"

    def client(self) -> redis.Redis:
        """Connect as redis-py does."""
        return redis.Redis(unix_socket_path=str(self.socket), decode_responses=True)

    def start(self, *settings: str) -> None:
        """Start it, and wait until it takes commands: it says so in its log."""
        assert PROGRAM is not None
        command = [PROGRAM, "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder)]
        command += ["--save", "", "--appendonly", "yes", "--appendfsync", "no", *self.settings, *settings]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            if b"ready to accept connections" in line:
                return
        raise RuntimeError("redis-server has not started:\n" + b"".join(said).decode(errors="replace"))

    def kill(self) -> None:
        """Let it end in the middle of what it does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in peace."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.communicate()
            self._process = None


def refuse_missing_server() -> None:
    """Skip a test where there is no redis-server, and fail where there must be one."""
    if PROGRAM is None:
        if os.environ.get("CI"):
            pytest.fail("redis-server is missing: apt-get install redis-server")
        pytest.skip("there is no redis-server here: apt-get install redis-server")


@pytest.fixture(scope="session")
def redis_of_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestServer]:
    """One server for all tests of a worker."""
    refuse_missing_server()
    server = TestServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def redis_server(redis_of_worker: TestServer) -> TestServer:
    """The server, with nothing on it."""
    with redis_of_worker.client() as client:
        client.flushall()
    return redis_of_worker


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[TestServer]:
    """A server that a test starts, kills and changes as it likes."""
    refuse_missing_server()
    server = TestServer(tmp_path)
    yield server
    server.kill()
