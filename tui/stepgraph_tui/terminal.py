"""Between the app and the terminal: ASCII output, hidden text, the queue of keys, the clipboard."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Literal

from rich.segment import Segment
from textual import events
from textual.app import App, ScreenStackError
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from stepgraph.values import make_data_folder

from .drawing.picture.glyphs import ASCII, UNICODE, Glyphs
from .text.cells import cell_len, cells_of, padded
from .text.characters import escaped, is_plain, shows
from .text.system import needs_ascii

if TYPE_CHECKING:
    from pathlib import Path


_OTHERS = {
    "…": "~", "→": ">", "←": "<", "↑": "^", "↓": "v", "▸": ">", "▾": "v", "▶": ">", "◀": "<",
    "○": "o", "◆": "*", "•": "*", "\u2013": "-", "\u2014": "-",
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
    "█": "#", "▀": "-", "▔": "-", "▄": "_", "▁": "_", "▂": "_", "▃": "_", "▅": "#", "▆": "#", "▇": "#",
    "▌": "|", "▐": "|", "▊": "|", "▋": "|", "▉": "#", "▍": "|", "▎": "|", "▏": "|", "▕": "|",
    "┄": "-", "┆": ":", "░": ".", "▒": ":", "▓": "#", "\xa0": " ",
}  # fmt: skip
_UNKNOWN = "?"


def _both(one: Glyphs, other: Glyphs) -> Mapping[str, str]:
    """Pair each character of one set with the one that stands for it in the other."""
    pairs = dict(zip(one.lines + one.back + one.pause, other.lines + other.back + other.pause, strict=True))
    pairs |= zip(one.frame + one.heavy + one.dot, other.frame + other.heavy + other.dot, strict=True)
    for name in ("heads", "ports", "fired", "heavy_ports", "heavy_fired", "marks", "breaks"):
        mine, theirs = getattr(one, name), getattr(other, name)
        pairs |= {mine[key]: theirs[key] for key in mine}
    return pairs


def _frames() -> Mapping[str, str]:
    """Map the frames of Textual's own widgets: heavy and double lines as in pictures."""
    chars = {chr(code): unicodedata.name(chr(code)) for code in range(0x2500, 0x2580)}
    return {char: _line(name.removeprefix("BOX DRAWINGS ")) for char, name in chars.items()}


def _line(name: str) -> str:
    strong = "HEAVY" in name or "DOUBLE" in name
    if name.endswith("HORIZONTAL") and "AND" not in name:
        return "=" if strong else "-"
    if name.endswith("VERTICAL") and "AND" not in name:
        return "#" if strong else "|"
    return "#" if strong else "+"


_TABLE = {**_frames(), **_OTHERS, **_both(UNICODE, ASCII)}
_TRANSLATION = str.maketrans(_TABLE)


@lru_cache(4096)
def to_ascii(text: str) -> str:
    """Write the text in ASCII, in exactly as many cells: what has no likeness becomes question marks."""
    text = text.translate(_TRANSLATION)
    if text.isascii():
        return text
    cells = cells_of(text)
    return "".join(_cell(cell, end) for cell, end in pairwise([*cells, " "]))


def _cell(cell: str, following: str) -> str:
    """Write one cell: letters lose their accents, wide characters and their second cells are not known."""
    if cell.isascii() and len(cell) == 1:
        return cell
    bare = unicodedata.normalize("NFKD", cell)[:1]
    narrow = cell != "" and following != ""
    return bare if narrow and bare.isascii() and bare.isprintable() else _UNKNOWN


class AsciiFilter(LineFilter):
    """Turns every line of the screen into ASCII as the last thing before it is written."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Write the same segments in ASCII."""
        return [
            segment
            if segment.control or segment.text.isascii()
            else segment._replace(text=to_ascii(segment.text))
            for segment in segments
        ]


