"""The command ``serve`` in a process of its own, on real ports."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.cli.calling import COMMAND

_ADDRESS = re.compile(r" (?:on|itself is at) http://127\.0\.0\.1:(\d+)(?:/\?token=(\S+))?")


class Running:
    """A server, and what it says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: list[str] = []
        self.ports: list[int] = []
        self.token = ""
        """The one that was made for the app in a browser."""
        self._stderr: IO[str] = process.stderr  # type: ignore[assignment]  # it is piped
        for line in self._stderr:
            self.said.append(line)
            for port, token in _ADDRESS.findall(line):
                self.ports.append(int(port))
                self.token = token
            if "press ctrl" in line:
                return
        raise AssertionError("".join(self.said))

    @property
    def port(self) -> int:
        return self.ports[0]

    @property
    def shows_token(self) -> dict[str, str]:
        """The header that shows the token."""
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Send JSON, and read the answer as such."""
        sent = None if body is None else json.dumps(body)
        named = {"content-type": "application/json", **headers} if body is not None else headers
        status, text = self._send(method, path, sent, named)
        return status, json.loads(text) if text else None

    def raw(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> str:
        """Send a request as it is, and read the answer's text."""
        return self._send(method, path, body, headers)[1]

    def _send(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def hears(self, words: str) -> bool:
        """Wait until the server says something."""
        for line in self._stderr:
            self.said.append(line)
            if words in line:
                return True
        return False

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        self.said += self._stderr.readlines()
        return self.process.wait(60)


@contextmanager
def serving(
    graphs: Path, store: Path | str, *words: str, folder: Path | None = None, **env: str
) -> Iterator[Running]:
    """Serve a file or a folder on free ports, from a folder."""
    command = [*COMMAND, "serve", str(graphs), "--port", "0", "--store", str(store), *words]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **env},
    )
    try:
        yield Running(process)
    finally:
        process.kill()
        process.communicate()
