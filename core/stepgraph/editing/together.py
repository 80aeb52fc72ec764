"""Several edits as one entry of the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .edit import Edit, Edited

if TYPE_CHECKING:
    from .design import Design


@dataclass(frozen=True, slots=True)
class Together:
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
            done = replace(edited, said=self.said, renamed=edited.renamed or done.renamed)
        return done
