"""Dialogs that show a page: a difference, the command log, a damaged store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph.stores import is_served
from stepgraph_tui.widgets.scrolling import scroll

from ..commands import dialog_bindings
from ..text.cells import hanging
from ..text.characters import visible
from ..text.plain import with_arrows
from ..text.system import command
from ..widgets.chrome.status_lines import KeyLine
from ..widgets.lines import wrapped
from ..widgets.words import entitle, one_line
from .dialog import close

if TYPE_CHECKING:
    from stepgraph.stores import Damage

    from ..documents import TextDifference


_WIDEST = 124  # cells of the frame
_AROUND = 5  # cells beside the lines: the frame, a blank at both ends, the scroll bar
_ABOVE_AND_BELOW = 3  # the frame and the keys
Copy = Callable[[str], None]
"""Copies a text, and says so."""


class PageLines(ScrollView, can_focus=False, inherit_bindings=False):
    """PageLines of which only those in view are drawn; each is cut at the width."""

    DEFAULT_CSS = """
    PageLines {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    """
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[Text] = ()

    def show(self, lines: Sequence[Text]) -> None:
        """Show other lines; each is safe to show."""
        self._lines = lines
        self.virtual_size = Size(1, len(lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one of the lines in view."""
        number = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if number >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        strip = Strip(self._lines[number].render(self.app.console, end=""))
        return strip.apply_style(self.rich_style).crop_extend(0, width, self.rich_style)


class Page(ModalScreen[Any], inherit_bindings=False):
    """Shows the lines that ``lines`` makes for a width; some pages return an answer.

    Args:
        title: What is shown.
        copy: Copies a text; nothing can be copied without it.
    """

    dismiss = close
    BINDINGS = dialog_bindings("list")
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    Page {
        align: center middle;
        & > Vertical {
            width: 100%;
            border: heavy $primary;
            background: $surface;
            color: $foreground;
        }
        & PageLines { height: 1fr; padding: 0 1; }
    }
    """

    def __init__(self, title: str, copy: Copy | None = None) -> None:
        super().__init__()
        self._title, self._copy = title, copy
        self._frame = Vertical()
        self._lines = PageLines()
        self._width = 0
        self._more = 0  # rows that other widgets take in the frame

    def lines(self, width: int) -> Sequence[Text]:
        """Return what there is to show, wrapped to ``width`` cells."""
        raise NotImplementedError

    def text(self) -> str:
        """Join what can be copied."""
        return "\n".join(line.plain.rstrip() for line in self.lines(self._width))

    def compose(self) -> ComposeResult:
        """Put a frame with the title around the lines, and the keys below them."""
        entitle(self._frame, self._title)
        with self._frame:
            yield self._lines
            yield KeyLine()

    def on_resize(self, event: events.Resize) -> None:
        """Rewrap the lines for the width."""
        self.show_lines(event.size)

    def show_lines(self, size: Size) -> None:
        """Show what ``lines`` makes, in a frame that is no larger than it must be."""
        width = min(size.width, _WIDEST)
        self._width = max(1, width - _AROUND)
        lines = self.lines(self._width)
        self._lines.show(lines)
        self._frame.styles.width = width
        self._frame.styles.height = min(size.height, len(lines) + _ABOVE_AND_BELOW + self._more)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow copying only where a copy function is given."""
        return action != "copy" or self._copy is not None

    def action_copy(self) -> None:
        """Copy all of it."""
        if self._copy is not None:
            self._copy(self.text())

    def action_scroll(self, way: str) -> None:
        """Scroll the lines."""
        scroll(self._lines, way)

    def action_close(self) -> None:
        """Close the dialog."""
        self.dismiss()


_KEPT = 1_000
_TIME = len("14:02:11  ")
_LEAST = 8  # cells of a command on each line
_EMPTY = "Nothing done yet. Each start, step and decision is noted here."


class CommandLog:
    """The commands that do what was done, the newest last; the oldest go when there are too many."""

    def __init__(self) -> None:
        self._noted: deque[tuple[float, str]] = deque(maxlen=_KEPT)

    def note(self, at: float, text: str) -> None:
        """Note a command.

        Args:
            at: When, in seconds since 1970.
            text: As it can be typed, without secrets.
        """
        self._noted.append((at, visible(text)))

    def __iter__(self) -> Iterator[tuple[float, str]]:
        return iter(self._noted)

    def __len__(self) -> int:
        return len(self._noted)


class CommandLogScreen(Page):
    """Shows the log, from its end.

    Args:
        log: What was noted.
        copy: Copies a text.
    """

    def __init__(self, log: CommandLog, copy: Copy | None = None) -> None:
        super().__init__("THE SAME AS COMMANDS", copy)
        self._log = log

    def on_mount(self) -> None:
        """Begin with what was done last."""
        self.call_after_refresh(self.action_scroll, "bottom")

    def lines(self, width: int) -> list[Text]:
        """Put a command on each line, with the time of day; long ones are wrapped."""
        if not self._log:
            return [Text(line) for line in wrapped(_EMPTY, width)]
        lines = []
        for at, text in self._log:
            first, *others = wrapped(text, max(_LEAST, width - _TIME))
            lines.append(Text.assemble((f"{datetime.fromtimestamp(at):%H:%M:%S}  ", "dim"), first))
            lines += [Text(f"{' ' * _TIME}{other}") for other in others]
        return lines

    def text(self) -> str:
        """Join the commands alone, to be typed again."""
        return "\n".join(text for _, text in self._log)


class DamagePage(Page):
    """Shows what is damaged, and the commands that save what is whole.

    Args:
        damage: What is damaged.
        address: The store's address where commands must name it.
        url: The store's address in any case.
        deletes: What deletes the run, in words; empty where nothing can.
        copy: Copies a text.
    """

    def __init__(self, damage: Damage, address: str | None, url: str, deletes: str, copy: Copy) -> None:
        super().__init__(f"DAMAGED RUN {damage.run}" if damage.run else "DAMAGED STORE", copy)
        self._told = list(_damage_lines(damage, address, is_served(url), deletes))

    def lines(self, width: int) -> list[Text]:
        """Wrap the lines; those that are indented stay so."""
        return [Text(row) for line in self._told for row in hanging(line, width, hang=0)]

    def text(self) -> str:
        """Join the lines as they are: a command that is wrapped would be none."""
        return "\n".join(self._told)


def _damage_lines(damage: Damage, address: str | None, served: bool, deletes: str) -> Iterator[str]:
    where = "" if damage.row is None else f" (row {damage.row} of its ledger)"
    what = damage.what
    yield f"{what[:1].upper()}{what[1:]}{where}."
    yield ""
    if damage.run is not None:
        yield "It cannot be opened or continued; other runs are not affected."
        yield ""
    yield "See all that is damaged in the store:"
    yield f"  {command('doctor', store=address)}"
    if served:
        yield "A server's data is repaired there: restore a backup of its database."
    else:
        yield "Save everything intact to a new store; this one is not changed:"
        yield f"  {command('doctor', '--repair', store=address)}"
    if deletes:
        yield ""
        yield deletes


_MOST = 5_000  # lines
_LOOKS = {"-": "", "+": "bold"}  # and all that is the same is dim


class DifferencePage(Page):
    """Shows a difference: first what it means for runs, then the lines.

    Args:
        title: What is compared: ``refund.toml on disk, and as it is here``.
        difference: What differs.
        copy: Copies a text; nothing can be copied without it.
    """

    def __init__(self, title: str, difference: TextDifference, copy: Copy | None = None) -> None:
        super().__init__(title, copy)
        self._difference = difference

    def lines(self, width: int) -> list[Text]:
        """Wrap the meaning, and cut the lines."""
        return [*self._meaning(width), Text(), *looks(self._difference.lines)]

    def _meaning(self, width: int) -> Iterator[Text]:
        found = self._difference
        if found.unread:
            yield Text("Cannot show what it means:", "bold")
            yield from (Text(line) for line in wrapped(found.unread, width))
        elif found.meaning:
            yield Text("What it means:", "bold")
            for sentence in found.meaning:
                first, *others = wrapped(with_arrows(sentence), max(1, width - 2))
                yield Text(f"· {first}")
                yield from (Text(f"  {line}") for line in others)
        elif found.lines:
            yield Text("It means the same: runs will not notice.", "bold")
        else:
            yield Text("There is no difference.", "bold")


def looks(lines: Sequence[str]) -> Iterator[Text]:
    """Write lines that differ: the new ones stand out, and those that are the same step back."""
    for line in lines[:_MOST]:
        yield one_line(line.replace("\t", "    "), _LOOKS.get(line[:1], "dim"))
    if len(lines) > _MOST:
        yield Text(f"… and {len(lines) - _MOST:,} more lines")
