"""What the panes of the workbench have in common."""

from __future__ import annotations

from typing import ClassVar

from textual.message import Message
from textual.reactive import var
from textual.widget import Widget

from stepgraph_tui.run_view import RunSnapshot


class Pane(Widget, can_focus=True, inherit_bindings=False):
    """A pane: it shows a moment of a run, can be searched, and says what there is to copy.

    It draws only while it can be seen: ``show`` is called when the moment has changed, or when the pane
    comes into view after it has.
    """

    ALLOW_SELECT = False
    TITLE: ClassVar[str] = ""
    """What the tab reads while the pane stands in for the tab's own one."""
    moment: var[RunSnapshot | None] = var(None)
    """What to show; None without a run."""

    class Informed(Message):
        """What the pane's head says at its right end has changed."""

        def __init__(self, pane: Pane, text: str) -> None:
            super().__init__()
            self.pane = pane
            self.text = text

    _shown: RunSnapshot | str | None = "nothing yet"

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

    def show(self, moment: RunSnapshot | None) -> None:
        """Draw a moment; None when there is no run."""

    def inform(self, text: str) -> None:
        """Tell the pane's head what to say at its right end: a mode, a count."""
        self.post_message(self.Informed(self, text))

    def copied(self) -> str | None:
        """What ``y`` copies; None when nothing is selected."""
        return None

    def copied_path(self) -> str | None:
        """What ``Y`` copies: the path of what is selected, or the command that shows it."""
        return None

    def find(self, text: str) -> str:
        """Go to the first match of a text at or after the cursor, and mark all of them.

        Returns:
            How many there are, in words: ``2 of 7``, ``not found``.
        """
        return "cannot be searched"

    def find_next(self, by: int) -> str:
        """Go to the next match (1) or the one before (-1)."""
        return ""

    def end_find(self) -> None:
        """Mark nothing any more."""

    def back(self) -> bool:
        """Esc: leave what was begun last in this pane.

        Returns:
            Whether there was anything to leave.
        """
        return False
