"""One HTTP request: bounded in time, in size and in redirects, and stopped when somebody asks for it."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

from ..values.errors import StepgraphError

if TYPE_CHECKING:
    from ..models.client import CallWatch

MAX_BYTES = 5_000_000
"""The largest answer that is taken."""
MAX_REDIRECTS = 5
SECONDS = 30.0
"""How long a request may take where its node has no timeout."""
_LOOK = 0.05  # seconds between two looks at whether somebody has asked to stop
_PIECE = 65_536
_REDIRECTS = (301, 302, 303, 307, 308)
_OF_ONE_HOST = ("authorization", "cookie", "proxy-authorization")


@dataclass(frozen=True, slots=True)
class WebRequest:
    """What is asked of a server."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    secret_headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that no other host and no message may ever have."""
    body: bytes | None = None

    @property
    def origin(self) -> tuple[str, str, int | None]:
        """Whom it goes to: scheme, host and port."""
        parts = _split(self.url)
        return parts.scheme, parts.hostname or "", parts.port or {"https": 443, "http": 80}.get(parts.scheme)

    def redirected(self, status: int, location: str) -> WebRequest:
        """Build the request that an answer redirects to.

        Raises:
            StepgraphError: It leads where it must not be followed to.
        """
        url = urljoin(self.url, location)
        becomes_get = status == 303 or (status in (301, 302) and self.method == "POST")
        again = replace(self, url=url)
        if becomes_get and self.method != "HEAD":
            headers = {name: text for name, text in self.headers.items() if name.lower() != "content-type"}
            again = replace(again, method="GET", headers=headers, body=None)
        if again.origin == self.origin:
            return again
        if self.origin[0] == "https" and again.origin[0] == "http":
            raise StepgraphError(
                f"it is redirected from https to {url}, which is not encrypted",
                hint="give the address itself",
            )
        if again.body is not None:
            raise StepgraphError(
                f"it is redirected to another host, {url}, and what it sends is not for that one",
                hint="give the address itself",
            )
        kept = {name: text for name, text in again.headers.items() if name.lower() not in _OF_ONE_HOST}
        return replace(again, headers=kept, secret_headers={})


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """What a server has answered."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes


def fetch(request: WebRequest, watch: CallWatch, seconds: float | None = None) -> WebAnswer:
    """Fetch an address, and follow its redirects.

    Args:
        request: What is asked.
        watch: Who stops it.
        seconds: How long it may take in all; ``SECONDS`` when None.

    Raises:
        StepgraphError: There is no answer, or none that can be taken.
    """
    ends = time.monotonic() + (SECONDS if seconds is None else seconds)
    near = None
    for _ in range(MAX_REDIRECTS + 1):
        answer, near = _exchange(request, watch, ends, near)
        location = answer.headers.get("location")
        if answer.status not in _REDIRECTS or location is None:
            return answer
        request = request.redirected(answer.status, location)
    raise StepgraphError(f"it is redirected more than {MAX_REDIRECTS} times", hint="give the address itself")


def _split(url: str) -> SplitResult:
    """Parse an address.

    Raises:
        StepgraphError: It is none that may be asked.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise StepgraphError(
            f"{url!r} is not an address: {error}", hint="such as https://example.com/orders"
        ) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise StepgraphError(
            f"{url!r} is not an address of http or https", hint="such as https://example.com/orders"
        )
    if parts.username is not None or parts.password is not None:
        raise StepgraphError(
            f"the address of {parts.hostname} has a name or a password in it",
            hint='name the variable that holds it: headers_env = { Authorization = "TOKEN" }',
        )
    if not url.isascii() or any(char.isspace() or not char.isprintable() for char in url):
        raise StepgraphError(f"{url!r} has characters that an address cannot have", hint="write them as %20")
    return parts


def _exchange(
    request: WebRequest, watch: CallWatch, ends: float, nearest: int | None
) -> tuple[WebAnswer, int]:
    """Send one request; another thread waits for the server, so that this one can stop.

    Returns:
        The answer, and how near the server is, beyond which what it redirects to must not lead.
    """
    exchange = _HttpExchange(request, max(0.001, ends - time.monotonic()), nearest)
    threading.Thread(target=exchange.run, name="stepgraph-http", daemon=True).start()
    try:
        while not exchange.done.wait(_LOOK):
            watch.check()
            if time.monotonic() >= ends:
                raise StepgraphError("there was no answer in time", hint="give the node a longer timeout")
    finally:
        exchange.abort()
    if exchange.error is not None:
        raise _failure(exchange.error, request.origin[1])
    assert exchange.answer is not None  # noqa: S101  # it is done, and did not fail
    return exchange.answer, exchange.near