def wants_ascii(
    setting: Literal["auto", "always", "never"],
    environment: Mapping[str, str] = os.environ,
    encoding: str | None = None,
) -> bool:
    """Check whether the screen is to be ASCII.

    Args:
        setting: What the user has set; ``auto`` leaves it to the terminal.
        environment: Where TERM is.
        encoding: The encoding of the terminal's output; None for that of the process.
    """
    if encoding is None:
        encoding = sys.__stdout__.encoding if sys.__stdout__ is not None else "ascii"
    return setting == "always" or (setting == "auto" and needs_ascii(environment, encoding))


_ROUNDS = 3
"""How often the way is gone behind a key: what handled it may have passed a word on, and that one another."""
_LOOK, _LOOKS = 0.05, 20
"""How often, in seconds, and how many times to look after a word: with a widget that is gone it is lost."""


class Passed(Message, bubble=True):
    """All is done that stood before it in the queues between a widget and the app."""

    def __init__(self, number: int, *, late: bool = False) -> None:
        super().__init__()
        self.number = number
        self.late = late
        """Whether it has waited for too long: the next key has its turn, whatever there is to come."""


class KeyQueue:
    """Hands keys and pasted texts to the app one by one.

    A terminal over a slow line delivers them in bursts, faster than a dialog opens or closes. Each is to go
    where it would have gone had it been typed later: into the field of the dialog that the key before it has
    opened, or to what lies below the one that it has closed. So behind each key a word is sent the same way,
    from what has the focus up to the app, and the next key waits until it has come through a screen that
    stays as it is. Nothing is changed about a key, not even when it was typed: what does not count because
    it was typed too early still does not.

    Args:
        app: The app.
        deliver: Has the app handle one of them.
    """

    def __init__(self, app: App[Any], deliver: Callable[[events.Event], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: deque[events.Event] = deque()
        self._sent = 0  # words
        self._rounds = 0  # how many are still to come back; 0 while no key is under way
        self._seen: Widget | None = None  # what the last word was sent from
        self._looks = 0
        self._timer: Timer | None = None

    @property
    def is_idle(self) -> bool:
        """Whether all that was typed has had its effect."""
        return not self._rounds and not self._waiting

    async def take(self, event: events.Event) -> None:
        """Take what was typed: deliver it now, or when its turn comes."""
        self._waiting.append(event)
        if not self._rounds:
            await self._next()

    async def passed(self, message: Passed) -> None:
        """Handle the answer that came back."""
        if message.number != self._sent or not self._rounds:
            return  # another has come in its place
        if message.late:
            self._rounds = 0
        else:
            self._rounds = max(self._rounds - 1, int(self._seen != self._place))
        if self._rounds:
            self._send()
            return
        if self._timer is not None:
            self._timer.stop()
        if self._waiting:
            await self._next()

    async def _next(self) -> None:
        self._rounds, self._looks = _ROUNDS, 0
        await self._deliver(self._waiting.popleft())
        self._send()
        self._timer = self._app.set_interval(_LOOK, self._look_after)

    def _send(self) -> None:
        self._sent += 1
        self._seen = self._place
        if self._seen is not None:
            self._seen.post_message(Passed(self._sent))

    def _look_after(self) -> None:
        """Stop waiting after a while, or once the focus has moved."""
        self._looks += 1
        if self._looks >= _LOOKS or self._seen != self._place:
            self._app.post_message(Passed(self._sent, late=self._looks >= _LOOKS))

    @property
    def _place(self) -> Widget | None:
        """What keys go to: what has the focus, else the screen; nothing when the app ends."""
        try:
            return self._app.focused or self._app.screen
        except ScreenStackError:
            return None


_LONGEST = 0.25
"""Seconds after which a screen is painted, whatever it still waits for."""


class SettledScreens:
    """Has screens that come, or come back, painted once they have settled.

    Textual paints one as soon as it has a place, all of it again for it has come, and again for its size, for
    what is inside of it, and for the focus: up to five times what is sent to the terminal in the end.

    Args:
        app: The app.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._batch = ExitStack()
        self._rounds = 0
        self._late: Timer | None = None

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Paint nothing from here on, until the screen has settled that is on top at the end of the block."""
        self._hold()
        yield
        self._follow(self._app.screen)

    def follow_first(self, screen: Screen[Any]) -> None:
        """Have a screen that was pushed above nothing painted at once, and then when it has settled."""
        screen.call_later(self._hold)
        self._follow(screen)

    def _hold(self) -> None:
        if not self._rounds:
            self._batch.enter_context(self._app.batch_update())
            self._late = self._app.set_timer(_LONGEST, self._paint)
        self._rounds = _ROUNDS

    def _follow(self, screen: Screen[Any]) -> None:
        """Go the way from a screen to the app, behind all that is in their queues."""
        screen.call_later(self._app.call_later, self._pass, screen)

    def _pass(self, screen: Screen[Any]) -> None:
        if not self._rounds or not screen.is_active:
            return  # it was painted, or another one has come, which is followed itself
        self._rounds -= 1
        if not self._rounds:
            self._paint()
            return
        if self._rounds == 1:  # have it laid out now, or that would be painted by itself
            screen.post_message(events.Resize(screen.size, screen.size))
        self._follow(screen)

    def _paint(self) -> None:
        self._rounds = 0
        if self._late is not None:
            self._late.stop()
        self._batch.close()
        with suppress(ScreenStackError):  # the app ends
            self._app.screen.refresh()


class HiddenTextFilter(LineFilter):
    """Writes out what would not be seen, in lines of whatever widget; a line stays as wide as it was."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Write the same line, safe to show; what then has no room in it is cut, with an ellipsis."""
        if is_plain("".join([text for text, _, control in segments if not control])):
            return segments
        whole = "".join(one.text for one in segments if not one.control)
        if all(shows(whole)):  # of the whole line: where a style begins, no character need begin
            return segments
        width = sum(segment.cell_length for segment in segments)
        return list(_fitted(list(_written_out(segments, shows(whole))), width))


def _written_out(segments: Iterable[Segment], shown: Iterator[bool]) -> Iterator[Segment]:
    for one in segments:
        if not one.control:
            signs = zip(one.text, islice(shown, len(one.text)), strict=True)
            text = "".join(char if is_seen else escaped(char) for char, is_seen in signs)
            one = Segment(text, one.style)
        yield one


def _fitted(segments: Iterable[Segment], width: int) -> Iterator[Segment]:
    """Cut segments to ``width`` cells, as one text: a character may span several of them."""
    left = padded("".join(one.text for one in segments if not one.control), width)
    style = None
    for one in segments:
        if one.control:
            yield one
        elif left:
            yield Segment(left[: len(one.text)], one.style)
            left, style = left[len(one.text) :], one.style
    if left:  # the ellipsis, or a blank for half of a wide character
        yield Segment(left, style)


# Columns


_DISPUTED = (
    "\u200d\ufe0e\ufe0f\u1160-\u11ff\ud7b0-\ud7ff"  # joiners, selectors, parts of Korean syllables
    "\u0900-\u0dff\u0f00-\u109f\u1700-\u1aff\u1b00-\u1cff\ua800-\uabff"  # the scripts of India and around
    "\U00010a00-\U00011fff\U0001f000-\U0001faff"  # more of them; pictures, flags, skin tones
)
_STYLE = r"\x1b\[[\d;:]*m"
_COMMAND = r"\x1b(?:\][^\x07\x1b]*|\[[0-?]*[ -/]*[@-~]|.)"  # none of it is text: a title, say
_TEXT = r"[^\x00-\x1f\x7f\u2500-\u259f]+"  # up to a line that is drawn
_PARTS = re.compile(f"{_COMMAND}|({_TEXT})((?:{_STYLE}| )*)")
_disputed = re.compile(f"[{_DISPUTED}]").search


def in_columns(data: str) -> str:
    """Hold what comes after a text in its column where terminals disagree how wide the text is.

    The cells of the text and the blanks behind it are cleared, it is drawn without wrapping, and the cursor
    is put behind them. So a terminal that makes more of it has the blanks, and what follows stays in place.
    """
    return _PARTS.sub(_hold_column, data) if _disputed(data) else data


def _hold_column(found: re.Match[str]) -> str:
    text, blanks = found.groups(default="")
    if not _disputed(text):
        return found.group()
    cells = cell_len(text)
    reach, styles = cells + blanks.count(" "), blanks.replace(" ", "")
    drawn = f"\x1b[?7l{text.rstrip(' ')}\x1b[?7h"
    return f"\x1b7{' ' * cells}{blanks}\x1b8{drawn}\x1b8\x1b[{reach}C{styles}"


def holding_columns(driver: type[Driver]) -> type[Driver]:
    """Build a driver that holds texts in their columns."""

    def write(self: Driver, data: str) -> None:
        driver.write(self, in_columns(data))

    return type(driver.__name__, (driver,), {"write": write})


_SECONDS = 1.0  # that a tool may take
_OSC_52_LIMIT = 50_000  # bytes; terminals drop longer ones, and some print them
_FILE = "copied.txt"


@dataclass(frozen=True, slots=True)
class ClipboardTool:
    """A program that copies what it reads."""

    words: Sequence[str]
    needs: str = ""
    """The variable of the environment without which it cannot work."""
    encoding: str = "utf-8"


_TOOLS = (
    ClipboardTool(("wl-copy",), "WAYLAND_DISPLAY"),
    ClipboardTool(("xclip", "-selection", "clipboard"), "DISPLAY"),
    ClipboardTool(("xsel", "--clipboard", "--input"), "DISPLAY"),
    ClipboardTool(("pbcopy",)),
    ClipboardTool(("clip.exe",), encoding="utf-16"),
)

Runner = Callable[[Sequence[str], bytes], bool]
"""Runs a program on some input, and returns whether that went well."""


def run_tool(words: Sequence[str], data: bytes) -> bool:
    """Run a program, for at most a second.

    It gets no pipe to answer on: such programs stay in the background, and would keep it open.
    """
    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(words, input=data, stdout=quiet, stderr=quiet, timeout=_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def copy(
    app: App[Any],
    text: str,
    *,
    run: Runner = run_tool,
    find: Callable[[str], str | None] = shutil.which,
    environment: Mapping[str, str] = os.environ,
) -> str:
    """Copy a text; the terminal is asked (OSC 52), and a tool of the system where there is one.

    Nobody hears whether the terminal did it, so without a tool the text is put into a file as well.

    Args:
        app: Whose terminal is asked.
        text: Secrets in it are masked already.
        run: Runs a tool.
        find: Finds a tool's program.
        environment: Says which tools can work.

    Returns:
        What was done, in words.
    """
    data = text.encode("utf-8", "backslashreplace")
    asked = len(data) <= _OSC_52_LIMIT
    if asked:
        app.copy_to_clipboard(data.decode())
    for tool in () if app.is_web else _TOOLS:  # the clipboard of a server is not that of its browsers
        program = find(tool.words[0]) if not tool.needs or environment.get(tool.needs) else None
        if program and run([program, *tool.words[1:]], data.decode().encode(tool.encoding)):
            return f"copied by {tool.words[0]}"
    try:
        file = _keep(data)
    except OSError as error:
        reason = error.strerror or str(error)
        return "copied by the terminal, if it can (OSC 52)" if asked else f"could not be copied: {reason}"
    return f"copied by the terminal, if it can (OSC 52), and to {file}" if asked else f"copied to {file}"


def copy_and_say(owner: App[Any] | Widget, text: str, say: Callable[[str], object]) -> None:
    """Copy a text in a thread, for the programs that do it may take their time; then say by which way.

    Args:
        owner: Whose work it is: it ends with it.
        text: Secrets in it are masked already.
        say: Says one line, in the thread of the app.
    """
    app = owner if isinstance(owner, App) else owner.app

    def work() -> None:
        app.call_from_thread(say, copy(app, text))

    owner.run_worker(work, thread=True, exit_on_error=False, group="clipboard")


def _keep(data: bytes) -> Path:
    """Write the text to a file that only its owner can read."""
    file = make_data_folder() / _FILE
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
    return file
