"""Define what an edit of a design is: something that makes a new design, and says what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ..values.errors import StepgraphError

if TYPE_CHECKING:
    from .design import Design, Part


class EditError(StepgraphError):
    """An edit that cannot be made; the message says why, and the hint what could be done instead."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of an edit."""

    design: Design
    said: str
    """What was done, as a command in a few words: ``delete review and 3 edges``."""
    node: str | None = None
    """The node that is to be selected now; END too."""
    edge: int | None = None
    """The position of the edge that is to be selected now."""
    renamed: tuple[str, str] | None = None
    """The old and the new name of a node, for marks that go by names."""
    renamed_key: tuple[str, str] | None = None
    """The old and the new name of a key of the state, for breakpoints that name it."""
    gone: Sequence[Part] = ()
    """The edges that went with deleted nodes."""
    bridges: Sequence[Part] = ()
    """The edges that bridge the gap that these have left."""


class Edit(Protocol):
    """An edit that somebody asked for. Designs are never changed in place, so its inverse is the old one."""

    def apply(self, design: Design) -> Edited:
        """Make the new design.

        Raises:
            EditError: It cannot be made; nothing has happened.
        """
        ...


@dataclass(frozen=True, slots=True)
class CompoundEdit:
    """Edits that are made one after the other, and undone at once."""

    edits: Sequence[Edit]
    said: str

    def apply(self, design: Design) -> Edited:
        """Make them all, or none; what the last one selects is selected.

        Raises:
            EditError: One of them cannot be made.
        """
        done = Edited(design, self.said)
        for edit in self.edits:
            edited = edit.apply(done.design)
            done = replace(
                edited,
                said=self.said,
                renamed=edited.renamed or done.renamed,
                renamed_key=edited.renamed_key or done.renamed_key,
            )
        return done


@dataclass(frozen=True, slots=True)
class ReplaceDesign:
    """Take another design in place of the whole: the one on disk, or a draft."""

    design: Design
    said: str

    def apply(self, design: Design) -> Edited:
        """Put it there."""
        return Edited(self.design, self.said)
