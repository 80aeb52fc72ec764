"""What every request passes on its way in and every answer on its way out, whatever answers it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders

from stepgraph.values import StepgraphError, errors

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


_STATUSES: tuple[tuple[type[errors.StepgraphError], int], ...] = (
    (errors.UnknownRun, 404),
    (errors.UnknownReview, 404),
    (errors.AlreadyDecided, 409),
    (errors.PayloadChanged, 409),
    (errors.Conflict, 409),
    (errors.RunExists, 409),
    (errors.NotReady, 409),
    (errors.DefinitionChanged, 409),
    (errors.GraphError, 409),
    (errors.HandlerError, 409),
    (errors.NotAllowed, 422),
    (errors.TrustError, 403),
    (errors.CommitsLost, 409),
    (errors.StoreError, 503),
    (errors.RunError, 422),
)
"""The first that fits says with which status an error of the engine is answered; any other one is 500."""


class RequestRefused(Exception):
    """The request was refused before the engine saw it; its code is ``H`` and the status.

    Args:
        status: The HTTP status.
        message: What is wrong, for people.
        hint: What to do next; may be empty.
        headers: What else the answer must say.
    """

    def __init__(
        self, status: int, message: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint
        self.headers = dict(headers or {})

    @property
    def code(self) -> str:
        """The stable code of the answer."""
        return f"H{self.status}"


_HINTS: tuple[tuple[type[errors.StepgraphError], str], ...] = (
    (errors.AlreadyDecided, "nothing was changed; the execution's answer shows how it went on"),
    (errors.PayloadChanged, "read the review again, and decide what it asks now"),
    (errors.UnknownReview, "GET /api/v1/reviews lists what waits"),
    (errors.UnknownRun, "is it the right server?"),
    (errors.TrustError, "stop the server and start it again: it asks for trust, or takes --trust"),
    (errors.Conflict, "read the execution again"),
    (errors.StoreUnreachable, "ask again in a moment; what was to be changed may have been: read it first"),
)
"""What clients do next, where the engine's own hint is for people at the command line."""
_PAGE_HINTS: tuple[tuple[type[errors.StepgraphError], str], ...] = (
    (errors.AlreadyDecided, "what you sent has changed nothing"),
    (errors.PayloadChanged, "read what it asks now, and decide that"),
    (errors.UnknownReview, "the inbox lists what waits"),
    (errors.UnknownRun, "the inbox lists what waits"),
    (errors.Conflict, "read it again, then decide"),
    (errors.StoreUnreachable, "it may be back in a moment"),
)
"""The same for people in front of a page."""


def error_body(error: errors.StepgraphError | RequestRefused, *, on_page: bool = False) -> dict[str, str]:
    """Write what an answer says of an error; where the store is, is nobody's business."""
    hints = _PAGE_HINTS if on_page else _HINTS
    hint = next((hint_ for kind, hint_ in hints if isinstance(error, kind)), error.hint)
    away = isinstance(error, errors.StoreUnreachable)
    return {
        "code": error.code,
        "message": "the store does not answer" if away else error.message,
        "hint": hint,
    }


def unexpected() -> RequestRefused:
    """Build the answer to an unexpected error; it says nothing of the error, which may quote anything."""
    return RequestRefused(500, "this is a bug in Stepgraph", "the server's console says where it was noted")


def status_of(error: errors.StepgraphError | RequestRefused) -> int:
    """Find the HTTP status with which an error is answered."""
    if isinstance(error, RequestRefused):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


TOKEN_VARIABLE = "STEPGRAPH_TOKEN"  # noqa: S105 - the variable's name
SHORTEST = 16
"""How many characters a token has at least."""
COOKIE = "stepgraph"
_DAY = 12 * 3600
SAFE = ("GET", "HEAD", "OPTIONS")


