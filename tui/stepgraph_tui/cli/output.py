"""What a command prints: data to standard output, narration to standard error.

Whatever is printed may hold words of others: of a graph file, a model, a store, the command line itself. So
all of it is made visible here, line breaks too, and nothing can be printed past it. Text on several
lines is printed line by line; the lines of a text that has line breaks of its own are quoted, and where a
terminal needs several rows for a line, the further rows stand further in. So no words of others ever look
like a line of ours.
"""

from __future__ import annotations

import atexit
import codecs
import json
import re
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from itertools import zip_longest
from typing import IO, TYPE_CHECKING, cast

from stepgraph.values import TrustError

from ..text.characters import is_plain, shows, visible
from ..text.plain import QUOTE, quoted_lines, visible_lines
from ..text.system import command
from .streams import Apart, Stream, Style

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from stepgraph.files import TrustQuestion
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.runs import Clock

    from ..node_debugger import NodeDebugger


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

    A line is printed when it ends, so threads and streams never share one. Colors and other styles
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


_LABEL = 24  # columns that the labels of a page take at most
_GAP = 2  # columns after them
_NARROWEST = 20  # columns to wrap to
_encode = json.JSONEncoder(ensure_ascii=False).encode


class Each:
    """A list in JSON that is written while its items are made: an item a line, and none is kept.

    Args:
        items: The items.
    """

    def __init__(self, items: Iterable[object]) -> None:
        self.items = items


