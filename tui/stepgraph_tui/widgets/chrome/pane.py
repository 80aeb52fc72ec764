"""What the panes of the workbench have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.lines import CSS, LineView, Way


class PaneSearch(Protocol):
    """Finds a text in what a pane shows."""

    def find(self, text: str) -> str:
        """Go to the first match of a text at or after the cursor, and mark all of them.

        Returns:
            How many there are, in words: ``2 of 7``, ``not found``.
        """

    def next(self, by: int) -> str:
        """Go to the next match (1) or the one before (-1)."""

    def end(self) -> bool:
        """Mark nothing any more.

        Returns:
            Whether anything was looked for.
        """


class Pane(ScrollView, can_focus=True, inherit_bindings=False):
    """A pane: it shows a moment of a run, can be searched, and says what there is to copy.

    It draws only while it can be seen: ``show`` is called when the moment has changed, or when the pane
    comes into view after it has. What it shows line by line is painted by its ``lines``; such a pane has
    their ``COMPONENTS`` as its component classes.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = f"Pane {{ {CSS} }}"
    TITLE: ClassVar[str] = ""
    """What the tab reads while the pane stands in for the tab's own one."""
    moment: var[RunSnapshot | None] = var(None)
    """What to show; None without a run."""
    lines: LineView | None = None
    """What paints the pane; None for one that paints itself."""
    search: PaneSearch
    """What finds a text in the pane."""

    @dataclass
    class Informed(Message):
        """What the pane's head says at its right end has changed."""

        pane: Pane
        text: str

    _shown: RunSnapshot | str | None = "nothing yet"

    # Showing

    def watch_moment(self) -> None:
        """Show the new moment, now or as soon as the pane is seen."""
        if self.is_mounted and self.visible_region_exists():
            self._show_moment()

    def on_show(self) -> None:
        """Catch up with what happened while the pane was hidden."""
        self._show_moment()

    def visible_region_exists(self) -> bool:
        """Whether the pane can be seen at all."""
        return all(node.display for node in self.ancestors_with_self if isinstance(node, Widget))

    def _show_moment(self) -> None:
        if self._shown != self.moment:
            self._shown = self.moment
            self.show(self.moment)

    def show_anew(self) -> None:
        """Show what else has changed than the moment, now or as soon as the pane is seen."""
        self._shown = "something else"
        self.watch_moment()

    def show(self, moment: RunSnapshot | None) -> None:
        """Draw a moment; None when there is no run."""

    def inform(self, text: str) -> None:
        """Tell the pane's head what to say at its right end: a mode, a count."""
        self.post_message(self.Informed(self, text))

    # Painting

    def render_line(self, y: int) -> Strip:
        """Paint a row of the pane."""
        return self.lines.render_line(y) if self.lines is not None else super().render_line(y)

    def on_resize(self) -> None:
        """Arrange the lines for another size."""
        if self.lines is not None:
            self.lines.arrange()

    def notify_style_update(self) -> None:
        """Paint everything anew in other colours."""
        if self.lines is not None:
            self.lines.forget_strips()
        super().notify_style_update()

    # What the keys of every pane do

    def action_to(self, way: Way) -> None:
        """Go to another entry of a list; scroll a page of what lists none."""
        if self.lines is not None and self.lines.items:
            self.lines.select(self.lines.place(way))
        elif way in ("page_down", "page_up"):
            (self.scroll_page_down if way == "page_down" else self.scroll_page_up)(animate=False)

    def copied(self) -> str | None:
        """Return what ``y`` copies; None when nothing is selected."""
        return None

    def copied_path(self) -> str | None:
        """Return what ``Y`` copies: the path of what is selected, or the command that shows it."""
        return None

    def back(self) -> bool:
        """Esc: leave what was begun last in this pane.

        Returns:
            Whether there was anything to leave.
        """
        return self.search.end()
