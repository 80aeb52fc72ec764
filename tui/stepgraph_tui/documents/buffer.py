"""A graph file as it is edited: its design with all edits, and the file on disk beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.editing import EditHistory, ReplaceDesign, design_text, losses, read_design
from stepgraph.values import GraphFileError

from ..commands.hints import UNMAPPED, Hints
from .difference import (
    FileContent,
    TextDifference,
    design_content,
    difference,
    file_content,
    reason,
    text_of,
    write_copy,
)
from .disk import DiskFile, Seen
from .opened_graph import Checked, Checker, OpenedGraph

if TYPE_CHECKING:
    from stepgraph.editing import Design
    from stepgraph.graphs import CompiledGraph
    from stepgraph.values import KeyPath

    from ..connections import Connections
    from .disk import GraphDraft, GraphDrafts
    from .python_graph import PythonGraph


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of saving."""

    path: Path
    losses: tuple[str, ...]
    """The comments that the file no longer has, in words."""
    backup: Path | None
    """Where the file is kept as it was before; None where nothing of it is lost."""


class Buffer(OpenedGraph):
    """A graph file that is looked at and edited, and how it stands against the one on disk.

    Args:
        path: The file; None for a run that has none.
        drafts: Where edits are kept until they are saved; nowhere when None.
        hints: Names the keys.
        connections: The models and tools of the user's settings; None where nobody has looked.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        drafts: GraphDrafts | None = None,
        hints: Hints = UNMAPPED,
        connections: Connections | None = None,
    ) -> None:
        file = DiskFile(path) if path is not None else None
        super().__init__(file, hints, connections, drafts)
        self._content: FileContent | None = None  # the file as it was read or written last
        self._told: frozenset[str] = frozenset()  # the losses that were reported already
        self._checker = Checker()
        self._begun = False  # whether there is a design that was read
        if path is not None:
            self.reload()

    def compiled(self) -> CompiledGraph:
        """Compile the design as it is now, saved or not; a file without edits is read again.

        Raises:
            GraphError: It has errors.
            GraphFileError: The file cannot be read, or there is none.
        """
        if self.path is None:
            raise GraphFileError("this run has no graph file to start another run from")
        self.follow()
        if not self.is_taken:
            self.refresh()
        if self.checked.graph is None or not self.readable:
            raise GraphFileError(f"{self.path} cannot be read", self.checked.problems)
        return self.checked.graph.compile()

    def checking(self) -> Callable[[], Checked]:
        """Return a function for any thread that builds and checks the design as it is now."""
        design = self.design
        content = self._content
        locate = content.source if content is not None and content.design is design else None
        # Not resolved: handlers are looked up beside the path that was given, also where it is a link.
        source = Path(os.path.abspath(self.path or ""))  # noqa: PTH100  # Path.absolute keeps ".."
        tools = self._connections.tools if self._connections is not None else None
        return lambda: self._checker.check(design, source, locate, tools, self._configured)

    def place_of(self, path: KeyPath) -> tuple[Path | None, int | None]:
        """Find the line of a part of the document in the file on disk.

        Of a file that cannot be read it is the line where that begins.
        """
        if not self.readable:
            problems = self.checked.problems
            return self.path, problems[0].place.line if problems else None
        return self.path, self._content.source(path) if self._content is not None else None

    # The file on disk

    def follow(self) -> bool:
        """Read the file again when it changed on disk, unless edits stand against that.

        Returns:
            Whether it was read.
        """
        if self.is_dirty or self.disk() != "changed":
            return False
        self.reload()
        return True

    def reload(self) -> None:
        """Load the design on disk; undo brings this one back.

        A file that cannot be read leaves the last good design, and says why in the problems.

        Raises:
            GraphFileError: It cannot be read, and there are edits; they are kept.
        """
        file = self._known_file()
        before = file.seen
        try:
            found = file_content(file.read(), file.path)
        except GraphFileError as error:
            if self.is_dirty:
                file.seen = before
                message = f"{file.path} was not reloaded: {reason(error)}"
                raise GraphFileError(message, error.problems, hint="your edits are kept") from error
            self.checked, self.readable = replace(self.checked, problems=error.problems), False
            return
        self._content = found
        self._told = frozenset()
        self._replace(found.design, "reload from disk")
        self.history.saved()
        self._autosave()

    def losses(self) -> tuple[str, ...]:
        """List the comments that saving would lose and that were not told yet."""
        return tuple(loss for loss in losses(self.design) if loss not in self._told)

    def copy_to(self, path: Path) -> None:
        """Write the design to a new file; this buffer stays with its own, and keeps its edits.

        Raises:
            GraphFileError: It was not written: there is a file of that name, the disk is full.
        """
        self._require_design(path)
        write_copy(self.design, path)

    def save(self, *, force: bool = False) -> Saved:
        """Write the design to the file.

        Args:
            force: Whether to overwrite what somebody else has written there.

        Raises:
            GraphFileError: It was not written: the file changed on disk, the disk is full, it is protected.
                The file is as it was, and so are the edits.
        """
        file = self._known_file()
        self._require_design(file.path)
        changed = file.disk_state(closely=True) == "changed" or not self.readable
        if changed and not force:
            why, hint = "it changed on disk", "reload it, or overwrite it"
            if not self.readable:
                why, hint = "the file on disk cannot be read", self._in_editor
            raise GraphFileError(f"{file.path} was not saved: {why}", hint=hint)
        lost = self.losses()
        data, source = design_content(self.design, file.path)
        backup = file.keep_backup() if lost or changed else None
        file.write(data)
        self._content = FileContent(self.design, source)
        self.draft.drop()
        self._told, self.readable = self._told | frozenset(lost), True
        self.history.saved()
        if self.checked.problems:
            self._refresh_if_small()  # they have lines again
        return Saved(file.path, lost, backup)

    def _require_design(self, path: Path) -> None:
        """Raise where there is nothing that could be written to a file."""
        if not self._begun:
            raise GraphFileError(f"{path} was not saved: there is nothing to save", self.checked.problems)

    def difference(self, draft: GraphDraft | None = None) -> TextDifference:
        """Find what saving would change in the file as it is on disk now; or what a draft would."""
        file = self._known_file()
        try:
            old = text_of(file.path)
        except GraphFileError as error:
            return TextDifference((), (), reason(error))
        return difference(old, draft.text if draft is not None else design_text(self.design))

    # Drafts

    def restore(self, draft: GraphDraft) -> None:
        """Load the design of a draft; undo brings this one back.

        Raises:
            GraphFileError: It cannot be read; nothing has happened.
        """
        file = self._known_file()
        design = read_design(draft.text, str(file.path))
        is_first = not self._begun
        self._replace(design, "restore the draft")
        if is_first:
            self.history.unsaved()
        file.seen = Seen(draft.digest)  # saving it asks, where somebody else has written the file since
        self.draft.discard(draft)
        self._autosave()

    def _replace(self, design: Design, text: str) -> None:
        """Replace the design that is edited."""
        self.readable = True
        if self._begun:
            self.history.do(ReplaceDesign(design, text))
        else:
            self.history = EditHistory(design)
        self._begun = True
        self._refresh_if_small()

    def _known_file(self) -> DiskFile:
        if self._file is None:
            raise GraphFileError("this run has no graph file")
        return self._file


def graph_at(
    path: Path | None,
    *,
    drafts: GraphDrafts | None = None,
    hints: Hints = UNMAPPED,
    connections: Connections | None = None,
) -> Buffer | PythonGraph:
    """Open what is at a path: a graph file is read at once, a Python module is not even looked at.

    Args:
        path: The file; None for a run that has none.
        drafts: Where edits are kept until they are saved; nowhere when None.
        hints: Names the keys.
        connections: The models and tools of the user's settings; None where nobody has looked.
    """
    if path is not None and ":" in path.name:
        from stepgraph.files import graph_ref

        ref = graph_ref(path)
        if ref is not None:
            from .python_graph import PythonGraph

            return PythonGraph(ref, hints, connections)
    return Buffer(path, drafts=drafts, hints=hints, connections=connections)
