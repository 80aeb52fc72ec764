"""A command as a graph declares it: its words, its arguments, and where it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from ..values.declared import (
    Converted,
    Declared,
    as_duration,
    checked_table,
    field,
    keys_of,
    parse_duration,
    plain_table,
)
from ..values.json_values import Json, escaped, with_kind
from ..values.problems import did_you_mean
from ..values.state import fits

MAX_ANSWER = 10_000_000
"""The most bytes of one answer."""


def size_text(size: int) -> str:
    """Write a number of bytes in a few characters: ``10 MB``."""
    for unit, name in ((1_000_000, "MB"), (1_000, "KB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"


SCHEMA_TYPES = {
    "text": "string",
    "number": "number",
    "boolean": "boolean",
    "list": "array",
    "table": "object",
}
"""What JSON schema calls the types of arguments."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _variables(names: list[str]) -> list[str]:
    if not all(map(_NAME.fullmatch, names)):
        raise ValueError("env lists names of variables: letters, digits and underscores")
    return names


def _words(words: list[str]) -> list[str]:
    if not words or not words[0].strip() or any("\0" in word for word in words):
        raise ValueError('a command is a list of words that begins with a program: ["git", "log"]')
    if len(pieces(words[0])) > 1:
        raise ValueError("the program itself cannot be an argument: name it")
    return words


def _length(text: str) -> str:
    if not parse_duration(text):
        raise ValueError("a command needs some time: 30s, 10m")
    return text


def _size(size: int) -> int:
    if not 1 <= size <= MAX_ANSWER:
        raise ValueError(f"max_output is a number of bytes from 1 to {MAX_ANSWER} ({size_text(MAX_ANSWER)})")
    return size


def _image(image: str) -> str:
    if not image.strip() or image.startswith("-") or not image.isprintable():
        raise ValueError("an image is named as in docker run, such as python:3.12-slim")
    return image


class CommandArgument(Declared):
    """An argument of a command: ``arguments.NAME``."""

    type: Literal["text", "number", "boolean", "list", "table"] = field("text", description="What it is.")
    default: Any = field(None, description="Its default; without one, a call must give it.")
    option: bool = field(False, description="Whether its value may begin with a dash, and so be an option.")
    note: str = field("", description="What it is for.")


class CommandContainer(Declared):
    """Where a command runs that is kept from this machine: ``container``."""

    image: Annotated[str, Converted(_image)] = field(
        "", description="The image, as docker run names it; best by its digest: NAME@sha256:..."
    )
    sandbox: Literal["bwrap"] | None = field(
        None, description="Instead of an image: bubblewrap, with the programs of this machine."
    )
    mount: Literal["none", "read", "write"] = field(
        "none", description="How it mounts the tool's folder at /work: not at all, to read, or to write."
    )
    network: bool = field(False, description="Whether it reaches the network.")
    memory: int = field(512_000_000, description="The most bytes of memory that it may use.")
    processes: int = field(256, description="How many processes and threads it may have.")

    @property
    def is_pinned(self) -> bool:
        """Whether nobody can put another image in its place."""
        return self.sandbox is not None or "sha256:" in self.image


Words = Annotated[list[str], Converted(_words)]
Variables = Annotated[list[str], Converted(_variables)]
Length = Annotated[str, Converted(_length, takes=as_duration)]
Size = Annotated[int, Converted(_size)]
COMMAND = field(
    None,
    description="Or a program with its arguments, one word each; {{ name }} inserts an argument.",
    examples=[["git", "log", "-n", "{{ count }}"]],
)
ARGUMENTS = field(
    default_factory=dict,
    description="Its arguments: each a type (text, number, boolean, list, table), or a table with more.",
    examples=[{"count": "number"}],
)
STDIN = field(None, description="Standard input of the command; {{ name }} inserts an argument.")
TIMEOUT = field("60s", description="How long the command may take.")
ENV = field(default_factory=list, description="Environment variables passed to the command.")
FOLDER = field("", description="Where the command runs, relative to the graph file's folder.")
OUTPUT = field("text", description="How to read the command's standard output.")
EXIT_CODES = field(default_factory=lambda: [0], description="Exit codes that count as success.")
MAX_OUTPUT = field(1_000_000, description="The most bytes that the command may write.")
CONTAINER = field(
    None,
    description="Runs it in docker or podman, without a network: image and mount (none, read, write).",
    examples=[{"image": "python:3.12-slim", "mount": "read"}],
)


class CommandPart(Declared):
    """What a table ``[tools.NAME]`` says of a command."""

    command: Words
    arguments: dict[str, Any] = ARGUMENTS
    stdin: str | None = STDIN
    timeout: Length = TIMEOUT
    env: Variables = ENV
    folder: str = FOLDER
    output: Literal["text", "json"] = OUTPUT
    exit_codes: list[int] = EXIT_CODES
    max_output: Size = MAX_OUTPUT
    container: dict[str, Any] | None = CONTAINER

    def _check(self) -> None:
        check_places(self)

    def overrides(self) -> dict[str, Json]:
        """Return what differs from what holds when it is left out, as a table has it."""
        defaults = {key: field.value() for key, field in keys_of(CommandPart).items() if not field.required}
        table: dict[str, Json] = dict(vars(self))
        return {key: value for key, value in table.items() if key not in defaults or value != defaults[key]}


