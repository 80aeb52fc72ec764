"""A group of panes that share one place on the screen: a head with tabs, and the pane that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from .pane import Pane
from .pane_head import PaneHead


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab and what is behind it."""

    id: str
    label: str
    key: str
    """The digit that goes there; it is printed on the tab."""
    pane: Pane
    body: Widget | None = None
    """What is shown when it is more than the pane."""


class PaneGroup(Vertical):
    """Panes behind tabs.

    Args:
        tabs: The tabs, from left to right; the first is shown.
    """

    DEFAULT_CSS = """
    PaneGroup {
        height: 1fr;
        & > ContentSwitcher { height: 1fr; }
        Pane { width: 1fr; height: 1fr; }
    }
    """

    def __init__(self, tabs: Sequence[Tab], *, id: str) -> None:
        super().__init__(id=id)
        self.tabs = {tab.id: tab for tab in tabs}
        self.head = PaneHead([(tab.id, tab.label, tab.key) for tab in tabs])
        self._bodies = ContentSwitcher(*map(_body, tabs), initial=f"tab-{tabs[0].id}")
        self._said: dict[Pane, str] = {}
        self.active = tabs[0].id

    def compose(self) -> ComposeResult:
        """The head above the pane."""
        yield self.head
        yield self._bodies

    @property
    def pane(self) -> Pane:
        """The pane that is shown."""
        return self.tabs[self.active].pane

    def activate(self, tab: str) -> None:
        """Show the pane behind a tab."""
        self.active = tab
        self._bodies.current = f"tab-{tab}"
        self.head.active = tab
        self.head.info = self._said.get(self.pane, "")

    def count(self, tab: str, number: int) -> None:
        """Print a number on a tab."""
        self.head.counts = {**self.head.counts, tab: str(number)}

    @on(Pane.Informed)
    def _say(self, message: Pane.Informed) -> None:
        message.stop()
        self._said[message.pane] = message.text
        if message.pane is self.pane:
            self.head.info = message.text

    @on(PaneHead.Chosen)
    def _choose(self, message: PaneHead.Chosen) -> None:
        message.stop()
        self.activate(message.id)
        self.pane.focus()


def _body(tab: Tab) -> Widget:
    body = tab.body if tab.body is not None else tab.pane
    body.id = f"tab-{tab.id}"
    return body