class Output:
    """The two streams of a command.

    Args:
        as_json: Whether data is printed as JSON.
        store: The store that was named on the command line, or None.
    """

    def __init__(self, *, as_json: bool = False, store: str | None = None) -> None:
        self.as_json = as_json
        self.store = store
        self.address: str | None = None
        """The store's address when the commands that are printed must name it."""
        self.engine = ""
        """The engine that the commands which are printed must name; empty for the one of the environment."""
        self.data_stream = Stream(sys.stdout)
        self.told_stream = Stream(sys.stderr)
        self._apart: Apart | None = None
        self._printed = PrintedLines(self.quote)
        self._lingers = False  # code that was imported may print until the process ends

    @cached_property
    def console(self) -> Console:
        """Rich's console on standard output."""
        return _console(self.data_stream)

    @cached_property
    def stderr(self) -> Console:
        """Rich's console on standard error."""
        return _console(self.told_stream)

    def data(self, value: object) -> None:
        """Print JSON, the items of an ``Each`` as they are made.

        What would not be seen is escaped as JSON does, so the data stays the same.
        """
        for text in _pieces(value):
            self.data_stream.write("\n".join(map(_escaped, text.split("\n"))))
        self.data_stream.write("\n")
        self.data_stream.flush()

    def table(self, blocks: Iterable[list[str]]) -> None:
        """Print a table block by block, each as it is made; its first line has the titles."""
        stream = self.data_stream
        style: Style = "bold"
        for first, *lines in blocks:
            self._write(stream, [stream.styled(first, style), *lines])
            style = ""

    def page(self, rows: Iterable[tuple[str, str]]) -> None:
        """Print labels on the left and what belongs to them on the right; a terminal gets both wrapped."""
        from stepgraph_tui.text.cells import cell_len, hanging, padded

        stream, room = self.data_stream, self._room(self.data_stream)
        safe = [(visible(label), visible(text)) for label, text in rows]
        wide = min(_LABEL, room // 2, max((cell_len(label) for label, _ in safe), default=0))
        for label, text in safe:
            names = hanging(label, wide) if stream.isatty() else [label]
            for name, line in zip_longest(names, hanging(text, room - wide - _GAP, hang=2), fillvalue=""):
                name = name if cell_len(name) > wide else padded(name, wide)
                self._write(stream, [f"{stream.styled(name, 'bold')}{' ' * _GAP}{line}".rstrip()])

    def heading(self, text: str) -> None:
        """Print a line in bold."""
        rows = self._rows([visible(text)], self.data_stream)
        self._write(self.data_stream, (self.data_stream.styled(row, "bold") for row in rows))

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines of data; a terminal gets them wrapped between words."""
        self._write(self.data_stream, self._rows(map(visible, lines), self.data_stream))

    def picture(self, lines: Iterable[str]) -> None:
        """Print lines of data that are never wrapped: pictures, and what can be copied."""
        self._write(self.data_stream, map(visible, lines))

    def text(self, parts: Iterable[str]) -> None:
        """Print a text in a format of its own: as it is, or on a terminal so that nothing in it is hidden."""
        if self.data_stream.isatty():
            self.picture("".join(parts).removesuffix("\n").split("\n"))
            return
        self._printed.end()
        for part in parts:
            self.data_stream.write(part)
        self.data_stream.flush()

    def narrate(self, text: str = "", style: str = "") -> None:
        """Print a message on standard error, wrapped between words on a terminal."""
        rows = self._rows(quoted_lines(text), self.told_stream)
        if not style:
            self._write(self.told_stream, rows)
            return
        self._printed.end()
        from rich.text import Text  # only to color: many commands end without it

        self.stderr.print(Text("\n".join(rows), style=style), soft_wrap=True)

    def tell(self, *spans: tuple[str, Style]) -> None:
        """Print one styled line on standard error, cut at the width of a terminal."""
        from stepgraph_tui.text.cells import cut

        stream, shown = self.told_stream, ""
        room = stream.columns if stream.isatty() else sys.maxsize
        safe = [(visible(text), style) for text, style in spans]
        kept = cut("".join(text for text, _ in safe).rstrip(), room)
        for text, style in safe:
            shown += stream.styled(kept[: len(text)], style)
            kept = kept[len(text) :]
        self._write(stream, [shown])

    def _room(self, stream: Stream) -> int:
        """Return the width to wrap a line to: a terminal's; a file or a pipe takes any."""
        return max(_NARROWEST, stream.columns) if stream.isatty() else sys.maxsize

    def _rows(self, lines: Iterable[str], stream: Stream) -> Iterator[str]:
        """Wrap lines for a terminal."""
        room = self._room(stream)
        for line in lines:
            if len(line) * 2 <= room or (line.isascii() and len(line) <= room):
                yield line
            else:
                from stepgraph_tui.text.cells import hanging

                yield from hanging(line, room)

    def _write(self, stream: Stream, lines: Iterable[str]) -> None:
        self._printed.end()
        stream.write("".join(f"{line}\n" for line in lines))
        stream.flush()

    def quote(self, lines: Iterable[str]) -> None:
        """Print lines of somebody else: of node code, or of a model."""
        shown = (f"{QUOTE}{line}" for text in lines for line in visible_lines(text))
        self.told_stream.write("".join(f"{row}\n" for row in self._rows(shown, self.told_stream)))
        self.told_stream.flush()

    def error(self, message: str, hint: str = "") -> None:
        """Print what went wrong, and what to do next."""
        self.narrate(f"error: {message}", "bold red")
        if hint:
            self.narrate(f"  hint: {hint}")

    def command(self, *words: str) -> str:
        """Spell a command that can be typed as it is; it names engine and store where that is needed."""
        return command(*words, *(("--engine", self.engine) if self.engine else ()), store=self.address)

    def suggest(self, *words: str) -> None:
        """Print a command on a line of its own, never wrapped."""
        self.whole(f"  {self.command(*words)}")

    def whole(self, line: str) -> None:
        """Print a line that is never wrapped, so that it can be copied."""
        self._write(self.told_stream, [visible(line)])

    def keep_apart(self) -> None:
        """Quote what node code prints from here on on standard error, and leave it an empty input."""
        if self._apart is None:
            self.flush()
            atexit.register(self._printed.end)  # what nodes leave behind may print until the process ends
            self._apart = Apart(self.data_stream, self.told_stream, self._printed.add)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Keep them apart for a while, as ``keep_apart`` does from here on."""
        if self._apart is not None:
            yield
            return
        self.keep_apart()
        try:
            yield
        finally:
            self.flush()
            self._give_back()
            self._lingers = True

    def _give_back(self) -> None:
        if self._apart is not None:
            atexit.unregister(self._printed.end)
            self._apart.restore()
            self._apart = None

    def renew_apart(self) -> None:
        """Keep them apart also after a node that closed or replaced its streams."""
        if self._apart is not None:
            self._apart.renew()

    def debugged(self, run_id: str, node: str, step: int) -> AbstractContextManager[NodeDebugger | None]:
        """Give ``breakpoint()`` in a node the terminal, if the streams are kept apart."""
        return nullcontext() if self._apart is None else self._apart.debugged(run_id, node, step)

    @property
    def clock(self) -> Clock | None:
        """What measures nodes, without the time that they are debugged; None for Python's own clock."""
        return None if self._apart is None else self._apart.debugger

    def flush(self) -> None:
        """Write out what is buffered."""
        self._printed.end()
        self.data_stream.flush()
        self.told_stream.flush()

    def close(self, *, restore: bool) -> None:
        """Write out what is buffered, and restore the streams if asked."""
        try:
            self.flush()
        except OSError:  # the command's exit code has told already
            return
        finally:
            if restore:
                self._give_back()
            elif self._lingers:
                self.keep_apart()


def _console(stream: Stream) -> Console:
    from rich.console import Console

    return Console(file=cast(IO[str], stream), highlight=False, markup=False, emoji=False)


def _pieces(value: object, pad: str = "") -> Iterator[str]:
    """Write a value as JSON in pieces, indented by two spaces a level."""
    if isinstance(value, Each):
        lead = f"[\n{pad}  "
        for item in value.items:
            yield lead + _encode(item)
            lead = f",\n{pad}  "
        yield f"\n{pad}]" if lead[0] == "," else "[]"
    elif isinstance(value, dict) and value:
        lead = "{\n"
        for key, item in value.items():
            yield f"{lead}{pad}  {_encode(key)}: "
            yield from _pieces(item, f"{pad}  ")
            lead = ",\n"
        yield f"\n{pad}}}"
    else:
        yield json.dumps(value, ensure_ascii=False, indent=2).replace("\n", f"\n{pad}")


def _escaped(line: str) -> str:
    if is_plain(line):
        return line
    return "".join(
        char if shown else json.dumps(char)[1:-1] for char, shown in zip(line, shows(line), strict=True)
    )
