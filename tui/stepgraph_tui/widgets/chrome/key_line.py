"""The last line of a screen: the keys that work now."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from textual import events
from textual.screen import Screen

from stepgraph_tui.commands.live import LiveCommand, live_commands

from .one_line import OneLine, between

_ALWAYS = ("app.help", "app.palette", "app.palette_always")
"""The commands at the right end: with them every other one is found. In a text field only the last one of
the palette works."""
_DECIDES = "approval"
"""The context whose keys a click does not press."""


class KeyLine(OneLine):
    """Names the best keys of what has the focus, as they are mapped, as many as there is room for.

    Behind a dialog these are the keys of the dialog: those of its own screen do nothing then.
    """

    DEFAULT_CSS = "KeyLine { background: $panel; }"

    def __init__(self) -> None:
        super().__init__()
        self._live: list[LiveCommand] = []
        self._is_to_look = False
        self._shown: list[tuple[int, int, LiveCommand]] = []

    def on_mount(self) -> None:
        """Keep up with the keys of its screen, and of what lies above that."""
        self._follow(self.screen)
        self.app.screen_change_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[Any]) -> None:
        if self._follows(screen):
            screen.bindings_updated_signal.unsubscribe(self)  # a screen that comes back was followed before
            screen.bindings_updated_signal.subscribe(self, self._look_soon, immediate=True)
            self._look()

    def _follows(self, screen: Screen[Any]) -> bool:
        """Tell whether a screen is the line's own one, or a dialog above it."""
        below = next((each for each in reversed(self.app.screen_stack) if not each.is_modal), None)
        return self.screen in (screen, below)

    def _look_soon(self, _: Screen[Any]) -> None:
        """Look once at what several parts of a screen have told at the same time."""
        if not self._is_to_look:
            self._is_to_look = True
            self.call_next(self._look)

    def _look(self) -> None:
        self._is_to_look = False
        screen = self.app.screen
        if self.is_attached and self._follows(screen):
            live = live_commands(screen)
            if live != self._live:
                self._live = live
                self.refresh()

    def line(self, width: int) -> Text:
        """Name the keys by their rank, then help and palette."""
        self._shown.clear()
        always = self._always()
        right = Text()
        for live in always:
            right.append_text(self._named(live))
        room = width - right.cell_len
        left = Text(" ")
        ranked = [live for live in self._live if live.rank]
        ranked.sort(key=lambda live: live.rank)
        if ranked and self.screen.is_modal and room < self._named(ranked[0]).cell_len + 1:
            always, right, room = [], Text(), width  # what a dialog is there for comes before its help
        for live in ranked:
            named = self._named(live)
            if left.cell_len + named.cell_len > room:
                break
            self._shown.append((left.cell_len, left.cell_len + named.cell_len, live))
            left.append_text(named)
        self._place_at_right_end(always, right, width)
        return between(left, right, width)

    def _always(self) -> list[LiveCommand]:
        """Help and palette, each by the first key that works."""
        found: dict[str, LiveCommand] = {}
        for live in self._live:
            if live.command.id in _ALWAYS:
                found.setdefault(live.action, live)
        return list(found.values())

    def _place_at_right_end(self, always: list[LiveCommand], right: Text, width: int) -> None:
        at = width - right.cell_len
        for live in always:
            end = at + self._named(live).cell_len
            self._shown.append((at, end, live))
            at = end

    def _named(self, live: LiveCommand) -> Text:
        return self.named(live.keys[0], live.wording.label)

    async def on_click(self, event: events.Click) -> None:
        """Do what the key under the mouse does; deciding is left to the keys."""
        for start, end, live in self._shown:
            if start <= event.x < end and live.command.context != _DECIDES:
                await live.run()
                return
