"""Commands as tools: a list of words that a graph declares, with arguments in their places; never a shell."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn, cast

from ..models.messages import ToolSpec
from ..values.compare import escaped, named
from ..values.durations import parse_duration
from ..values.errors import StepgraphError
from ..values.json_values import Json, dumps
from ..values.state import fits
from .base import ToolContext
from .command_part import (
    SCHEMA_TYPES,
    CommandContainer,
    CommandPart,
    pieces,
    places,
    read_arguments,
    read_container,
)
from .known import unknown_arguments
from .running import Finished, run_program
from .secrets import hidden, without_secrets

KEY_VARIABLE = "STEPGRAPH_IDEMPOTENCY_KEY"
"""The variable by which a command gets the idempotency key of its call."""

_NEEDED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TERM", "TMPDIR", "TZ", "USER")
_ENGINES = ("docker", "podman")
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
        """Run the command, and give what it wrote, with its exit code.

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
        end: list[str] = []
        if self._container is not None:
            words, end = self._contained(self._container, words, env)
        program = self._program(words[0])
        stdin = None if part.stdin is None else _filled(part.stdin, values).encode()
        finished = run_program(
            [program, *words[1:]],
            name=self._name,
            env=env,
            folder=self._folder,
            stdin=stdin,
            seconds=parse_duration(part.timeout),
            limit=part.max_output,
            watch=context.watch,
            end=end,
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
        required: list[Json] = [name for name, said in self._arguments.items() if said.default is None]
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
                wrong.append(f"{name!r} takes a {argument.type}, not {named(value)}")
            else:
                values[name] = value
        if wrong:
            usage = ", ".join(f"{name} ({argument.type})" for name, argument in declared.items())
            raise self._error(f"refuses its arguments: {'; '.join(wrong)}", f"it takes: {usage or 'none'}")
        return values

    def _words(self, values: Mapping[str, Json]) -> list[str]:
        """Put the arguments into their places; behind a word ``--`` nothing can be an option."""
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

    def _contained(
        self, container: CommandContainer, words: list[str], env: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        """Give the words that run a command in a container, and those that end it."""
        path = os.environ.get("PATH", os.defpath)
        engine = next((name for name in _ENGINES if shutil.which(name, path=path)), None)
        if engine is None:
            raise self._error(
                "runs in a container, and neither docker nor podman is there",
                "install one of them, or leave out `container` in the graph",
            )
        called = f"stepgraph-{uuid.uuid4().hex[:12]}"
        run = [engine, "run", "--rm", "--interactive", "--init", "--network", "none", "--name", called]
        for name in (*self._part.env, KEY_VARIABLE):
            run += ["--env", name] if name in env else []
        if container.mount != "none":
            how = ",readonly" if container.mount == "read" else ""
            run += ["--mount", f"type=bind,source={self._folder.resolve()},target=/work{how}"]
            run += ["--workdir", "/work"]
        return [*run, container.image, *words], [engine, "kill", called]

    def _result(self, finished: Finished) -> dict[str, Json]:
        code = finished.exit_code
        if code not in self._part.exit_codes:
            said = hidden(finished.last_lines, self._part.env)
            ended = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            what = f"{ended}; its last lines:\n{said}" if said else ended
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
