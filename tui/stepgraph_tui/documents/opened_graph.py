"""A graph as it is open on the screen: its design with all edits, and what that makes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.editing import Design, EditError, EditHistory
from stepgraph.graphs.definition import definition_hash
from stepgraph.tools.known import known_tools
from stepgraph.values.errors import GraphFileError
from stepgraph_tui.commands.hints import UNMAPPED, Hints

from .checked import Checked, Checker
from .content import FileContent
from .disk import DiskFile, Standing

if TYPE_CHECKING:
    from stepgraph.editing import Edit, Edited, Turned
    from stepgraph.files.graph_refs import GraphRef
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.nodes.source_lines import SourceLines
    from stepgraph.tools.known import KnownTools
    from stepgraph.values.problems import KeyPath, Problem
    from stepgraph_tui.connections import Connections


AT_ONCE = 300
"""How many tables a graph may have that is built and checked at once; a larger one waits for ``take``."""


class OpenedGraph:
    """A design, and its graph: what all that is open on the screen has in common.

    ``do``, ``undo`` and ``redo`` change ``design`` alone; ``graph`` and ``problems`` are those of the design
    that was taken last. ``refresh`` brings them up to date; for a large graph a thread calls what
    ``checking`` returns, and ``take`` comes after.

    Args:
        file: The file that it belongs to; None for a run that has none, which cannot be edited.
        hints: Names the keys.
        connections: The models and tools of the user's settings; None where nobody has looked.
    """

    def __init__(
        self, file: DiskFile | None, hints: Hints = UNMAPPED, connections: Connections | None = None
    ) -> None:
        self.graph: StateGraph | None = None
        """The graph when the file was last readable; None when it never was."""
        self.problems: tuple[Problem, ...] = ()
        """All that is wrong with the graph, or with the file where that cannot be read."""
        self.never_taken: Mapping[int, str] = {}
        """The edges of the graph that are shadowed by earlier ones, by position, with the reason."""
        self.readable = False
        """Whether ``design`` is that of the file, with the edits; else it is the last good one."""
        self.history = EditHistory(Design({}))
        self._file, self._hints, self._connections = file, hints, connections
        self._models: Collection[str] | None = None  # those that the graph was checked by
        self._on_disk: FileContent | None = None  # None until there was something on disk that could be read
        self._checker, self._taken = Checker(), self.design
        self._counted: tuple[tuple[Problem, ...], int] = ((), 0)
        self._hashed: tuple[StateGraph | None, str | None] = (None, None)
        self._begun = False  # whether there is a design that was read or made

    @property
    def path(self) -> Path | None:
        """The file; None for a run that has none."""
        return self._file.path if self._file is not None else None

    @property
    def design(self) -> Design:
        """The design with all edits; the last good one where the file cannot be read."""
        return self.history.design

    @property
    def definition(self) -> str | None:
        """The hash of the graph's definition; None without a graph."""
        if self.graph is not self._hashed[0]:
            hashed = definition_hash(self.graph.document) if self.graph is not None else None
            self._hashed = self.graph, hashed
        return self._hashed[1]

    @property
    def is_dirty(self) -> bool:
        """Whether there are edits that are not in the file."""
        return self.history.is_dirty

    @property
    def is_large(self) -> bool:
        """Whether building and checking takes so long that a thread should do it."""
        return len(self.design.parts) > AT_ONCE

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing yet but a graph file to draw in."""
        if self.path is None or not self.readable or self.design.nodes:
            return False
        return all(problem.code.startswith("G") for problem in self.problems)  # else it is no graph file

    @property
    def errors(self) -> int:
        """How many errors keep the graph from running."""
        if self._counted[0] is not self.problems:
            self._counted = self.problems, sum(problem.is_error for problem in self.problems)
        return self._counted[1]

    @property
    def _in_editor(self) -> str:
        """What to do about a file that cannot be read."""
        return self._hints("{workbench.editor} opens it in your editor")

    @property
    def refusal(self) -> str:
        """Why the graph cannot be edited here, and what to do instead; empty where it can be."""
        return "this run has no graph file to edit" if self._file is None else ""

    @property
    def is_python(self) -> bool:
        """Whether it is Python code, which is imported rather than read."""
        return False

    @property
    def sources(self) -> Mapping[str | int, SourceLines]:
        """The lines of its functions: of nodes by their names, of predicates by the edges' positions."""
        return {}

    @property
    def to_import(self) -> GraphRef | None:
        """The Python graph that is not there before its module is imported; None where nothing is missing."""
        return None

    def compiled(self) -> CompiledGraph:
        """Compile the graph as it is now.

        Raises:
            GraphError: It has errors; ``problems`` lists them.
            GraphFileError: There is none.
        """
        raise GraphFileError("this run has no graph file to start another run from")

    def disk(self) -> Standing:
        """Tell how the file on disk stands against what is known of it here."""
        return self._file.standing() if self._file is not None else "same"

    def do(self, edit: Edit) -> Edited:
        """Make an edit.

        Raises:
            EditError: It cannot be made; nothing has happened.
        """
        if self.refusal:
            raise EditError(self.refusal)
        if not self.readable:
            raise EditError("the file cannot be read", hint=self._in_editor)
        edited = self.history.do(edit)
        self._autosave()
        return edited

    def undo(self) -> Turned | None:
        """Take the last edit back; None when there is none, or while the file cannot be read."""
        turned = self.history.undo() if self.readable else None
        self._autosave()
        return turned

    def redo(self) -> Turned | None:
        """Make the edit again that was taken back last; None when there is none."""
        turned = self.history.redo() if self.readable else None
        self._autosave()
        return turned

    def take_back(self, made: Edited) -> Turned | None:
        """Take an edit back as if it had never been made; None where it is not the last one."""
        turned = self.history.take_back() if self.design is made.design and self.readable else None
        self._autosave()
        return turned

    def _autosave(self) -> None:
        """Keep the edits where a crash does not reach them."""

    def checking(self) -> Callable[[], Checked]:
        """Make what builds and checks the design as it is now; it may be called in any thread."""
        design, on_disk = self.design, self._on_disk
        locate = on_disk.source if on_disk is not None and on_disk.design is design else None
        # Not resolved: handlers are looked up beside the path that was given, also where it is a link.
        source = Path(os.path.abspath(self.path or ""))  # noqa: PTH100  # Path.absolute keeps ".."
        tools = self._connections.tools if self._connections is not None else None
        return lambda: self._checker.check(design, source, locate, tools, self._configured)

    def known_tools(self) -> KnownTools:
        """Give what is known of the tools that its nodes can call; nothing is started for it."""
        folder = self.path.parent if self.path is not None else None
        entries = self.graph.tools.values() if self.graph is not None else ()
        tools = self._connections.tools if self._connections is not None else None
        return known_tools(entries, folder, tools)

    @property
    def _configured(self) -> Collection[str] | None:
        return self._connections.models.settings if self._connections is not None else None

    def take(self, checked: Checked) -> bool:
        """Let ``graph`` and ``problems`` be these; False and nothing else when they are of another design."""
        if checked.design is not self.design or not self.readable:
            return False
        self.graph, self.problems, self._taken = checked.graph, checked.problems, checked.design
        self.never_taken, self._models = checked.never_taken, checked.models
        return True

    def refresh(self) -> None:
        """Bring ``graph`` and ``problems`` up to date."""
        self.take(self.checking()())

    def _refresh_if_small(self) -> None:
        if not self.is_large:
            self.refresh()

    @property
    def is_taken(self) -> bool:
        """Whether ``graph`` and ``problems`` are those of ``design``."""
        return self._taken is self.design

    @property
    def is_dated(self) -> bool:
        """Whether the design was checked by other models than the settings have now."""
        return self.is_taken and self._models is not self._configured

    def line_of(self, path: KeyPath) -> int | None:
        """Find the line of a part of the document, such as ``("nodes", "draft")``, in the file on disk.

        Of a file that cannot be read it is the line where that begins.
        """
        if not self.readable:
            return self.problems[0].place.line if self.problems else None
        return self._on_disk.source(path) if self._on_disk is not None else None

    def place_of(self, path: KeyPath) -> tuple[Path | None, int | None]:
        """Find the file and the line to open in an editor for a part of the document; no file for none."""
        return self.path, self.line_of(path)
