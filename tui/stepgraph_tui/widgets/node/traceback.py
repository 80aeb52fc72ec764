"""A traceback with the user's own code first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import stepgraph
from stepgraph_tui.text.plain import visible
from stepgraph_tui.widgets.lines.page import Line, paragraph

_FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+)(?:, in (?P<function>.*))?$')
_BEGINS = "Traceback (most recent call last):"
_POINTER = re.compile(r"[\s~^]+$")  # the line of carets below a line of code
_CHAINED = ("The above exception was", "During handling of the above")
_LIBRARY = re.compile(
    r"[/\\](site|dist)-packages[/\\]|[/\\]lib(64)?[/\\]python\d[\d.]*t?[/\\]|^[A-Z]:\\.*\\Lib\\|^<frozen "
)
_ENGINE = str(Path(stepgraph.__file__).parent)
_MOST = 200  # frames


@dataclass(slots=True)
class CallFrame:
    """A call in a traceback."""

    file: str
    line: str
    function: str
    code: list[str] = field(default_factory=list)

    @property
    def is_own(self) -> bool:
        """Whether the user wrote it: it is not of an installed package, of Python or of the engine."""
        return _LIBRARY.search(self.file) is None and not self.file.startswith(_ENGINE)


@dataclass(slots=True)
class Raised:
    """An exception with the calls that led to it, the last call last."""

    frames: list[CallFrame] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def read_traceback(text: str) -> list[Raised]:
    """Read the exceptions of a traceback as Python prints it: what was raised last comes last."""
    raised = [Raised()]
    for line in text.rstrip().split("\n"):
        found = _FRAME.match(line)
        if line.startswith(_BEGINS):
            raised.append(Raised())
        elif found is not None and not raised[-1].said:  # else a message looks like one
            raised[-1].frames.append(CallFrame(found["file"], found["line"], found["function"] or ""))
        elif line.startswith("  ") and raised[-1].frames and not raised[-1].said:
            if not _POINTER.match(line):
                raised[-1].frames[-1].code.append(line.strip())
        elif line.strip() and not line.startswith(_CHAINED):
            raised[-1].said.append(line)
    return [each for each in raised if each.frames or each.said]


def last_own_call(text: str) -> tuple[Path, int] | None:
    """Find the line of the user's own code at which an exception was raised; None where it was in none.

    Args:
        text: The traceback as Python prints it.
    """
    for raised in reversed(read_traceback(text)):
        for frame in reversed(raised.frames):
            if frame.is_own:
                return Path(frame.file), int(frame.line)
    return None


def traceback_lines(text: str, folder: Path | None, above: str = "") -> Iterator[Line]:
    """Write the traceback: what was raised last first, the user's calls before those of libraries.

    Args:
        text: As Python prints it; secrets are masked already.
        folder: Where the graph is: files in it are named from there.
        above: What was said of the failure already: an exception that says no more is not repeated.
    """
    for number, raised in enumerate(reversed(read_traceback(text))):
        if number:
            yield paragraph("caused by:", "dim")
        if number or not _repeats(above, raised.said):
            for said in raised.said:
                yield Line(((visible(said), "bad"),), quoted=True)
        calls = raised.frames[::-1][:_MOST]
        own = [frame for frame in calls if frame.is_own]
        yield from _calls("in your code, the last call first", own, folder, dimmed=False)
        others = [frame for frame in calls if not frame.is_own]
        yield from _calls("through libraries" if own else "in libraries", others, folder, dimmed=True)


def _repeats(above: str, said: list[str]) -> bool:
    """Whether a message has the words of an exception at its end, and names its type before them.

    Python quotes the key of a KeyError, which the message does not.
    """
    type_, _, words = " ".join(" ".join(said).split()).partition(": ")
    message = " ".join(above.split())
    name = type_.rpartition(".")[2]
    return any(
        message.endswith(end) and name in message.removesuffix(end).split()
        for end in (words, words.strip("'\""))
    )


def _calls(title: str, frames: list[CallFrame], folder: Path | None, *, dimmed: bool) -> Iterator[Line]:
    if frames:
        yield paragraph(title, "dim")
    for frame in frames:
        where = visible(f"{_short(frame.file, folder)}:{frame.line}")
        function = visible(frame.function)
        yield Line(
            ((where, "dim" if dimmed else "name"), (f"  {function}", "dim" if dimmed else "plain")),
            indent=2,
            hang=2,
        )
        for code in frame.code:
            yield Line(((visible(code), "dim" if dimmed else "value"),), indent=4, quoted=True)


def _short(file: str, folder: Path | None) -> str:
    path = Path(file)
    return str(path.relative_to(folder)) if folder is not None and path.is_relative_to(folder) else file
