"""Asking, once, whether the Python code that a graph names may run."""

from __future__ import annotations

import codecs
import re
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from stepgraph.values import TrustError

if TYPE_CHECKING:
    from stepgraph.files import TrustQuestion
    from stepgraph.graphs import CompiledGraph, StateGraph

    from .output import Output


def can_ask() -> bool:
    """Check whether somebody is there to be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def says_yes(output: Output, question: str) -> bool:
    """Ask; everything but a yes is a no."""
    output.told_stream.write(f"{question} [y/N] ")
    output.told_stream.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


_STYLES = {"-": "red", "+": "green"}


def ensure_trusted(output: Output, app: StateGraph | CompiledGraph, granted: bool) -> None:
    """Continue only with a graph that is trusted; ask when there is a terminal to ask at.

    Args:
        output: Where to ask.
        app: The graph.
        granted: Whether ``--trust`` was given.

    Raises:
        TrustError: It is not trusted, and was not now.
    """
    from stepgraph.files import grant, is_trusted, require_trust, trust_question

    if is_trusted(app):
        return
    question = trust_question(app)
    if granted:
        grant(app, question)
    elif can_ask():
        if not _ask(output, app, question):
            raise TrustError(f"graph {app.name!r} is not trusted; nothing ran")
        grant(app, question)
    require_trust(app)


def _ask(output: Output, app: StateGraph | CompiledGraph, question: TrustQuestion) -> bool:
    from stepgraph_tui.text.diffs import any_tool_remark, file_changes

    verb = "is" if app.is_of_module else "runs"
    output.narrate(f"Graph {app.name!r} {verb} {question.untrusted}:")
    for file in question.told:
        output.narrate(f"  {file}")
    for heading, lines in file_changes(question.changes):
        output.narrate()
        output.narrate(heading, "bold")
        for line in lines:
            output.narrate(line.replace("\t", "    "), _STYLES.get(line[:1], "dim"))
    if question.changes:
        output.narrate()
    output.narrate(
        "If you trust it, these files may run until they change. What they import is not covered: "
        "look at it too."
    )
    if question.covered.commands:
        output.narrate(
            "Its commands may run, too, with any arguments. What their programs do is not covered."
        )
    if question.any_tool:
        from stepgraph_tui.connections import Connections

        output.narrate(any_tool_remark(Connections.of_user().tools.sources))
    return says_yes(output, "Trust these files and run them?")


_BREAK = re.compile(r"\r\n|\n|\r(?!\Z)")  # what comes after a last \r may yet be the \n of the same break
_STYLE = re.compile(r"\x1b\[[0-9;:]*m")
_LONGEST = 8_192  # characters that are kept until their line ends


class PrintedLines:
    """Takes the pieces that are printed, and tells whole lines of them.

    A line is told when it ends, so two threads, or the two streams, never share one. Colors and other styles
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
            self._tell_lines(lines)

    def end(self) -> None:
        """End the lines that were begun, before anything else is printed."""
        with self._lock:
            texts = [
                left + decoder.decode(b"", True)
                for left, decoder in zip(self._open, self._decoders, strict=True)
            ]
            self._open = ["", ""]
            self._tell_lines([text.removesuffix("\r") for text in texts if text])

    def _tell_lines(self, lines: list[str]) -> None:
        if lines:
            self._tell([_STYLE.sub("", line) for line in lines])
