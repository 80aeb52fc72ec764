"""A server of tools: started when it is first needed, kept, started again once when it has died."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import threading
from collections.abc import Collection, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from ...locks import Lock
from ...models.client import CallWatch, ToolSpec
from ...tools.protocols import ToolContext, arguments_text, unknown_arguments
from ...tools.registry import hidden, without_secrets
from ...values.declared import Converted, Declared, field, keys_of
from ...values.errors import StepgraphError
from ...values.folders import data_folder, make_data_folder
from ...values.json_values import Json, canonical, dumps
from ...values.messages import expectation
from ...values.problems import KeyPath, did_you_mean
from ...values.user_settings import ReportWrong, Tables, address, positive, read_table, read_tables, variable

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from .connection import Connection


T = TypeVar("T")

_LOOK = 0.05  # seconds between two looks at whether somebody has asked to stop


class TookTooLong(Exception):  # its message says what happened
    """What was waited for has not come in time."""


class LoopThread:
    """An event loop in a thread of its own; the thread never keeps a program from ending."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="stepgraph-mcp", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin work in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Coroutine[Any, Any, T], seconds: float, watch: CallWatch | None = None) -> T:
        """Run work in the loop and wait for it; it is cancelled when nobody waits any more.

        Args:
            work: What is awaited there.
            seconds: How long it may take, where the node's own time is not over before.
            watch: Who may ask to stop.

        Raises:
            TookTooLong: It took longer.
            CallStopped: Somebody has asked to stop.
        """
        future = self.begin(work)
        ends = monotonic() + seconds
        try:
            while True:
                if watch is not None:
                    watch.check()
                    left = watch.time_left
                    ends = ends if left is None else min(ends, monotonic() + left)
                if monotonic() >= ends:
                    raise TookTooLong
                try:
                    return future.result(min(_LOOK, max(0.0, ends - monotonic())))
                except FutureTimeout:
                    if future.done():  # the work itself raised it
                        raise
        except CancelledError:
            raise ConnectionError("the connection was closed") from None
        finally:
            future.cancel()

    def close(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)


_TABLES = Tables(
    "mcp",
    "a server of tools",
    'servers of tools are tables: [mcp.files], with command = ["program", "argument"]',
)


def _words(words: list[str]) -> list[str]:
    if not words or not words[0] or any("\0" in word for word in words):
        raise ValueError('a command is a list of words that begins with a program: ["npx", "server"]')
    return words


def _variables(names: list[str]) -> list[str]:
    return [variable(name) for name in names]


def _approval(value: Any) -> bool | list[str]:
    if isinstance(value, bool):
        return value
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return value
    raise ValueError('it takes true, false, or the names of tools: ["write"]')


class McpSettings(Declared):
    """What a user says of one server of tools."""

    command: Annotated[list[str], Converted(_words)] | None = field(
        None, description="The program to start, with its arguments; it speaks MCP over stdio."
    )
    url: Annotated[str, Converted(address)] | None = field(
        None, description="Or the URL of a running server (streamable HTTP)."
    )
    env: Annotated[list[str], Converted(_variables)] = field(
        default_factory=list, description="The environment variables passed to the program."
    )
    folder: str | None = field(None, description="The folder that the program starts in.")
    key_env: Annotated[str, Converted(variable)] | None = field(
        None, description="The environment variable with the server's key."
    )
    timeout: Annotated[float, Converted(positive)] = field(
        60.0, description="The most seconds to start, and for each answer."
    )
    requires_approval: Annotated[Any, Converted(_approval)] = field(
        False, description="Whether each call needs approval: all calls, or those of certain tools."
    )

    def _check(self) -> None:
        if (self.command is None) == (self.url is None):
            raise ValueError('a server has either command = ["program", "argument"] or url = "http://..."')
        if self.url is not None and (self.env or self.folder):
            raise ValueError("env and folder are for a program that is started by command")
        if self.command is not None and self.key_env:
            raise ValueError("key_env is for an address; what a program needs is passed on by env")


def read_servers(tables: object, report: ReportWrong) -> dict[str, McpSettings]:
    """Read the tables of servers; what is wrong is reported by its place, and its server left out."""
    return read_tables(_TABLES, tables, _server, report)


def _server(table: Mapping[str, Any], where: KeyPath, report: ReportWrong) -> McpSettings | None:
    return read_table(McpSettings, table, where, report, _wrong)


