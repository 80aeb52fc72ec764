"""Graphs in Python modules, named by where they are: ``my_agent.py:graph`` or ``package.module:graph``.

Such a graph's ``source`` is the path of its file with the name behind it, ``/home/ana/my_agent.py:graph``, in
every place where a graph file has its path. Naming one imports nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..values.errors import GraphFileError
from ..values.handler_names import is_handler
from ..values.problems import Place, Problem, did_you_mean

_SUFFIX = ".py"


@dataclass(frozen=True, slots=True)
class GraphRef:
    """Where a graph is in a Python module."""

    file: Path
    """The module's file."""
    name: str
    """What the graph is called in it."""

    @property
    def path(self) -> Path:
        """Both as one path, as the source of the graph."""
        return Path(f"{self.file}:{self.name}")

    @property
    def folder(self) -> Path:
        """The folder that imports begin in: the module's own, or the one that its outermost package is in."""
        folder = self.file.parent
        while (folder / "__init__.py").is_file():
            folder = folder.parent
        return folder

    @property
    def module(self) -> str:
        """The module's whole name, such as ``package.module``."""
        parts = self.file.relative_to(self.folder).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)

    @property
    def handler(self) -> str:
        """The name of the graph as handlers are named, ``module:name``."""
        return f"{self.module}:{self.name}"


def graph_ref(path: str | Path | None) -> GraphRef | None:
    """Tell which graph of a Python module a path names; None for the path of any other file."""
    file, colon, name = str(path or "").rpartition(":")
    if not colon or not file.endswith(_SUFFIX) or not name.isidentifier():
        return None
    return GraphRef(Path(os.path.abspath(file)), name)  # noqa: PTH100  # Path.absolute keeps ".."


def located(text: str) -> Path:
    """Find the path of what a person has written: a module is looked up, anything else is a path already.

    Nothing is imported: a module is looked for by its name, in the current folder first.

    Raises:
        GraphFileError: There is no such module.
    """
    ref = graph_ref(text)
    if ref is not None:
        return ref.path
    if not is_handler(text):
        return Path(text)
    module, _, name = text.partition(":")
    folders = [Path.cwd(), *map(Path, sys.path)]
    for folder in folders:
        for file in (
            folder.joinpath(*module.split(".")).with_suffix(_SUFFIX),
            folder.joinpath(*module.split("."), "__init__.py"),
        ):
            if file.is_file():
                return GraphRef(file, name).path
    hint = did_you_mean(module, _modules_in(folders[:1]), listing="this folder has") or "check the name"
    message = f"there is no module {module!r}: neither in this folder nor on the Python path"
    raise GraphFileError(
        "this graph cannot be read", [Problem("F001", "error", message, Place(file=text), hint)]
    )


def _modules_in(folders: Iterable[Path]) -> list[str]:
    return sorted(path.stem for folder in folders for path in folder.glob(f"*{_SUFFIX}"))
