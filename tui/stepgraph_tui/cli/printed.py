"""What node code prints, line by line: whatever it is, it is told as the words of somebody else."""

from __future__ import annotations

import codecs
import re
import threading
from collections.abc import Callable

_BREAK = re.compile(r"\r\n|\n|\r(?!\Z)")  # what comes behind a last \r may yet be the \n of the same break
_STYLE = re.compile(r"\x1b\[[0-9;:]*m")
_LONGEST = 8_192  # characters that are kept until their line ends


class PrintedLines:
    """Takes the pieces that are printed, and tells whole lines of them.

    A line is told when it ends, so two threads, or the two streams, never share one. Colours and other styles
    are left out: a style can hide what it is put on.

    Args:
        tell: Tells lines; they are as they were printed otherwise, and must be made safe to show.
    """

    def __init__(self, tell: Callable[[list[str]], None]) -> None:
        self._tell = tell
        self._lock = threading.RLock()  # what tells may run code that prints
        self._decoders = [codecs.getincrementaldecoder("utf-8")("backslashreplace") for _ in range(2)]
        self._open = ["", ""]  # the last line of each stream, which has not ended

    def add(self, data: bytes, is_error: bool) -> None:
        """Take a piece that was written to one of the two streams."""
        with self._lock:
            text = self._open[is_error] + self._decoders[is_error].decode(data)
            *lines, left = _BREAK.split(text)
            while len(left) > _LONGEST:
                lines.append(left[:_LONGEST])
                left = left[_LONGEST:]
            self._open[is_error] = left
            self._told(lines)

    def end(self) -> None:
        """Tell lines that were begun: something else is told next."""
        with self._lock:
            texts = [
                left + decoder.decode(b"", True)
                for left, decoder in zip(self._open, self._decoders, strict=True)
            ]
            self._open = ["", ""]
            self._told([text.removesuffix("\r") for text in texts if text])

    def _told(self, lines: list[str]) -> None:
        if lines:
            self._tell([_STYLE.sub("", line) for line in lines])
