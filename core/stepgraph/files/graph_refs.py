"""Graphs in Python modules, named by where they are: ``my_agent.py:graph`` or ``package.module:graph``.

Such a graph's ``source`` is the path of its file with the name after it, ``/home/ana/my_agent.py:graph``, in
every place where a graph file has its path. Naming one imports nothing, nor does listing those of a
``langgraph.json``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..values.errors import GraphFileError
from ..values.handler_names import is_handler
from ..values.problems import Place, Problem, did_you_mean

if TYPE_CHECKING:
    import ast


_SUFFIX = ".py"
_AGENTS = ("create_agent", "create_react_agent", "create_deep_agent", "create_supervisor", "create_swarm")
_MAKERS = ("StateGraph", *_AGENTS)
"""What makes a graph when it is called."""
CONFIG = "config"
"""The one argument that a function which makes a graph may want, as servers of LangGraph's give it."""


class GraphNotNamed(GraphFileError):
    """A Python module has several graphs, and it was not said which is meant.

    Args:
        message: What happened.
        names: The graphs, each as it can be named: ``my_agent.py:graph``.
    """

    def __init__(self, message: str, names: Sequence[str]) -> None:
        super().__init__(message, (), hint=", ".join(names))
        self.names = tuple(names)


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
    """Check whether there is a plain file that may be looked at."""
    return os.path.isfile(path)  # noqa: PTH113  # Path.is_file raises for a folder that may not be looked into


def graph_ref(path: str | Path | None) -> GraphRef | None:
    """Find which graph of a Python module a path names; None for the path of any other file."""
    file, colon, name = str(path or "").rpartition(":")
    if not colon or not file.endswith(_SUFFIX) or not name.isidentifier():
        return None
    return GraphRef(Path(os.path.abspath(file)), name)  # noqa: PTH100  # Path.absolute keeps ".."


def located(text: str) -> Path:
    """Find the path of what a person has written: a module is looked up, anything else is a path already.

    Nothing is imported: a module is looked for by its name, in the current folder first. A module without a
    name stands for the only graph in it, and a word alone for the graph that ``langgraph.json`` calls so.

    Raises:
        GraphNotNamed: There are several graphs in the module, and it is not said which of them is meant.
        GraphFileError: There is no such module, or it has no graph that shows without importing it.
    """
    ref = graph_ref(text)
    if ref is not None:
        return ref.path
    file, colon, name = text.rpartition(":")
    if text.endswith(_SUFFIX) or (colon and file.endswith(_SUFFIX)):
        return _only_graph(file if colon else text, name if colon else "")
    if os.path.exists(text):  # noqa: PTH110  # as for is_file
        return Path(text)
    if not is_handler(text):
        listed = _find_listed(text)
        return Path(text) if listed is None else listed.path
    module, _, name = text.partition(":")
    here = Path.cwd()
    found = looked_up(module, [here, _above_packages(here), *map(Path, sys.path)])
    if found is not None:
        return GraphRef(found, name).path
    beside = sorted(path.stem for path in here.glob(f"*{_SUFFIX}"))
    hint = did_you_mean(module, beside, listing="this folder has") or "check the name"
    message = f"there is no module {module!r}: neither in this folder nor on the Python path"
    raise refused(Problem("F001", "error", message, Place(file=text), hint))


def refused(*problems: Problem) -> GraphFileError:
    """Build the error for a Python graph that cannot be read."""
    return GraphFileError("this graph cannot be read", problems)


def looked_up(module: str, folders: Iterable[Path]) -> Path | None:
    """Find the file of a module in the first of some folders that has it; None where none has."""
    for folder in dict.fromkeys(folders):
        for place in _places(module, folder):
            if is_file(place):
                return place.absolute()
    return None


def _find_listed(word: str) -> GraphRef | None:
    if Path(word).suffix or os.sep in word or not is_file(Path("langgraph.json")):
        return None

    return listed_graphs(Path.cwd()).get(word)


def _only_graph(file: str, name: str) -> Path:
    """Find the graph of a module that was written without its name; it is read, and not imported."""
    names = _names_in(Path(file))
    if not name and len(names) == 1:
        return GraphRef(Path(os.path.abspath(file)), names[0]).path  # noqa: PTH100  # as above
    named = [f"{file}:{each}" for each in names]
    if not name and names:
        raise GraphNotNamed(f"{file} has {len(names)} graphs: name one of them", named)
    message = f"{name!r} is not a name of Python's" if name else "no graph shows in it without importing it"
    hint = "name the graph in it: " + " or ".join(named[:5] or [f"{file}:graph"])
    raise refused(Problem("F013", "error", message, Place(file=file), hint))


