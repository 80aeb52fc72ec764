"""Graphs in Python modules, named by where they are: ``my_agent.py:graph`` or ``package.module:graph``.

Such a graph's ``source`` is the path of its file with the name behind it, ``/home/ana/my_agent.py:graph``, in
every place where a graph file has its path. Naming one imports nothing.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..values.errors import GraphFileError
from ..values.handler_names import is_handler
from ..values.problems import Place, Problem, did_you_mean

if TYPE_CHECKING:
    import ast

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
        return _above_packages(self.file.parent)

    @property
    def files(self) -> dict[str, Path]:
        """The files that importing the module runs, by their modules: those of its packages first."""
        folder, names = self.folder, self.module.split(".")
        packages = [folder.joinpath(*names[:count]) / "__init__.py" for count in range(1, len(names))]
        files = [*packages, self.file]
        return {".".join(names[:count]): file for count, file in enumerate(files, start=1)}

    @property
    def module(self) -> str:
        """The module's whole name, such as ``package.module``."""
        *packages, last = self.file.relative_to(self.folder).with_suffix("").parts
        if last == "__init__" and packages:
            return ".".join(packages)
        return ".".join([*packages, re.sub(r"[.:]", "_", last)])  # a file may be called anything

    @property
    def handler(self) -> str:
        """The name of the graph as handlers are named, ``module:name``."""
        return f"{self.module}:{self.name}"


def _above_packages(folder: Path) -> Path:
    while folder != folder.parent and is_file(folder / "__init__.py"):
        folder = folder.parent
    return folder


def is_file(path: Path) -> bool:
    """Tell whether there is a plain file that may be looked at."""
    return os.path.isfile(path)  # noqa: PTH113  # Path.is_file raises for a folder that may not be looked into


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
        GraphFileError: There is no such module, or it is not said which of its graphs is meant.
    """
    ref = graph_ref(text)
    if ref is not None:
        return ref.path
    file, colon, name = text.rpartition(":")
    if text.endswith(_SUFFIX) or (colon and file.endswith(_SUFFIX)):
        raise _unnamed(file if colon else text, name if colon else "")
    if not is_handler(text) or os.path.exists(text):  # noqa: PTH110  # as for is_file
        return Path(text)
    module, _, name = text.partition(":")
    here = Path.cwd()
    for folder in dict.fromkeys([here, _above_packages(here), *map(Path, sys.path)]):
        for place in _places(module, folder):
            if is_file(place):
                return GraphRef(place.absolute(), name).path
    beside = sorted(path.stem for path in here.glob(f"*{_SUFFIX}"))
    hint = did_you_mean(module, beside, listing="this folder has") or "check the name"
    message = f"there is no module {module!r}: neither in this folder nor on the Python path"
    raise refused(Problem("F001", "error", message, Place(file=text), hint))


def refused(*problems: Problem) -> GraphFileError:
    """Make the error for a Python graph that cannot be read."""
    return GraphFileError("this graph cannot be read", problems)


def _unnamed(file: str, name: str) -> GraphFileError:
    """Make the error for a module without the name of a graph; none is imported to find out what it has."""
    said = f"{name!r} is no name of Python's" if name else "it is a Python module, which may have many graphs"
    names = _names_in(Path(file)) or ["graph"]
    hint = "name the graph in it: " + " or ".join(f"{file}:{each}" for each in names[:5])
    return refused(Problem("F013", "error", said, Place(file=file), hint))


def _names_in(file: Path) -> list[str]:
    """List the names that look like graphs in a module, which is read and not imported."""
    import ast  # only where somebody has left out the name

    try:
        return names_of_graphs(ast.parse(file.read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def names_of_graphs(module: ast.Module) -> list[str]:
    """List the names at the top of a module that look like graphs: what a call makes of them says so."""
    import ast

    makers = (".compile(", "StateGraph(")
    return [
        target.id
        for part in module.body
        if isinstance(part, ast.Assign) and any(maker in ast.unparse(part.value) for maker in makers)
        for target in part.targets
        if isinstance(target, ast.Name)
    ]


def _places(module: str, folder: Path) -> Iterator[Path]:
    place = folder.joinpath(*module.split("."))
    yield place / "__init__.py"
    yield place.with_name(f"{place.name}{_SUFFIX}")
