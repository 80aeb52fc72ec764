"""The trace as it is drawn: only the lines that can be seen are made."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.style import Style
from textual.geometry import Size
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph.graphs.plan import CompiledGraph
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.lines import Part, marked, strip_of, wrapped
from stepgraph_tui.widgets.matches import Matches
from stepgraph_tui.widgets.pane import Pane
from stepgraph_tui.words.text import plural

from . import rows
from .columns import Needs
from .details import LABEL, Fact, fold
from .lines import LIVE, TraceLines
from .texts import Standing, live_text, running_text

_TITLED = 8  # lines from which the columns have titles
_EMPTY = "No run yet: its steps will be listed here."


class TraceSheet(Pane, ScrollView, inherit_bindings=False):
    """What the trace shows, and where its cursor is.

    Args:
        now: What tells the time, in seconds since 1970.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "trace--quiet", "trace--strong", "trace--failed", "trace--cursor", "trace--found",
    }  # fmt: skip
    DEFAULT_CSS = """
    TraceSheet {
        overflow: hidden auto;
        width: 1fr;
        height: 1fr;
        scrollbar-size-vertical: 1;
        & .trace--quiet { color: $text-muted; }
        & .trace--strong { text-style: bold; }
        & .trace--failed { color: $text-error; text-style: bold; }
        & .trace--cursor { background: $block-cursor-blurred-background; color: $foreground; }
        & .trace--found { text-style: bold underline; color: $text-warning; }
        &:focus .trace--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
    }
    """

    pause_after: var[frozenset[str]] = var(frozenset())
    """The nodes that a continued run stops after."""
    running: var[tuple[str, float] | None] = var(None)
    """The node that runs now, and for how many seconds it has."""

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:
        super().__init__(id=id)
        self._now = now
        self._lines: TraceLines | None = None
        self._facts: dict[
            int, list[Fact]
        ] = {}  # what was expanded, as it is before it is folded to the width
        self._plan: CompiledGraph | None = None
        self._needs = Needs(0, 0)
        self._columns = self._needs.fit(80, 0)
        self._cursor: int | None = None  # a step; None for where the run stands
        self._matches: Matches | None = None
        self._texts: list[str] = []  # what is searched in, line by line

    def on_mount(self) -> None:
        """Count the seconds of a wait."""
        self._clock = self.set_interval(1, self._refresh_live, pause=True)

    def show(self, moment: RunSnapshot | None) -> None:
        """List the steps so far, and put the cursor on the one that is viewed."""
        if moment is None:
            self._lines = None
            self._clock.pause()
            self.inform("")
            self._arrange()
            return
        lines = self._lines
        if lines is None or lines.view is not moment.view:
            lines = self._lines = TraceLines(moment.view)
            self._matches = None
            self._facts, self._texts = {}, []
        lines.read()
        self._facts.pop(LIVE, None)
        if moment.view.plan is not self._plan:
            self._plan = moment.view.plan
            self._needs = Needs.of(self._plan)
        self._cursor = None if moment.live else moment.step
        if moment.view.run.status is RunStatus.PAUSED:
            self._clock.resume()
        else:
            self._clock.pause()
        self._arrange()
        self._follow()

    def _arrange(self) -> None:
        """Fit everything into the width."""
        width, lines = self.scrollable_content_region.width, self._lines
        if lines is not None:
            self._columns = self._needs.fit(width, lines.view.run.step)
            room = width - self._columns.indent - LABEL
            lines.details = {key: fold(facts, room) for key, facts in self._facts.items()}
        height = lines.height + self._titled if lines is not None else 1
        self.virtual_size = Size(width, height)
        self.refresh()

    def on_resize(self) -> None:
        """There is more or less room."""
        self._arrange()
        self._reveal()

    @property
    def _titled(self) -> int:
        """How many lines the titles of the columns take."""
        return int(self.size.height >= _TITLED)

    def _follow(self) -> None:
        """Show where the cursor is."""
        if self._lines is not None:
            steps = self._lines.view.run.step
            self.inform(plural(steps, "step") if self._cursor is None else f"step {self._cursor} of {steps}")
            self._reveal()
            self.refresh()

    def _reveal(self) -> None:
        """Scroll as little as it takes to see the line of the cursor and what was expanded below it."""
        if self._lines is None:
            return
        line = self._lines.line_of(self._cursor)
        top = self._lines.top_of(line)
        bottom = top + len(self._lines.details.get(self._lines.key(line), ()))
        room = self.size.height - self._titled
        y = min(top, max(self.scroll_offset.y, bottom - room + 1))
        self.scroll_to(y=y, animate=False, force=True)

    def watch_pause_after(self) -> None:
        """Mark the nodes."""
        self.refresh()

    def watch_running(self) -> None:
        """Tell which node runs."""
        self._refresh_live()

    def _refresh_live(self) -> None:
        if self._lines is not None:
            self.refresh_line(self._lines.top_of(self._lines.live) + self._titled)

    def render_line(self, y: int) -> Strip:
        """A line of the pane."""
        width, titled = self.scrollable_content_region.width, self._titled
        if self._lines is None:
            text = wrapped(_EMPTY, width)
            return strip_of(
                [(text[y] if y < len(text) else "", self._style("quiet"))], width, self.rich_style
            )
        if y < titled:
            titles = [(text, self._style("quiet")) for text, _ in rows.pieces(rows.TITLES, self._columns)]
            return strip_of(titles, width, self.rich_style)
        line, below = self._lines.locate(self.scroll_offset.y + y - titled)
        if line > self._lines.live:
            return Strip.blank(width, self.rich_style)
        return self._strip(self._lines, line, below, width)

    def _strip(self, lines: TraceLines, line: int, below: int, width: int) -> Strip:
        at_cursor = below == 0 and line == lines.line_of(self._cursor)
        cursor = self.get_component_rich_style("trace--cursor")
        parts = [
            (text, cursor if at_cursor else self._style(look))
            for text, look in self._pieces(lines, line, below)
        ]
        if self._matches is not None:
            parts = self._marked(parts, self._matches, whole=below == 0 and line in self._matches)
        return strip_of(parts, width, cursor if at_cursor else self.rich_style)

    def _marked(self, parts: list[Part], matches: Matches, *, whole: bool) -> list[Part]:
        """The line with what was found set apart; a step found by what it does not show, as a whole."""
        found = self.get_component_rich_style("trace--found", partial=True)
        if whole and not any(matches.pattern.search(text) for text, _ in parts):
            return [(text, style + found) for text, style in parts]
        return list(marked(parts, matches.pattern, found))

    def _pieces(self, lines: TraceLines, line: int, below: int) -> list[rows.Piece]:
        if below:
            label, text = lines.details[lines.key(line)][below - 1]
            return rows.fact(label, text, self._columns, LABEL)
        row = lines.row(line)
        if row is None:
            return rows.live(self._standing(lines), self._columns, lines.view.run.current in self.pause_after)
        found = rows.cells(lines, line, self.pause_after)
        if found is None:
            return rows.note(row, lines.signs[line], lines, self._columns)
        return rows.pieces(found, self._columns, viewed=self._cursor == row.step)

    def _style(self, look: rows.Look) -> Style:
        return self.get_component_rich_style(f"trace--{look}") if look else self.rich_style

    def _standing(self, lines: TraceLines) -> Standing:
        if self.running is not None:
            return running_text(*self.running)
        return live_text(lines.view, self._now())
