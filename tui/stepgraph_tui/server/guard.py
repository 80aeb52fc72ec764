"""What every request passes on its way in and every answer on its way out, whatever answers it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

from .access import SAFE
from .refused import RequestRefused, told, unexpected

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .access import AccessRules

LARGEST = 1_000_000
"""How many bytes the body of a request may have."""
AT_ONCE = 500
"""How many requests are answered at once."""
RESERVE = 250
"""How many of them must show the token."""
PATIENCE = 30.0
"""How many seconds a client may take to send all of its body, or to take a piece of the answer."""
UNAUTHENTICATED_PATIENCE = 5.0
"""How many seconds a client without the token may take to send its body, or to show the token."""
CONNECTION = "stepgraph.connection"
"""The key of a request's connection in the state of its scope."""
OPEN = frozenset({"/health", "/login", "/style.css"})
"""What may be asked for without the token."""

_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class ClientStalled(Exception):
    """The client does not take its answer."""


class Guard:
    """Checks each request before anything else does, and bounds what it may cost.

    Args:
        app: What answers.
        access: Who may ask.
        log: Told of each answer, without the query: that could hold anything.
        failed: Told of errors that nobody expected.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: AccessRules,
        log: Callable[[str], object],
        failed: Callable[[str, BaseException], object],
    ) -> None:
        self._app = app
        self._access = access
        self._log = log
        self._failed = failed
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        exchange = _Exchange(scope, receive, send)
        started = time.perf_counter()
        self._open += 1
        try:
            await self._answer(scope, exchange)
        except ClientStalled:
            pass  # its answer is cut off, and its connection with it
        except Exception as error:  # the one place where nothing may escape
            self._failed(f"{scope['method']} {scope['path']} failed", error)
            if exchange.status == 0:
                await exchange.refuse(unexpected())
        finally:
            self._open -= 1
            took = (time.perf_counter() - started) * 1000
            self._log(f"{scope['method']} {scope['path']} {exchange.status} {took:.0f} ms")

    async def _answer(self, scope: Scope, exchange: _Exchange) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        # Ids may hold a slash: paths are matched as they were sent, and their parts decoded afterwards.
        raw = scope.get("raw_path") or scope["path"].encode()
        scope = {**scope, "path": raw.partition(b"?")[0].decode("latin-1")}
        try:
            is_authenticated = self._check(scope, headers)
            if self._open > (AT_ONCE if is_authenticated else AT_ONCE - RESERVE):
                raise RequestRefused(
                    503, "too many requests at once", "ask again in a moment", {"Retry-After": "2"}
                )
        except RequestRefused as refused:
            if refused.status == 401 and "text/html" in headers.get("accept", ""):
                refused = RequestRefused(303, "log in first", headers={"Location": _login(scope["path"])})
            await exchange.refuse(refused)
            return
        if not is_authenticated:
            exchange.hurry()
        elif connection := scope.get("state", {}).get(CONNECTION):
            connection.authenticate()
        await self._app(scope, exchange.receive, exchange.send)

    def _check(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Check who asks and what is sent.

        Returns:
            Whether the request shows the token; where none is needed, each does.

        Raises:
            RequestRefused: It is refused.
        """
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = headers.get("host") if len(hosts) == 1 else None
        origin = headers.get("origin", None if scope["method"] in SAFE else headers.get("referer"))
        site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
        self._access.check_origin(scope["method"], host, origin, site, mode)
        is_authenticated = True
        try:
            self._access.check_token(headers.get("authorization"), headers.get("cookie"))
        except RequestRefused:
            is_authenticated = False
            if scope["path"] not in OPEN:
                raise
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise RequestRefused(415, "the body is compressed", "send it as it is")
        if (
            "content-length" in headers and "transfer-encoding" in headers
        ):  # a proxy may have read another end
            raise RequestRefused(400, "the request tells two lengths of its body", "send only one of them")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST:
            raise too_large()
        return is_authenticated


class _Exchange:
    """A request and its answer, both bounded.

    Args:
        scope: The request.
        receive: Gives parts of the body.
        send: Takes parts of the answer.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.status = 0
        self._method = scope["method"]
        self._receive = receive
        self._send = send
        self._received = 0
        self._complete = False
        self._until = asyncio.get_running_loop().time() + PATIENCE

    def hurry(self) -> None:
        """Bound the time for a body that comes without the token."""
        self._until = asyncio.get_running_loop().time() + UNAUTHENTICATED_PATIENCE

    async def receive(self) -> Message:
        """Receive the next part of the body; a body that is too large or comes too slowly is refused."""
        if self._complete:  # all of it came; what comes now is only that the client has gone
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise RequestRefused(408, "the body did not come in time", "send it at once") from None
        if message["type"] == "http.disconnect":  # nobody reads the answer, but the log has it
            raise RequestRefused(400, "the client has gone before its body came to an end")
        self._complete = not message.get("more_body", False)
        self._received += len(message.get("body", b""))
        if self._received > LARGEST:
            raise too_large()
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer; a client that does not take it is given up."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            named = {name for name, _ in message.get("headers", [])}
            extra = [(name, value) for name, value in _HEADERS if name not in named]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        try:
            async with asyncio.timeout(PATIENCE):
                await self._send(message)
        except TimeoutError:
            raise ClientStalled from None

    async def refuse(self, refused: RequestRefused) -> None:
        """Answer that the request is refused; the connection ends, as its body was not read."""
        body = json.dumps(told(refused), ensure_ascii=False).encode()
        given = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
            **{name.lower(): value for name, value in refused.headers.items()},
        }
        headers = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
        await self.send({"type": "http.response.start", "status": refused.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b"" if self._method == "HEAD" else body})


def _login(path: str) -> str:
    """Make the address where somebody logs in to come back to a page."""
    return f"/login?next={quote(path)}" if path.startswith("/inbox") else "/login"


def too_large() -> RequestRefused:
    """Make the refusal of a body that is too large."""
    return RequestRefused(
        413,
        f"the body is larger than {LARGEST:,} bytes",
        "keep large things in a file or a database, and in the state where they are",
        {"Connection": "close"},
    )
