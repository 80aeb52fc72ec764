"""A graph that is Python code, on the screen: looked at and run here, and edited where it is written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from stepgraph.editing import Design, EditHistory, Kind, Part
from stepgraph.files import (
    MAX_SOURCE,
    Covered,
    FileStamp,
    are_current,
    calls_of,
    edge_calls,
    graph_of,
    names_of_graphs,
    neighbors,
    parsed_module,
    unopened,
    words_of,
)
from stepgraph.graphs import OPAQUE
from stepgraph.graphs.validation import CheckedGraph, problems, shadowed
from stepgraph.values import GraphFileError, Place, Problem, StateError

from ..commands.hints import UNMAPPED, Hints
from ..graph_with_code import GraphWithCode
from .difference import text_of, write_copy
from .disk import DiskFile, DiskState
from .opened_graph import Checked, OpenedGraph

if TYPE_CHECKING:
    from stepgraph.files import GraphRef
    from stepgraph.graphs import CompiledGraph
    from stepgraph.nodes import SourceLines
    from stepgraph.values import KeyPath

    from ..connections import Connections


_NODES = frozenset({"add_node", "declare_node"})


def graph_names(text: str) -> list[str]:
    """List the names at the top of a module that may be graphs: what is assigned, and functions, in order.

    Those that surely are come first, the last of them before the others: it is what became of them.
    Names that begin with an underscore, imports and classes are left out. A text that is not Python has none.
    """
    module = parsed_module(text)
    made = reversed(names_of_graphs(module))
    found = (name for statement in module.body for name in _named_by(statement))
    return [name for name in dict.fromkeys((*made, *found)) if not name.startswith("_")]


def place_in_code(
    path: KeyPath,
    design: Design,
    sources: Mapping[str | int, SourceLines],
    file: Path | None,
    name: str | None,
) -> tuple[Path | None, int | None]:
    """Find where a part of a graph is written: a node's function, or the call that adds it.

    Args:
        path: Where the part is in the document of the graph.
        design: The graph.
        sources: The lines of the functions: of nodes by their names, of predicates by the edges' positions.
        file: The module; the file of the first function when None.
        name: What the graph is called in it.

    Returns:
        The file and the line; None where it is unknown.
    """
    lines = sources.get(path[1]) if len(path) > 1 else None
    if lines is not None and path[0] == "nodes":
        return lines.file, lines.first
    own = file if file is not None else next((each.file for each in sources.values()), None)
    text = _text(own)
    found = None
    match path:
        case ("nodes", str(node)):
            found = line_of_node(text, node)
        case ("edges", int(position)) if position < len(design.edges):
            ends = design.edges[position].source, design.edges[position].target
            alike = sum((each.source, each.target) == ends for each in design.edges[:position])
            found = line_of_edge(text, *ends, alike)
    if found is None and lines is not None:
        return lines.file, lines.first
    return own, found or (line_of_name(text, name) if name is not None else None)


def _text(file: Path | None) -> str:
    """Read the text of a module as it is now; empty where it cannot be read."""
    try:
        return text_of(file, MAX_SOURCE) if file is not None else ""
    except GraphFileError:
        return ""


def line_of_name(text: str, name: str) -> int | None:
    """Find the line in which a module gives something a name for the first time."""
    return next((each.lineno for each in parsed_module(text).body if name in _named_by(each)), None)


def _named_by(statement: ast.stmt) -> list[str]:
    """List the names that an assignment or a function gives; none of anything else."""
    match statement:
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
            return [name]
    return []


def line_of_node(text: str, node: str) -> int | None:
    """Find the line of the call that adds a node, where it writes the name out."""
    return next(
        (call.lineno for call in calls_of(parsed_module(text), _NODES) if words_of(call)[:1] == [node]), None
    )


def line_of_edge(text: str, source: str, target: str, at: int) -> int | None:
    """Find the line of the call that adds an edge, where it names both ends.

    Args:
        text: The module.
        source: The node that the edge leaves.
        target: Where it leads.
        at: Which of the edges between these two it is, from 0.
    """
    lines = [call.lineno for call in edge_calls(parsed_module(text), source, target)]
    return lines[at] if at < len(lines) else None


_SECTIONS: tuple[Kind, ...] = ("state", "tools", "nodes")


class PythonGraph(OpenedGraph):
    """A graph out of a Python module, or one that the program has made which opened the app.

    One out of a module is not there at first: ``to_import`` names what is to be loaded, by a thread that may
    take its time, and ``take_loaded`` or ``take_failure`` what came of it.

    Args:
        ref: Where it is; None for one that the program has made.
        hints: Names the keys.
        connections: The models and tools of the user's settings; None where nobody has looked.
    """

    is_python: ClassVar[bool] = True
    """Whether it is Python code: it is."""

    def __init__(
        self, ref: GraphRef | None, hints: Hints = UNMAPPED, connections: Connections | None = None
    ) -> None:
        super().__init__(
            DiskFile(ref.file, MAX_SOURCE, ".py") if ref is not None else None, hints, connections
        )
        self.ref = ref
        """Where it is; None for one that the program has made."""
        if ref is not None:
            self.path = ref.path  # the module's file with the graph's name after it
        self._loaded: GraphWithCode | None = None
        self._beside: Mapping[str, FileStamp] = {}  # what the module has imported of its folder
        self._plan: CompiledGraph | None = None  # of one that the program has made

    @classmethod
    def made_here(
        cls, plan: CompiledGraph, hints: Hints = UNMAPPED, connections: Connections | None = None
    ) -> PythonGraph:
        """Open a graph that this program has made and compiled."""
        made = cls(None, hints, connections)
        made._plan = plan
        made.take_loaded(GraphWithCode.of(graph_of(plan)))
        return made

    @property
    def refusal(self) -> str:
        """Why it cannot be edited here, and what to do instead."""
        files = (
            "{workbench.save_copy} makes a graph file of it"
            if self.can_be_filed
            else "{workbench.export} exports it"
        )
        does = f"{{workbench.editor}} opens your editor there, {files}"
        return self._hints(f"this graph is Python: {does}")

    @property
    def to_import(self) -> GraphRef | None:
        """The graph that is not there before its module is imported; None where nothing is missing."""
        return self.ref if not self.readable or self.disk() == "changed" else None

    # Loading

    def expect(self) -> None:
        """Record the module's file as known: it is about to be imported.

        What is written meanwhile is found out at the next look.

        Raises:
            GraphFileError: It is missing, no plain file, unreadable or too large.
        """
        if self._file is not None:
            self._file.read()

    def disk(self) -> DiskState:
        """Find how the module stands, with what it has imported of its folder, against what is known here."""
        state = super().disk()
        return "changed" if state == "same" and not are_current(self._beside) else state

    def _note_neighbors(self) -> None:
        """Record what the module has imported of its folder as known."""
        if self.ref is not None:
            with suppress(GraphFileError):
                self._beside = neighbors(Covered.read(unopened(self.ref)).sources)

    def take_loaded(self, loaded: GraphWithCode) -> None:
        """Replace the graph; ``refresh`` or ``take`` has it checked."""
        self._note_neighbors()
        try:
            design = _design_of(loaded.graph.document)
        except StateError as error:
            self.take_failure([Problem("G026", "error", error.message, Place(), error.hint)])
            return
        self.history = EditHistory(design)
        self._loaded, self.sources = loaded, loaded.sources
        self.readable = True
        self._refresh_if_small()

    def take_failure(self, found: tuple[Problem, ...] | list[Problem]) -> None:
        """Take over what is wrong with the module; the last good graph stays."""
        self.checked, self.readable = replace(self.checked, problems=tuple(found)), False
        self._note_neighbors()

    def checking(self) -> Callable[[], Checked]:
        """Return a function that checks the graph; it may be called in any thread."""
        loaded, design = self._loaded, self.design
        if loaded is None:
            return lambda: Checked(design)
        known, models = self.known_tools(), self._configured

        def check() -> Checked:
            checked = CheckedGraph(loaded.graph)
            found = problems(checked, models, known)
            return Checked(design, loaded.graph, tuple(found), shadowed(checked), models)

        return check

    def compiled(self) -> CompiledGraph:
        """Compile the graph that was loaded last.

        Raises:
            GraphError: It has errors.
            GraphFileError: Its module is not imported, or could not be since it was edited.
        """
        if self._plan is not None:
            return self._plan
        if self._loaded is None or not self.readable:
            name = self.path.name if self.path is not None else "the graph"
            how = "is not imported" if not self.checked.problems else "cannot be imported"
            raise GraphFileError(f"{name} {how}", self.checked.problems)
        return self._loaded.graph.compile()

    # As a graph file

    @property
    def can_be_filed(self) -> bool:
        """Whether a graph file can hold it: no part of it is a Python object."""
        tables = (part.table for part in self.design.parts)
        return self._loaded is not None and not any(
            OPAQUE in (table.get("type"), table.get("handler")) or table.get("when") == {"predicate": OPAQUE}
            for table in tables
        )

    def copy_to(self, path: Path) -> None:
        """Write the graph to a new file, as far as it is open; nothing of it is Python any more.

        Raises:
            GraphFileError: It was not written: it has Python objects, there is a file of that name.
        """
        if not self.can_be_filed:
            hint = "name functions as module:function in declare_node, add_tool and predicates"
            raise GraphFileError(f"{path} was not saved: a part of this graph is a Python object", hint=hint)
        write_copy(self.design, path)

    # Where it is written

    def place_of(self, path: KeyPath) -> tuple[Path | None, int | None]:
        """Find where a part of the graph is written: a node's function, or the call that adds it.

        Of a module that cannot be imported it is the place where that begins.
        """
        if not self.readable and self.checked.problems:
            wrong = self.checked.problems[0].place
            if wrong.file is not None:
                return Path(wrong.file), wrong.line
        own = self.ref.file if self.ref is not None else None
        name = self.ref.name if self.ref is not None else None
        return place_in_code(path, self.design, self.sources, own, name)


def _design_of(document: Mapping[str, Any]) -> Design:
    """Lay a graph's definition out as the tables of its file would be."""
    head = {key: value for key, value in document.items() if key not in (*_SECTIONS, "edges")}
    parts = [Part(kind, name, table) for kind in _SECTIONS for name, table in document.get(kind, {}).items()]
    edges = [Part("edges", "", table) for table in document.get("edges", ())]
    return Design(head, (*parts, *edges))
