"""What the panes of the workbench have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from ...run_view import RunSnapshot
from ...text.cells import cell_len
from ...text.characters import visible
from ..lines import LineView, Way
from ..part_styles import MUTED
from ..scrolling import scroll
from .status_lines import OneLine, shorten


class PaneSearch(Protocol):
    """Finds a text in what a pane shows."""

    def find(self, text: str) -> str:
        """Move to the first match of a text at or after the cursor, and mark all of them.

        Returns:
            How many there are, in words: ``2 of 7``, ``not found``.
        """

    def next(self, by: int) -> str:
        """Move to the next match (1) or the one before (-1)."""

    def end(self) -> bool:
        """Mark nothing any more.

        Returns:
            Whether anything was looked for.
        """


class Pane(ScrollView, can_focus=True, inherit_bindings=False):
    """A pane: it shows a moment of a run, can be searched, and knows what there is to copy.

    It draws only while it can be seen: ``show`` is called when the moment has changed, or when the pane
    comes into view after it has. What it shows line by line is painted by its ``lines``.
    """

    ALLOW_SELECT = False
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
        """Pass the pane's head its text for the right end: a mode, a count."""
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
        """Repaint everything in other colors."""
        if self.lines is not None:
            self.lines.forget_strips()
        super().notify_style_update()

    # What the keys of every pane do

    def action_to(self, way: Way) -> None:
        """Move to another entry of a list; scroll a page of what lists none."""
        if self.lines is not None and self.lines.items:
            self.lines.select(self.lines.place(way))
        elif way in ("page_down", "page_up", "half_down", "half_up"):
            scroll(self, way)

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


_RULE, _RULE_FOCUSED = "─", "━"
_PARTED = "   "
"""What parts, in what a pane says of itself, the left part from the right one."""

