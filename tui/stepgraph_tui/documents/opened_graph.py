"""A graph as it is open on the screen: its design with all edits, and what that makes."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from stepgraph.documents import GraphRebuilder
from stepgraph.editing import Design, EditError, EditHistory, design_text
from stepgraph.graphs import definition_hash
from stepgraph.graphs.validation import CheckedGraph, problems, shadowed
from stepgraph.tools import known_tools

from ..commands.hints import UNMAPPED, Hints
from .disk import DiskFile, DiskState, DraftOfEdits

if TYPE_CHECKING:
    from stepgraph.editing import Edit, Edited, Turned
    from stepgraph.files import GraphRef
    from stepgraph.graphs import CompiledGraph, Locator, StateGraph
    from stepgraph.nodes import SourceLines
    from stepgraph.tools import KnownTools, ToolRegistry
    from stepgraph.values import KeyPath, Problem

    from ..connections import Connections
    from .disk import GraphDrafts


@dataclass(frozen=True)
class Checked:
    """A design as a graph, and what was found of it when it was checked."""

    design: Design
    graph: StateGraph | None = None
    """None before the first design was checked."""
    problems: tuple[Problem, ...] = ()
    """All that is wrong with the graph, or with the file where that cannot be read."""
    never_taken: Mapping[int, str] = field(default_factory=dict)
    """The edges that are shadowed by earlier ones, by position, with the reason."""
    models: Collection[str] | None = None
    """The models that were configured then; None where nobody has looked."""

    @cached_property
    def errors(self) -> int:
        """How many errors keep the graph from running."""
        return sum(problem.is_error for problem in self.problems)

    @cached_property
    def definition(self) -> str | None:
        """The hash of the graph's definition; None without a graph."""
        return definition_hash(self.graph.document) if self.graph is not None else None


class Checker:
    """Builds and checks designs that follow from one another; one at a time, from any thread."""

    def __init__(self) -> None:
        self._builder = GraphRebuilder()
        self._lock = threading.Lock()

    def check(
        self,
        design: Design,
        source: Path,
        locate: Locator | None,
        tools: ToolRegistry | None = None,
        models: Collection[str] | None = None,
    ) -> Checked:
        """Build and check a design.

        Args:
            design: The design.
            source: Its file.
            locate: Finds the lines of the file; None where the file has another design.
            tools: The tools of the user's servers.
            models: The models of the user's settings.
        """
        with self._lock:
            graph = self._builder.build(design.document(), source)
            graph.locate = locate if locate is not None else _nowhere
            checked = CheckedGraph(graph)
            known = known_tools(graph.tools.values(), source.parent, tools)
            found = problems(checked, models, known)
            return Checked(design, graph, tuple(found), shadowed(checked), models)


def _nowhere(path: KeyPath) -> None:
    """There is a file, but not with this design in it."""


AT_ONCE = 300
"""How many tables a graph may have that is built and checked at once; a larger one waits for ``take``."""


