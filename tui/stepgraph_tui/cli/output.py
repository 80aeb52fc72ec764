"""What a command prints: data to standard output, narration to standard error."""

from __future__ import annotations

import json
import sys
from functools import cached_property
from shutil import get_terminal_size
from typing import IO, TYPE_CHECKING, cast

from stepgraph_tui.text.plain import visible_lines
from stepgraph_tui.text.system import command

from .streams import Apart, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, RenderableType


_INDENT = " " * 4
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
        """Print JSON, the items of an ``Each`` as they are made."""
        for text in _pieces(value):
            if not text.replace("\n", "").isprintable():
                text = "".join(
                    char if char.isprintable() or char == "\n" else _escaped(char) for char in text
                )
            self.data_stream.write(text)
        self.data_stream.write("\n")
        self.data_stream.flush()

    def show(self, *parts: RenderableType) -> None:
        """Print something that Rich draws, without the spaces that fill its lines up."""
        with self.console.capture() as drawn:
            for part in parts:
                self.console.print(part)
        self.lines(line.rstrip() for line in drawn.get().splitlines())

    def show_each(self, blocks: Iterable[RenderableType]) -> None:
        """Print what Rich draws block by block, each as soon as it is made."""
        for block in blocks:
            self.show(block)

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
        if not self.told_stream.isatty():
            return True
        return line.isascii() and len(line) < get_terminal_size().columns

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
            self._apart = Apart(self.data_stream, self.told_stream)

    def renew_apart(self) -> None:
        """Keep them apart also after a node that closed or replaced its streams."""
        if self._apart is not None:
            self._apart.renew()

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


def _printable(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]