_LETTERS = (None, 5, 4, 3, 0)
"""How many letters of a label are written that is not active: all, fewer, or its digit alone."""
_SHORT = {"Problems": "Probs", "Watches": "Watch", "Breaks": "Break"}  # instead of their first letters
_CUT = 8  # cells of what is cut; less tells nothing


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a tab is in the line, its last cell excluded."""

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
    }
    """
    LOOKS: ClassVar[Mapping[str, str]] = {
        "rule": MUTED,
        "rule-focused": "bold $primary",
        "tab": MUTED,
        "tab-focused": "$foreground",
        "active": "$foreground",
        "active-focused": "bold reverse $primary",
        "info": MUTED,
    }

    active: reactive[str] = reactive("")
    """The id of the tab whose pane is shown."""
    info: reactive[str] = reactive("")
    """What the pane says of itself. Three spaces part what is beside the tabs from what is at the
    right end; without them all of it is at the right end."""
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
        """Relabel a tab."""
        self._tabs = tuple((tab, label if tab == id else before, key) for tab, before, key in self._tabs)
        self.refresh()

    def label(self, id: str) -> str:
        """Write a tab's digit, its whole label, and its number."""
        return self._label(id)

    def line(self, width: int) -> Text:
        """Draw the tabs, then what the pane says, on a rule."""
        line = Text().append_text(self._rule(1)).append_text(self._labels(width - 1))
        left, _, right = self.info.strip().rpartition(_PARTED)
        room = width - line.cell_len
        for part, least in ((left, 4), (right, 3)):
            text = visible(part.strip())
            if not text or room - least < min(cell_len(text), _CUT) + 2:
                continue
            info = self.span(f" {text} ", "info")
            shorten(info, room - least)
            lead = 1 if part is left else room - info.cell_len - 2
            line = line.append_text(self._rule(lead)).append_text(info)
            room = width - line.cell_len
        return line.append_text(self._rule(room))

    def _rule(self, length: int) -> Text:
        rule = _RULE_FOCUSED if self.focused else _RULE
        return self.span(rule * length, f"rule{self._focus}")

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
        return self._draw(labels)

    def _label(self, tab: str, letters: int | None = None) -> str:
        """Write a tab's digit, its label or the first letters of that, and its number."""
        label, key = next((label, key) for id, label, key in self._tabs if id == tab)
        label = label if letters is None else _SHORT.get(label, label)[:letters]
        count = self.counts.get(tab, "")
        return " ".join(filter(None, (key, label, count if letters != 0 else "")))

    def _draw(self, labels: Mapping[str, str]) -> Text:
        """Draw the labels side by side, as in ``[1 Graph]─ 2 State  3 Why ``."""
        line, places = Text(), []
        for id, label in labels.items():
            start = line.cell_len + 1
            if id == self.active:
                line.append_text(self.span(f"[{label}]", f"active{self._focus}"))
                line.append_text(self._rule(1))
            else:
                line.append_text(self.span(f" {label} ", f"tab{self._focus}"))
            places.append(_Place(id, start, line.cell_len + 1))
        self._places = tuple(places)
        return line

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        for place in self._places:
            if place.start <= event.x < place.end:
                self.post_message(self.Chosen(place.id))


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab and what is behind it."""

    id: str
    label: str
    key: str
    """The digit that goes there; it is printed on the tab."""
    pane: Pane
    others: Sequence[Pane] = ()
    """Other panes, on its left, which are shown on request."""

    beside: bool = True
    """Whether other panes are beside it where the screen is wide, rather than in its place."""

    later: bool = False
    """Whether the pane is only made when it is shown, or behind the first frame: it must then show nothing
    but moments. To make a pane and to style it takes longer than to paint it."""

    @property
    def panes(self) -> list[Pane]:
        """All panes behind it, its own one first."""
        return [self.pane, *self.others]

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
        & > ContentSwitcher > .-titled {
            border-top: solid $foreground 60%;
            border-title-color: $foreground;
            border-title-style: none;
            &:focus, &:focus-within {
                border-top: heavy $primary;
                border-title-color: $primary;
                border-title-style: bold;
            }
        }
        &.-columns > PaneHead { display: none; }
        &.-columns > ContentSwitcher { layout: horizontal; }
        &.-columns > ContentSwitcher > .-titled { width: 1fr; }
        &.-columns > ContentSwitcher > .-beside { border-left: solid $foreground 60%; }
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
        self._titles: dict[str, str] = {}
        self._together: tuple[str, ...] = ()
        self._in_rows = False
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
        self._arrange()
        self._inform()

    def complete(self) -> None:
        """Create the panes that were left for later; a screen that is being left gets none."""
        if self._bodies.is_attached:
            self._mount(*self._waiting)

    def _mount(self, *tabs: str) -> None:
        bodies = [self._waiting.pop(tab) for tab in tabs if tab in self._waiting]
        for body in bodies:
            body.display = False
        if bodies:
            self._bodies.mount(*bodies)

    def show_together(self, tabs: Sequence[str], *, rows: bool = False) -> None:
        """Show the panes of several tabs at the same time, as long as one of them is the active one.

        Args:
            tabs: The tabs; none for one at a time.
            rows: Whether they lie below each other, and only those are shown beside the first that have
                something to count; else they stand side by side.
        """
        if self._together == tuple(tabs):
            return
        self._together = tuple(tabs)
        self._in_rows = rows
        self._mount(*tabs)
        self._arrange()
        self._inform()

    @property
    def stops(self) -> list[str]:
        """The tabs whose panes are shown, from left to right."""
        first = self._together[:1]
        shown = [
            tab
            for tab in self._together
            if not self._in_rows or tab in (*first, self.active) or tab in self.head.counts
        ]
        return shown if self.active in self._together and len(shown) > 1 else [self.active]

    def follow(self, focused: Widget | None) -> None:
        """Take the tab of the pane that has the focus for the active one, where several are shown."""
        for tab in self.stops:
            if focused in self.tabs[tab].panes:
                self.active = self.head.active = tab

    def _arrange(self) -> None:
        """Show the panes that are to be seen, with their names where there are several."""
        stops = self.stops
        several = len(stops) > 1
        self.set_class(several and not self._in_rows, "-columns")
        for tab in self.tabs.keys() - self._waiting.keys():
            body = self._bodies.get_child_by_id(f"tab-{tab}")
            body.display = tab in stops
            body.set_class(several and (not self._in_rows or tab != stops[0]), "-titled")
            body.set_class(several and not self._in_rows and tab != stops[0], "-beside")

    def fit(self, wide: bool) -> None:
        """Show what was asked for beside a tab's own pane where the screen is wide, else in its place."""
        for tab in self.tabs.values():
            own, *others = tab.panes
            if not others:
                continue
            alone = None if wide and tab.beside else next((pane for pane in others if pane.display), None)
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
        if tab in self._together:
            self._arrange()
            self._inform()

    @on(Pane.Informed)
    def _say(self, message: Pane.Informed) -> None:
        message.stop()
        self._said[message.pane] = message.text
        self._inform()

    def _inform(self) -> None:
        """Collect the remarks of the visible panes."""
        for tab in {self.active, *self.stops}:
            text = next((self._said[pane] for pane in self.tabs[tab].shown if pane in self._said), "")
            if tab == self.active:
                self.head.info = text
            title = f"[{self.head.label(tab)}] {visible(' '.join(text.split()))}".strip()
            if tab in self._waiting or self._titles.get(tab) == title:
                continue
            body = self._bodies.get_child_by_id(f"tab-{tab}")
            if body.has_class("-titled"):  # what is not seen would repaint all of the pane
                self._titles[tab] = title
                body.border_title = Content(f"{title} ")

    @on(PaneHead.Chosen)
    def _choose(self, message: PaneHead.Chosen) -> None:
        message.stop()
        self.activate(message.id)
        self.pane.focus()


def _body(tab: Tab) -> Widget:
    body = Horizontal(*tab.others, tab.pane) if tab.others else tab.pane
    body.id = f"tab-{tab.id}"
    return body
