"""What the scrolling keys do in a dialog: they scroll one of its widgets, which need not have the focus."""

from __future__ import annotations

from textual.widget import Widget


class Scrolling:
    """The actions of the keys that scroll."""

    @property
    def scrolled(self) -> Widget:
        """The widget that scrolls."""
        raise NotImplementedError

    def action_scroll_down(self) -> None:
        """Scroll down."""
        self.scrolled.scroll_down(animate=False)

    def action_scroll_up(self) -> None:
        """Scroll up."""
        self.scrolled.scroll_up(animate=False)

    def action_page_down(self) -> None:
        """Scroll a page down."""
        self.scrolled.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        """Scroll a page up."""
        self.scrolled.scroll_page_up(animate=False)

    def action_scroll_home(self) -> None:
        """Scroll to the top."""
        self.scrolled.scroll_home(animate=False)

    def action_scroll_end(self) -> None:
        """Scroll to the bottom."""
        self.scrolled.scroll_end(animate=False)
