"""The panes of the workbench in their places: which are shown, how large, and which has the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Container
from textual.reactive import var
from textual.widget import Widget

from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.chrome.tabs import Divider
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.node import VisitPane
from stepgraph_tui.widgets.state import ChatPane, StatePane
from stepgraph_tui.widgets.trace import TracePane

if TYPE_CHECKING:
    from .panes import WorkbenchPanes

_WIDE, _NARROW, _LOW = 100, 60, 16  # cells: two columns of tabs from here, one pane at a time below these
_WIDEST, _TALL = 160, 45  # cells: panes that are behind tabs elsewhere are shown together from here
_SHARES = ((_WIDEST, 0.38), (_WIDE, 0.475), (0, 0.525))  # of a width from here on, for the graph
_LEAST = 16  # cells that no pane goes below


class PaneGrid(Container):
    """Three groups of panes with a divider between them, or one of them that has all the room.

    Args:
        panes: The panes in three groups: left, right, and the one that lies below both, or below the right
            one where the screen is wide.
    """

    divided_at: var[int | None] = var[int | None](None, init=False)
    """The columns to the left of the divider, once it was moved."""
    enlarged: var[bool] = var(False, init=False)
    """Whether one pane has all the room because somebody asked for it."""

    def __init__(self, panes: WorkbenchPanes) -> None:
        self._panes, self.groups = panes, panes.groups()
        self.current = self.groups[0]
        """The group that keys go to."""
        self._led: tuple[str, Pane, str] | None = None  # from which pane behind a tab to which other tab
        self._divider = Divider()
        left, *others = self.groups
        super().__init__(left, self._divider, *others)

    @property
    def pane(self) -> Pane:
        """The pane that keys go to."""
        return self.current.pane

    def show_pane(self, tab: str, *, focus: bool = True) -> None:
        """Bring a pane to the front, and focus it unless the focus is to stay."""
        group = next(group for group in self.groups if tab in group.tabs)
        group.activate(tab)
        if focus:
            self._led = None
            self.current = group
            self.put_in_place()
            group.pane.focus()

    def lead_to(self, tab: str) -> None:
        """Move to a pane that shows more of what is selected in this one; Esc there leads back."""
        led = self.current.active, self.pane, tab
        self.show_pane(tab)
        self._led = led

    def lead_back(self) -> bool:
        """Return to where one was led from; False where one was not led to this pane."""
        if self._led is None or self._led[-1] != self.current.active:
            return False
        tab, pane, _ = self._led
        self.show_pane(tab)
        if pane.visible_region_exists():
            pane.focus()
        return True

    def put_in_place(self) -> None:
        """Place each group."""
        width, height = self.screen.size
        one = self.enlarged or width < _NARROW or height < _LOW
        wide = width >= _WIDE
        is_seen = bool(self.size)  # else it is styled with the screen that comes up: once is enough
        self.set_class(one, "-one", update=is_seen)
        self.set_class(wide, "-wide", update=is_seen)
        self.set_class(height >= _TALL, "-tall", update=is_seen)
        _, detail, happened = self.groups
        detail.show_together(() if one or width < _WIDEST else tuple(detail.tabs))
        happened.show_together(() if one or height < _TALL else ("trace", "watches"), rows=True)
        for group in self.groups:
            group.display = not one or group is self.current
            group.fit(wide)
        self._divider.display = not one
        self.styles.grid_columns = "1fr" if one else f"{self._left_width()} 1 1fr"
        self.call_after_refresh(self._join)
        self.screen.refresh_bindings()

    def _left_width(self, by: int = 0) -> int:
        """Count the columns to the left of the divider, or of where it would be if it was moved."""
        width = self.screen.size.width
        share = next(share for least, share in _SHARES if width >= least)
        left = self.divided_at if self.divided_at is not None else round(width * share)
        return max(_LEAST, min(left + by, width - _LEAST - 1))

    def _join(self) -> None:
        """Change the divider's characters where the heads of groups touch it."""
        heads = {group.region.y - self._divider.region.y for group in self.groups if group.display}
        self._divider.joints = {
            row: "├" if row else "┬" for row in heads if 0 <= row < self._divider.size.height
        }

    def watch_divided_at(self) -> None:
        """Follow the divider."""
        self.put_in_place()

    def watch_enlarged(self) -> None:
        """Enlarge one pane, or restore all."""
        self.put_in_place()

    def follow_focus(self, focused: Widget | None) -> None:
        """Show which group the keys go to; the focus may also have left them all."""
        for group in self.groups:
            group.head.focused = focused is not None and group in focused.ancestors
            if group.head.focused:
                self.current = group
                group.follow(focused)

    @on(Divider.Moved)
    def _drag(self, message: Divider.Moved) -> None:
        self.divided_at = self._left_width(message.by)

    # What is in the place of a pane

    @on(GraphView.OutlineToggled)
    def _toggle_outline(self) -> None:
        """Show the outline or hide it, and focus what is shown."""
        outline = self._panes.outline
        outline.display = not outline.display
        self.put_in_place()
        (outline if outline.display else self._panes.graph_view).focus()

    @on(GraphView.TooLarge)
    def _show_outline(self) -> None:
        """Show the outline of a graph that is too large to be drawn."""
        self._panes.outline.display = True
        self.put_in_place()

    @on(StatePane.ChatAsked)
    def _show_chat(self, message: StatePane.ChatAsked) -> None:
        """Show a conversation in the place of the values of the state."""
        self._panes.chat_pane.open(message.path)
        self._put_chat(shown=True)

    @on(ChatPane.Left)
    def _leave_chat(self) -> None:
        self._put_chat(shown=False)

    def _put_chat(self, *, shown: bool) -> None:
        self._panes.chat_pane.display = shown
        self.put_in_place()
        self.show_pane("state")

    @on(TracePane.Opened)
    def _show_visit(self) -> None:
        """Show all about the step that is viewed, in the place of the selected node."""
        self._panes.visit_pane.display = True
        self.lead_to("node")

    @on(VisitPane.Left)
    def _leave_visit(self) -> None:
        """Show the selected node again, and go back to where one came from."""
        self._panes.visit_pane.display = False
        self.put_in_place()
        self.lead_back()

    def show_node(self) -> None:
        """Show all about what is selected."""
        self._panes.visit_pane.display = False
        self.lead_to("node")

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool:
        """Check whether a key does anything."""
        return {"enlarge": not self.enlarged, "restore": self.enlarged}.get(verb, True)

    def action_show(self, tab: str) -> None:
        """Move to a pane by its digit; the same once more shows it instead of what is in its place."""
        entry = next(group.tabs[tab] for group in self.groups if tab in group.tabs)
        if not entry.beside and self.current.active == tab:
            for pane in entry.others:
                pane.display = False
        self.show_pane(tab)

    def action_next(self, by: int) -> None:
        """Move to the next pane of those that are shown, or to the one before."""
        stops = [tab for group in self.groups for tab in group.stops]
        self.show_pane(stops[(stops.index(self.current.active) + by) % len(stops)])

    def action_enlarge(self) -> None:
        """Enlarge the pane to all the room."""
        self.enlarged = True

    def action_restore(self) -> None:
        """Show all panes again."""
        self.enlarged = False

    def action_divide(self, by: int) -> None:
        """Move the divider."""
        self.divided_at = self._left_width(by)
