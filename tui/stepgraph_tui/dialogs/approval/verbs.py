"""The verbs of the dialog: which of them can be used now, and the line that names their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from stepgraph_tui.commands.live import live_commands, live_keys
from stepgraph_tui.commands.names import key_name
from stepgraph_tui.widgets.chrome.one_line import OneLine

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph_tui.commands.hints import Hints

    from .deciding import DecisionState
    from .view import PageName

_GAP = 2  # cells behind each key; none behind the last one
_KEPT = 1
"""How many entries at the end stay where there is little room: Esc."""


@dataclass(frozen=True, slots=True)
class Verbs:
    """What can be done with the review that is shown, as things stand."""

    state: DecisionState
    is_idle: bool
    """Whether keys are verbs: no field is open."""
    is_shown: bool
    """Whether there is a page to read."""
    is_read: bool
    """Whether the question and the whole action have been seen."""
    page: PageName
    walks: Mapping[int, bool]
    """Whether the page has changes of a step before (-1) or after (1) those that it shows."""

    def allow(self, action: str, parameters: tuple[object, ...] = ()) -> bool:
        """Tell whether an action of the dialog does something now."""
        state = self.state
        if action == "decide":
            return self.is_idle and self._can_begin(str(parameters[0]))
        is_over = bool(state.over)
        works = {
            "turn_page": self.is_idle and self.is_shown,
            "walk": self.is_idle and self.walks[-1 if parameters == (-1,) else 1],
            "turn_to": self.is_idle and state.sent is None and (state.has_others or is_over),
            "inbox": self.is_idle and state.sent is None,
            "close": is_over,
            "copy": is_over and bool(state.draft),
        }
        return works.get(action, True)

    def _can_begin(self, what: str) -> bool:
        if what == "comment":
            return bool(self.state.offered)
        return what in self.state.offered and (self.is_read or what in ("reject", "respond"))

    def keys(self, screen: Screen[None], hints: Hints) -> list[tuple[str, str]]:
        """Name the keys that work on a screen while no field is open, the one that leaves last."""
        if self.state.over:
            copy = [(hints.key("list.copy"), "Copy what you wrote")] if self.state.draft else []
            close = live_keys(screen).get("list.close", ())
            told = key_name("enter") if key_name("enter") in close else "".join(close[:1])
            return [*copy, (f"{told} {hints.key('approval.later')}".strip(), "Close")]
        live = live_commands(screen)
        verbs = [one for one in live if one.command.context == "approval" and one.command.footer]
        verbs.sort(key=lambda one: one.command.footer)
        keys = [(one.keys[0], one.command.label) for one in verbs]
        return [*keys[:-1], (keys[-1][0], "Back")] if self.page != "summary" else keys


class VerbLine(OneLine):
    """Names keys, as many as there is room for. A click on it does nothing: nothing here is pressed."""

    DEFAULT_CSS = "VerbLine { background: $panel; }"

    def __init__(self) -> None:
        super().__init__()
        self._keys: Sequence[tuple[str, str]] = ()
        self._instead = ""

    def show(self, keys: Sequence[tuple[str, str]], instead: str = "") -> None:
        """Name these keys with what they do, or say something else instead of all but the last of them."""
        if (self._keys, self._instead) != (keys, instead):
            self._keys, self._instead = keys, instead
            self.refresh()

    def line(self, width: int) -> Text:
        """Name the keys, the last one always."""
        last = [self.named(key, label) for key, label in self._keys[-_KEPT:]]
        room = width - 1 + _GAP - sum(named.cell_len for named in last)
        if self._instead:
            first = [self.span(f"{self._instead}  ", "one-line--label")]
        else:
            first = []
            for key, label in self._keys[:-_KEPT]:
                named = self.named(key, label)
                room -= named.cell_len
                if room < 0:
                    break
                first.append(named)
        line = Text.assemble(" ", *first, *last)
        line.rstrip()
        return line
