"""The frame of the workbench: which panes are shown, how large, which has the focus, what is searched for."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import var
from textual.screen import Screen

from stepgraph_tui import clipboard
from stepgraph_tui.commands import WORKBENCH, bindings
from stepgraph_tui.widgets.chrome.divider import Divider
from stepgraph_tui.widgets.chrome.find_bar import FindBar
from stepgraph_tui.widgets.chrome.header import HeaderLine
from stepgraph_tui.widgets.chrome.key_line import KeyLine
from stepgraph_tui.widgets.chrome.next_line import NextLine
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.chrome.pane_group import PaneGroup

_WIDE, _NARROW, _LOW = 100, 60, 16  # cells: two columns of tabs from here, one pane at a time below these
_SHARES = {True: 0.475, False: 0.525}  # of the width, for the graph: on a wide screen, on a narrow one
_LEAST = 16  # cells that no pane goes below


class Frame(Screen[None]):
    """Three groups of panes: the graph, what there is to know of it, and what happened.

    Args:
        groups: The groups: left, right, and the one that lies below both, or below the right one where the
            screen is wide.
    """

    BINDINGS = bindings(WORKBENCH)
    AUTO_FOCUS = ""

    divided_at: var[int | None] = var(None)
    """The columns to the left of the divider, once it was moved."""
    enlarged: var[bool] = var(False)
    """Whether one pane has the whole screen because somebody asked for it."""

    def __init__(self, groups: Sequence[PaneGroup]) -> None:
        super().__init__()
        self.groups = tuple(groups)
        self.current = self.groups[0]
        self.header = HeaderLine()
        self.body = Container(*self._parts(), id="body")
        self.next_line = NextLine()
        self.find_bar = FindBar()
        self._searched: Pane | None = None

    def _parts(self) -> list[PaneGroup | Divider]:
        left, *others = self.groups
        self.divider = Divider()
        return [left, self.divider, *others]

    def compose(self) -> ComposeResult:
        """Header, panes, what comes next, keys."""
        yield self.header
        yield self.body
        yield self.next_line
        yield self.find_bar
        yield KeyLine()

    def prepare(self) -> None:
        """Begin with the first pane; to be called once, when the screen is mounted."""
        self.find_bar.display = False
        self.show_pane(self.current.active)

    # Which panes are shown

    @property
    def pane(self) -> Pane:
        """The pane that keys go to."""
        return self.current.pane

    def show_pane(self, tab: str, *, focus: bool = True) -> None:
        """Bring a pane to the front, and give it the keys unless they are to stay where they are."""
        group = next(group for group in self.groups if tab in group.tabs)
        group.activate(tab)
        if focus:
            self.current = group
            self.put_in_place()
            group.pane.focus()

    def put_in_place(self) -> None:
        """Give each group its place."""
        width, height = self.size
        one = self.enlarged or width < _NARROW or height < _LOW
        wide = width >= _WIDE
        self.body.set_class(one, "-one")
        for group in self.groups:
            group.display = not one or group is self.current
            group.fit(wide)
        self.divider.display = not one
        self.set_class(wide, "-wide")
        self.body.styles.grid_columns = "1fr" if one else f"{self._left()} 1 1fr"
        self.call_after_refresh(self._join)
        self.refresh_bindings()

    def _left(self, by: int = 0) -> int:
        """The columns to the left of the divider, or of where it would be if it was moved."""
        width = self.size.width
        left = self.divided_at if self.divided_at is not None else round(width * _SHARES[width >= _WIDE])
        return max(_LEAST, min(left + by, width - _LEAST - 1))

    def _join(self) -> None:
        """The divider has other characters where the heads of groups touch it."""
        heads = {group.region.y - self.divider.region.y for group in self.groups if group.display}
        self.divider.joints = {
            row: "├" if row else "┬" for row in heads if 0 <= row < self.divider.size.height
        }

    def on_resize(self) -> None:
        """The terminal has another size."""
        self.put_in_place()

    def watch_divided_at(self) -> None:
        """The divider was moved."""
        self.put_in_place()

    def watch_enlarged(self) -> None:
        """A pane was given the screen, or has given it back."""
        self.put_in_place()

    @on(events.DescendantFocus)
    def _follow_focus(self) -> None:
        for group in self.groups:
            inside = self.focused is not None and group in self.focused.ancestors
            group.head.focused = inside
            if inside:
                self.current = group

    @on(Divider.Moved)
    def _drag(self, message: Divider.Moved) -> None:
        self.divided_at = self._left(message.by)

    # What the keys do

    def action_pane(self, tab: str) -> None:
        """Go to a pane by its digit."""
        self.show_pane(tab)

    def action_next_pane(self, by: int = 1) -> None:
        """Go to the pane of the next group."""
        group = self.groups[(self.groups.index(self.current) + by) % len(self.groups)]
        self.show_pane(group.active)

    def action_previous_pane(self) -> None:
        """Go to the pane of the group before."""
        self.action_next_pane(-1)

    def action_enlarge(self) -> None:
        """Give the pane the whole screen."""
        self.enlarged = True

    def action_restore(self) -> None:
        """Show all panes again."""
        self.enlarged = False

    def action_divide(self, by: int) -> None:
        """Move the divider."""
        self.divided_at = self._left(by)

    def action_copy(self) -> None:
        """Copy what is selected in the pane."""
        self._copy(self.pane.copied())

    def action_copy_path(self) -> None:
        """Copy where it is."""
        self._copy(self.pane.copied_path())

    def _copy(self, text: str | None) -> None:
        if text is None:
            self.next_line.say("nothing is selected here")
        else:
            self.copy_text(text)

    def copy_text(self, text: str, *, silently: bool = False) -> None:
        """Copy a text, and say by which way; the programs that do it may take their time."""

        def copy() -> None:
            said = clipboard.copy(self.app, text)
            if not silently:
                self.app.call_from_thread(self.next_line.say, said)

        self.run_worker(copy, thread=True, exit_on_error=False, group="clipboard")

    # Searching

    def action_find(self) -> None:
        """Ask what to find in the pane."""
        self._searched = self.pane
        self.next_line.display, self.find_bar.display = False, True
        self.find_bar.open()
        self.refresh_bindings()

    @property
    def searching(self) -> bool:
        """Whether a search is on."""
        return self._searched is not None

    def action_find_next(self, by: int) -> None:
        """Go to the next match, or the one before."""
        if self._searched is not None:
            self.find_bar.found = self._searched.find_next(by)

    @on(FindBar.Changed)
    def _find(self, message: FindBar.Changed) -> None:
        if self._searched is not None:
            self.find_bar.found = self._searched.find(message.text)

    @on(FindBar.Submitted)
    def _leave_find_bar(self) -> None:
        if self._searched is not None:
            self._searched.focus()

    @on(FindBar.Closed)
    def end_search(self) -> None:
        """Mark nothing any more, and go back to the pane."""
        searched, self._searched = self._searched, None
        self.find_bar.display, self.next_line.display = False, True
        if searched is not None:
            searched.end_find()
            searched.focus()
        self.refresh_bindings()

    def action_back(self) -> None:
        """Esc: leave what was begun last."""
        if self.searching:
            self.end_search()
        elif not self.pane.back() and not self.go_live():
            self.enlarged = False

    def go_live(self) -> bool:
        """Stop looking at the past; False where nobody did."""
        return False
