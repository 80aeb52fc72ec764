"""A graph file as it is edited: its design with all edits, and the file on disk beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.editing import EditHistory
from stepgraph.editing.edit import ReplaceDesign
from stepgraph.editing.text import design_text, losses, read_design
from stepgraph.files.reader import read_bytes
from stepgraph.values.errors import GraphFileError
from stepgraph_tui.commands.hints import UNMAPPED, Hints

from .content import FileContent, file_content, reason, text_of, written
from .difference import TextDifference, difference
from .disk import DiskFile, Seen
from .drafts import DraftOfEdits
from .opened_graph import OpenedGraph

if TYPE_CHECKING:
    from stepgraph.editing import Design, Turned
    from stepgraph.editing.merging import Merge
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph_tui.connections import Connections

    from .drafts import GraphDraft, GraphDrafts


_MERGE = "merge with what is on disk"


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of saving."""

    path: Path
    losses: tuple[str, ...]
    """The comments that the file no longer has, in words."""
    backup: Path | None
    """Where the file is kept as it was before; None where nothing of it is lost."""


class _Known(NamedTuple):
    """What is known of the file on disk."""

    seen: Seen
    content: FileContent | None
    base: Design | None


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
        super().__init__(DiskFile(path) if path is not None else None, hints, connections)
        self.draft = DraftOfEdits(drafts)
        """Where the edits are kept until they are saved."""
        self._told: frozenset[str] = frozenset()  # the losses that were told already
        self._base: Design | None = None  # what the edits were made of, as it was read or written
        self._merges: dict[int, tuple[_Known, _Known]] = {}  # by depth: what was known before, and after
        if path is not None:
            self.reload()

    @classmethod
    def new(cls, path: Path, text: str, *, drafts: GraphDrafts | None = None) -> Buffer:
        """Make a file that is not on disk until it is saved.

        Args:
            path: Where it is to be.
            text: What it begins with.
            drafts: Where edits are kept until they are saved; nowhere when None.

        Raises:
            GraphFileError: The text is none of a graph file.
        """
        buffer = cls(None, drafts=drafts)
        buffer._file = DiskFile(path)
        buffer._put(read_design(text, str(path)), "begin")
        buffer.history.unsaved()
        return buffer

    def compiled(self) -> CompiledGraph:
        """Compile the design as it is now, saved or not; a file without edits is read anew.

        Raises:
            GraphError: It has errors; ``problems`` lists them.
            GraphFileError: The file cannot be read.
        """
        if self._file is None:
            return super().compiled()
        self.follow()
        if not self.is_taken:
            self.refresh()
        if self.graph is None or not self.readable:
            raise GraphFileError(f"{self.path} cannot be read", self.problems)
        return self.graph.compile()

    # The file on disk

    def follow(self) -> bool:
        """Read the file anew when it changed on disk, unless edits stand against that.

        Returns:
            Whether it was read.
        """
        if self.is_dirty or self.disk() != "changed":
            return False
        self.reload()
        return True

    def reload(self) -> None:
        """Take the design that is on disk; undo brings this one back.

        A file that cannot be read leaves the last good design, and says why in ``problems``.

        Raises:
            GraphFileError: It cannot be read, and there are edits; they are kept.
        """
        file, before = self._own_file(), self._own_file().seen
        try:
            found = file_content(file.read(), file.path)
        except GraphFileError as error:
            if self.is_dirty:
                file.seen = before
                message = f"{file.path} was not reloaded: {reason(error)}"
                raise GraphFileError(message, error.problems, hint="your edits are kept") from error
            self.problems, self.readable = error.problems, False
            return
        self._on_disk, self._base, self._told = found, found.design, frozenset()
        self._put(found.design, "reload from disk")
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
        file = DiskFile(path)
        if file.standing() != "same":
            hint = "choose another name"
            raise GraphFileError(f"{path} was not saved: the file already exists", hint=hint)
        file.write(written(self.design, path)[0])

    def save(self, *, force: bool = False) -> Saved:
        """Write the design to the file.

        Args:
            force: Whether to overwrite what somebody else has written there.

        Raises:
            GraphFileError: It was not written: the file changed on disk, the disk is full, it is protected.
                The file is as it was, and so are the edits.
        """
        file = self._own_file()
        self._require_design(file.path)
        changed = file.standing(closely=True) == "changed" or not self.readable
        if changed and not force:
            raise self._would_overwrite(file.path)
        lost = self.losses()
        data, source = written(self.design, file.path)
        backup = file.keep_backup() if lost or changed else None
        file.write(data)
        self.draft.drop()
        self._told, self.readable = self._told | frozenset(lost), True
        self._on_disk, self._base = FileContent(self.design, source), self.design
        self.history.saved()
        if self.problems:
            self._refresh_if_small()  # they have lines again
        return Saved(file.path, lost, backup)

    def _require_design(self, path: Path) -> None:
        """Raise where there is nothing that could be written to a file."""
        if not self._begun:
            raise GraphFileError(f"{path} was not saved: there is nothing to save", self.problems)

    def _would_overwrite(self, path: Path) -> GraphFileError:
        """Say why a file is not to be written, unless that is meant."""
        why, hint = "it changed on disk", "reload it, or overwrite it"
        if not self.readable:
            why, hint = "the file on disk cannot be read", self._in_editor
        return GraphFileError(f"{path} was not saved: {why}", hint=hint)

    def difference(self, draft: GraphDraft | None = None) -> TextDifference:
        """Tell what saving would change in the file as it is on disk now; or what a draft would."""
        file = self._own_file()
        try:
            old = text_of(file.path)
        except GraphFileError as error:
            return TextDifference((), (), reason(error))
        return difference(old, draft.text if draft is not None else design_text(self.design))

    # Merging with what is on disk

    def merging(self) -> Merge | None:
        """Put what changed on disk beside the edits; None where what both were made of is not known.

        It is None, too, where the file cannot be read.
        """
        from stepgraph.editing.merging import merge  # it knows edits, which no frame shows

        file = self._own_file()
        if self._base is None or not self.readable:
            return None
        try:
            found = file_content(read_bytes(file.path, str(file.path)), file.path)
        except GraphFileError:
            return None
        return merge(self._base, self.design, found.design)

    def merge(self) -> None:
        """Take what changed on disk into the design; undo takes it out again.

        Raises:
            GraphFileError: It cannot be read, or both changed the same table; nothing has happened.
        """
        from stepgraph.editing.merging import merge

        file, before = self._own_file(), self._known
        try:
            found = file_content(file.read(), file.path)
            merged = merge(self._base, self.design, found.design) if self._base is not None else None
            if merged is None or merged.design is None:
                both = f": both changed {', '.join(merged.conflicts)}" if merged is not None else ""
                raise GraphFileError(f"{file.path} was not merged{both}", hint="reload it, or overwrite it")
        except GraphFileError:
            file.seen = before.seen
            raise
        self._on_disk, self._base = found, found.design
        self._put(merged.design, _MERGE)
        self._merges[self.history.depth] = before, self._known
        self._autosave()

    @property
    def _known(self) -> _Known:
        return _Known(self._own_file().seen, self._on_disk, self._base)

    def undo(self) -> Turned | None:
        """Take the last edit back; after a merge, what is on disk counts as unseen again."""
        depth = self.history.depth
        return self._turned(super().undo(), depth, 0)

    def redo(self) -> Turned | None:
        """Make the edit again that was taken back last; a merge makes what is on disk known again."""
        turned = super().redo()
        return self._turned(turned, self.history.depth, 1)

    def _turned(self, turned: Turned | None, depth: int, way: int) -> Turned | None:
        if turned is not None and turned.said == _MERGE and depth in self._merges:
            known = self._merges[depth][way]
            self._own_file().seen, self._on_disk, self._base = known
            self._autosave()
        return turned

    # Drafts

    def restore(self, draft: GraphDraft) -> None:
        """Take the design of a draft; undo brings this one back.

        Raises:
            GraphFileError: It cannot be read; nothing has happened.
        """
        file = self._own_file()
        design = read_design(draft.text, str(file.path))
        is_first = not self._begun
        self._put(design, "restore the draft")
        if is_first:
            self.history.unsaved()
        if file.seen.digest != draft.digest:
            self._base = None  # the draft was made of what is no longer there
        file.seen = Seen(draft.digest)  # saving it asks, where somebody else has written the file since
        self.draft.discard(draft)
        self._autosave()

    def _autosave(self) -> None:
        if not self.is_dirty:
            self.draft.drop()
        elif self._file is not None:
            design = self.design
            self.draft.keep(self._file.path, lambda: design_text(design), self._file.seen.digest)

    def _put(self, design: Design, said: str) -> None:
        """Let another design be the one that is edited."""
        self.readable = True
        if self._begun:
            self.history.do(ReplaceDesign(design, said))
        else:
            self.history = EditHistory(design)
        self._begun = True
        self._refresh_if_small()

    def _own_file(self) -> DiskFile:
        if self._file is None:
            raise GraphFileError("this run has no graph file")
        return self._file
