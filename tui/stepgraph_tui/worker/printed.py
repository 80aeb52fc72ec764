"""What is printed or said during a step: kept until it is told, at a pace that people can read."""

from __future__ import annotations

import codecs
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from textual.message import Message

Source = Literal["output", "error", "model", "call"]
"""Who says something in the log: a node's standard output or error, a model, or we of its call."""

AT_EACH_END = 500_000
"""How many characters wait to be told of what one step wrote: its first and its last ones."""
STEPS = 100
"""How many steps' texts wait to be told; of a fast run that prints in each step the older ones give way."""

_decoder = codecs.getincrementaldecoder("utf-8")
_STREAMS: tuple[Source, Source] = ("output", "error")
_Text = tuple[Source, str]


EVERY = 0.05
"""The seconds between two tellings: 20 a second look fluent, and leave the app its time."""


@dataclass
class Printed(Message):
    """Something was written or said during a step: by node code, or by a model that it asked."""

    run_id: str
    """Empty for what a module writes while it is imported; then ``node`` is its name."""
    step: int
    """The step during which it was written."""
    node: str
    text: str
    """One or more lines, as they came; not made safe to show."""
    source: Source = "output"


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


class Pace:
    """Calls a function at once after a quiet time, else as soon as the time since the last call is over.

    So nothing floods the app, and nothing that was said before a long silence comes late.

    Args:
        send: What to call; from any thread, one at a time.
    """

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._lock = threading.RLock()  # freeing an object of a node's may print, at any moment
        self._last = float("-inf")
        self._timer: threading.Timer | None = None

    def ask(self) -> None:
        """Request a report soon."""
        with self._lock:
            if self._timer is not None:
                return
            wait = self._last + EVERY - time.monotonic()
            if wait > 0:
                self._timer = threading.Timer(wait, self.now)
                self._timer.daemon = True
                self._timer.start()
                return
        self.now()

    def now(self) -> None:
        """Report at once."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._last = time.monotonic()
            self._send()
