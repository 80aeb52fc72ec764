"""What the thread is at: the node that runs, the calls that it waits for, the breakpoints that it meets."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.message import Message

from stepgraph.models import CallBegan, CallEnded, CallWaits, TextCame
from stepgraph.runs import GrowingMask

from ..text.calls import asked_text, ended_text, is_of_model, wait_text
from ..text.state_diff import halted, looked_at
from ..view.runs import HitStory
from .capture import Owner, Printed

if TYPE_CHECKING:
    from stepgraph.models import CallEvent, CallPlace
    from stepgraph.reviews import Review
    from stepgraph.runs import DebugSession, Halt, Mask, Run, TrialResult
    from stepgraph.runs.debug import Breakpoint
    from stepgraph.stores import Outage
    from stepgraph.values import Json, StepgraphError

    from ..graph_with_code import GraphWithCode
    from .capture import NodeOutput
    from .thread import Load, Try, Work


KEPT = 20_000
"""How many characters of a reply that is coming are kept to be looked at: its last ones. The log has all."""


HIDDEN = "(hidden: it may become a secret of the state)"
"""Stands for a reply that nobody may see."""

# What of a call may hold a secret:
_SAYING = ("text", "thoughts", "signed", "tool_calls", "arguments", "result", "error")


@dataclass(frozen=True, slots=True)
class CallNow:
    """A call that lasts."""

    place: CallPlace
    began: float
    """When it began, in seconds of the monotonic clock."""
    text: str = ""
    """What has come: its end."""
    characters: int = 0
    """How many characters have come in all."""
    thinks: bool = False
    """Whether that is what the model thinks, before it answers."""
    again: float | None = None
    """When it is made again, in seconds of the monotonic clock; None where it was not refused."""
    why: str = ""
    """Why it was refused."""


@dataclass(frozen=True, slots=True)
class VisitCalls:
    """The calls of the visit that runs: those that are over, and the one that lasts."""

    ended: tuple[Mapping[str, Json], ...] = ()
    """As the ledger keeps them, oldest first."""
    now: CallNow | None = None


class CallFollower:
    """Hears of calls in whatever thread makes them.

    What a reply says goes to the log as it comes, between two lines of ours: who is asked, and what it took.

    Args:
        capture: Takes what is for the log.
        post: Tells the app.
    """

    def __init__(self, capture: NodeOutput, post: Callable[[Message], object]) -> None:
        self.visit = VisitCalls()
        """The calls of the visit that runs; to be read from any thread."""
        self._capture, self._post = capture, post
        self._lock = threading.Lock()
        self._hides = False
        self._ends_line = True  # whether the last text ended with a line break

    def begin_visit(self, *, hides: bool) -> None:
        """Forget the calls of the visit before.

        Args:
            hides: Whether nobody may see the reply: it may become a secret of the state.
        """
        with self._lock:
            self.visit, self._hides = VisitCalls(), hides

    def hear(self, event: CallEvent) -> None:
        """Handle an event of a call."""
        with self._lock:
            match event:
                case CallBegan():
                    self._begin(event.place)
                case TextCame():
                    self._take_text(event)
                case CallWaits():
                    self._wait(event)
                case CallEnded():
                    self._end(event)

    def _begin(self, place: CallPlace) -> None:
        self.visit = replace(self.visit, now=CallNow(place, time.monotonic()))
        if self._is_told(place):
            self._note(place, asked_text(place.kind, place.name))

    def _take_text(self, event: TextCame) -> None:
        now, text = self.visit.now, event.text
        if now is None or not text:
            return
        if event.is_thought != now.thinks:
            now = replace(now, text="", characters=0, thinks=event.is_thought)
            self._note(event.place, "thinks" if event.is_thought else "answers")
        tail = HIDDEN if self._hides else (now.text + text)[-KEPT:]
        count = now.characters + len(text)
        now = replace(now, text=tail, characters=count, again=None, why="")
        self.visit = replace(self.visit, now=now)
        self._say(event.place, text)

    def _wait(self, event: CallWaits) -> None:
        if self.visit.now is None:
            return
        again = time.monotonic() + event.seconds
        # The next attempt answers from its beginning.
        waits = CallNow(event.place, self.visit.now.began, again=again, why=event.why)
        self.visit = replace(self.visit, now=waits)
        self._note(event.place, wait_text(event.seconds, event.why))

    def _end(self, event: CallEnded) -> None:
        now, call = self.visit.now, event.call
        if self._hides:
            call = {key: value for key, value in call.items() if key not in _SAYING}
            call |= {"error": HIDDEN} if "error" in event.call else {}
        if self._is_told(event.place):
            text = call.get("text")
            is_silent = now is not None and (now.thinks or not now.characters)
            if is_silent and isinstance(text, str) and text:
                self._say(event.place, text)  # recorded, or a client that tells nothing while it answers
            self._note(event.place, ended_text(call))
        self.visit = VisitCalls((*self.visit.ended, call))

    def _is_told(self, place: CallPlace) -> bool:
        """Check whether the log shows a call: all but those of tools that no model asked for."""
        return place.kind == "model" or any(map(is_of_model, self.visit.ended))

    def _say(self, place: CallPlace, text: str) -> None:
        if self._hides:
            return
        self._ends_line = text.endswith("\n")
        self._capture.say(Owner(place.run_id, place.step, place.node, self._post), text, "model")

    def _note(self, place: CallPlace, text: str) -> None:
        if not self._ends_line:
            self._say(place, "\n")
        self._capture.say(Owner(place.run_id, place.step, place.node, self._post), f"{text}\n", "call")


@dataclass(frozen=True, slots=True)
class NodeBegan:
    """A node that runs."""

    run_id: str
    node: str
    step: int
    at: float
    """When it began, in seconds of the monotonic clock."""


class Progress:
    """What the stepping thread writes down as it goes, at next to no cost, for another thread to read."""

    def __init__(self) -> None:
        self.running: NodeBegan | None = None
        """The node that runs now."""
        self.calls: Callable[[], VisitCalls] | None = None
        """Gives the calls of the visit that runs; None before the first work."""
        self.moves = 0
        """How often a run was moved on in the store."""


@dataclass
class GraphLoaded(Message):
    """A module was imported, and this is its graph; the thread is idle again."""

    work: Load
    loaded: GraphWithCode


@dataclass
class RunStarted(Message):
    """A run was created."""

    run_id: str


@dataclass(frozen=True, slots=True)
class Halted:
    """A breakpoint that a run halts at."""

    breakpoint: Breakpoint
    text: str
    """Which, where, and the values that it looked at; masked, and safe to show."""


@dataclass
class WorkDone(Message):
    """The work is over; the thread is idle again."""

    work: Work
    run_id: str
    halt: Halt
    hit: Halted | None = None
    """The breakpoint that the run is at, whatever else halted it."""


@dataclass
class Decided(Message):
    """A decision is recorded; the thread is idle again."""

    review: Review
    workers_go_on: bool = False
    """Whether the run goes on by itself: then nobody here is to drive it."""
    asked_to_go_on: bool = False
    """Whether the run was to continue here once it is decided."""

    @property
    def goes_on(self) -> bool:
        """Whether the run is to continue here now."""
        return self.asked_to_go_on and self.review.decision is not None and not self.workers_go_on


@dataclass
class NodeTried(Message):
    """A node was tried, whatever came of it; the thread is idle again."""

    work: Try
    tried: TrialResult


@dataclass
class StoreWaits(Message):
    """The thread waits for the store's server, or goes on because it answers again."""

    outage: Outage


@dataclass
class WorkFailed(Message):
    """The work could not be done, and changed nothing; the thread is idle again."""

    work: Work
    error: StepgraphError


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
        mask = self._mask_of(session.run)
        hits = [HitStory(hit, mask) for hit in named]
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
