"""Keys that are pressed one after the other: after the first one a menu shows what the second one does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from rich.text import Text
from textual import events
from textual.app import App
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from ...commands import PREFIXES
from ...commands.command import THEN
from ...commands.live import continued
from ...text.cells import padded
from ..words import entitle

_PATIENCE = 0.3
"""How long to wait for the second key, in seconds, before the menu shows."""
_LEAVING = ("escape", "ctrl+c")


class PairMenu(Static):
    """Lists what the second key may be, above whatever is on the screen."""

    DEFAULT_CSS = """
    PairMenu {
        layer: menu;
        dock: bottom;
        width: 100%;
        height: auto;
        max-height: 100%;
        border: heavy $primary;
        background: $surface;
        padding: 0 1;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """


class KeyPairs:
    """Makes one key of two: the one that begins is kept, and the next one completes it.

    Args:
        app: The app, whose screen has the keys.
        deliver: Has the app handle what was typed.
    """

    def __init__(self, app: App[Any], deliver: Callable[[events.Event], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._begun = ""
        self._timer: Timer | None = None
        self._menu: PairMenu | None = None

    def begin(self, key: str) -> bool:
        """Wait for the key that completes this one; False where none leads anywhere.

        Args:
            key: The first key, as Textual names it.
        """
        screen = self._app.screen
        if not continued(screen, key):
            return False
        self.cancel()
        self._begun = key
        self._timer = screen.set_timer(_PATIENCE, partial(self._show, screen))  # it ends with the screen
        return True

    def cancel(self) -> None:
        """Wait no more."""
        self._begun = ""
        if self._timer is not None:
            self._timer.stop()
        if self._menu is not None:
            self._menu.remove()
        self._timer = self._menu = None

    async def take(self, event: events.Event) -> None:
        """Deliver what was typed: a key as the second one, where a first one waits for it."""
        begun = self._begun
        if not begun:
            await self._deliver(event)
            return
        if not isinstance(event, events.Key) or event.key in ("ctrl+q", "ctrl+p"):
            self.cancel()
            await self._deliver(event)
            return
        if event.key == "space" and self._menu is None:
            self._show(self._app.screen)
            return
        self.cancel()
        if event.key in _LEAVING:
            return
        pair = events.Key(f"{begun}{THEN}{event.key}", None)
        pair.time = event.time  # no question is answered by what was typed before it could be read
        if pair.key not in self._app.screen.active_bindings:
            self._app.bell()
        await self._deliver(pair)

    def _show(self, screen: Screen[Any]) -> None:
        """Show what the second key may be, above a screen that is still there."""
        if not self._begun or self._menu is not None or not screen.is_running:
            return
        leads = continued(screen, self._begun)
        width = max((len(key) for key, _ in leads), default=0)
        lines = [
            Text.assemble((padded(key, width), "bold"), "  ", live.wording.tooltip) for key, live in leads
        ]
        self._menu = PairMenu(Text("\n").join(lines))
        entitle(self._menu, f"{PREFIXES[self._begun].key}  {PREFIXES[self._begun].label}")
        screen.mount(self._menu)
