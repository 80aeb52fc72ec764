"""A way to a server that is cut at a moment of choice."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_ONCE = 1 << 20


class Cutter:
    """Hands on what one client at a time says on a socket, and cuts the connection as a script says.

    Args:
        to: The socket of the server.
        mark: What a request has in it that the script is about.
    """

    def __init__(self, to: Path, mark: bytes) -> None:
        self.path = to.with_name("cut.sock")
        self.script: list[str] = []
        """Of each such request: cut ``before`` the server hears of it, or ``after`` it has answered.

        Or go ``silent`` then, or ``silent after`` it: the connection stays, and nothing comes any more.
        """
        self.then: Callable[[], None] = lambda: None
        """What happens at the same time."""
        self._to = to
        self._mark = mark
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()

    def serve(self) -> None:
        """Serve one client after the other, until the listener is shut down."""
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client, socket.socket(socket.AF_UNIX) as server:
                try:
                    server.connect(str(self._to))
                    self._hand_on(client, server)
                except OSError:
                    continue

    def _hand_on(self, client: socket.socket, server: socket.socket) -> None:
        cut = ""
        while True:
            ready, _, _ = select.select([client, server], [], [])
            if server in ready:
                answer = server.recv(_AT_ONCE)
                if cut.endswith("after"):
                    return self._end(cut, client)
                client.sendall(answer)
                if not answer:
                    return None
            if client in ready:
                said = client.recv(_AT_ONCE)
                if self._mark in said and self.script:
                    cut = self.script.pop(0)
                if cut in ("before", "silent"):
                    return self._end(cut, client)
                if not said:
                    return None
                server.sendall(said)

    def _end(self, cut: str, client: socket.socket) -> None:
        """End the connection; where it goes silent, once the client hangs up."""
        self.then()
        while "silent" in cut and client.recv(_AT_ONCE):
            pass


@contextmanager
def silence() -> Iterator[int]:
    """Give a port of this machine at which connections are taken and nothing is ever said."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        yield port  # the system takes connections as long as it listens


@contextmanager
def cutting(to: Path, mark: bytes) -> Iterator[Cutter]:
    """Stand between a server on a socket and its client."""
    cutter = Cutter(to, mark)
    thread = threading.Thread(target=cutter.serve)
    thread.start()
    try:
        yield cutter
    finally:
        cutter.listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        cutter.listener.close()
        cutter.path.unlink()