def _names_in(file: Path) -> list[str]:
    """List the names that look like graphs in a module, which is read and not imported."""
    import ast  # only where somebody has left out the name

    try:
        return names_of_graphs(ast.parse(file.read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def names_of_graphs(module: ast.Module) -> list[str]:
    """List the names at the top of a module that look like graphs: what a call makes of them says so.

    A builder that is compiled under another name is not listed beside it. Where nothing is assigned, these
    are the functions that make a graph without arguments, or with a config.
    """
    import ast

    functions_here = (
        part for part in module.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    own = [part for part in functions_here if not _needs_arguments(part)]
    functions = [
        part.name
        for part in own
        if any(isinstance(each, ast.Return | ast.Yield) and each.value is not None for each in ast.walk(part))
        and any(_makes_graph(each, ()) for each in ast.walk(part))
    ]
    made: dict[str, str] = {}
    for part in module.body:
        targets = part.targets if isinstance(part, ast.Assign) else []
        targets = [part.target] if isinstance(part, ast.AnnAssign) else targets
        if targets and _makes_graph(value := part.value, functions):  # type: ignore[attr-defined]
            made |= {target.id: ast.unparse(value) for target in targets if isinstance(target, ast.Name)}
    compiled = {name for name in made for source in made.values() if f"{name}.compile(" in source}
    shown = ([name for name in made if name not in compiled], functions)
    return next(filter(None, ([name for name in names if not name.startswith("_")] for names in shown)), [])


def _makes_graph(value: ast.AST | None, functions: Sequence[str]) -> bool:
    """Return whether a call makes a graph, as far as its name says so."""
    import ast

    while isinstance(value, ast.Call):
        called = value.func
        if isinstance(called, ast.Name):
            return called.id in _MAKERS or called.id in functions
        if not isinstance(called, ast.Attribute):
            return False
        owner = ast.unparse(called.value)
        if called.attr == "with_config":  # of the graph that comes before it
            value = called.value
            continue
        if called.attr in ("compile", "from_file"):
            return owner != "re" and (called.attr == "compile" or owner.endswith("StateGraph"))
        return called.attr in _MAKERS
    return False


def _needs_arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = function.args
    arguments = [each.arg for each in (*given.posonlyargs, *given.args)]
    required = arguments[: len(arguments) - len(given.defaults)]
    return required not in ([], [CONFIG]) or None in given.kw_defaults


def _places(module: str, folder: Path) -> Iterator[Path]:
    place = folder.joinpath(*module.split("."))
    yield place / "__init__.py"
    yield place.with_name(f"{place.name}{_SUFFIX}")


NAME = "langgraph.json"
_LARGEST = 1_000_000  # bytes


def listed_graphs(folder: Path) -> dict[str, GraphRef]:
    """Read which graphs in Python the ``langgraph.json`` of a folder lists; none where there is no such file.

    An entry is a text like ``./src/agent.py:graph`` or ``package.module:graph``, or a table that has it under
    ``path``. Entries in other languages are left out.

    Raises:
        GraphFileError: The file cannot be read, or is not what LangGraph's tools take.
    """
    file = folder / NAME
    if not is_file(file):
        return {}
    graphs = listing(file).get("graphs")
    if not isinstance(graphs, dict):
        raise _refused(file, 'it has no table "graphs"')
    found: dict[str, GraphRef] = {}
    for name, entry in graphs.items():
        path = entry.get("path") if isinstance(entry, dict) else entry
        if isinstance(path, str) and (ref := _ref(folder, path)) is not None:
            found[name] = ref
    return found


def listing(file: Path) -> dict[str, object]:
    """Read a ``langgraph.json``.

    Raises:
        GraphFileError: It cannot be read.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
        table = json.loads(data) if len(data) <= _LARGEST else None
    except OSError as error:
        raise _refused(file, f"it cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _refused(file, f"it is not JSON: {error}") from error
    return table if isinstance(table, dict) else {}


def _ref(folder: Path, path: str) -> GraphRef | None:
    place, _, name = path.rpartition(":")
    ref = graph_ref(f"{folder / place}:{name}")
    if ref is not None or not name.isidentifier():
        return ref
    module = looked_up(place, [folder, folder / "src"])
    return GraphRef(module, name) if module is not None else None


def _refused(file: Path, what: str) -> GraphFileError:
    return GraphFileError(f"{file}: {what}", hint='write {"graphs": {"agent": "./my_agent.py:graph"}}')
