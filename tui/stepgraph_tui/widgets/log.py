"""The pane that shows what node code printed, step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from textual.reactive import var

from stepgraph_tui.commands import LOG, bindings
from stepgraph_tui.text.plain import LONG, plural, visible_lines
from stepgraph_tui.worker import Printed

from .chrome.pane import Pane
from .lines import COMPONENTS, LineView, Search, TextLine

_KEPT = 10_000  # lines
_OPEN = 10_000  # characters of a line that is not ended yet
_EMPTY = "What the nodes print or log will appear here, step by step."


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line as it was printed, cut but not made safe to show; or what it was printed by."""

    text: str
    heading: bool = False


class LogPane(Pane, inherit_bindings=False):
    """What node code printed. The oldest of very many lines are forgotten."""

    BINDINGS = bindings(LOG)
    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = """
    LogPane {
        overflow: hidden auto;
        scrollbar-size-vertical: 1;
        & > .line--found, & > .line--here { color: $text-warning; }
        & > .line--here { text-style: bold underline reverse; }
    }
    """

    lines: LineView
    search: Search
    mask: var[Callable[[str], str]] = var(lambda: str)
    """Hides the secrets of the run in a text."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._printed: deque[PrintedLine] = deque(maxlen=_KEPT)
        self._gone = 0
        self._step: tuple[str, int] | None = None
        self._open: str | None = None  # the last line as it came, while its line break is still to come
        self._following = True  # whether the last line stays in view as lines come
        self.lines = LineView(self, self, empty=_EMPTY, keep=self._follow)
        self.lines.search = self.search = Search(
            self._texts, lambda: self.lines.top - self._above, self._show_match
        )

    def add(self, printed: Printed) -> None:
        """Show what was printed. A line that was not ended goes on with what the same step prints next."""
        if self.scroll_target_y < self.max_scroll_y:  # somebody has begun to scroll up
            self._following = False
        new = list(self._new(printed))
        gone = max(0, len(self._printed) + len(new) - _KEPT)
        moved = gone + (gone > 0 and not self._gone)  # lines that what is in view moves up by
        self._gone += gone
        self._printed += new
        self.search.renew((self.search.place or 0) - gone)
        self.inform(plural(self._gone + len(self._printed), "line"))
        self.lines.arrange()
        if moved and not self._following:
            self.scroll_to(y=max(0, self.scroll_offset.y - moved), animate=False, force=True)

    def _new(self, printed: Printed) -> Iterator[PrintedLine]:
        """Make the lines that are to be added; an unended line is taken back first."""
        text, step = printed.text, (printed.run_id, printed.step)
        if not text:
            return
        if step != self._step:
            yield PrintedLine(self._heading(printed), heading=True)
            self._step, self._open = step, None
        if self._open is not None:
            self._printed.pop()
            text = self._open + text
        self._open = text[text.rfind("\n") + 1 :][:_OPEN] or None
        lines = self.mask(text.removesuffix("\n")).rsplit("\n", _KEPT)
        if len(lines) > _KEPT:
            self._gone += lines.pop(0).count("\n") + 1
        for line in lines:
            yield PrintedLine(line.removesuffix("\r")[: LONG + 1])

    def _heading(self, printed: Printed) -> str:
        run = "" if self._step is not None and self._step[0] == printed.run_id else f"  run {printed.run_id}"
        return f"step {printed.step}  {printed.node}{run}"

    def _follow(self) -> None:
        """Show the end, if it was in view before."""
        if self._following:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the end for as long as it is in view."""
        super().watch_scroll_y(old_value, new_value)
        if self.size:
            self._following = round(new_value) >= self.max_scroll_y

    def watch_mask(self) -> None:
        """Hide what there is to hide now."""
        self.lines.repaint()

    # The lines

    @property
    def _above(self) -> int:
        """How many lines tell of those that are forgotten."""
        return int(self._gone > 0)

    def fit(self, width: int, height: int) -> int:
        """Count the lines; each is cut at the width."""
        return len(self._printed) + self._above

    def line(self, number: int) -> TextLine:
        """Make a line as it was printed, or one that tells how many are gone."""
        place = number - self._above
        if place < 0:
            return TextLine([(f"{plural(self._gone, 'older line')} not kept", "dim")])
        line = self._printed[place]
        return TextLine([(self._safe(line), "heading" if line.heading else "plain")], place)

    def _safe(self, line: PrintedLine) -> str:
        """Make a line safe to show; what became a secret after it was printed is hidden as well."""
        text = visible_lines(self.mask(line.text))[0]
        return text if line.heading else f"  {text}"

    # Keys

    def action_scroll_home(self) -> None:
        """Go to the first line."""
        self.scroll_home(animate=False, force=True)

    def action_scroll_end(self) -> None:
        """Go to the last line, and follow it."""
        self.scroll_end(animate=False, force=True)

    def copied(self) -> str | None:
        """Return the line that was found, else all lines."""
        if not self._printed:
            return None
        if self.search.place is not None:
            return self._safe(self._printed[self.search.place]).strip()
        return "\n".join(map(self._safe, self._printed))

    def _texts(self) -> Iterable[str]:
        return (self.mask(line.text) for line in self._printed)

    def _show_match(self, place: int | None) -> None:
        self.lines.repaint()
        if place is not None:
            line, room = place + self._above, self.size.height
            if not self.lines.top <= line < self.lines.top + room:
                self.scroll_to(y=line - room // 2, animate=False, force=True)
