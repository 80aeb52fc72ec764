"""What the edits of a graph file are made of, and merging them with what the file has become since."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stepgraph.files.reader import read_bytes
from stepgraph.values.errors import GraphFileError

from .content import FileContent, file_content

if TYPE_CHECKING:
    from stepgraph.editing import Design
    from stepgraph.editing.merging import Merge

    from .disk import DiskFile, Seen


class _Known(NamedTuple):
    """What is known of the file at one moment."""

    seen: Seen
    content: FileContent | None
    design: Design | None


class Baseline:
    """The file on disk as the edits go by it: how it was when it was read, written or merged last.

    Args:
        file: The file.
    """

    def __init__(self, file: DiskFile) -> None:
        self.file = file
        self.content: FileContent | None = None
        """The file as it was read or written last; None until it could be."""
        self.design: Design | None = None
        """What the edits were made of; None where that is not known."""
        self._merges: dict[int, tuple[_Known, _Known]] = {}  # by depth: what was known before, and after

    def take(self, content: FileContent) -> None:
        """Let the edits from now on be made of this content, which was just read or written."""
        self.content, self.design = content, content.design

    def merging(self, design: Design) -> Merge | None:
        """Put what changed on disk beside the edits; None where what both were made of is not known.

        It is None, too, where the file cannot be read.
        """
        from stepgraph.editing.merging import merge  # it knows edits, which no frame shows

        path = self.file.path
        if self.design is None:
            return None
        try:
            found = file_content(read_bytes(path, str(path)), path)
        except GraphFileError:
            return None
        return merge(self.design, design, found.design)

    def merge(self, design: Design, depth: int) -> Design:
        """Take what changed on disk for known, and make a design of both.

        Args:
            design: The design with its edits.
            depth: How many edits there are, with the merge.

        Raises:
            GraphFileError: It cannot be read, or both changed the same table; nothing has happened.
        """
        from stepgraph.editing.merging import merge

        file, before = self.file, self._known
        try:
            found = file_content(file.read(), file.path)
            merged = merge(self.design, design, found.design) if self.design is not None else None
            if merged is None or merged.design is None:
                both = f": both changed {', '.join(merged.conflicts)}" if merged is not None else ""
                raise GraphFileError(f"{file.path} was not merged{both}", hint="reload it, or overwrite it")
        except GraphFileError:
            file.seen = before.seen
            raise
        self.take(found)
        self._merges[depth] = before, self._known
        return merged.design

    def unmerge(self, depth: int) -> None:
        """Let what a merge has taken from disk count as unseen again."""
        self.file.seen, self.content, self.design = self._merges[depth][0]

    def merge_again(self, depth: int) -> None:
        """Let what a merge has taken from disk count as known again."""
        self.file.seen, self.content, self.design = self._merges[depth][1]

    @property
    def _known(self) -> _Known:
        return _Known(self.file.seen, self.content, self.design)
