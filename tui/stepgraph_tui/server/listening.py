"""Listening on a port: one socket, one server, and what signals do."""

from __future__ import annotations

import errno
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn

from stepgraph.values.errors import StepgraphError

from .connections import BoundedConnection, ClientConnections

if TYPE_CHECKING:
    from .site import Site

_LARGEST_HEAD = 32_768  # bytes of a request's line and headers


@dataclass(frozen=True, slots=True)
class Listening:
    """A socket that listens, and the address that clients use."""

    socket: socket.socket
    url: str


@contextmanager
def bound(host: str, port: int) -> Iterator[Listening]:
    """Listen on a port of a host.

    Raises:
        StepgraphError: Another program does, or it may not be listened on.
    """
    if not 0 <= port <= 65_535:
        raise StepgraphError(f"there is no port {port}", hint="ports are 1 to 65535; 0 takes any free one")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        hint = "give a name or an address of this machine to --host"
        raise StepgraphError(f"there is no host {host!r}: {error}", hint=hint) from error
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(1024)
        except OSError as error:
            raise _cannot_listen(host, port, error) from error
        shown = f"[{host}]" if ":" in host else host
        yield Listening(listener, f"http://{shown}:{listener.getsockname()[1]}")


def _cannot_listen(host: str, port: int, error: OSError) -> StepgraphError:
    if error.errno == errno.EADDRINUSE:
        return StepgraphError(
            f"port {port} of {host} is taken: another server listens there, perhaps one of ours",
            hint="stop that one, or choose another with --port",
        )
    return StepgraphError(
        f"cannot listen on port {port} of {host}: {error.strerror or error}",
        hint="choose another one with --port or --host",
    )


class HttpServer(uvicorn.Server):
    """Serves a site until a signal comes.

    Args:
        site: The site.
        stopping: Called when the first signal comes.
        leave: Called at the second Ctrl-C, when somebody does not want to wait for nodes that run.
        connections: Those of all ports; of this one alone when None.
    """

    def __init__(
        self,
        site: Site,
        stopping: Callable[[], object],
        leave: Callable[[], object],
        connections: ClientConnections | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                site.app,
                http=partial(BoundedConnection, connections or ClientConnections()),  # type: ignore[arg-type]  # called
                ws="none",
                loop="asyncio",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=15,
                h11_max_incomplete_event_size=_LARGEST_HEAD,
            )
        )
        self._site = site
        self._stopping = stopping
        self._leave = leave
        for name in ("uvicorn.error", "uvicorn.asgi"):  # what it would say, we say: requests quote anything
            logging.getLogger(name).disabled = True

    def run_on(self, listening: Listening) -> None:
        """Serve until it is stopped."""
        self.run([listening.socket])

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals only ask; the process goes on to its end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; a second Ctrl-C does not wait."""
        if not self.should_exit:
            self.stop()  # before it is told: the second signal may come in the middle of that
            self._stopping()
        elif sig == signal.SIGINT:
            self._leave()

    def stop(self) -> None:
        """Stop when the requests are answered and the nodes that run are done."""
        self.should_exit = True
        self._site.stop()
