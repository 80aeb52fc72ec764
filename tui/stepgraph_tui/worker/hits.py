"""What is told of the breakpoints that a run meets: lines for the log, and where it halts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stepgraph.runs.masks import GrowingMask
from stepgraph_tui.text.hits import halted, looked_at
from stepgraph_tui.view.hits import HitStory

from .messages import Halted, Printed

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run
    from stepgraph.runs.session import DebugSession


class HitTeller:
    """Writes what breakpoints met to the log, with the secrets of the run masked.

    It works where the run is driven: a hit reads the run's ledger over the connection of that thread.

    Args:
        post: Tells the app.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._known: tuple[str, GrowingMask] | None = None  # of the run that was driven last

    def tell(self, session: DebugSession) -> Halted | None:
        """Log what the last step met.

        Returns:
            Where the run halts; None when nothing halts it.
        """
        named = [hit for hit in session.hits if hit.breakpoint.id]  # what has none is a node to pause after
        if not named:
            return None
        hits = HitStory.all(named, self._mask_of(session.run))
        for hit in hits:
            self._log(session.run.id, hit)
        met = next((hit for hit in hits if hit.hit.halts), None)
        return Halted(met.hit.breakpoint, halted(met)) if met is not None else None

    def _log(self, run_id: str, story: HitStory) -> None:
        hit = story.hit
        if hit.halts:
            text = "\n".join((halted(story), *(f"  {line}" for line in looked_at(story, arrow="→"))))
        else:
            text = f"{hit.breakpoint.id}: {story.line}"
        self._post(Printed(run_id, hit.step, hit.node, f"{text}\n"))

    def _mask_of(self, run: Run) -> Mask:
        """Hide what is secret in the run now, and was before."""
        if self._known is None or self._known[0] != run.id:
            self._known = run.id, GrowingMask(run.store, run.id)
        return self._known[1].at(run.plan, run.version)
