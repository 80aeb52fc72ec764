"""Graphs to begin with, and making a file of one; what is there already stays as it is."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from pathlib import Path

from ...values.errors import StepgraphError

__all__ = ["DEFAULT", "TEMPLATES", "create_graph", "refusal", "template_text"]

TEMPLATES = {
    "blank": "no node yet: draw it yourself",
    "tool-router": "a model that calls tools until it can answer",
    "approval": "a draft that a person approves before it is sent",
    "critique-loop": "a writer and a critic, until the text is good enough",
    "agent": "a model that calls tools, and asks before it acts",
}
"""The templates by name, each with what it is. All but the blank one run as they are, offline."""

DEFAULT = "blank"
"""The one for people who do not say which."""

_NAME = re.compile(r"^name = .*$", re.MULTILINE)


def template_text(template: str, name: str) -> str:
    """Write the text of a new graph file.

    Args:
        template: One of ``TEMPLATES``.
        name: The graph's name.
    """
    from ...toml.values import graph_text

    file = Path(__file__).parent / f"{template.replace('-', '_')}.toml"
    line = graph_text({"name": name}).removesuffix("\n")
    return _NAME.sub(lambda _: line, file.read_text(encoding="utf-8"), count=1)


_SUFFIX = ".toml"
_LONGEST = 150
"""Characters of a path in messages."""


def create_graph(path: Path, template: str = DEFAULT) -> str:
    """Create a graph file from a template; the graph is named after the file.

    Args:
        path: The file, which must not be there.
        template: One of ``TEMPLATES``.

    Returns:
        The graph's name.

    Raises:
        StepgraphError: There is such a file, its folder is missing, or it cannot be written.
    """
    refused = refusal(path)
    if refused is not None:
        raise refused
    name = _text(path.stem)
    try:
        _write_new(path, template_text(template, name).encode())
    except FileExistsError:
        raise _exists(path) from None
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    return name


def graph_file(path: Path) -> Path:
    """Return the file that a person means: the end of its name may be left out."""
    is_bare = path.name not in ("", "..", _SUFFIX) and not path.suffix
    return path.with_name(f"{path.name}{_SUFFIX}") if is_bare else path


def refusal(path: Path) -> StepgraphError | None:
    """Explain why no graph file can be made there; None when it can be tried."""
    if path.suffix != _SUFFIX:
        return _wrong_name(path)
    folder = path.parent
    try:
        if os.path.lexists(path):
            return _exists(path)
        if folder.is_dir():
            return None
        if folder.exists():
            return StepgraphError(
                f"{_path_text(folder)} is not a folder", hint="name a folder before the file"
            )
    except (OSError, ValueError) as error:
        return _unwritable(path, error)
    make = f"mkdir -p {shlex.quote(_text(str(folder)))}"
    return StepgraphError(f"there is no folder {_path_text(folder)}", hint=f"make it first: {make}")


def _wrong_name(path: Path) -> StepgraphError:
    name = path.name.removesuffix(_SUFFIX)
    if not name:
        return StepgraphError("the file has no name", hint="such as `graph.toml`")
    return StepgraphError(
        f"graph files end in {_SUFFIX}, and {_path_text(path)} does not",
        hint=f"name it {_path_text(path.with_name(f'{name}{_SUFFIX}'))}",
    )


def _exists(path: Path) -> StepgraphError:
    return StepgraphError(f"{_path_text(path)} already exists", hint="choose another name, or move it away")


def _unwritable(path: Path, error: OSError | ValueError) -> StepgraphError:
    why = getattr(error, "strerror", None) or error
    return StepgraphError(
        f"{_path_text(path)} cannot be written: {why}", hint="choose another name or folder"
    )


def _path_text(path: Path) -> str:
    """Write a path in messages: what is wrong with it comes after it, and must not get out of sight."""
    text = _text(str(path))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 3 :]}"


def _text(name: str) -> str:
    """Turn a name on a disk, which may be any bytes, into a text that can be stored and shown."""
    return name.encode(errors="surrogateescape").decode(errors="replace")


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there; what could not be written whole is taken away again."""
    with path.open("xb") as stream:
        try:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
