"""A server of tools that is a program: started, spoken to in lines of JSON, and ended with what it started.

The SDK has such a transport, which reads lines of any length, writes what it cannot read into a log, and
gives the server's standard error to the terminal. Here a line has a most length, a line that is not a message
ends the connection, and the last lines of the standard error are kept, to be shown when the server fails.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import mcp_types
from anyio.abc import ByteReceiveStream, Process
from mcp.shared.message import SessionMessage

from ...tools.command_part import MAX_ANSWER, size_text
from ...values.json_values import escaped

_GRACE = 2.0  # seconds that a server has to end by itself once its input is closed, and again after a signal
_POLL = 0.01
_LINES, _LINE = 12, 300
_SHOWN = 120
_GONE = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)


class ServerProcess:
    """A server's program while it runs, and what is known of it afterwards.

    Args:
        words: The program and its arguments.
        env: All of its environment.
        folder: Where it starts; None for where we are.
    """

    def __init__(self, words: list[str], env: Mapping[str, str], folder: Path | None) -> None:
        self._words, self._env, self._folder = words, env, folder
        self.fault = ""
        """What it did that no server may do."""
        self.hint = "a server writes messages to its output, and nothing else: correct it, or ask it for less"
        self.last_lines: deque[str] = deque(maxlen=_LINES)
        """The last lines of its standard error."""
        self.exit_code: int | None = None
        self.is_gone = False
        """Whether nothing more can come from it."""

    @property
    def ended(self) -> str:
        """How it has ended, in words that follow its name."""
        code = self.exit_code
        if code is None:
            return "has closed its output"
        return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Start it, give the streams of messages from it and to it, and end it.

        Raises:
            OSError: It cannot be started.
        """
        process = await anyio.open_process(
            self._words, env=self._env, cwd=self._folder, start_new_session=True
        )
        into, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, out = anyio.create_memory_object_stream[SessionMessage](0)
        async with into, incoming, outgoing, out, anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, process, into)
            tasks.start_soon(self._write, process, out, into)
            tasks.start_soon(self._keep_errors, process)
            try:
                yield incoming, outgoing
            finally:
                with anyio.CancelScope(shield=True):
                    await self._end(process)
                tasks.cancel_scope.cancel()

    async def _read(self, process: Process, into: Any) -> None:
        """Pass on what it writes, until it ends or breaks the protocol."""
        assert process.stdout is not None  # noqa: S101  # a pipe was asked for
        with suppress(*_GONE):
            self.fault = await self._lines(process.stdout, into)
        self.is_gone = True
        await into.aclose()
        if self.fault:
            _kill(process, signal.SIGKILL)

    async def _lines(self, output: ByteReceiveStream, into: Any) -> str:
        """Pass on each line as a message, and report the first that is none."""
        parts: list[bytes] = []
        size = 0
        while size <= MAX_ANSWER:
            *lines, rest = (await output.receive()).split(b"\n")
            for line in lines:
                whole = b"".join([*parts, line])
                parts, size = [], 0
                if whole.strip():
                    try:
                        message = mcp_types.jsonrpc_message_adapter.validate_json(whole, by_name=False)
                    except ValueError:
                        return (
                            f"it writes to its standard output what is not a message: {_preview_line(whole)}"
                        )
                    await into.send(SessionMessage(message))
            parts.append(rest)
            size += len(rest)
        return f"it answers with more than {size_text(MAX_ANSWER)}"

    async def _write(self, process: Process, out: Any, into: Any) -> None:
        assert process.stdin is not None  # noqa: S101  # a pipe was asked for
        try:
            async for message in out:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(text.encode() + b"\n")
        except _GONE:
            self.is_gone = True
            await into.aclose()  # or what was asked would wait for ever

    async def _keep_errors(self, process: Process) -> None:
        assert process.stderr is not None  # noqa: S101  # a pipe was asked for
        begun = b""
        with suppress(*_GONE):
            while True:
                *lines, begun = (begun + await process.stderr.receive()).split(b"\n")
                begun = begun[:_LINE]
                self.last_lines.extend(_readable(line) for line in lines if line.strip())
        if begun.strip():
            self.last_lines.append(_readable(begun))

    async def _end(self, process: Process) -> None:
        """Close its input, wait, and end it and all it has started where it does not end."""
        with suppress(*_GONE):
            if process.stdin is not None:
                await process.stdin.aclose()
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not await _ends(process):
                _kill(process, number)
        await _ends(process)
        self.exit_code = process.returncode
        _kill(process, signal.SIGKILL)  # what it has left behind
        with anyio.move_on_after(_GRACE):  # what left the group could hold its pipes open
            await process.aclose()


async def _ends(process: Process) -> bool:
    """Wait for its end alone: ``wait`` waits for what it has started, too, where that holds its pipes."""
    with anyio.move_on_after(_GRACE):
        while process.returncode is None:  # noqa: ASYNC110  # no event announces only the end
            await anyio.sleep(_POLL)
    return process.returncode is not None


def _readable(line: bytes) -> str:
    return escaped(line[:_LINE].decode("utf-8", "backslashreplace").strip())


def _preview_line(line: bytes) -> str:
    text = escaped(line[: 4 * _SHOWN].decode("utf-8", "backslashreplace").strip())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _kill(process: Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
