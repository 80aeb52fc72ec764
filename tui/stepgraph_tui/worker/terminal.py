"""The terminal for the app alone, and nothing of it for node code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TextIO

from stepgraph_tui.node_debugger import breakpoints_answered
from stepgraph_tui.node_streams import KeptStream

from .capture import Capture

_NAMES = ("stdin", "stdout", "stderr")


@contextmanager
def own_terminal() -> Iterator[Capture]:
    """Keep the terminal for the app, which is to be made and run inside.

    The app reads and draws through duplicates of the terminal's files, which it finds as Python's
    ``sys.__stdin__``, ``sys.__stdout__`` and ``sys.__stderr__`` (a program that the app itself starts on
    the terminal, such as an editor, is given these). The numbers 0, 1 and 2, which node code, its libraries
    and its processes use, lead to an empty input and to the capture. All is put back at the end, whatever
    happens, so that a last word or a traceback reaches the terminal.

    Where numbers cannot be redirected, as on Windows, the capture takes what Python code writes.

    Yields:
        The capture, for the threads that run nodes.
    """
    capture = Capture()
    with ExitStack() as stack, breakpoints_answered():
        stack.callback(capture.close)
        if capture.numbers is not None:
            stack.enter_context(_numbers_lead_to(*capture.numbers))
        yield capture


@contextmanager
def _numbers_lead_to(output: int, error: int) -> Iterator[None]:
    before = {name: getattr(sys, name) for name in (*_NAMES, *(f"__{name}__" for name in _NAMES))}
    _flush(before.values())
    terminal = [_duplicate(at, before[f"__{name}__"]) for at, name in enumerate(_NAMES)]
    nowhere = os.open(os.devnull, os.O_RDONLY)
    try:
        for name, stream in zip(_NAMES, terminal, strict=True):
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        for at, to in enumerate((nowhere, output, error)):
            os.dup2(to, at)
        yield
    finally:
        os.close(nowhere)
        _flush(before.values())  # what handlers of logging still held belongs to the nodes
        _flush(terminal)
        for at, stream in enumerate(terminal):
            os.dup2(stream.fileno(), at)
        for name, stream in before.items():
            setattr(sys, name, stream)
        for stream in terminal:
            stream.end()


def _duplicate(number: int, original: TextIO | None) -> KeptStream:
    encoding = getattr(original, "encoding", None) or "utf-8"
    errors = getattr(original, "errors", None) or "backslashreplace"
    file = os.fdopen(os.dup(number), "rb" if number == 0 else "wb")
    return KeptStream(file, encoding, errors, line_buffering=True)


def _flush(streams: Iterable[TextIO | None]) -> None:
    for stream in streams:
        if stream is not None:
            with suppress(OSError, ValueError):  # a stream that is full, gone or closed
                stream.flush()
