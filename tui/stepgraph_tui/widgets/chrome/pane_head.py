"""The line above a group of panes: a rule with their tabs in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import visible

from .one_line import OneLine, shorten

_RULE, _RULE_FOCUSED = "─", "━"
_PARTED = "   "
"""What parts, in what a pane says of itself, the left part from the right one."""

_LETTERS = (None, 6, 5, 4, 3, 0)
"""How many letters of a label are written that is not active: all, fewer, or its digit alone."""
_CUT = 8  # cells of what is cut; less tells nothing


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a tab stands in the line, its last cell excluded."""

    id: str
    start: int
    end: int


class PaneHead(OneLine):
    """A rule with tabs, the active one in brackets; where the keys go it is heavy, with the tab in reverse.

    Args:
        tabs: For each tab its id, its label and the digit that goes there.
    """

    DEFAULT_CSS = """
    PaneHead {
        color: $text-muted;
        & > .pane-head--rule { color: $text-muted; }
        & > .pane-head--rule-focused { color: $primary; text-style: bold; }
        & > .pane-head--tab { color: $text-muted; }
        & > .pane-head--tab-focused { color: $foreground; }
        & > .pane-head--active { color: $foreground; }
        & > .pane-head--active-focused { color: $primary; text-style: bold reverse; }
        & > .pane-head--info { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"pane-head--{part}"
        for part in ("rule", "rule-focused", "tab", "tab-focused", "active", "active-focused", "info")
    }

    active: reactive[str] = reactive("")
    """The id of the tab whose pane is shown."""
    info: reactive[str] = reactive("")
    """What the pane says of itself. Three spaces part what stands beside the tabs from what stands at the
    right end; without them all of it stands at the right end."""
    counts: reactive[Mapping[str, str]] = reactive(dict)
    """A number beside a label, by the tab's id."""
    focused: reactive[bool] = reactive(False)
    """Whether keys go to the pane below."""

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        id: str

    def __init__(self, tabs: Sequence[tuple[str, str, str]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tabs = tuple(tabs)
        self._places: tuple[_Place, ...] = ()
        self.set_reactive(PaneHead.active, tabs[0][0])

    def rename(self, id: str, label: str) -> None:
        """Give a tab another label."""
        self._tabs = tuple((tab, label if tab == id else before, key) for tab, before, key in self._tabs)
        self.refresh()

    def line(self, width: int) -> Text:
        """Draw the tabs, then what the pane says, on a rule."""
        line = Text().append_text(self._rule(1)).append_text(self._labels(width - 1))
        left, _, right = self.info.strip().rpartition(_PARTED)
        room = width - line.cell_len
        for said, least in ((left, 4), (right, 3)):
            text = visible(said.strip())
            if not text or room - least < min(cell_len(text), _CUT) + 2:
                continue
            info = self.span(f" {text} ", "pane-head--info")
            shorten(info, room - least)
            lead = 1 if said is left else room - info.cell_len - 2
            line = line.append_text(self._rule(lead)).append_text(info)
            room = width - line.cell_len
        return line.append_text(self._rule(room))

    def _rule(self, length: int) -> Text:
        rule = _RULE_FOCUSED if self.focused else _RULE
        return self.span(rule * length, f"pane-head--rule{self._focus}")

    @property
    def _focus(self) -> str:
        return "-focused" if self.focused else ""

    def _labels(self, room: int) -> Text:
        """Draw the tabs: their whole labels, else shorter ones of those that are not active, else one."""
        for letters in _LETTERS:
            labels = {id: self._label(id, None if id == self.active else letters) for id, _, _ in self._tabs}
            if sum(map(len, labels.values())) + 2 * len(labels) + 1 <= room:
                break
        else:
            labels = {self.active: self._label(self.active)}
        return self._drawn(labels)

    def _label(self, tab: str, letters: int | None = None) -> str:
        """Write a tab's digit, its label or the first letters of that, and its number."""
        label, key = next((label, key) for id, label, key in self._tabs if id == tab)
        count = self.counts.get(tab, "")
        return " ".join(filter(None, (key, label[:letters], count if letters != 0 else "")))

    def _drawn(self, labels: Mapping[str, str]) -> Text:
        """Put the labels side by side, as in ``[1 Graph]─ 2 State  3 Why ``."""
        line, places = Text(), []
        for id, label in labels.items():
            start = line.cell_len + 1
            if id == self.active:
                line.append_text(self.span(f"[{label}]", f"pane-head--active{self._focus}"))
                line.append_text(self._rule(1))
            else:
                line.append_text(self.span(f" {label} ", f"pane-head--tab{self._focus}"))
            places.append(_Place(id, start, line.cell_len + 1))
        self._places = tuple(places)
        return line

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        for place in self._places:
            if place.start <= event.x < place.end:
                self.post_message(self.Chosen(place.id))