def _wrong(name: str, detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        return f"there is no setting {name!r} ({did_you_mean(name, keys_of(McpSettings), listing='it has')})"
    if detail["type"] == "value_error":  # what is there may be a key: it is not shown
        message = detail["msg"].removeprefix("Value error, ")
        return f"{name} is not right: {message}" if name else message
    return f"{name} {expectation(detail)}"


_LARGEST = 5_000_000  # bytes


def keep_specs(server: str, settings: McpSettings, specs: Sequence[ToolSpec]) -> None:
    """Cache the tools that a server lists; best effort."""
    place = _place(server, settings)
    data = dumps([spec.to_json() for spec in specs]).encode()
    with suppress(OSError):
        make_data_folder()
        place.parent.mkdir(mode=0o700, exist_ok=True)
        passing = place.with_suffix(f".{os.getpid()}")
        passing.write_bytes(data)
        passing.replace(place)


def kept_specs(server: str, settings: McpSettings) -> list[ToolSpec] | None:
    """Read what the server of these settings told last; None where it was never asked."""
    place = _place(server, settings)
    try:
        if place.stat().st_size > _LARGEST:
            return None
        found = json.loads(place.read_bytes())
        return [ToolSpec(each["name"], each["description"], each["parameters"]) for each in found]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _place(server: str, settings: McpSettings) -> Path:
    """Name the file by what is started or reached: other settings are another server."""
    identity = canonical({"server": server, "command": settings.command, "url": settings.url})
    return data_folder() / "mcp" / f"{blake2b(identity.encode(), digest_size=16).hexdigest()}.json"


class ServerDied(StepgraphError):
    """A server has ended, or cannot be spoken to any more."""


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool as its server describes it."""

    spec: ToolSpec
    repeatable: bool
    """Whether a call may be made again when nobody knows whether it was done."""


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """A server of the settings, as this machine finds it: program or address, variables and key."""

    name: str
    """What it is called in the settings."""
    settings: McpSettings

    def environment(self) -> dict[str, str]:
        """Return what the program gets of our environment: what it needs to start, and what is listed."""
        needed = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
        names = (*needed, *self.settings.env)
        return {name: os.environ[name] for name in names if name in os.environ}

    def words(self) -> list[str]:
        """Return the program, where it is, and its arguments.

        Raises:
            StepgraphError: There is no such program.
        """
        program, *arguments = self.settings.command or [""]
        found = shutil.which(Path(program).expanduser(), path=os.environ.get("PATH", os.defpath))
        if found is None:
            raise StepgraphError(
                f"the server {self.name!r} cannot be started: there is no program {program!r}",
                hint=f"install it, or correct the command of [mcp.{self.name}] in the settings",
            )
        return [found, *arguments]

    def folder(self) -> Path | None:
        """Return the folder that the program starts in; None for the current one."""
        return Path(self.settings.folder).expanduser() if self.settings.folder is not None else None

    def key(self) -> str | None:
        """Read the key of its address.

        Raises:
            StepgraphError: The variable that holds it is not set.
        """
        name = self.settings.key_env
        if name is None:
            return None
        if not os.environ.get(name):
            raise StepgraphError(
                f"the server {self.name!r} needs a key, and the variable {name} is not set",
                hint=f"set {name} before you start Stepgraph",
            )
        return os.environ[name]

    def hidden(self, text: str) -> str:
        """Remove the values of its variables from a text."""
        return hidden(text, [*self.settings.env, *self._keys])

    def without_secrets(self, answer: T) -> T:
        """Remove its secrets from what it answers."""
        return without_secrets(answer, self.settings.env, self._keys)

    @property
    def _keys(self) -> list[str]:
        return [self.settings.key_env] if self.settings.key_env else []


class McpServer:
    """One server of the settings, as a source of tools.

    Args:
        name: What it is called there.
        settings: Its settings there.
    """

    def __init__(self, name: str, settings: McpSettings) -> None:
        self.name, self.settings = name, settings
        self._lock = Lock()
        self._loop: LoopThread | None = None
        self._connection: Connection | None = None
        self._known: dict[str, KnownTool] | None = None

    def tool(self, name: str) -> McpTool:
        """Return one of its tools, which may turn out not to exist when it is called."""
        return McpTool(self, name)

    def requires_approval(self, name: str) -> bool:
        """Check whether the settings want a person to agree to each call of a tool."""
        asks = self.settings.requires_approval
        return asks if isinstance(asks, bool) else name in asks

    def specs(self) -> Sequence[ToolSpec]:
        """Describe its tools; the server is started where it is not.

        Raises:
            StepgraphError: It cannot say now.
        """
        return [tool.spec for tool in self._again_once(lambda: self._tools(None)).values()]

    def known(self) -> Sequence[ToolSpec] | None:
        """Return what it said last of its tools, to us or to another program; None where nobody has asked."""
        known = self._known
        if known is None:
            return self._kept_specs
        return [tool.spec for tool in known.values()]

    @cached_property
    def _kept_specs(self) -> list[ToolSpec] | None:
        return kept_specs(self.name, self.settings)

    def spec(self, tool: str) -> ToolSpec:
        """Describe one tool.

        Raises:
            StepgraphError: It has no such tool, or cannot say now.
        """
        found: KnownTool = self._again_once(lambda: self._find(tool, None))
        return found.spec

    def call(self, tool: str, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Call a tool. A server that dies meanwhile is started again, and asked once more.

        It is not asked once more where the tool says that it destroys something: then a person decides.

        Raises:
            StepgraphError: The server or the tool failed.
        """
        watch = context.watch
        try:
            self._check(self._find(tool, watch), params)
            return self._open(watch).call(tool, params, context)
        except ServerDied as error:
            known = self._known or {}
            if tool in known and not known[tool].repeatable:
                hint = "it destroys something, so it is not called again by itself; retry the run to do so"
                raise StepgraphError(error.message, hint=hint) from error
        found = self._find(tool, watch)
        return self._open(watch).call(found.spec.name, params, context)

    def _check(self, found: KnownTool, params: dict[str, Json]) -> None:
        """Refuse a call that lacks an argument, or has one that its schema forbids.

        The words of many servers for that are for programmers.
        """
        wrong = [f"{name!r} is missing" for name in found.spec.required if name not in params]
        takes = found.spec.takes
        wrong += unknown_arguments(params, takes) if takes is not None else []
        if wrong:
            raise StepgraphError(
                f"tool {f'{self.name}/{found.spec.name}'!r} refuses its arguments: {'; '.join(wrong)}",
                hint=f"it takes: {arguments_text(found.spec)}",
            )

    def close(self) -> None:
        """End the connection and the program that was started."""
        with self._lock:
            self._drop()
            if self._loop is not None:
                self._loop.close()
                self._loop = None

    def _again_once(self, ask: Any) -> Any:
        try:
            return ask()
        except ServerDied:
            return ask()

    def _find(self, tool: str, watch: CallWatch | None) -> KnownTool:
        tools = self._tools(watch)
        if tool not in tools:  # it may have come without a word
            self._known = None
            tools = self._tools(watch)
        if tool in tools:
            return tools[tool]
        hint = did_you_mean(tool, tools, listing="it has") or "it has no tools at all"
        raise StepgraphError(f"the server {self.name!r} has no tool {tool!r}", hint=hint)

    def _tools(self, watch: CallWatch | None) -> dict[str, KnownTool]:
        """Return its tools: as listed last, unless it has announced a change since."""
        connection = self._open(watch)
        known = self._known
        if known is None or connection.has_changed:
            connection.has_changed = False
            self._known = known = connection.tools(watch)
            keep_specs(self.name, self.settings, [tool.spec for tool in known.values()])
        return known

    def _open(self, watch: CallWatch | None) -> Connection:
        with self._lock:
            if self._connection is not None and self._connection.is_open:
                return self._connection
            self._drop()
            try:
                from .connection import Connection
            except ModuleNotFoundError as error:
                raise StepgraphError(
                    f"the server {self.name!r} needs packages that are not installed: {error.name}",
                    hint='pip install "stepgraph[mcp]"',
                ) from error
            if self._loop is None:
                self._loop = LoopThread()
            self._connection = Connection(ServerPlace(self.name, self.settings), self._loop)
            try:
                self._connection.open(watch)
            except BaseException:
                self._drop()
                raise
            return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class McpTool:
    """One tool of a server."""

    def __init__(self, server: McpServer, name: str) -> None:
        self._server, self._name = server, name

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Call it."""
        return self.call(params, ToolContext())

    def call(self, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Call it in its context."""
        return self._server.call(self._name, params, context)

    def spec(self) -> ToolSpec:
        """Describe it; the server is started where it is not."""
        return self._server.spec(self._name)

    def takes(self, given: Collection[str]) -> tuple[str, ...] | None:
        """Name the only arguments that its schema allows, as far as the server has said it already."""
        known = {spec.name: spec for spec in self._server.known() or ()}
        return known[self._name].takes if self._name in known else None
