"""What the ``langgraph.json`` of a project gives to its code, as LangGraph's own tools read it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..values.errors import GraphFileError
from .graph_refs import NAME, is_file, listing

_LARGEST = 100_000  # bytes
_LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<name>[\w.-]+)[ \t]*=[ \t]*
    (?:'(?P<plain>[^']*)'|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\n'"][^\n]*?|))
    [ \t]*(?:(?<=[ \t])\#[^\n]*)?$""",
    re.MULTILINE | re.VERBOSE,
)
_OTHER = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def project_around(folder: Path) -> Path | None:
    """Find the folder of the project that a folder is in; None where it is in none."""
    return next((each for each in (folder, *folder.parents) if is_file(each / NAME)), None)


def set_environment(project: Path) -> None:
    """Set the variables of a project's ``env`` that have no value yet.

    Raises:
        GraphFileError: They cannot be read.
    """
    for name, value in _given(project):
        if value and not os.environ.get(name):
            os.environ[name] = value


def folders_of(project: Path) -> list[Path]:
    """List the folders from which a project's code imports, which are its own and its local ``dependencies``.

    Raises:
        GraphFileError: They cannot be read.
    """
    named = listing(project / NAME).get("dependencies")
    texts = [each for each in named if isinstance(each, str)] if isinstance(named, list) else []
    around = [project, *(project / each for each in texts)]
    return list(
        dict.fromkeys(each.resolve() for one in around for each in (one, one / "src") if each.is_dir())
    )


def _given(folder: Path) -> Iterator[tuple[str, str]]:
    env = listing(folder / NAME).get("env")
    if isinstance(env, dict):
        yield from ((name, str(value)) for name, value in env.items() if isinstance(value, str | int | float))
    elif isinstance(env, str) and is_file(folder / env):  # projects come with its name, and without it
        yield from read_variables(_text(folder / env)).items()


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(_LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise GraphFileError(
            f"{file}: the variables in it cannot be read: {error}", hint=f"mend it, or its name in {NAME}"
        ) from error


def read_variables(text: str) -> Mapping[str, str]:
    """Read lines of ``NAME=value``; ``${NAME}`` in a value is that of another variable."""
    found: dict[str, str] = {}

    def other(match: re.Match[str]) -> str:
        name, default = match.groups()
        return os.environ.get(name) or found.get(name) or default or ""

    for line in _LINE.finditer(text.replace("\r\n", "\n")):
        value = line["plain"]
        if value is None:
            quoted = line["quoted"]
            bare = quoted is None
            value = line["bare"] if bare else re.sub(r"\\(.)", _unescaped, quoted)
            value = _OTHER.sub(other, value)
        found[line["name"]] = value
    return found


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])
