"""What the thread is at: the node that runs, and the calls that it waits for, which are told to the log."""

from __future__ import annotations

import codecs
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.models import CallBegan, CallEnded, CallWaits, TextCame

from ..text.calls import asked_text, ended_text, is_of_model, wait_text

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph.models import CallEvent, CallPlace
    from stepgraph.values import Json

    from .capture import NodeOutput
    from .hits import Source


AT_EACH_END = 500_000
"""How many characters wait to be told of what one step wrote: its first and its last ones."""
STEPS = 100
"""How many steps' texts wait to be told; of a fast run that prints in each step the older ones give way."""

_decoder = codecs.getincrementaldecoder("utf-8")
_STREAMS: tuple[Source, Source] = ("output", "error")
_Text = tuple["Source", str]


class Owner(NamedTuple):
    """The step that something is of."""

    run_id: str
    step: int
    node: str
    post: Callable[[Message], object]
    """Tells the app that drives it."""


class Piece(NamedTuple):
    """A text that one step wrote."""

    owner: Owner
    text: str
    source: Source = "output"


class _Waiting:
    """What one step wrote and nobody was told: of too much the beginning and the end."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self._first: list[_Text] = []
        self._last: deque[_Text] = deque()
        self._room, self._held, self._lost = AT_EACH_END, 0, 0

    def __bool__(self) -> bool:
        return bool(self._first)

    def add(self, text: str, source: Source) -> None:
        kept, rest = text[: self._room], text[self._room :]
        if kept:
            self._first.append((source, kept))
            self._room -= len(kept)
        if rest:
            self._last.append((source, rest))
            self._held += len(rest)
        while self._held > AT_EACH_END:
            by, oldest = self._last.popleft()
            cut = min(self._held - AT_EACH_END, len(oldest))
            if cut < len(oldest):
                self._last.appendleft((by, oldest[cut:]))
            self._held, self._lost = self._held - cut, self._lost + cut

    def pieces(self) -> Iterator[Piece]:
        left_out: list[_Text] = []
        if self._lost:
            break_ = "" if self._first[-1][1].endswith("\n") else "\n"
            left_out = [("output", f"{break_}… {self._lost:,} characters left out here …\n")]
        for source, texts in groupby([*self._first, *left_out, *self._last], key=lambda text: text[0]):
            yield Piece(self.owner, "".join(text for _, text in texts), source)


class Spool:
    """Takes bytes as they come, and gives texts by step. Not for several threads at once."""

    def __init__(self) -> None:
        self._owner: Owner | None = None
        self._decoders = _decoder("backslashreplace"), _decoder("backslashreplace")
        self._waiting: deque[_Waiting] = deque()
        self._gone = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not self._waiting

    def belongs_to(self, owner: Owner) -> None:
        """Attribute what comes from now on to this step."""
        if owner != self._owner:
            self.finish()
            self._owner = owner

    def add(self, data: bytes, *, is_error: bool = False) -> None:
        """Take some bytes. Before the first step they are nobody's, and dropped."""
        if self._owner is not None:
            self._keep(self._owner, self._decoders[is_error].decode(data), _STREAMS[is_error])

    def say(self, owner: Owner, text: str, source: Source) -> None:
        """Add a model's words during a step, or a remark on its call."""
        self._keep(owner, text, source)

    def finish(self) -> None:
        """End the step: nothing of what it wrote is held back any more."""
        for is_error, decoder in enumerate(self._decoders):
            self._keep(self._owner, decoder.decode(b"", final=True), _STREAMS[is_error])

    def take(self) -> list[Piece]:
        """Return what there is to report, and forget it."""
        waiting, self._waiting = self._waiting, deque()  # an object that is freed meanwhile may print
        pieces = [piece for each in waiting for piece in each.pieces()]
        if self._gone:
            note = f"(the output of {self._gone:,} earlier steps is left out)\n"
            pieces[0] = pieces[0]._replace(text=note + pieces[0].text)
            self._gone = 0
        return pieces

    def _keep(self, owner: Owner | None, text: str, source: Source) -> None:
        if owner is None or not text:
            return
        if not self._waiting or self._waiting[-1].owner != owner:
            self._waiting.append(_Waiting(owner))
            if len(self._waiting) > STEPS:
                self._waiting.popleft()
                self._gone += 1
        self._waiting[-1].add(text, source)


KEPT = 20_000
"""How many characters of a reply that is coming are kept to be looked at: its last ones. The log has all."""


HIDDEN = "(hidden: it may become a secret of the state)"
"""Stands for a reply that nobody may see."""

_SAYING = ("text", "tool_calls", "arguments", "result", "error")  # what of a call may hold a secret


@dataclass(frozen=True, slots=True)
class CallNow:
    """A call that lasts."""

    place: CallPlace
    began: float
    """When it began, in seconds of the monotonic clock."""
    text: str = ""
    """What of the reply has come: its end."""
    characters: int = 0
    """How many characters have come in all."""
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
        self._ends_line = True  # whether what was said last ended with a line break

    def begin_visit(self, *, hides: bool) -> None:
        """Forget the calls of the visit before.

        Args:
            hides: Whether nobody may see what is said: it may become a secret of the state.
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
            if now is not None and not now.characters and isinstance(text, str) and text:
                self._say(event.place, text)  # recorded, or a client that tells nothing while it answers
            self._note(event.place, ended_text(call))
        self.visit = VisitCalls((*self.visit.ended, call))

    def _is_told(self, place: CallPlace) -> bool:
        """Check whether the log is told of a call: all but those of tools that no model asked for."""
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
