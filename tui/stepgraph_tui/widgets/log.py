"""The pane that shows what node code printed, step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.geometry import Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph_tui.commands import LOG, bindings
from stepgraph_tui.stepping import Printed
from stepgraph_tui.words.text import LONG, plural, visible_lines

from .lines import marked, strip_of, wrapped
from .matches import Matches
from .pane import Pane

_KEPT = 10_000  # lines
_OPEN = 10_000  # characters of a line that is not ended yet
_EMPTY = "What the nodes print or log will appear here, step by step."


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as it was printed, cut but not made safe to show; or what it was printed by."""

    text: str
    heading: bool = False


class LogPane(Pane, ScrollView, inherit_bindings=False):
    """What node code printed. The oldest of very many lines are forgotten."""

    BINDINGS = bindings(LOG)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"log--heading", "log--quiet", "log--found", "log--here"}
    DEFAULT_CSS = """
    LogPane {
        overflow: hidden auto;
        width: 1fr;
        height: 1fr;
        scrollbar-size-vertical: 1;
        & .log--heading { text-style: bold; color: $text-accent; }
        & .log--quiet { color: $text-muted; }
        & .log--found { text-style: bold underline; color: $text-warning; }
        & .log--here { text-style: reverse; }
    }
    """

    mask: var[Callable[[str], str]] = var(lambda: str)
    """Hides the secrets of the run in a text."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: deque[_Line] = deque(maxlen=_KEPT)
        self._gone = 0
        self._step: tuple[str, int] | None = None
        self._open: str | None = None  # the last line as it came, while its line break is still to come
        self._matches: Matches | None = None
        self._following = True  # whether the last line stays in view as lines come

    def add(self, printed: Printed) -> None:
        """Show what was printed. A line that was not ended goes on with what the same step prints next."""
        if self.scroll_target_y < self.max_scroll_y:  # somebody has begun to scroll up
            self._following = False
        new = list(self._new(printed))
        gone = max(0, len(self._lines) + len(new) - _KEPT)
        moved = gone + (gone > 0 and not self._gone)  # lines that what is in view moves up by
        self._gone += gone
        self._lines += new
        if self._matches is not None:
            self._look_for(self._matches.text, (self._matches.place or 0) - gone)
        self.inform(plural(self._gone + len(self._lines), "line"))
        self._arrange()
        if moved and not self._following:
            self.scroll_to(y=max(0, self.scroll_offset.y - moved), animate=False, force=True)

    def _new(self, printed: Printed) -> Iterator[_Line]:
        """The lines that are to be added; an unended line is taken back first."""
        text, step = printed.text, (printed.run_id, printed.step)
        if not text:
            return
        if step != self._step:
            yield _Line(self._heading(printed), heading=True)
            self._step, self._open = step, None
        if self._open is not None:
            self._lines.pop()
            text = self._open + text
        self._open = text[text.rfind("\n") + 1 :][:_OPEN] or None
        lines = self.mask(text.removesuffix("\n")).rsplit("\n", _KEPT)
        if len(lines) > _KEPT:
            self._gone += lines.pop(0).count("\n") + 1
        for line in lines:
            yield _Line(line.removesuffix("\r")[: LONG + 1])

    def _heading(self, printed: Printed) -> str:
        run = "" if self._step is not None and self._step[0] == printed.run_id else f"  run {printed.run_id}"
        return f"step {printed.step}  {printed.node}{run}"

    def _arrange(self) -> None:
        width = self.scrollable_content_region.width
        self.virtual_size = Size(width, len(self._lines) + (self._gone > 0))
        if self._following:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        self.refresh()

    def on_resize(self) -> None:
        """There is more or less room."""
        self._arrange()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the end for as long as it is in view."""
        super().watch_scroll_y(old_value, new_value)
        if self.size:
            self._following = round(new_value) >= self.max_scroll_y

    def watch_mask(self) -> None:
        """There is more to hide."""
        self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """A line of the pane."""
        width, base = self.scrollable_content_region.width, self.rich_style
        quiet = self.get_component_rich_style("log--quiet")
        if not self._lines:
            empty = wrapped(_EMPTY, width)
            return strip_of([(empty[y] if y < len(empty) else "", quiet)], width, base)
        number = self.scroll_offset.y + y - (self._gone > 0)
        if number < 0:
            return strip_of([(f"{plural(self._gone, 'older line')} not kept", quiet)], width, base)
        if number >= len(self._lines):
            return Strip.blank(width, base)
        return self._strip(number, width, base)

    def _strip(self, number: int, width: int, base: Style) -> Strip:
        line = self._lines[number]
        heading = self.get_component_rich_style("log--heading")
        parts = [(self._safe(line), heading if line.heading else base)]
        if self._matches is not None:
            found = self.get_component_rich_style("log--found", partial=True)
            if number == self._matches.place:
                found += self.get_component_rich_style("log--here", partial=True)
            parts = list(marked(parts, self._matches.pattern, found))
        return strip_of(parts, width, base)

    def _safe(self, line: _Line) -> str:
        """The line, safe to show; what became a secret after it was printed is hidden as well."""
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
        """The line that was found, else all lines."""
        if not self._lines:
            return None
        place = self._matches.place if self._matches is not None else None
        lines = self._lines if place is None else [self._lines[place]]
        return "\n".join(
            self._safe(line).strip() if place is not None else self._safe(line) for line in lines
        )

    def find(self, text: str) -> str:
        """Go to the first line with the text at or after the first that is in view."""
        if not text:
            self.end_find()
            return ""
        self._look_for(text, self.scroll_offset.y - (self._gone > 0))
        return self._found()

    def _look_for(self, text: str, near: int) -> None:
        self._matches = Matches(text, (self.mask(line.text) for line in self._lines), near)

    def find_next(self, by: int) -> str:
        """Go to the next match, or the one before."""
        if self._matches is None:
            return ""
        self._matches.turn(by)
        return self._found()

    def _found(self) -> str:
        """Bring the line into view."""
        if self._matches is not None and self._matches.place is not None:
            at = self._matches.place + (self._gone > 0)
            top = self.scroll_offset.y
            if not top <= at < top + self.size.height:
                self.scroll_to(y=at - self.size.height // 2, animate=False, force=True)
        self.refresh()
        return str(self._matches)

    def end_find(self) -> None:
        """Mark nothing any more."""
        self._matches = None
        self.refresh()
