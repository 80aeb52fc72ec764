"""Asking what is to become of edits that were left unsaved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph_tui.commands import DRAFT, bindings
from stepgraph_tui.words.text import waited

from .question import Question

if TYPE_CHECKING:
    from stepgraph_tui.documents import GraphDraft


class RestoreDraft(Question):
    """Returns ``restore``, ``discard`` or ``difference``; None keeps the draft for another time.

    Args:
        draft: What was left.
        now: The time, in seconds since 1970.
    """

    BINDINGS = bindings(DRAFT)

    def __init__(self, draft: GraphDraft, now: float) -> None:
        remarks = ["Restore shows the edits, unsaved; undo takes them away again."]
        if draft.is_behind:
            remarks.append("The file has changed on disk since: saving will ask before it overwrites that.")
        ago = waited(now - draft.at)
        super().__init__(f"{draft.path} has edits of {ago} ago that were not saved.", remarks)