def _nearness(sock: socket.socket) -> int:
    """Find how near the other end is: anywhere (0), in a network that is not public (1), beside us (2)."""
    address = ipaddress.ip_address(str(sock.getpeername()[0]).partition("%")[0])
    address = getattr(address, "ipv4_mapped", None) or address
    return 2 if address.is_link_local else 0 if address.is_global else 1


class _HttpExchange:
    """One request in a thread of its own: its answer, or what it raised.

    Args:
        request: What is asked.
        seconds: How long the server may be silent.
        nearest: How near the server may be; None for any.
    """

    def __init__(self, request: WebRequest, seconds: float, nearest: int | None) -> None:
        self.near = 0
        self._nearest = nearest
        self.done = threading.Event()
        self.answer: WebAnswer | None = None
        self.error: Exception | None = None
        self._request, self._parts = request, _split(request.url)
        self._connection = _connection(self._parts, seconds)
        self._socket: socket.socket | None = None
        self._is_cut = False

    def run(self) -> None:
        try:
            self.answer = self._ask()
        except Exception as error:  # raised by whoever waits for it
            self.error = error
        finally:
            self._connection.close()
        self.done.set()

    def abort(self) -> None:
        """End it from outside, if it is not done: what waits for the server then ends."""
        self._is_cut = True
        if not self.done.is_set() and self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _ask(self) -> WebAnswer:
        request, parts, connection = self._request, self._parts, self._connection
        connection.connect()
        self._socket = connection.sock
        if self._is_cut:
            raise ConnectionAbortedError
        self.near = _nearness(connection.sock)
        if self._nearest is not None and self.near > self._nearest:  # such as a cloud's own keys
            raise StepgraphError(
                f"it is redirected into a network that is not public, to {parts.hostname}",
                hint="give the address itself, if it is meant",
            )
        headers = {"Accept-Encoding": "identity", "User-Agent": "stepgraph", **request.headers}
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(request.method, target, request.body, {**headers, **request.secret_headers})
        with connection.getresponse() as response:
            found = {name.lower(): text for name, text in response.getheaders()}
            return WebAnswer(response.status, response.reason, found, _body(response))


def _connection(parts: SplitResult, seconds: float) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "http":
        return http.client.HTTPConnection(host, parts.port, timeout=seconds)
    context = ssl.create_default_context()
    return http.client.HTTPSConnection(host, parts.port, timeout=seconds, context=context)


def _body(response: http.client.HTTPResponse) -> bytes:
    """Read an answer whole, or not at all."""
    pieces, size = [], 0
    while piece := response.read1(_PIECE):
        size += len(piece)
        if size > MAX_BYTES:
            raise StepgraphError(f"the answer is larger than {MAX_BYTES:,} bytes", hint="ask for less of it")
        pieces.append(piece)
    if response.length:  # this many of the announced bytes never came
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(pieces)


def _failure(error: Exception, host: str) -> StepgraphError:
    """Describe why there was no answer; no header of the request appears in it."""
    if isinstance(error, StepgraphError):
        return error
    if isinstance(error, TimeoutError):
        return StepgraphError("there was no answer in time", hint="give the node a longer timeout")
    if isinstance(error, ssl.SSLError):
        why = getattr(error, "verify_message", "") or error.reason or "its certificate is not accepted"
        return StepgraphError(f"the connection to {host} is not safe: {why}")
    if isinstance(error, http.client.IncompleteRead):
        return StepgraphError("the answer was cut before its end", hint="retry the run")
    if isinstance(error, (http.client.HTTPException, ValueError)):
        return StepgraphError(f"{host} does not answer as a server of http does ({type(error).__name__})")
    reason = error.strerror if isinstance(error, OSError) else None
    return StepgraphError(f"{host} cannot be reached: {reason or type(error).__name__}", hint="retry the run")
