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
    """What is shown when it is more than the pane: it may have other panes, which are shown on request."""

    later: bool = False
    """Whether the pane is only made when it is shown, or behind the first frame: it must then show nothing
    but moments. To make a pane and to style it takes longer than to paint it."""

    @property
    def panes(self) -> list[Pane]:
        """All panes behind it, its own one first."""
        others = self.body.query(Pane) if self.body is not None else ()
        return [self.pane, *(pane for pane in others if pane is not self.pane)]

    @property
    def shown(self) -> list[Pane]:
        """The panes that are shown when the tab is active."""
        return [pane for pane in self.panes if pane.display] or [self.pane]


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
        at_once = [_body(tab) for tab in tabs if not tab.later]
        self._bodies = ContentSwitcher(*at_once, initial=at_once[0].id)
        self._waiting = {tab.id: _body(tab) for tab in tabs if tab.later}
        self._said: dict[Pane, str] = {}
        self.active = tabs[0].id

    def compose(self) -> ComposeResult:
        """Yield the head above the pane."""
        yield self.head
        yield self._bodies

    @property
    def pane(self) -> Pane:
        """The pane that keys go to: where several are shown, the one that has the focus."""
        shown = self.tabs[self.active].shown
        return next((pane for pane in shown if pane is self.screen.focused), shown[0])

    def activate(self, tab: str) -> None:
        """Show the pane behind a tab."""
        self._mount(tab)
        self.active = tab
        self._bodies.current = f"tab-{tab}"
        self.head.active = tab
        self._inform()

    def complete(self) -> None:
        """Make the panes that were left for later; a screen that is being left gets none."""
        if self._bodies.is_attached:
            self._mount(*self._waiting)

    def _mount(self, *tabs: str) -> None:
        bodies = [self._waiting.pop(tab) for tab in tabs if tab in self._waiting]
        for body in bodies:
            body.display = False
        if bodies:
            self._bodies.mount(*bodies)

    def fit(self, wide: bool) -> None:
        """Show what was asked for beside a tab's own pane where the screen is wide, else in its place."""
        for tab in self.tabs.values():
            own, *others = tab.panes
            if not others:
                continue
            alone = None if wide else next((pane for pane in others if pane.display), None)
            if alone is not None and self.screen.focused is own:
                alone.focus()
            own.display = alone is None
            for pane in others:
                pane.set_class(pane is alone, "-alone")
            self.head.rename(tab.id, alone.TITLE if alone is not None else tab.label)
        self._inform()

    def count(self, tab: str, number: int | None) -> None:
        """Print a number on a tab; None prints none."""
        others = {other: shown for other, shown in self.head.counts.items() if other != tab}
        self.head.counts = others if number is None else {**others, tab: str(number)}

    @on(Pane.Informed)
    def _say(self, message: Pane.Informed) -> None:
        message.stop()
        self._said[message.pane] = message.text
        self._inform()

    def _inform(self) -> None:
        """Say what the panes that are shown say of themselves."""
        shown = self.tabs[self.active].shown
        self.head.info = next((self._said[pane] for pane in shown if pane in self._said), "")

    @on(PaneHead.Chosen)
    def _choose(self, message: PaneHead.Chosen) -> None:
        message.stop()
        self.activate(message.id)
        self.pane.focus()


def _body(tab: Tab) -> Widget:
    body = tab.body if tab.body is not None else tab.pane
    body.id = f"tab-{tab.id}"
    return body
