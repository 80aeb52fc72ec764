"""Commands as tools: a list of words that a graph declares, with arguments in their places; never a shell."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any, NoReturn, cast

from ..models.client import CallWatch, ToolSpec
from ..values.declared import parse_duration
from ..values.errors import StepgraphError
from ..values.json_values import Json, dumps, escaped, with_kind
from ..values.state import fits
from .command_part import (
    SCHEMA_TYPES,
    CommandPart,
    pieces,
    places,
    read_arguments,
    read_container,
    size_text,
)
from .containers import Contained, contained, guarded
from .protocols import ToolContext, unknown_arguments
from .registry import hidden, without_secrets

_LOOK = 0.05  # seconds between two looks at whether somebody has asked to stop
_GRACE = 1.0  # seconds that a program has to end by itself after a signal
_CHUNK = 65_536
_ERRORS = 4_000  # bytes of the standard error that are kept
_LINES, _LINE = 12, 300


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a program."""

    exit_code: int
    """Below zero: the signal that ended it."""
    output: bytes
    errors: bytes
    """The end of what it wrote to its standard error."""

    @property
    def last_lines(self) -> str:
        """The last lines of its standard error, as they can be shown."""
        lines = self.errors.decode("utf-8", "backslashreplace").splitlines()
        return "\n".join(f"  {escaped(line[:_LINE])}" for line in lines[-_LINES:] if line.strip())


def run_program(
    words: Sequence[str],
    *,
    name: str,
    env: Mapping[str, str],
    folder: Path,
    stdin: bytes | None,
    seconds: float,
    limit: int,
    watch: CallWatch,
    end: Sequence[str] = (),
) -> Finished:
    """Run a program in a process group of its own, and end the whole group with it.

    Where there is a terminal, the group is a session of its own as well, so that it cannot ask there.
    Elsewhere it stays in our session, by which a worker finds it when this process was killed.

    Args:
        words: The program and its arguments; no shell reads them.
        name: What called it, for the messages.
        env: All of its environment.
        folder: Where it runs.
        stdin: What it reads; None for nothing.
        seconds: How long it may take, where the node's own time is not over before.
        limit: The most bytes that it may write.
        watch: Who may ask to stop.
        end: A command that ends what it has started elsewhere, where it is ended before its time.

    Raises:
        StepgraphError: It cannot be started, took too long, or wrote too much.
        CallStopped: Somebody has asked to stop.
    """
    apart = _has_terminal()
    try:
        process = subprocess.Popen(  # noqa: S603  # words that a person has trusted, and no shell
            words,
            env=dict(env),
            cwd=folder,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=apart,
            process_group=None if apart else 0,
        )
    except (OSError, ValueError) as error:
        raise StepgraphError(
            f"tool {name!r} cannot be run: {error}", hint="look at its command in the graph"
        ) from None
    done = False
    try:
        finished = ProgramPipes(process, stdin or b"", limit, name).run(seconds, watch)
        done = True
        return finished
    finally:
        _end(process, done)
        if end and not done:
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(end, env=dict(env), capture_output=True, timeout=10, check=False)  # noqa: S603


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


