"""The workbench: one graph, one run of it, and all that keys can do with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from textual import events, on, work
from textual.actions import parse
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from stepgraph.values import StoreUnreachable

from ...commands import Command, bindings
from ...commands.command import Wording
from ...context import AppContext
from ...documents import Watcher, graph_at
from ...drawing.model import Direction
from ...drawing.picture.node_content import Zoom
from ...preload import preload
from ...remembered import RememberedPlace
from ...widgets.chrome.find_bar import FindBar
from ...widgets.chrome.status_lines import HeaderLine, KeyLine, NextLine
from ...widgets.graph_view import GraphPane
from .controllers import ROUTED, CommandRouter, Controllers, MessageRouter
from .grid import PaneGrid
from .panes import WorkbenchPanes
from .run_controller import EVERY
from .status import StatusLines
from .step_controller import wording
from .surface import Surface

if TYPE_CHECKING:
    from ...commands.hints import Hints
    from ...documents import PythonGraph
    from ...widgets.chrome.pane import Pane
    from ..runs import Then


class BottomLine(Container):
    """Says what comes next; while a pane is searched, asks what to find in it.

    Args:
        hints: Names the keys.
    """

    DEFAULT_CSS = "BottomLine { height: 1; }"

    def __init__(self, hints: Hints) -> None:
        super().__init__()
        self.next_line = NextLine()
        self._bar = FindBar(hints)
        self._searched: Pane | None = None

    def compose(self) -> ComposeResult:
        """Show what comes next; the field of a search is made with the first search."""
        yield self.next_line

    @property
    def is_searching(self) -> bool:
        """Whether a search is on."""
        return self._searched is not None

    async def search(self, pane: Pane) -> None:
        """Ask what to find in a pane."""
        if not self._bar.is_attached:
            await self.mount(self._bar)
        self._searched = pane
        self.next_line.display, self._bar.display = False, True
        self._bar.open()
        self.screen.refresh_bindings()

    def find_next(self, by: int) -> None:
        """Go to the next match, or the one before."""
        if self._searched is not None:
            self._bar.found = self._searched.search.next(by)

    @on(FindBar.Changed)
    def _find(self, message: FindBar.Changed) -> None:
        message.stop()
        if self._searched is not None:
            self._bar.found = self._searched.search.find(message.text)

    @on(FindBar.Submitted)
    def _go_back(self, message: FindBar.Submitted) -> None:
        message.stop()
        if self._searched is not None:
            self._searched.focus()

    @on(FindBar.Closed)
    def end_search(self) -> None:
        """Mark nothing any more, and go back to the pane."""
        searched, self._searched = self._searched, None
        self._bar.display, self.next_line.display = False, True
        if searched is not None:
            searched.search.end()
            searched.focus()
        self.screen.refresh_bindings()


class KeptPlace:
    """Where the user was in a graph file; for a run without one nothing is kept.

    Args:
        context: What the app shares.
        path: The file.
        panes: What shows it.
        grid: Where it is shown.
    """

    def __init__(self, context: AppContext, path: Path | None, panes: WorkbenchPanes, grid: PaneGrid) -> None:
        self._context = context
        self._path = path
        self._graph = panes.graph_view
        self._grid = grid
        self.found = context.remembered.place(path) if path is not None else RememberedPlace()
        """Where the user was when the file was left."""

    def restore(self) -> None:
        """Begin with the graph, as it was left."""
        place, settings = self.found, self._context.settings
        zooms: tuple[Zoom, ...] = get_args(Zoom)
        ways: tuple[Direction, ...] = get_args(Direction)
        self._graph.zoom = next((zoom for zoom in zooms if zoom == place.zoom), settings.zoom)
        self._graph.direction = next((way for way in ways if way == place.direction), settings.direction)
        self._graph.follow = settings.follow
        self._grid.divided_at = place.divider
        self._grid.show_pane("graph")
        if place.tab is not None and any(place.tab in group.tabs for group in self._grid.groups):
            self._grid.show_pane(place.tab, focus=False)

    def keep(self, run_id: str | None, pause_after: Collection[str]) -> None:
        """Remember how the file is left, with which run, and after which nodes one pauses."""
        if self._path is None:
            return
        graph, grid = self._graph, self._grid
        place = RememberedPlace(
            run=run_id,
            node=graph.selection.node,
            zoom=graph.zoom,
            direction=graph.direction,
            tab=grid.groups[1].active,
            divider=grid.divided_at,
            pause_after=tuple(sorted(pause_after)),
        )
        self._context.remembered.keep(self._path, place)
        self._context.remembered.save()


Handler = TypeVar("Handler", bound=Callable[..., Any])
REST = (
    "stepgraph.runs.executor",
    "stepgraph.runs.asking",
    "stepgraph.nodes.calls",
    "stepgraph.runs.loops",
    "stepgraph.runs.forking",
    "stepgraph_tui.worker.worker",
    "stepgraph_tui.dialogs.run_form",
    "stepgraph_tui.dialogs.approval.screen",
    "stepgraph_tui.screens.inbox",
    "stepgraph_tui.dialogs.try_node",
    "stepgraph_tui.dialogs.state_edit",
    "stepgraph_tui.dialogs.fork_form",
    "stepgraph_tui.dialogs.help",
    "stepgraph_tui.dialogs.break_form",
    "stepgraph_tui.palette",
    "pydantic.main",
    "stepgraph.nodes.settings",  # its model is the first one, which has pydantic load the rest of itself
    "stepgraph_tui.dialogs.forms",
    "stepgraph.editing.renaming",
    "stepgraph.editing.fixes",
    "stepgraph_tui.screens.workbench.forms",
    "stepgraph_tui.screens.workbench.graph_edits",
    "stepgraph.runs.debug.stops",
    "stepgraph.runs.debug.kept",
    "multiprocessing",
    "watchfiles",
)
"""What the keys need and no first frame shows: loaded behind it."""


def _on_each(kinds: Iterable[type[Message]]) -> Callable[[Handler], Handler]:
    """Have one method take messages of several kinds."""

    def decorate(method: Handler) -> Handler:
        for kind in kinds:
            method = on(kind)(method)
        return method

    return decorate


class Workbench(Screen[None]):
    """Shows a graph and a run of it in panes, and hands keys to the controllers of run, design and file.

    Args:
        context: What the app shares.
        path: The graph file, or the graph in a Python module; None for a run that has none.
        run_id: The run to show at once; the last one of this file when None.
        design: Whether the graph is to be drawn, rather than a run of it debugged; one without nodes is.
        then: What is done with the run at once.
        file: The graph, where it is open already; what is at the path when None.
    """

    BINDINGS = bindings("workbench", "debug", "edit", "design")
    CSS_PATH = "workbench.tcss"
    AUTO_FOCUS = ""

    def __init__(
        self,
        context: AppContext,
        path: Path | None,
        run_id: str | None = None,
        *,
        design: bool = False,
        then: Then = "",
        file: PythonGraph | None = None,
    ) -> None:
        super().__init__()
        self._then = then
        self._shared = context
        self._asked_for = run_id
        self._begins_in_design = design
        self._ticks: Timer | None = None  # while the thread has work
        self._watcher: Watcher | None = None  # of the file, once all is loaded
        self.file = (
            file
            if file is not None
            else graph_at(path, drafts=context.edits, hints=context.hints, connections=context.connections)
        )
        self.panes = panes = WorkbenchPanes(context)
        self.grid = grid = PaneGrid(panes.groups())
        self._place = KeptPlace(context, path, panes, grid)
        self.header, self.bottom = HeaderLine(context.hints), BottomLine(context.hints)
        self.surface = Surface(self, context, panes, grid, self.bottom.next_line, self.show)
        self.controllers = parts = Controllers(
            context, self.file, self.surface, panes, grid, self.post_message, self.keep_place
        )
        self.runs, self.design = parts.runs, parts.design
        self.runs.thread.pause_after = frozenset(self._place.found.pause_after)
        self._lines = StatusLines(
            self.header, self.bottom.next_line, self.file, panes, parts, self.surface, context
        )
        self.router = CommandRouter(context, parts.named, parts.design, grid)
        self._messages = MessageRouter(parts, panes, grid, self.surface, self._lines)

    def compose(self) -> ComposeResult:
        """Header, panes, what comes next, keys."""
        yield self.header
        yield self.grid
        yield self.bottom
        yield KeyLine()

    def on_mount(self) -> None:
        """Show the graph, and the run that was asked for or was looked at last."""
        self.header.store = self._shared.address or ""
        self._place.restore()
        self.panes.first = self._place.found.node
        self.design.show_file()
        self.runs.breaks.look()
        if self.file.checked.errors:
            self.grid.show_pane("problems")
        if self._begins_in_design or (self._asked_for is None and self.file.is_blank):
            self.design.action_mode()
        self.controllers.files.begin()
        run_id = self._asked_for or self._place.found.run
        if run_id is not None:
            self.runs.shown.open(run_id, missing_is_fine=self._asked_for is None)
        self._ticks = self.set_interval(EVERY, self._tick, pause=True)
        self.runs.shown.look()
        if self._asked_for is not None:
            self._go_on(self._then)
        elif self.file.path is None and self.file.checked.graph is not None:
            self.call_later(self.controllers.steps.action_ask)  # a program wants a run of its graph

    @work(exclusive=True, group="rest")
    async def _load_the_rest(self) -> None:
        """Get ready for the keys, and watch the file."""
        for group in self.grid.groups:
            group.complete()
        await preload(REST)
        self.controllers.watches.load()
        if self._watcher is None and self.file.disk_path is not None:
            stirred = partial(self.call_later, self.controllers.files.look_at_disk)
            self._watcher = Watcher(self.file.disk_path, stirred)

    def look_again(self) -> None:
        """Look at the time, and at what others did to the run, its breakpoints, its watches and the file."""
        self.runs.shown.look_again()
        self.runs.breaks.look()
        self.controllers.watches.look()
        self.controllers.files.look_at_disk()
        self.panes.trace_pane.tell_time()
        self._lines.look_again()

    def on_unmount(self) -> None:
        """Let go of the thread and of the file."""
        self.runs.thread.close()
        if self._watcher is not None:
            self._watcher.stop()

    def open_run(self, run_id: str, then: Then = "") -> None:
        """Show a run where it stands, with the review that it waits for; go on with it if that is wanted."""
        if self.design.is_on:
            self.design.turn_to("debug")
        self.runs.shown.open(run_id)
        if self.runs.shown.run is not None and self.runs.shown.run.id == run_id:
            self._go_on(then)

    def _go_on(self, then: Then) -> None:
        if then == "go":
            self.controllers.steps.action_go()
        elif then == "retry":
            self.controllers.steps.action_retry()
        else:
            self.runs.reviews.open()

    def keep_place(self) -> None:
        """Remember how the file is left, and its run: an app that is killed finds it again."""
        run = self.runs.shown.run
        self._place.keep(run.id if run is not None else None, self.runs.pauses.nodes)

    # What is shown

    def show(self, renamed: Mapping[str, str] = {}) -> None:
        """Show what the controllers have; called once after each change.

        Args:
            renamed: The new names of nodes that were drawn under other ones.
        """
        runs, panes = self.runs, self.panes
        try:
            panes.show(self.file, runs.shown.moment, designing=self.design.is_on, renamed=renamed)
        except StoreUnreachable as error:  # the rest is shown when it answers again
            runs.shown.tell_unreachable(error.what)
            return
        panes.show_pauses(runs.pauses.nodes)
        panes.show_breaks(runs.breaks.listed(), runs.breaks.marks())
        panes.log_pane.mask = self.controllers.trials.mask
        self._lines.show()
        self.refresh_bindings()
        if self._ticks is not None:
            (self._ticks.resume if runs.busy else self._ticks.pause)()

    def _tick(self) -> None:
        if not self.runs.tick():
            self._lines.show()

    def on_resize(self) -> None:
        """Put the panes in place: the terminal has another size."""
        self.grid.put_in_place()

    def on_screen_resume(self) -> None:
        """Show what came of a trial, which waits until no dialog has the keys, and of added models."""
        self.controllers.trials.show()
        if self.file.is_dated:
            self.design.recheck()
        # By way of the app, which takes messages once it has started: refreshes before that paint nothing.
        self.app.call_later(self.call_after_refresh, self._load_the_rest)

    @on(events.DescendantFocus)
    def _follow_focus(self) -> None:
        self.grid.follow_focus(self.focused)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is offered; None for what can say why it does not."""
        if action != "do":
            return action != "find_next" or self.bottom.is_searching
        works = self.router.availability(str(parameters[0]))
        return works if isinstance(works, bool) else None

    def wording(self, command: Command) -> Wording:
        """Describe what a command does now, in this mode and to this run."""
        run = self.runs.shown.run
        status = run.status if run is not None else None
        return wording(command, designing=self.design.is_on, status=status, is_python=self.file.is_python)

    def action_do(self, command: str) -> None:
        """Have a controller do a command."""
        try:
            self.router.do(command)
        except StoreUnreachable as error:
            self.surface.tell_error(error)

    def on_mouse_down(self) -> None:
        """Clear what was said before."""
        self.surface.clear()

    def on_key(self, event: events.Key) -> None:
        """Clear what was said before; say why a key does nothing."""
        self.surface.clear()
        active = self.active_bindings.get(event.key)
        said = None
        if active is None:
            said = self.router.in_other_mode(event.key)
        elif not active.enabled and active.node is self:
            works = self.router.availability(str(parse(active.binding.action)[2][0]))
            said = works if isinstance(works, str) else "not now"
        if said is not None:
            self.surface.say(said, "warning")

    @property
    def _draws(self) -> bool:
        """Whether the keys go to a graph that is designed."""
        return self.design.is_on and not self.file.refusal and isinstance(self.grid.pane, GraphPane)

    def on_paste(self, event: events.Paste) -> None:
        """Paste what the terminal pastes, where the graph has the keys."""
        if self._draws:
            event.stop()
            self.controllers.edits.paste(event.text)

    def action_copy(self) -> None:
        """Copy what is selected in the pane; in Design, nodes as they stand in the file."""
        if not (self._draws and self.controllers.edits.copy_chosen()):
            self.surface.copy_selected(self.grid.pane.copied())

    def action_copy_path(self) -> None:
        """Copy where it is."""
        self.surface.copy_selected(self.grid.pane.copied_path())

    def action_back(self) -> None:
        """Esc: leave what was begun last."""
        if self.bottom.is_searching:
            self.bottom.end_search()
        elif self._draws and self.controllers.edits.clear_marks():
            return
        elif not (self.grid.pane.back() or self.grid.lead_back() or self.runs.shown.go_live()):
            self.grid.enlarged = False

    async def action_runs(self) -> None:
        """List all runs."""
        await self.app.run_action("runs")

    def tell_how_to_leave(self) -> None:
        """Name the keys that stop the run, or close the graph, and that leave the app."""
        stops, closes = "{debug.stop} stops after this node", "{workbench.close} closes the graph"
        first = stops if self.runs.busy else closes
        self.surface.say(self._shared.hints(f"{first}, {{app.quit}} leaves Stepgraph"))

    def action_close(self) -> None:
        """Go back to the home screen."""
        if self.runs.busy and not self.runs.is_importing:
            said = "a node is still running: {debug.stop} stops after it, {app.quit} leaves at once"
            self.surface.say(self.surface.hints(said), "warning")
        else:
            self.controllers.files.leave(self._close)

    def _close(self) -> None:
        self.keep_place()
        self.dismiss()

    async def action_find(self) -> None:
        """Ask what to find in the pane."""
        await self.bottom.search(self.grid.pane)

    def action_find_next(self, by: int) -> None:
        """Go to the next match, or the one before."""
        self.bottom.find_next(by)

    # What the thread and the panes tell

    @_on_each(ROUTED)
    def _route(self, message: Message) -> None:
        self._messages.route(message)
