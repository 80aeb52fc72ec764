"""Texts that are one long run: what takes more than linear time to read them takes far more than a limit."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

RUNS = (
    " ", "\n", "\t", "\r", "\r\n", "\n ", " \n", "\x00", "\u2028", "é", "\u3042", "a", "A", "0", "_",
    "-", "=", ".", ",", ":", ";", "#", "%", "`", "*", "|", "&", "@", "$", "!", "?", "/", "~", '"', "'",
    '""', "\\", '\\"', "\\'", "\\a", "(", ")", "<", ">", "[", "]", "{", "}", "[[", "]]", "{{", "}}",
    "{%", "%}", "```", "--", "//", "/*", "<!", "a ", "a.", "a:", "a=", "a,", "a\n", "1.", "- ", '"a"',
    "{}", '{"a":',
)  # fmt: skip
"""What a text is made of that is hard on whoever reads it."""
LIMIT = 0.5
"""Seconds of the processor: a hundred times what anything linear takes, and a small part of a square."""


class LongRun(NamedTuple):
    """Texts of any size that are one run, but for what stands before and behind it."""

    head: str
    piece: str
    tail: str

    def of(self, size: int) -> str:
        """Make the text whose run has about so many characters."""
        return self.head + self.piece * (size // len(self.piece)) + self.tail


class TooLong(Exception):
    """More was spent than anything linear takes."""


@contextmanager
def limited() -> Iterator[None]:
    """End what spends too much of the processor; what other processes take of it is not counted."""

    def end(signum: int, frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def grows_too_fast(work: Callable[[str], Any], text: LongRun, longest: int) -> str:
    """Describe how the work on a text grows where that is faster than the text; empty where it is not.

    What takes too long is looked at again at sizes at which it does not: a machine that stumbles is no
    finding, and what is slow and linear is none either.
    """
    if _spent(work, text.of(longest)) is not None:
        return ""
    size = longest
    while (last := _spent(work, text.of(size))) is None:
        size //= 2
        if size < 16:
            return "no end"
    times = [min(_spent(work, text.of(size // part)) or LIMIT for _ in range(3)) for part in (8, 4, 2)]
    ratio = min(last, _spent(work, text.of(size)) or LIMIT) / max(times[0], 1e-6)
    told = ", ".join(f"{seconds:.4f} s" for seconds in (*times, last))
    return f"{told} for {size // 8:,} to {size:,} characters" if ratio > 16 else ""


def _spent(work: Callable[[str], Any], text: str) -> float | None:
    began = time.process_time()
    try:
        with limited():
            work(text)
    except TooLong:
        return None
    return time.process_time() - began
