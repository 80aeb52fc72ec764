"""Calling a person when a review comes: by the terminal, and by the user's own command."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from stepgraph.values import StepgraphError

from .arrivals import Arrivals
from .on_pause import PauseCommand
from .settings import TerminalSignals
from .text.inbox import due_text
from .text.reviews import review_json
from .text.system import command

if TYPE_CHECKING:
    from .context import AppContext


class ReviewCalls:
    """Looks for new reviews, and tells of each one once.

    Args:
        context: What the screens share.
        write: Writes to the terminal.
        failed: Told, from another thread, what went wrong with the user's command.
        tell: Tells the person what deadlines have done.
    """

    def __init__(
        self,
        context: AppContext,
        write: Callable[[str], object],
        failed: Callable[[str], object],
        tell: Callable[[str], object],
    ) -> None:
        self._tell = tell
        self._address = context.address
        self._arrivals = Arrivals(context.store, context.clock.time, context.store_look.stamp)
        self._signals = TerminalSignals(context.settings.notify, write, os.environ)
        self._on_pause = PauseCommand(context.settings.on_pause, failed)

    def look(self) -> None:
        """Announce the reviews that have come since the last look, and those that a deadline has ended."""
        try:
            found = self._arrivals.look()
        except StepgraphError:  # the screens say what is wrong with the store
            return
        self._signals.show_count(self._arrivals.waiting)
        for review in self._arrivals.due:
            self._tell(due_text(review))
        if len(found) > 1:
            self._signals.call(f"{len(found)} reviews have come")  # not one call for each
        for review in found:
            if len(found) == 1:
                self._signals.call(f"{review.graph} {review.node}: {review.request.prompt}")
            show = command("approvals", "show", review.id, store=self._address)
            self._on_pause.tell(review_json(review) | {"command": show})

    def close(self) -> None:
        """Put the terminal's title back, and let go of the command."""
        self._signals.close()
        self._on_pause.close()
