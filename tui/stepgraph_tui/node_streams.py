"""Python's standard streams as node code has them: an empty input, and outputs that are taken."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Taken(io.RawIOBase):
    """Bytes that are written go to a function. Node code cannot close it: the next node needs it."""

    def __init__(self, write: Callable[[bytes], None], number: int | None) -> None:
        self._write = write
        self._number = number

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        taken = bytes(data)
        self._write(taken)
        return len(taken)

    def fileno(self) -> int:
        return super().fileno() if self._number is None else self._number

    def close(self) -> None:
        pass


class KeptStream(io.TextIOWrapper):
    """A stream that whoever gets hold of it cannot take away: closing it does no more than to flush it."""

    def close(self) -> None:
        """Flush it."""
        self.flush()

    def detach(self) -> BinaryIO:
        """Refuse to be taken apart.

        Raises:
            UnsupportedOperation: Always.
        """
        raise io.UnsupportedOperation("this stream is not the node's own, and stays as it is")

    def reconfigure(self, **_: object) -> None:
        """Stay as it is: others write to it too."""

    def end(self) -> None:
        """Close it; for its owner."""
        super().close()


class NodeStreams:
    """While it is entered, ``sys.stdin``, ``sys.stdout`` and ``sys.stderr`` are node code's own.

    They belong to the whole process, and a node that was left to itself may end when others run, or when
    the app is gone. So the last to leave gives back what the first one found, and only where nobody else
    has replaced the stream meanwhile, as an app does that ends.

    Args:
        write: Takes what is written, and whether that is to the standard error.
        numbers: The file numbers that lead to the same places, output and error; None when there are none.
    """

    def __init__(self, write: Callable[[bytes, bool], None], numbers: tuple[int, int] | None) -> None:
        def output(is_error: bool) -> TextIO:
            number = numbers[is_error] if numbers is not None else None
            raw = cast(BinaryIO, _Taken(lambda data: write(data, is_error), number))  # raw, as in `python -u`
            return KeptStream(raw, "utf-8", "backslashreplace", newline="\n", write_through=True)

        self._own: dict[str, TextIO] = {
            "stdin": KeptStream(io.BytesIO(), "utf-8"),
            "stdout": output(is_error=False),
            "stderr": output(is_error=True),
        }
        self._lock = threading.Lock()
        self._entered = 0
        self._before: dict[str, TextIO] = {}

    def __enter__(self) -> None:
        with self._lock:
            self._entered += 1
            if self._entered == 1:
                self._before = {name: getattr(sys, name) for name in self._own}
                self.take_place()

    def take_place(self) -> None:
        """Make them Python's streams, whatever a node has put into their place."""
        for name, stream in self._own.items():
            setattr(sys, name, stream)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._entered -= 1
            if self._entered:
                return
            for name, stream in self._own.items():
                if getattr(sys, name) is stream:
                    setattr(sys, name, self._before[name])
