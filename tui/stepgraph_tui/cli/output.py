"""What a command prints: data to standard output, narration to standard error."""

from __future__ import annotations

import json
import sys
from functools import cached_property
from typing import IO, TYPE_CHECKING, cast

from stepgraph_tui.text.plain import visible_lines
from stepgraph_tui.text.system import command

from .streams import Apart, Stream, Style

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console, RenderableType


_INDENT = " " * 4
_LABEL = 24
"""The columns that the labels of a page take at most."""
_GAP = 2
"""The columns between them and what belongs to them."""


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
        self.data_stream = Stream(sys.stdout)
        self.told_stream = Stream(sys.stderr)
        self._apart: Apart | None = None

    @cached_property
    def console(self) -> Console:
        """Rich's console on standard output."""
        return _console(self.data_stream)

    @cached_property
    def told(self) -> Console:
        """Rich's console on standard error."""
        return _console(self.told_stream)

    def data(self, value: object) -> None:
        """Print JSON."""
        text = json.dumps(value, ensure_ascii=False, indent=2)
        if not text.replace("\n", "").isprintable():
            text = "".join(char if char.isprintable() or char == "\n" else _escaped(char) for char in text)
        self.data_stream.write(text + "\n")
        self.data_stream.flush()

    def show(self, *parts: RenderableType) -> None:
        """Print something that Rich draws, without the spaces that fill its lines up."""
        with self.console.capture() as drawn:
            for part in parts:
                self.console.print(part)
        self.lines(line.rstrip() for line in drawn.get().splitlines())

    def page(self, rows: Iterable[tuple[str, str]]) -> None:
        """Print labels on the left and what belongs to them on the right, wrapped only at a terminal."""
        from stepgraph_tui.text.cells import cell_len

        rows, stream = list(rows), self.data_stream
        labels = max((cell_len(label) for label, _ in rows), default=0)
        texts = max((cell_len(text) for _, text in rows), default=0)
        fits = not stream.isatty() or (labels <= _LABEL and labels + _GAP + texts <= _room(stream))
        if not fits or any("\n" in label + text for label, text in rows):
            from .tables import page  # which loads Rich, to wrap

            self.show(page(rows, _LABEL, _GAP))
            return
        for label, text in rows:
            gap = " " * max(_GAP, min(_LABEL, labels) + _GAP - cell_len(label))
            self.lines([f"{stream.styled(label, 'bold')}{gap}{text}".rstrip()])

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines of data as they are; the terminal wraps them."""
        self.data_stream.write("".join(f"{line}\n" for line in lines))
        self.data_stream.flush()

    def paragraphs(self, lines: Iterable[str]) -> None:
        """Print lines of data, wrapped between words on a terminal, later parts of a line indented."""
        if not self.data_stream.isatty():
            self.lines(lines)
            return
        from rich.text import Text

        room = max(20, self.console.width - len(_INDENT))
        for line in lines:
            parts = [part.plain.rstrip() for part in Text(line).wrap(self.console, room)]
            self.lines([*parts[:1], *(_INDENT + part for part in parts[1:])])

    def narrate(self, text: str = "", style: str = "") -> None:
        """Tell something on standard error, wrapped between words on a terminal."""
        lines = visible_lines(text)
        if not style and all(map(self._fits, lines)):
            self.told_stream.write("".join(f"{line}\n" for line in lines))
            self.told_stream.flush()
            return
        from rich.text import Text  # only to wrap and to colour: many commands end without it

        words = Text("\n".join(lines), style=style)
        self.told.print(words, soft_wrap=not self.told.is_terminal)

    def _fits(self, line: str) -> bool:
        """Say whether a line needs no wrapping: nobody reads it at a terminal, or it is plain and short."""
        return not self.told_stream.isatty() or (line.isascii() and len(line) < _room(self.told_stream))

    def tell(self, *spans: tuple[str, Style]) -> None:
        """Tell one line of texts in styles on standard error, cut where a terminal ends."""
        from stepgraph_tui.text.cells import cut

        stream, shown = self.told_stream, ""
        kept = cut("".join(text for text, _ in spans).rstrip(), _room(stream))
        for text, style in spans:
            shown += stream.styled(kept[: len(text)], style)
            kept = kept[len(text) :]
        stream.write(f"{shown}\n")
        stream.flush()

    def error(self, message: str, hint: str = "") -> None:
        """Tell what went wrong, and what to do next."""
        self.narrate(f"error: {message}", "bold red")
        if hint:
            self.narrate(f"  hint: {hint}")

    def command(self, *words: str) -> str:
        """Spell a command that can be typed as it is; it names the store where that is needed."""
        return command(*words, store=self.address)

    def suggest(self, *words: str) -> None:
        """Tell a command on a line of its own, which is never wrapped."""
        self.whole(f"  {self.command(*words)}")

    def whole(self, line: str) -> None:
        """Tell a line that is never wrapped: what stands in it can be copied."""
        self.told_stream.write(f"{''.join(visible_lines(line))}\n")
        self.told_stream.flush()

    def keep_apart(self) -> None:
        """Send what node code prints from here on to standard error, and leave it an empty input."""
        if self._apart is None:
            self.flush()
            self._apart = Apart(self.data_stream)

    def flush(self) -> None:
        """Write out what is buffered."""
        self.data_stream.flush()
        self.told_stream.flush()

    def close(self, *, restore: bool) -> None:
        """Write out what is buffered, and give the streams back if asked."""
        try:
            self.flush()
        except OSError:  # it was told already, by the command's exit code
            return
        finally:
            if restore and self._apart is not None:
                self._apart.restore()


def _room(stream: Stream) -> int:
    """Give the cells of a line: a terminal's; a file or a pipe takes any."""
    if not stream.isatty():
        return sys.maxsize
    from shutil import get_terminal_size  # which loads four ways of compression

    return get_terminal_size().columns


def _console(stream: Stream) -> Console:
    from rich.console import Console

    return Console(file=cast(IO[str], stream), highlight=False, markup=False, emoji=False)


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]
