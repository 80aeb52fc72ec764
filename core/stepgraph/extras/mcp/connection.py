"""A live connection to a server of tools, kept in the loop's thread and used from any other."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp_types import CallToolResult, Implementation, ToolListChangedNotification
from pydantic import ValidationError

from ... import __version__
from ...models.client import CallStopped, CallWatch, ToolSpec
from ...tools.command_part import MAX_ANSWER, size_text
from ...values.errors import StepgraphError
from ...values.json_values import Json, escaped
from ...values.messages import error_detail, path_of
from .process import ServerProcess
from .server import KnownTool, LoopThread, ServerDied, ServerPlace, TookTooLong

if TYPE_CHECKING:
    from ...tools.protocols import ToolContext


_SAID = 2_000  # characters


def table_of(name: str, result: CallToolResult) -> dict[str, Json]:
    """Extract the table from an answer: its structured part, or else its texts, as ``text``.

    Pictures and sounds are left out, and named in ``left_out``.

    Args:
        name: The tool's full name, for the messages.
        result: The answer.

    Raises:
        StepgraphError: The tool says that it failed, or answers with nothing that a state can hold.
    """
    texts = [text for part in result.content if (text := _text(part)) is not None]
    if result.is_error:
        reason = "\n".join(map(escaped, "\n".join(texts)[:_SAID].strip().splitlines())) or "no reason given"
        raise StepgraphError(f"tool {name!r} failed: {reason}")
    structured: Any = result.structured_content
    if structured is not None:
        return structured if isinstance(structured, dict) else {"result": structured}
    others = Counter(_kind(part) for part in result.content if _text(part) is None)
    left_out: list[Json] = [f"{count} x {kind}" for kind, count in others.items()]
    if not texts and left_out:
        raise StepgraphError(
            f"tool {name!r} answered with {', '.join(map(str, left_out))} and no text",
            hint="a state holds text and data: ask the tool for those",
        )
    table: dict[str, Json] = {"text": "\n".join(texts)}
    return {**table, "left_out": left_out} if left_out else table


def _text(part: Any) -> str | None:
    """Read the text of a part of an answer; None where it has none."""
    match part.type:
        case "text":
            return str(part.text)
        case "resource":
            text = getattr(part.resource, "text", None)
            return None if text is None else str(text)
        case "resource_link":
            return str(part.uri)
    return None


def _kind(part: Any) -> str:
    mime = getattr(part, "mime_type", None) or getattr(getattr(part, "resource", None), "mime_type", None)
    return str(mime or part.type)


class ServerAddress:
    """A server's address, and what is known of how it answers.

    Args:
        url: The address.
        key: What is shown to it as a bearer token; None for nothing.
        timeout: How many seconds it may take to answer.
    """

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        self._url, self._key, self._timeout = url, key, timeout
        self.fault = ""
        """What it did that no server may do."""
        self.hint = "correct its table in the settings, or ask it for less"
        self.is_gone = ""
        """Why it cannot be reached; empty while it can."""

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Return the streams of messages from it and to it."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = httpx2.Timeout(self._timeout, read=None)  # who waits for an answer ends the waiting
        transport = _BoundedTransport(self)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, transport=transport) as client,
            streamable_http_client(self._url, http_client=client) as streams,
        ):
            yield streams


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    """Looks at how each request is answered, and cuts an answer that is too long."""

    def __init__(self, address: ServerAddress) -> None:
        super().__init__()
        self._address = address

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        address = self._address
        try:
            response = await super().handle_async_request(request)
        except httpx2.TransportError as error:
            address.is_gone = str(error) or type(error).__name__
            raise
        response.encoding = "utf-8"  # as JSON is; with a charset of its choice, decoding may take hours
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if response.status_code in (401, 403):
            address.fault = f"it refuses us (HTTP {response.status_code}): look at key_env"
        elif kind == "text/html":
            address.fault = f"it answers with a web page (HTTP {response.status_code}), not with messages"
        elif kind != "text/event-stream":  # a stream lasts; the SDK bounds each message in it
            response.stream = _Cut(response.stream, address)
        return response


class _Cut(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, address: ServerAddress) -> None:
        self._stream, self._address = stream, address

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > MAX_ANSWER:
                self._address.fault = f"it answers with more than {size_text(MAX_ANSWER)}"
                raise httpx2.ReadError(self._address.fault)
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


T = TypeVar("T")

_PAGES = 100
_MOST = 10_000  # tools
_NAME = 200  # characters
_CLOSING = 10.0  # seconds
_KEY = "stepgraph/idempotency_key"

logging.getLogger("mcp").addHandler(logging.NullHandler())  # what it warns of would garble the screen


class Connection:
    """One connection, from its start to its end.

    Args:
        place: Where the server is.
        loop: Where it lives.
    """

    def __init__(self, place: ServerPlace, loop: LoopThread) -> None:
        self._place, self._loop = place, loop
        self._client: Client | None = None
        self._far: ServerProcess | ServerAddress
        self._closing = asyncio.Event()
        self._life: asyncio.Task[None] | None = None
        self._opened = asyncio.Event()
        self._refused: BaseException | None = None
        self.has_changed = False
        """Whether the server has said that its tools are not those that it told of."""

    @property
    def is_open(self) -> bool:
        """Whether the server can be asked, for all that is known."""
        if self._life is None or self._life.done():
            return False
        return not (self._far.is_gone or self._far.fault)

    def open(self, watch: CallWatch | None) -> None:
        """Start the server, or reach it, and agree on the protocol.

        Raises:
            ServerDied: It ended, or cannot be spoken to.
            StepgraphError: It cannot be started, or does not answer.
        """
        place, settings = self._place, self._place.settings
        if settings.url is not None:
            self._far = ServerAddress(settings.url, place.key(), settings.timeout)
        else:
            self._far = ServerProcess(place.words(), place.environment(), place.folder())
        self._life = self._loop.begin(self._born()).result()
        self._ask(self._outcome(), watch, "has not started")

    async def _born(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._live())

    async def _outcome(self) -> None:
        await self._opened.wait()
        if self._refused is not None:
            raise self._refused

    async def _live(self) -> None:
        """Hold the connection open until it is to be closed, or breaks."""
        try:
            async with AsyncExitStack() as stack:
                streams = self._far.streams()
                us = Implementation(name="stepgraph", version=__version__)
                client = Client(streams, message_handler=self._hear, cache=None, client_info=us)
                self._client = await stack.enter_async_context(client)
                self._client.session.validate_tool_result = _as_it_is  # type: ignore[method-assign]
                await self._listen(self._client, stack)
                self._opened.set()
                await self._closing.wait()
        except (Exception, asyncio.CancelledError) as error:
            if not self._opened.is_set():
                self._refused = error
                self._opened.set()
            if isinstance(error, asyncio.CancelledError):
                raise

    async def _listen(self, client: Client, stack: AsyncExitStack) -> None:
        """Subscribe to changes of tools, where the server announces them only then."""
        tools = client.server_capabilities.tools
        if tools is not None and tools.list_changed:
            with suppress(MCPError, ListenNotSupportedError, SubscriptionLost):
                await stack.enter_async_context(client.listen(tools_list_changed=True))

    async def _hear(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.has_changed = True

    def tools(self, watch: CallWatch | None) -> dict[str, KnownTool]:
        """Ask the server for its tools.

        Raises:
            ServerDied: It has ended.
            StepgraphError: It does not answer, or cannot say.
        """
        return self._ask(self._list(), watch, "has not listed its tools")

    async def _list(self) -> dict[str, KnownTool]:
        assert self._client is not None  # noqa: S101  # it is open
        found: dict[str, KnownTool] = {}
        cursor = None
        for _ in range(_PAGES):
            page = await self._client.list_tools(cursor=cursor)
            for tool in page.tools:
                if 0 < len(tool.name) <= _NAME and tool.name.isprintable():  # others nobody could ask for
                    found[tool.name] = _known_tool(tool, self._place.without_secrets(tool.description or ""))
            if len(found) > _MOST:
                raise StepgraphError(f"the server {self._place.name!r} has more than {_MOST:,} tools")
            if not page.next_cursor or page.next_cursor == cursor:
                break
            cursor = page.next_cursor
        return found

    def call(self, tool: str, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Call a tool.

        Raises:
            ServerDied: The server has ended.
            StepgraphError: It does not answer, or the tool failed.
        """
        client, name = self._client, f"{self._place.name}/{tool}"
        assert client is not None  # noqa: S101  # it is open
        meta: Any = {_KEY: context.idempotency_key} if context.idempotency_key else None
        work = client.call_tool(tool, params, meta=meta)
        result = self._ask(work, context.watch, f"has not answered to {tool!r}")
        try:
            return self._place.without_secrets(table_of(name, result))
        except StepgraphError as error:
            raise StepgraphError(self._place.hidden(error.message), hint=error.hint) from None

    def _ask(self, work: Coroutine[Any, Any, T], watch: CallWatch | None, late: str) -> T:
        """Wait for the server, and say in plain words what went wrong.

        Args:
            work: What is asked of it.
            watch: Who may ask to stop.
            late: What it has not done when its time is over.
        """
        name, seconds = self._place.name, self._place.settings.timeout
        try:
            return self._loop.wait(work, seconds, watch)
        except (CallStopped, StepgraphError):
            raise
        except TookTooLong:
            message = f"the server {name!r} {late} within {_seconds(seconds, watch)}{self._last_lines()}"
            hint = f"give it a longer timeout in [mcp.{name}] of the settings, or look at what it does"
            raise StepgraphError(self._place.hidden(message), hint=hint) from None
        except Exception as error:  # the SDK raises whatever its libraries raise
            raise self._failed(error) from None

    def _failed(self, error: BaseException) -> StepgraphError:
        """Find what an error of the SDK means: the server is gone, or it answered with an error."""
        name, far, cause = self._place.name, self._far, _innermost(error)
        hide = self._place.hidden
        if far.fault:
            message = f"the server {name!r} cannot be used: {far.fault}{self._last_lines()}"
            return StepgraphError(hide(message), hint=far.hint)
        if isinstance(far, ServerAddress) and far.is_gone:
            message = f"the server {name!r} cannot be reached at {self._place.settings.url}: {far.is_gone}"
            return ServerDied(hide(message), hint="start it, or correct its url in the settings")
        if isinstance(far, ServerProcess) and far.is_gone:
            self.close()
            message = f"the server {name!r} {far.ended} before it had answered{self._last_lines()}"
            return ServerDied(hide(message), hint="run its command in a shell to see what is wrong with it")
        if isinstance(cause, MCPError):
            return StepgraphError(hide(f"the server {name!r} answers with an error: {cause.message}"))
        reason = _error_text(cause)
        if isinstance(cause, OSError) and isinstance(far, ServerProcess):
            hint = f"correct [mcp.{name}] in the settings"
            return StepgraphError(hide(f"the server {name!r} cannot be started: {reason}"), hint=hint)
        return StepgraphError(hide(f"the server {name!r} answers with what cannot be used: {reason}"))

    def _last_lines(self) -> str:
        lines = self._far.last_lines if isinstance(self._far, ServerProcess) else ()
        return "".join(["; its last lines:", *(f"\n  {line}" for line in lines)]) if lines else ""

    def close(self) -> None:
        """End the connection, and the program where we have started one."""
        if self._life is not None:
            self._loop.begin(self._end(self._life)).result()

    async def _end(self, life: asyncio.Task[None]) -> None:
        self._closing.set()
        if not self._opened.is_set():
            life.cancel()
        await asyncio.wait([life], timeout=_CLOSING)
        life.cancel()


async def _as_it_is(name: str, result: object) -> None:
    """Take a result unchecked: a pattern in the server's own schema could hold up the whole process."""


def _known_tool(tool: Any, about: str) -> KnownTool:
    hints = tool.annotations
    destroys = hints is not None and hints.destructive_hint is True and not hints.idempotent_hint
    schema = tool.input_schema if isinstance(tool.input_schema, dict) else None
    spec = ToolSpec(tool.name, about or tool.title or "", schema)
    return KnownTool(spec, not destroys)


def _error_text(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(
            f"{path_of(each['loc'])}: {each['msg']}" for each in error.errors(include_url=False)[:3]
        )
    return f"{type(error).__name__}{error_detail(error)}"


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def _seconds(seconds: float, watch: CallWatch | None) -> str:
    left = watch.time_left if watch is not None else None
    return "the time of its node" if left is not None and left <= 0 else f"{seconds:g} s"
