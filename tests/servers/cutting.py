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
        """Of each such request: cut ``before`` the server hears of it, or ``after`` it has answered."""
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
                if cut == "after":
                    self.then()
                    return
                client.sendall(answer)
                if not answer:
                    return
            if client in ready:
                said = client.recv(_AT_ONCE)
                if self._mark in said and self.script:
                    cut = self.script.pop(0)
                if cut == "before":
                    self.then()
                if not said or cut == "before":
                    return
                server.sendall(said)


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