class ProgramPipes:
    """What goes to a program and comes from it while it runs."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, limit: int, name: str) -> None:
        self._process, self._rest, self._limit, self._name = process, stdin, limit, name
        self._output = bytearray()
        self._errors = bytearray()
        self._open = selectors.DefaultSelector()

    def run(self, seconds: float, watch: CallWatch) -> Finished:
        """Feed and read it until it has ended."""
        process, ends = self._process, monotonic() + seconds
        with self._open:
            self._register(process.stdout, selectors.EVENT_READ, self._take_output)
            self._register(process.stderr, selectors.EVENT_READ, self._take_errors)
            self._register(process.stdin, selectors.EVENT_WRITE, self._give)
            while self._open.get_map() and process.poll() is None:
                self._look(ends, seconds, watch)
                for key, _ in self._open.select(_LOOK):
                    key.data(key.fileobj)
            while self._open.get_map() and (ready := self._open.select(0)):  # what is in the pipes still
                for key, _ in ready:
                    key.data(key.fileobj)
        while process.poll() is None:  # it has closed its output, and goes on
            self._look(ends, seconds, watch)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
        return Finished(process.returncode, bytes(self._output), bytes(self._errors))

    def _look(self, ends: float, seconds: float, watch: CallWatch) -> None:
        watch.check()
        left = watch.time_left
        if left is not None and left <= 0:
            raise StepgraphError(f"tool {self._name!r} took longer than its node may take")
        if monotonic() >= ends:
            raise StepgraphError(
                f"tool {self._name!r} took longer than {seconds:g} s, and was killed",
                hint="give it a longer timeout in the graph, or less to do",
            )

    def _register(self, pipe: IO[bytes] | None, event: int, then: Any) -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            self._open.register(pipe, event, then)

    def _close(self, pipe: IO[bytes]) -> None:
        self._open.unregister(pipe)
        pipe.close()

    def _give(self, pipe: IO[bytes]) -> None:
        try:
            sent = os.write(pipe.fileno(), self._rest[:_CHUNK]) if self._rest else 0
        except BlockingIOError:
            return
        except OSError:  # it reads no more
            sent = len(self._rest)
        self._rest = self._rest[sent:]
        if not self._rest:
            self._close(pipe)

    def _take_output(self, pipe: IO[bytes]) -> None:
        self._output += self._read(pipe)
        if len(self._output) > self._limit:
            raise StepgraphError(
                f"tool {self._name!r} wrote more than {size_text(self._limit)}, and was killed",
                hint="have it write less, or raise max_output in the graph",
            )

    def _take_errors(self, pipe: IO[bytes]) -> None:
        self._errors += self._read(pipe)
        del self._errors[:-_ERRORS]

    def _read(self, pipe: IO[bytes]) -> bytes:
        try:
            found = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not found:
            self._close(pipe)
        return found


def _end(process: subprocess.Popen[bytes], done: bool) -> None:
    """End what is left of a program's group, and close what connects us to it."""
    if not done:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    _signal(process, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


KEY_VARIABLE = "STEPGRAPH_IDEMPOTENCY_KEY"
"""The variable by which a command gets the idempotency key of its call."""

_NEEDED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TERM", "TMPDIR", "TZ", "USER")
_SHOWN = 300


class CommandTool:
    """A command as a tool.

    Args:
        name: The tool's name, for the messages.
        part: What the graph declares.
        base: The graph file's folder; None for where we are.
        note: What the tool is for.
    """

    def __init__(self, name: str, part: CommandPart, base: Path | None, note: str = "") -> None:
        self._name, self._part, self._note = name, part, note
        self._folder = (base or Path()) / part.folder
        self._arguments = read_arguments(part.arguments)
        self._container = read_container(part.container)

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Run the command."""
        return self.call(params, ToolContext())

    def call(self, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Run the command, and return what it wrote, with its exit code.

        Raises:
            StepgraphError: The arguments do not fit, it cannot be run, or it failed.
        """
        values = self._checked(params)
        words, part = self._words(values), self._part
        if not self._folder.is_dir():
            raise self._error(f"has no folder to run in: {self._folder}", "correct `folder` in the graph")
        env = {name: os.environ[name] for name in (*_NEEDED, *part.env) if name in os.environ}
        if context.idempotency_key:
            env[KEY_VARIABLE] = context.idempotency_key
        seconds = parse_duration(part.timeout)
        if self._container is None:
            run = Contained([self._program(words[0]), *words[1:]], env, self._folder, [])
        else:
            seen = {name: env[name] for name in (*part.env, KEY_VARIABLE) if name in env}
            run = contained(self._name, self._container, words, seen, self._folder, seconds)
        with guarded(run):
            finished = run_program(
                run.words,
                name=self._name,
                env=run.env,
                folder=run.folder,
                stdin=None if part.stdin is None else _filled(part.stdin, values).encode(),
                seconds=seconds,
                limit=part.max_output,
                watch=context.watch,
                end=run.end,
            )
        return self._result(finished)

    def spec(self) -> ToolSpec:
        """Describe it, by what the graph declares."""
        properties: dict[str, Json] = {}
        for name, argument in self._arguments.items():
            properties[name] = {"type": SCHEMA_TYPES[argument.type]}
            if argument.note:
                properties[name] |= {"description": argument.note}  # type: ignore[operator]  # a table
            if argument.default is not None:
                properties[name] |= {"default": argument.default}  # type: ignore[operator]  # a table
        required: list[Json] = [
            name for name, declared in self._arguments.items() if declared.default is None
        ]
        schema: dict[str, Json] = {"type": "object", "properties": properties, "required": required}
        return ToolSpec(self._name, self._note, {**schema, "additionalProperties": False})

    def _checked(self, params: dict[str, Json]) -> dict[str, Json]:
        declared = self._arguments
        wrong = unknown_arguments(params, declared)
        values: dict[str, Json] = {}
        for name, argument in declared.items():
            value = params.get(name, argument.default)
            if value is None:
                wrong.append(f"{name!r} is missing")
            elif not fits(value, argument.type):
                wrong.append(f"{name!r} takes a {argument.type}, not {with_kind(value)}")
            else:
                values[name] = value
        if wrong:
            usage = ", ".join(f"{name} ({argument.type})" for name, argument in declared.items())
            raise self._error(f"refuses its arguments: {'; '.join(wrong)}", f"it takes: {usage or 'none'}")
        return values

    def _words(self, values: Mapping[str, Json]) -> list[str]:
        """Put the arguments into their places; after a word ``--`` nothing can be an option."""
        words: list[str] = []
        only_values = False
        for word in self._part.command:
            head, *parts = pieces(word)
            name = parts[0].strip() if parts and not head else ""
            value = values.get(name)
            whole = name and parts[1:] == [""]
            filled = [_text(item) for item in value] if whole and isinstance(value, list) else None
            filled = [_filled(word, values)] if filled is None else filled
            may = all(self._arguments[place].option for place in places(word))
            if name and not only_values and not may:
                self._refuse_options(name, filled)
            for text in filled:
                if "\0" in text:
                    raise self._error("cannot be given a text with a NUL character in it", "leave it out")
            words += filled
            only_values = only_values or word == "--"
        return words

    def _refuse_options(self, name: str, words: Sequence[str]) -> None:
        for word in words:
            if word.startswith("-"):
                shown = escaped(word[:80])
                raise self._error(
                    f"refuses {shown!r} for {name!r}: it begins with a dash, so the program would take it "
                    "for an option",
                    f'write "--" before it in the command, or arguments.{name} = {{ option = true }}',
                )

    def _program(self, name: str) -> str:
        place = str(self._folder / name) if "/" in name else name
        found = shutil.which(place, path=os.environ.get("PATH", os.defpath))
        if found is None:
            raise self._error(f"cannot be run: there is no program {name!r}", "install it, or name another")
        return found

    def _result(self, finished: Finished) -> dict[str, Json]:
        code = finished.exit_code
        if code not in self._part.exit_codes:
            last_lines = hidden(finished.last_lines, self._part.env)
            ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            what = f"{ended}; its last lines:\n{last_lines}" if last_lines else ended
            raise self._error(
                what, "its command is in the graph; exit_codes lists the ones that mean success"
            )
        try:
            text = finished.output.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = f"byte {error.object[error.start]:#04x} at {error.start}"
            raise self._error(
                f"wrote what is not UTF-8 text ({byte})", "have it write text, or JSON"
            ) from None
        output = self._json(text) if self._part.output == "json" else text
        return {"output": without_secrets(output, self._part.env), "exit_code": code}

    def _json(self, text: str) -> Json:
        try:
            return cast("Json", json.loads(text, parse_constant=_no_number))
        except (ValueError, RecursionError) as error:
            shown = hidden(escaped(text[:_SHOWN].strip()), self._part.env)
            raise self._error(
                f"wrote what is not JSON: {error}; it wrote: {shown}", 'or output = "text"'
            ) from None

    def _error(self, what: str, hint: str) -> StepgraphError:
        return StepgraphError(f"tool {self._name!r} {what}", hint=hint)


def _filled(word: str, values: Mapping[str, Json]) -> str:
    parts = pieces(word)
    parts[1::2] = [_text(values[name.strip()]) for name in parts[1::2]]
    return "".join(parts)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")
