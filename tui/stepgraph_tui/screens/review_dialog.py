"""The dialog of one review, as every screen opens it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.approval import Onward, ReviewScreen
    from stepgraph_tui.worker import Decide


def review_dialog(
    context: AppContext,
    review_id: str,
    *,
    decide: Callable[[Decide], bool],
    onward: Callable[[Review], Onward],
    copy: Callable[[str], object],
    say: Callable[[str, Review], object],
) -> ReviewScreen:
    """Build the dialog in which a review is read and decided; it takes neither the graph nor trust.

    Args:
        context: What the app shares.
        review_id: The review.
        decide: Hands a decision to whoever records it; False when that must wait.
        onward: Tells what follows a decision of a review.
        copy: Copies a text for other programs.
        say: Says one line, once the dialog is closed, about a review that was decided here.
    """
    from stepgraph_tui.dialogs.approval import ReviewScreen

    return ReviewScreen(
        context.store,
        review_id,
        decide=decide,
        onward=onward,
        me=context.settings.name,
        drafts=context.drafts,
        copy=copy,
        say=say,
        hints=context.hints,
        time=context.clock.time,
        store_stamp=context.store_look.stamp,
    )
