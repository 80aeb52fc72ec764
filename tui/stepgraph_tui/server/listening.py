"""Listening on a port: one socket, one server, and what signals do."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import json
import logging
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from stepgraph.values import StepgraphError

from .guard import CONNECTION, UNAUTHENTICATED_PATIENCE, RequestRefused, error_body

if TYPE_CHECKING:
    from .pages import Site


MOST = 800
"""How many connections there are at once: each holds one of the process's open files."""
UNAUTHENTICATED = 400
"""How many of them may be connections on which nobody has shown the token."""
PER_ADDRESS = 100
"""How many of those may come from one address."""
PATIENCE = 15.0
"""How many seconds a client may take to send its request, or to let go of a connection that ends."""


class ClientConnection:
    """An open connection.

    Args:
        transport: What it goes over.
        end: Ends it.
    """

    def __init__(self, transport: asyncio.BaseTransport, end: Callable[[], object]) -> None:
        self.transport, self.end = transport, end
        self.address = _address(transport)
        self.is_authenticated = False
        """Whether a request on it has shown the token, or may be made without one."""

    def authenticate(self) -> None:
        """Count it as one whose client has the token, from now on."""
        self.is_authenticated = True

    def end_if_unauthenticated(self) -> None:
        """End it unless the token was shown."""
        if not self.is_authenticated:
            self.end()


class ClientConnections:
    """The connections of a server's ports: those without the token make room for each other and for the rest.

    Beyond a bound it is not the newcomer that is refused, as it may be about to show the token. The oldest
    connection without it ends, of the address that has the most of them. So whoever opens many shuts out
    nobody else, nor those who come from the same address, that of a proxy, and show the token at once.
    """

    def __init__(self) -> None:
        self._open: list[ClientConnection] = []  # in the order in which they came

    def add(self, connection: ClientConnection) -> None:
        """Accept a connection, and end the one that is too many."""
        self._open = [each for each in self._open if not each.transport.is_closing()]
        self._open.append(connection)
        without = [each for each in self._open if not each.is_authenticated]
        holding = Counter(each.address for each in without)
        address = connection.address
        if holding[address] <= PER_ADDRESS:
            if len(without) <= UNAUTHENTICATED and len(self._open) <= MOST:
                return
            address = max(holding, key=holding.__getitem__)
        next(each for each in without if each.address == address).end()

    def authenticate(self, transport: object) -> None:
        """Count the connection that goes over a transport as one whose client has the token."""
        for each in self._open:
            if each.transport is transport:
                each.authenticate()


def _address(transport: asyncio.BaseTransport) -> str:
    """Find where a connection comes from: of IPv6 the network, of which a client may have all addresses."""
    peer: Any = transport.get_extra_info("peername")
    if not isinstance(peer, tuple):
        return ""
    given = ipaddress.ip_address(peer[0].partition("%")[0])
    if given.version == 4:
        return str(given)
    return str(given.ipv4_mapped or ipaddress.ip_network((given, 64), strict=False))


class BoundedConnection(H11Protocol):
    """Ends a connection on which no request comes, and those beyond what the process can hold.

    A request that is there is bounded by the guard, which finds this connection in it, and tells it when the
    token was shown; before it is whole, only the connection knows of it.

    Args:
        connections: All that are open.
        settings: What uvicorn gives.
    """

    _look: asyncio.TimerHandle | None = None
    _seen: object = None

    def __init__(self, connections: ClientConnections, **settings: Any) -> None:
        super().__init__(**settings)
        self._all = connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection."""
        super().connection_made(transport)  # type: ignore[arg-type]  # uvicorn narrows it to what asyncio gives
        self._connection = ClientConnection(transport, self._make_room)
        self.app_state = {**self.app_state, CONNECTION: self._connection}  # uvicorn gives it to each request
        self._look = self.loop.call_later(UNAUTHENTICATED_PATIENCE, self._end_if_unauthenticated)
        self._all.add(self._connection)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, in the form of all refusals."""
        self._refuse(
            RequestRefused(
                400,
                "the request is not HTTP, or its headers are too long",
                "send HTTP/1.1 with one Host header",
            )
        )

    def _make_room(self) -> None:
        if self._is_idle:
            self._refuse(RequestRefused(503, "too many connections", "ask again in a moment"))
        else:
            self.transport.close()

    def _end_if_unauthenticated(self) -> None:
        """End the connection if nobody has shown the token on it; from now on look whether it is used."""
        if self._is_idle and not self._connection.is_authenticated:
            self.transport.close()
            self._look = self.loop.call_later(PATIENCE, self._end_if_idle)
        else:
            self._end_if_idle()

    @property
    def _is_idle(self) -> bool:
        """Whether no request is under way."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _end_if_idle(self) -> None:
        """End the connection if nothing has happened since the last look."""
        if self.transport.is_closing():
            self.transport.abort()  # it waits for a client that takes nothing any more
            return
        cycle: RequestResponseCycle | None = self.cycle
        last = cycle if cycle is not None else self
        if self._is_idle and self._seen is last:
            self.transport.close()
        self._seen = last if self._is_idle else None
        self._look = self.loop.call_later(PATIENCE, self._end_if_idle)

    def _refuse(self, refused: RequestRefused) -> None:
        body = json.dumps(error_body(refused)).encode()
        head = (
            f"HTTP/1.1 {refused.status} Refused\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


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
        """Turn signals into requests to stop; the process goes on to its end."""
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
            self.stop()  # before it is announced: the second signal may come in the middle of that
            self._stopping()
        elif sig == signal.SIGINT:
            self._leave()

    def stop(self) -> None:
        """Stop when the requests are answered and the nodes that run are done."""
        self.should_exit = True
        self._site.stop()