def read_command(table: Mapping[str, Any]) -> CommandPart:
    """Read what a table says of a command.

    Raises:
        ValueError: It is none, in the words of what is wrong first.
    """
    found = plain_table(CommandPart, table)
    if found is not None:
        return found
    from pydantic import ValidationError  # which is loaded to say what is wrong

    try:
        return checked_table(CommandPart, table)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
    where = ".".join(map(str, wrong["loc"]))
    message = wrong["msg"].removeprefix("Value error, ")
    raise ValueError(f"{where}: {message}" if where else message)


def check_places(part: Any) -> None:
    """Check whether the places in a command are of arguments that it declares.

    Raises:
        ValueError: One is not, or a declaration cannot be read.
    """
    declared = read_arguments(part.arguments)
    for text in (*part.command, *([part.stdin] if part.stdin is not None else [])):
        for name in places(text):
            if name not in declared:
                hint = did_you_mean(name, declared, listing="there are") or "declare it in arguments"
                raise ValueError(f"{{{{ {name} }}}} is not an argument ({hint})")
    read_container(part.container)


def places(text: str) -> Iterator[str]:
    """Name the arguments whose places a text has.

    Raises:
        ValueError: A place has more in it than a name.
    """
    for inside in pieces(text)[1::2]:
        name = inside.strip()
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{escaped(f'{{{{{inside}}}}}')} is not an argument: write its name alone, {{{{ name }}}}"
            )
        yield name


def pieces(text: str) -> list[str]:
    """Split a text at the places of arguments: what is around them, and between those what is in them."""
    found, at = list[str](), 0
    while (begin := text.find("{{", at)) >= 0 and (end := text.find("}}", begin + 2)) >= 0:
        found += (text[at:begin], text[begin + 2 : end])
        at = end + 2
    return [*found, text[at:]]


def read_arguments(given: Mapping[str, Any]) -> dict[str, CommandArgument]:
    """Read the declared arguments.

    Raises:
        ValueError: One is declared in a way that cannot be.
    """
    return {name: _argument(name, argument) for name, argument in given.items()}


def _argument(name: str, written: Any) -> CommandArgument:
    table: Any = {"type": written} if isinstance(written, str) else written
    if not _NAME.fullmatch(name):
        raise ValueError(f"{escaped(name)!r} cannot name an argument: letters, digits and underscores can")
    if not isinstance(table, dict):
        raise ValueError(f"the argument {name!r} is a type such as text, or a table with type and more")
    kind = table.get("type", "text")
    unknown = [key for key in table if key not in ("type", "default", "option", "note")]
    if unknown:
        raise ValueError(f"the argument {name!r} has type, default, option and note, not {unknown[0]!r}")
    if kind not in SCHEMA_TYPES:
        hint = did_you_mean(str(kind), SCHEMA_TYPES, listing="there are")
        raise ValueError(f"the argument {name!r} has the unknown type {kind!r} ({hint})")
    if not isinstance(table.get("option", False), bool) or not isinstance(table.get("note", ""), str):
        raise ValueError(f"the argument {name!r}: option is true or false, and note is a text")
    if table.get("default") is not None and not fits(table["default"], kind):
        raise ValueError(
            f"the default of the argument {name!r} is {with_kind(table['default'])}, not a {kind}"
        )
    return CommandArgument(table)


def read_container(table: Mapping[str, Any] | None) -> CommandContainer | None:
    """Read where a command runs.

    Raises:
        ValueError: It cannot be read.
    """
    if table is None:
        return None
    if set(table) - keys_of(CommandContainer).keys() or ("image" in table) == ("sandbox" in table):
        raise ValueError(
            'a container is a table with image, and mount where it sees the folder: "read"; beside them there'
            ' are network, memory and processes, and sandbox = "bwrap" instead of an image'
        )
    if table.get("mount", "none") not in ("none", "read", "write"):
        raise ValueError("the mount of a container is none, read or write")
    if table.get("sandbox", "bwrap") != "bwrap":
        raise ValueError('the sandbox of a container is "bwrap"')
    if not isinstance(table.get("network", False), bool):
        raise ValueError("the network of a container is true or false")
    for key, least in (("memory", 16_000_000), ("processes", 1)):
        if (bound := table.get(key)) is not None and (type(bound) is not int or bound < least):
            raise ValueError(f"the {key} of a container is a whole number from {least:,} up")
    image = table.get("image")
    if image is not None and not isinstance(image, str):
        raise ValueError("an image is a text")
    return CommandContainer({**table, **({} if image is None else {"image": _image(image)})})