class OpenedGraph(ABC):
    """A design, and its graph: what all that is open on the screen has in common.

    ``do``, ``undo`` and ``redo`` change ``design`` alone; ``checked`` is of the design that was taken last.
    ``refresh`` brings it up to date; for a large graph a thread calls what ``checking`` returns, and ``take``
    comes after.

    Args:
        file: The file that it belongs to; None for a run that has none, which cannot be edited.
        hints: Names the keys.
        connections: The models and tools of the user's settings; None where nobody has looked.
        drafts: Where edits are kept until they are saved; nowhere when None.
    """

    is_python: ClassVar[bool] = False
    """Whether it is Python code, which is imported rather than read."""

    def __init__(
        self,
        file: DiskFile | None,
        hints: Hints = UNMAPPED,
        connections: Connections | None = None,
        drafts: GraphDrafts | None = None,
    ) -> None:
        self.path = file.path if file is not None else None
        """Where it is; None for a run that has no file."""
        self.disk_path = self.path
        """The file that it is in: of a graph in Python its module, where the path names the graph as well."""
        self.readable = False
        """Whether ``design`` is that of the file, with the edits; else it is the last good one."""
        self.history = EditHistory(Design({}))
        self.draft = DraftOfEdits(drafts)
        """Where the edits are kept until they are saved."""
        self.checked = Checked(self.design)
        """What was found of the graph when it was last readable, but the problems are those of now."""
        self.sources: Mapping[str | int, SourceLines] = {}
        """The lines of its functions: of nodes by their names, of predicates by the edges' positions."""
        self._file, self._hints, self._connections = file, hints, connections

    @property
    def design(self) -> Design:
        """The design with all edits; the last good one where the file cannot be read."""
        return self.history.design

    @property
    def is_dirty(self) -> bool:
        """Whether there are edits that are not in the file."""
        return self.history.is_dirty

    @property
    def is_large(self) -> bool:
        """Whether building and checking takes long enough that a thread should do it."""
        return len(self.design.parts) > AT_ONCE

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing yet but a graph file to draw in."""
        if self.path is None or not self.readable or self.design.nodes:
            return False
        return all(
            problem.code.startswith("G") for problem in self.checked.problems
        )  # else it is not a graph file

    @property
    def _in_editor(self) -> str:
        """What to do about a file that cannot be read."""
        return self._hints("{workbench.editor} opens it in your editor")

    @property
    def refusal(self) -> str:
        """Why the graph cannot be edited here, and what to do instead; empty where it can be."""
        return "this run has no graph file to edit" if self._file is None else ""

    @property
    def to_import(self) -> GraphRef | None:
        """The Python graph that is not there before its module is imported; None where nothing is missing."""
        return None

    @abstractmethod
    def compiled(self) -> CompiledGraph:
        """Compile the graph as it is now.

        Raises:
            GraphError: It has errors.
            GraphFileError: There is none.
        """

    def disk(self) -> DiskState:
        """Find how the file on disk stands against what is known of it here."""
        return self._file.disk_state() if self._file is not None else "same"

    def do(self, edit: Edit) -> Edited:
        """Apply an edit.

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
        """Undo the last edit; None when there is none, or while the file cannot be read."""
        turned = self.history.undo() if self.readable else None
        self._autosave()
        return turned

    def redo(self) -> Turned | None:
        """Redo the edit that was undone last; None when there is none."""
        turned = self.history.redo() if self.readable else None
        self._autosave()
        return turned

    def take_back(self, made: Edited) -> Turned | None:
        """Undo an edit as if it had never been made; None where it is not the last one."""
        turned = self.history.take_back() if self.design is made.design and self.readable else None
        self._autosave()
        return turned

    def _autosave(self) -> None:
        """Keep the edits where a crash does not reach them."""
        if not self.is_dirty:
            self.draft.drop()
        elif self._file is not None:
            design = self.design
            self.draft.keep(self._file.path, lambda: design_text(design), self._file.seen.digest)

    @abstractmethod
    def checking(self) -> Callable[[], Checked]:
        """Return a function for any thread that builds and checks the design as it is now."""

    def known_tools(self) -> KnownTools:
        """Return what is known of the tools that its nodes can call; nothing is started for it."""
        folder = self.path.parent if self.path is not None else None
        graph = self.checked.graph
        entries = graph.tools.values() if graph is not None else ()
        tools = self._connections.tools if self._connections is not None else None
        return known_tools(entries, folder, tools)

    @property
    def _configured(self) -> Collection[str] | None:
        return self._connections.models.settings if self._connections is not None else None

    def take(self, checked: Checked) -> bool:
        """Apply the result of checking the design; False and nothing else when that is of another design."""
        if checked.design is not self.design or not self.readable:
            return False
        self.checked = checked
        return True

    def refresh(self) -> None:
        """Bring ``checked`` up to date."""
        self.take(self.checking()())

    def _refresh_if_small(self) -> None:
        if not self.is_large:
            self.refresh()

    @property
    def is_taken(self) -> bool:
        """Whether ``checked`` is of ``design``."""
        return self.checked.design is self.design

    @property
    def is_dated(self) -> bool:
        """Whether the design was checked by other models than the settings have now."""
        return self.is_taken and self.checked.models is not self._configured

    @abstractmethod
    def place_of(self, path: KeyPath) -> tuple[Path | None, int | None]:
        """Find the file and the line to look at for a part of the document, such as ``("nodes", "draft")``.

        Of what cannot be read it is where that begins. There may be no line, and no file.
        """
