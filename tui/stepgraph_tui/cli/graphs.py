"""The graph that a command line names, or that a stored run goes by: a graph file, or one in a Python module.

A module is imported only after somebody has agreed to it, and what it prints meanwhile is quoted.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stepgraph.files import graph_ref, located
from stepgraph.values import GraphFileError

from .output import ensure_trusted

if TYPE_CHECKING:
    from stepgraph.files import GraphRef
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.stores import StateStore, StoredRun

    from .output import Output
    from .parser import Parser

_Made = TypeVar("_Made")


def named_graph(output: Output, file: Path | str, trust: bool) -> StateGraph:
    """Read a graph file, or import the module that has the graph.

    Args:
        output: Where somebody is asked, and what the module prints is shown.
        file: What was written: a path, ``module.py:graph`` or ``package.module:graph``.
        trust: Whether ``--trust`` was given.

    Raises:
        GraphFileError: It cannot be read, or there is no such graph.
        TrustError: It is in a module that nobody has trusted; nothing was imported.
    """
    path = located(str(file))
    ref = graph_ref(path)
    if ref is None:
        from stepgraph.files import read_graph

        return read_graph(path)
    from stepgraph.files import load_graph

    return imported(output, ref, trust, lambda: load_graph(ref))


def plan_of_run(output: Output, store: StateStore, stored: StoredRun, trust: bool) -> CompiledGraph:
    """Compile the graph of a stored run; a module is asked for before it is imported.

    Raises:
        GraphError: It has parts that only the program which built the graph has.
        GraphFileError: Its module does not import, or has the graph no longer.
        TrustError: It is in a module that nobody has trusted; nothing was imported.
    """
    from stepgraph.runs import runnable_plan

    ref = graph_ref(stored.head.source)
    if ref is None:
        return runnable_plan(store, stored)
    return imported(output, ref, trust, lambda: runnable_plan(store, stored))


def imported(output: Output, ref: GraphRef, trust: bool, load: Callable[[], _Made]) -> _Made:
    """Import a module once somebody has agreed to it, and quote what it prints meanwhile.

    Args:
        output: Where somebody is asked, and what the module prints is shown.
        ref: The module.
        trust: Whether ``--trust`` was given.
        load: What imports it.

    Raises:
        GraphFileError: There is no such module.
        TrustError: Nobody has trusted it; nothing was imported.
    """
    from stepgraph.files import unopened

    from .driving import showing_time

    ensure_trusted(output, unopened(ref), trust)
    with output.apart(), showing_time(output, f"importing {ref.file.name}"):
        return load()


def refuse_python(file: Path, what: str) -> None:
    """Refuse a graph in a Python module, where a file of its own is wanted.

    Args:
        file: The path.
        what: What to do instead with a graph in a Python module.

    Raises:
        GraphFileError: It names a graph in a Python module.
    """
    if graph_ref(file) is not None:
        raise GraphFileError(f"{file} is a graph in a Python module, not a graph file", hint=what)


def add_trust(parser: Parser) -> None:
    """Declare ``--trust``."""
    parser.add_argument(
        "--trust", action="store_true", help="trust the code and commands that the graph names"
    )
