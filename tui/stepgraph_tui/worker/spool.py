"""What node code wrote and nobody was told yet: whose it is, as text, and not endless."""

from __future__ import annotations

import codecs
from collections import deque
from typing import NamedTuple

PER_STEP = 200_000
"""How many characters of one step are kept."""
STEPS = 100
"""How many steps' texts wait to be told; of a fast run that prints in each step the older ones give way."""

_decoder = codecs.getincrementaldecoder("utf-8")


class Piece(NamedTuple):
    """A text that one step wrote."""

    run_id: str
    step: int
    node: str
    text: str


class Spool:
    """Takes bytes as they come, and gives texts by step. Not for several threads at once."""

    def __init__(self) -> None:
        self._owner: tuple[str, int, str] | None = None
        self._decode = _decoder("backslashreplace")
        self._texts: list[str] = []
        self._room = PER_STEP
        self._lost = 0
        self._at_line_start = True
        self._pieces: deque[Piece] = deque()
        self._gone = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not self._texts and not self._pieces

    def belongs_to(self, run_id: str, step: int, node: str) -> None:
        """Take what comes from now on as written by this step."""
        owner = (run_id, step, node)
        if owner != self._owner:
            self.finish()
            self._owner = owner
            self._room = PER_STEP
            self._at_line_start = True

    def add(self, data: bytes) -> None:
        """Take some bytes. Before the first step they are nobody's, and dropped."""
        if self._owner is not None:
            self._keep(self._decode.decode(data))

    def finish(self) -> None:
        """End the step: nothing of what it wrote is held back any more."""
        if self._owner is None:
            return
        self._keep(self._decode.decode(b"", final=True))
        if self._lost:
            break_ = "" if self._at_line_start else "\n"
            self._texts.append(f"{break_}… and {self._lost:,} more characters, which are left out\n")
            self._at_line_start, self._lost = True, 0
        self._pack()

    def take(self) -> list[Piece]:
        """Hand over what there is to tell, and forget it."""
        self._pack()
        pieces = list(self._pieces)
        self._pieces.clear()
        if self._gone:
            first = pieces[0]
            note = f"(what {self._gone:,} steps before this one wrote is left out)\n"
            pieces[0] = first._replace(text=note + first.text)
            self._gone = 0
        return pieces

    def _keep(self, text: str) -> None:
        kept = text[: self._room]
        self._lost += len(text) - len(kept)
        self._room -= len(kept)
        if kept:
            self._texts.append(kept)
            self._at_line_start = kept.endswith("\n")

    def _pack(self) -> None:
        if self._owner is None or not self._texts:
            return
        self._pieces.append(Piece(*self._owner, "".join(self._texts)))
        self._texts.clear()
        if len(self._pieces) > STEPS:
            self._pieces.popleft()
            self._gone += 1
