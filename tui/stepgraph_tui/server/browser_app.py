"""The app itself in a browser: textual-serve behind the same rules of access, on a port of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web
from textual_serve.server import Server

from stepgraph.values import StepgraphError

from .guard import COOKIE, UNAUTHENTICATED_PATIENCE, AccessRules, RequestRefused, error_body, is_loopback
from .listening import ClientConnection, ClientConnections

if TYPE_CHECKING:
    from .listening import Listening

AT_ONCE = 8
"""How many apps run at once: each is a process."""
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self' {socket}; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""Keeps what textual-serve's page would fetch from elsewhere (a font) from being fetched."""
_ADDED = """\
<title>Stepgraph</title>
<link rel="icon" href="data:,">
<script>
new MutationObserver((changes, seen) => {
  const keys = document.querySelector(".xterm-helper-textarea");
  if (keys && document.body.classList.contains("-first-byte")) { keys.focus(); seen.disconnect(); }
}).observe(document, {subtree: true, childList: true, attributes: true});
</script>
</head>"""
"""Stands at the end of the page's head: without it keys would do nothing until somebody clicks the app."""


def refuse_remote(host: str) -> None:
    """Refuse to serve the app to other machines: whoever has it can write files as the user who started it.

    Raises:
        StepgraphError: The host can be reached from elsewhere.
    """
    if not is_loopback(host):
        raise StepgraphError(
            f"the app is not served on {host}: whoever has it can write files as you",
            hint="leave --host out, and reach it by `ssh -L`; the inbox and the API need no --web",
        )


class _Arrival(asyncio.Protocol):
    """Counts a connection when it comes, ends it if it does not show the token, and hands it on.

    Args:
        connections: Those of all ports.
        handlers: Makes what it is handed on to.
    """

    def __init__(self, connections: ClientConnections, handlers: web.Server) -> None:
        self._connections, self._handlers = connections, handlers

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  # as a socket's is
        connection = ClientConnection(transport, transport.close)
        self._connections.add(connection)
        asyncio.get_running_loop().call_later(UNAUTHENTICATED_PATIENCE, connection.end_if_unauthenticated)
        handler = self._handlers()
        transport.set_protocol(handler)
        handler.connection_made(transport)


class BrowserApp(Server):
    """Serves the app to browsers on this machine.

    Args:
        command: The command that opens the app.
        listening: Where.
        access: Who may ask.
        login: Where browsers are sent that do not show the token.
    """

    def __init__(self, command: str, listening: Listening, access: AccessRules, login: str) -> None:
        super().__init__(command, title="Stepgraph", public_url=listening.url)
        self._listening = listening
        self.url = listening.url
        """Where it is served."""
        self._access = access
        self._login = login
        self.connections = ClientConnections()
        """Those of this port, and those of whoever is to share its bounds."""
        self._running = 0

    async def on_startup(self, app: web.Application) -> None:
        """Print nothing: the command has printed the address."""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serve meanwhile; apps that still run are ended with it."""
        application = await self._make_app()
        application.middlewares.append(self._checked)
        runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=2)
        await runner.setup()
        handlers = runner.server
        assert handlers is not None  # noqa: S101  # it is set up
        port = await asyncio.get_running_loop().create_server(
            lambda: _Arrival(self.connections, handlers), sock=self._listening.socket
        )
        try:
            yield
        finally:
            port.close()
            await runner.cleanup()

    @web.middleware
    async def _checked(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Check who asks, as the server's own interface does; a page elsewhere cannot open the app."""
        url = self.url
        try:
            headers = request.headers
            site = headers.get("Sec-Fetch-Site") if request.path == "/ws" else None
            self._access.check_origin("POST", headers.get("Host"), headers.get("Origin"), site)
            if request.path == "/ws" and headers.get("Origin") != url:
                raise RequestRefused(403, "the app is opened by its own page", f"open {url}")
            if request.path == "/" and headers.get("Host") != url.partition("://")[2]:
                raise web.HTTPFound(f"{url}{request.rel_url}")  # the page opens its connection there
            if request.path == "/" and self._access.knows_token(request.query.get("token", "")):
                raise self._logged_in()
            self._access.check_token(headers.get("Authorization"), headers.get("Cookie"))
            self.connections.authenticate(request.transport)
            if request.path in ("/", "/ws") and self._running >= AT_ONCE:
                raise RequestRefused(503, f"{AT_ONCE} apps run already", "close one of them")
        except RequestRefused as refused:
            if refused.status == 401:
                raise web.HTTPFound(self._login) from None
            return web.json_response(error_body(refused), status=refused.status)
        opens = request.path == "/ws"
        self._running += opens
        try:
            answer = await handler(request)
        finally:
            self._running -= opens
        if request.path == "/" and isinstance(answer, web.Response) and answer.text is not None:
            answer.text = answer.text.replace("</head>", _ADDED, 1)
        if not answer.prepared:
            answer.headers["Content-Security-Policy"] = _POLICY.format(socket=url.replace("http", "ws", 1))
            answer.headers["X-Content-Type-Options"] = "nosniff"
        return answer

    def _logged_in(self) -> web.HTTPFound:
        """Set the cookie of a browser that knows the token, and redirect to an address without it."""
        value, seconds = self._access.session()
        answer = web.HTTPFound("/")
        answer.set_cookie(COOKIE, value, max_age=seconds, httponly=True, samesite="Lax")
        answer.headers["Cache-Control"] = "no-store"
        return answer
