"""What the command palette offers: the commands that work now, and what belongs to the app as a whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.widgets import Input, LoadingIndicator

from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.commands.live import LiveCommand, live_commands

if TYPE_CHECKING:
    from textual.app import App

_OURS = "stepgraph-"
"""How the names of our own themes begin; they are offered before anything is typed."""
_OF_THE_APP = ("app.help", "app.quit")
"""What a dialog leaves on."""


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A line of the palette."""

    name: str
    keys: str
    help: str
    run: Callable[[], Awaitable[object] | object]
    found_only: bool = False
    """Whether it is offered only to those who type a part of its name."""


class StepgraphPalette(CommandPalette):
    """The palette without a picture of a magnifying glass, which not every terminal can draw.

    Args:
        hints: Names the keys of the app.
    """

    DEFAULT_CSS = """
    StepgraphPalette SearchIcon { display: none; }
    StepgraphPalette > Vertical { margin-top: 1; }
    StepgraphPalette CommandInput { padding-left: 2; }
    """

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__([StepgraphCommands], placeholder="Part of a command's name")
        self.hints = hints

    def on_mount(self) -> None:
        """Keep still: a cursor that blinks, or a hidden sign of being at work, takes time for ever."""
        self.query_one(Input).cursor_blink = False
        self.call_after_refresh(self._rest)

    def _rest(self) -> None:
        self.query_one(LoadingIndicator).auto_refresh = None


class StepgraphCommands(Provider):
    """Offers what works on the screen below the palette, on the same widgets.

    A dialog keeps everything but its own commands, help, theme and quit to itself.
    """

    async def startup(self) -> None:
        """Look at once: the screen below is still as it was."""
        palette, below = self.app.screen, self.screen
        hints = palette.hints if isinstance(palette, StepgraphPalette) else UNMAPPED
        self._entries = list(entries(self.app, live_commands(below), hints, in_dialog=below.is_modal))

    async def discover(self) -> Hits:
        """Yield all of it, in the order of the entries."""
        for entry in self._entries:
            if not entry.found_only:
                yield DiscoveryHit(_display(entry.name, entry), entry.run, entry.name, escape(entry.help))

    async def search(self, query: str) -> Hits:
        """Yield what has the letters of the query in its name, else in its description."""
        matcher = self.matcher(query)
        for entry in self._entries:
            score = matcher.match(entry.name) or matcher.match(entry.help) / 2
            if score > 0:
                name = matcher.highlight(entry.name)
                yield Hit(score, _display(name, entry), entry.run, entry.name, escape(entry.help))


def _display(name: str | Content, entry: PaletteEntry) -> Content:
    return Content.assemble(name if isinstance(name, Content) else Content(name), "  ", (entry.keys, "dim"))


def entries(
    app: App[Any], live: list[LiveCommand], hints: Hints = UNMAPPED, *, in_dialog: bool
) -> Iterator[PaletteEntry]:
    """List what the palette offers: the keys of the footer in their order, then the rest, nearest first.

    Args:
        app: The app.
        live: What works on the screen below.
        hints: Names the keys of the app.
        in_dialog: Whether that screen is a dialog.
    """
    for one in sorted(live, key=lambda one: one.rank or inf):
        if one.command.palette and one.command.id not in _OF_THE_APP:
            yield PaletteEntry(one.wording.label, "  ".join(one.keys), one.wording.tooltip, one.run)
    yield from _themes(app)
    if not in_dialog:
        yield PaletteEntry("Screenshot", "", "Save the screen as an SVG picture", app.action_screenshot)
    for id in _OF_THE_APP:
        command = COMMANDS[id]
        run = partial(app.run_action, command.action, app)
        yield PaletteEntry(command.label, "  ".join(hints.keys(id)), command.tooltip, run)


def _themes(app: App[Any]) -> Iterator[PaletteEntry]:
    names = sorted(app.available_themes, key=lambda name: (not name.startswith(_OURS), name))
    for name in names:
        ours = name.startswith(_OURS)
        if name != app.theme:
            shown = f"Theme: {name.removeprefix(_OURS)}"
            yield PaletteEntry(
                shown, "", "Show the app in these colors", partial(setattr, app, "theme", name), not ours
            )