def is_loopback(host: str) -> bool:
    """Check whether a host's name or address is this machine itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def checked_token(token: str | None, host: str) -> str | None:
    """Return the token that clients must know; None where none is needed.

    Raises:
        StepgraphError: The host can be reached from elsewhere and there is no token, or it is too short.
    """
    token = (token or "").strip()
    if not token and not is_loopback(host):
        raise StepgraphError(
            f"a server on {host} can be reached from other machines, and would ask nobody who they are",
            hint=f"set {TOKEN_VARIABLE} to a secret of {SHORTEST} characters or more, or leave --host out",
        )
    if token and (len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token):
        raise StepgraphError(
            f"the token in {TOKEN_VARIABLE} cannot be used",
            hint=f"give it {SHORTEST} or more letters, digits and signs: `openssl rand -hex 20` makes one",
        )
    return token or None


class AccessRules:
    """Decides who may ask.

    Args:
        host: Where the server listens.
        token: What clients must know; None for nothing.
        names: Further names under which the server is reached.
        now: The time, in seconds since 1970.
    """

    def __init__(
        self,
        host: str,
        token: str | None,
        names: Iterable[str] = (),
        now: Callable[[], float] = time.time,
    ) -> None:
        self._local = is_loopback(host)
        self._names = {name.lower() for name in (host, *names)}
        self._token = token
        self._key = secrets.token_bytes(32)
        self._now = now
        self._ended: set[str] = set()
        """Sessions that were ended before their time."""

    @property
    def needs_token(self) -> bool:
        """Whether clients must know a token."""
        return self._token is not None

    def check_origin(
        self, method: str, host: str | None, origin: str | None, site: str | None, mode: str | None = None
    ) -> None:
        """Refuse requests under a name that is not the server's, and those that another site has made.

        Args:
            method: The HTTP method.
            host: The ``Host`` header.
            origin: The ``Origin`` header; where it is missing and something would change, the ``Referer``.
            site: The ``Sec-Fetch-Site`` header.
            mode: The ``Sec-Fetch-Mode`` header: what another site may do is to link here.

        Raises:
            RequestRefused: It is refused.
        """
        if host is None or not self._answers_to(host):
            raise RequestRefused(
                403,
                "the request names a host that this server is not",
                "use the address that the server printed; --allow-host adds a name",
            )
        follows = method in SAFE and mode == "navigate"
        elsewhere = site not in (None, "same-origin", "none") and not follows
        if elsewhere or (origin is not None and _place(origin) != host.lower()):
            raise RequestRefused(403, "the request was made by another site", "open the server's own page")

    def _answers_to(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname or "", parts.port
        except ValueError:
            return False
        if parts.netloc != host or parts.username is not None or not name:
            return False
        if is_loopback(name) or name.lower() in self._names:
            return True
        return not self._local and _is_address(name)  # a page can make a name point here, but not an address

    def knows_token(self, given: str) -> bool:
        """Compare what somebody gave as the token, in the same time whatever it is."""
        expected = self._token or ""
        return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode()) and bool(expected)

    def check_token(self, authorization: str | None, cookie: str | None) -> None:
        """Refuse who does not know the token.

        Raises:
            RequestRefused: Neither header shows it.
        """
        if self._token is None:
            return
        scheme, _, given = (authorization or "").partition(" ")
        if scheme.lower() == "bearer" and self.knows_token(given.strip()):
            return
        if authorization is None and self._is_session(_session_in(cookie)):
            return
        raise RequestRefused(
            401,
            "the request does not show the server's token",
            f"send the header `Authorization: Bearer` with what {TOKEN_VARIABLE} has on the server",
            {"WWW-Authenticate": "Bearer"},
        )

    # Sessions of browsers: signed, and gone when the server ends; only those that are over early are kept

    @staticmethod
    def same(one: str, other: str) -> bool:
        """Compare two signatures, in the same time whatever they are."""
        return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())

    def session(self) -> tuple[str, int]:
        """Create the cookie of somebody who knows the token, and return its lifetime in seconds."""
        claim = f"{int(self._now()) + _DAY}.{secrets.token_hex(8)}"
        return f"{claim}.{self.signature('session', claim)}", _DAY

    def end_session(self, cookie: str | None) -> None:
        """Revoke a cookie, whoever has kept a copy of it."""
        session = _session_in(cookie)
        if self._is_session(session):
            self._ended = {each for each in self._ended if self._is_in_time(each)} | {session}

    def _is_session(self, session: str) -> bool:
        claim, _, signature = session.rpartition(".")
        good = self.same(signature, self.signature("session", claim))
        return good and self._is_in_time(session) and session not in self._ended

    def _is_in_time(self, session: str) -> bool:
        return int(session.partition(".")[0]) > self._now()

    def signature(self, *parts: str) -> str:
        """Sign texts so that nobody else can: for forms that only a page of ours may hold."""
        message = b"\0".join(part.encode("utf-8", "replace") for part in parts)
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def _session_in(cookie: str | None) -> str:
    try:
        found = SimpleCookie(cookie or "").get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _place(url: str) -> str | None:
    """Find the host and port of an address; None where it is none."""
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


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

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}


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
        headers = Headers(scope=scope)
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

    def _check(self, scope: Scope, headers: Headers) -> bool:
        """Check who asks and what is sent.

        Returns:
            Whether the request shows the token; where none is needed, each does.

        Raises:
            RequestRefused: It is refused.
        """
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else None
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
            raise RequestRefused(400, "the request gives two lengths of its body", "send only one of them")
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
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        try:
            async with asyncio.timeout(PATIENCE):
                await self._send(message)
        except TimeoutError:
            raise ClientStalled from None

    async def refuse(self, refused: RequestRefused) -> None:
        """Answer that the request is refused; the connection ends, as its body was not read."""
        body = json.dumps(error_body(refused), ensure_ascii=False).encode()
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
    """Build the login address that comes back to a page."""
    return f"/login?next={quote(path)}" if path.startswith("/inbox") else "/login"


def too_large() -> RequestRefused:
    """Build the refusal of a body that is too large."""
    return RequestRefused(
        413,
        f"the body is larger than {LARGEST:,} bytes",
        "keep large things in a file or a database, and in the state where they are",
        {"Connection": "close"},
    )
