"""The workbench: one graph, one run of it, and all that keys can do with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on, work
from textual.actions import parse
from textual.app import ComposeResult
from textual.screen import Screen
from textual.timer import Timer

from stepgraph.values.errors import StoreUnreachable
from stepgraph_tui.commands import DEBUG, DESIGN, EDIT, WORKBENCH, Command, bindings
from stepgraph_tui.commands.command import Wording
from stepgraph_tui.context import AppContext
from stepgraph_tui.documents import Buffer
from stepgraph_tui.preload import preload
from stepgraph_tui.status_text import FileState, RunningNode, Situation, next_step_text, status_text
from stepgraph_tui.widgets.breaks import BreaksPane
from stepgraph_tui.widgets.chrome.header import HeaderLine
from stepgraph_tui.widgets.chrome.key_line import KeyLine
from stepgraph_tui.widgets.graph_view import GraphPane, GraphView
from stepgraph_tui.widgets.log import LogPane
from stepgraph_tui.widgets.problems import ProblemsPane
from stepgraph_tui.widgets.state import StatePane
from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.watches import WatchesPane
from stepgraph_tui.widgets.why import WhyPane
from stepgraph_tui.worker import (
    Decided,
    EditState,
    Fork,
    NodeTried,
    Printed,
    RunStarted,
    StoreWaits,
    WorkDone,
    WorkFailed,
)

from .availability import wording
from .bottom_line import BottomLine
from .command_router import CommandRouter, Controller
from .design_controller import DesignController
from .file_controller import FileController
from .fork_controller import ForkController
from .grid import PaneGrid
from .look_pace import EVERY
from .loop_controller import LoopController
from .panes import WorkbenchPanes
from .place import KeptPlace
from .run_controller import RunController
from .state_controller import StateController
from .surface import Surface
from .trial_controller import TrialController
from .watch_controller import WatchController

if TYPE_CHECKING:
    from stepgraph_tui.screens.runs import Then

    from .forms import DesignForms
    from .graph_edits import GraphEdits

REST = (
    "stepgraph.runs.executor",
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

News = RunStarted | WorkDone | Decided | WorkFailed | NodeTried


class Workbench(Screen[None]):
    """Shows a graph and a run of it in panes, and hands keys to the controllers of run, design and file.

    Args:
        context: What the app shares.
        path: The graph file; None for a run that has none.
        run_id: The run to show at once; the last one of this file when None.
        design: Whether the graph is to be drawn, rather than a run of it debugged; one without nodes is.
        then: What is done with the run at once.
    """

    BINDINGS = bindings((*WORKBENCH, *DEBUG, *EDIT, *DESIGN))
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
    ) -> None:
        super().__init__()
        self._then = then
        self._shared = context
        self._asked_for = run_id
        self._begins_in_design = design
        self._ticks: Timer | None = None  # while the thread has work
        self._said_of: tuple[int | None, str] = None, ""  # an edge that was selected, and its words
        self.file = Buffer(path, drafts=context.edits, hints=context.hints)
        self.panes = WorkbenchPanes(context)
        self.grid = PaneGrid(self.panes.groups())
        self._place = KeptPlace(context, path, self.panes, self.grid)
        self.header = HeaderLine(context.hints)
        self.bottom = BottomLine(context.hints)
        self.surface = Surface(self, context, self.panes, self.grid, self.bottom.next_line, self.show)
        self.runs = RunController(context, self.file, self.surface, self.post_message, self.keep_place)
        self.runs.thread.pause_after = frozenset(self._place.found.pause_after)
        self.design = DesignController(self.file, self.surface, self.runs, self.panes.problems_pane)
        self.files = FileController(
            context,
            self.file,
            self.surface,
            self.design,
            self.runs,
            self.post_message,
        )
        self.trials = TrialController(context, self.surface, self.runs, self.design)
        self.watches = WatchController(context, self.file, self.surface, self.runs, self.panes)
        loops = LoopController(self.surface, self.runs)
        self.forks = ForkController(context, self.surface, self.runs)
        self.states = StateController(context, self.surface, self.runs)
        controllers: dict[str, Callable[[], Controller]] = {
            "run": lambda: self.runs,
            "breaks": lambda: self.runs.breaks,
            "pauses": lambda: self.runs.pauses,
            "loop": lambda: loops,
            "version": lambda: self.runs.definition,
            "design": lambda: self.design,
            "forms": lambda: self._forms,
            "graph": lambda: self._edits,
            "file": lambda: self.files,
            "fork": lambda: self.forks,
            "trial": lambda: self.trials,
            "watches": lambda: self.watches,
            "panes": lambda: self.grid,
        }
        self.router = CommandRouter(context, controllers, self.design, self.grid)

    # What edits graphs is imported with the first key that does: no first frame shows it.

    @cached_property
    def _forms(self) -> DesignForms:
        from .forms import DesignForms

        return DesignForms(self.design, self.runs, self.surface)

    @cached_property
    def _edits(self) -> GraphEdits:
        from .graph_edits import GraphEdits

        return GraphEdits(self._shared, self.design, self._forms, self.surface)

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
        if self.file.errors:
            self.grid.show_pane("problems")
        if self._begins_in_design or (self._asked_for is None and self.file.is_blank):
            self.design.action_mode()
        self.files.begin()
        run_id = self._asked_for or self._place.found.run
        if run_id is not None:
            self.runs.open(run_id, missing_is_fine=self._asked_for is None)
        self._ticks = self.set_interval(EVERY, self._tick, pause=True)
        self.runs.look()
        if self._asked_for is not None:
            self._go_on(self._then)

    @work(exclusive=True, group="rest")
    async def _load_the_rest(self) -> None:
        """Get ready for the keys, and watch the file."""
        for group in self.grid.groups:
            group.complete()
        await preload(REST)
        self.watches.load()
        self.files.watch(partial(self.call_later, self.files.look_at_disk))

    def look_again(self) -> None:
        """Look at what others did to the run, to its breakpoints, to its watches and to the file."""
        self.runs.look_again()
        self.runs.breaks.look()
        self.watches.look()
        self.files.look_at_disk()

    def on_unmount(self) -> None:
        """Let go of the thread and of the file."""
        self.runs.thread.close()
        self.files.close()

    def open_run(self, run_id: str, then: Then = "") -> None:
        """Show a run where it stands, with the review that it waits for; go on with it if that is wanted."""
        if self.design.is_on:
            self.design.turn_to("debug")
        self.runs.open(run_id)
        if self.runs.run is not None and self.runs.run.id == run_id:
            self._go_on(then)

    def _go_on(self, then: Then) -> None:
        if then == "go":
            self.runs.action_go()
        elif then == "retry":
            self.runs.action_retry()
        else:
            self.runs.open_review()

    def keep_place(self) -> None:
        """Remember how the file is left, and its run: an app that is killed finds it again."""
        run = self.runs.run
        self._place.keep(run.id if run is not None else None, self.runs.pauses.nodes)

    # What is shown

    def show(self, renamed: Mapping[str, str] = {}) -> None:
        """Show what the controllers have; called once after each change.

        Args:
            renamed: The new names of nodes that were drawn under other ones.
        """
        runs, panes = self.runs, self.panes
        try:
            panes.show(self.file, runs.moment, designing=self.design.is_on, renamed=renamed)
        except StoreUnreachable as error:  # the rest is shown when it answers again
            runs.tell_unreachable(error.what)
            return
        panes.show_pauses(runs.pauses.nodes)
        panes.show_breaks(runs.breaks.listed(), runs.breaks.marks())
        panes.log_pane.mask = self.trials.mask
        self.header.mode = self.design.mode.upper()
        self.header.waiting = runs.reviews.waiting
        self._show_status()
        self.refresh_bindings()
        if self._ticks is not None:
            (self._ticks.resume if runs.busy else self._ticks.pause)()

    def _tick(self) -> None:
        if not self.runs.tick():
            self._show_status()

    def _show_status(self) -> None:
        now, header, line = self._situation, self.header, self.bottom.next_line
        self.panes.show_running(now.running)
        status, following = status_text(now), next_step_text(now)
        header.graph, header.standing, header.scripted = status.graph, status.standing, status.scripted
        header.run_id, header.step, header.max_steps = status.run_id, status.step, status.max_steps
        line.what, line.text, line.twin = following.word, following.text, following.command
        edge, said = self._said_of
        if now.edge != edge and line.says(said):
            line.clear()

    @property
    def _situation(self) -> Situation:
        """All that header and NEXT line depend on, as it is now."""
        runs, graph = self.runs, self.panes.graph_view
        running = runs.running
        return Situation(
            file=FileState.of(self.file, self.files.on_disk),
            graph=self.panes.graph.name if self.panes.graph is not None else None,
            is_scripted=self.panes.is_scripted,
            designing=self.design.is_on,
            node=graph.selection.node,
            edge=graph.selection.edge,
            moment=runs.moment,
            is_older=not self.design.is_on and bool(runs.definition.changes),
            running=RunningNode(running.node, runs.seconds, self.trials.is_running)
            if running is not None
            else None,
            store=self._shared.address,
            hints=self.surface.hints,
        )

    def on_resize(self) -> None:
        """Put the panes in place: the terminal has another size."""
        self.grid.put_in_place()

    def on_screen_resume(self) -> None:
        """Show what came of a trial, which waits until no dialog has the keys."""
        self.trials.show()
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
        """Tell what a command does now, in this mode and to this run."""
        run = self.runs.run
        return wording(command, designing=self.design.is_on, status=run.status if run is not None else None)

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
        return self.design.is_on and isinstance(self.grid.pane, GraphPane)

    def on_paste(self, event: events.Paste) -> None:
        """Paste what the terminal pastes, where the graph has the keys."""
        if self._draws:
            event.stop()
            self._edits.paste(event.text)

    def action_copy(self) -> None:
        """Copy what is selected in the pane; in Design, nodes as they stand in the file."""
        if not (self._draws and self._edits.copy_chosen()):
            self.surface.copy_selected(self.grid.pane.copied())

    def action_copy_path(self) -> None:
        """Copy where it is."""
        self.surface.copy_selected(self.grid.pane.copied_path())

    def action_back(self) -> None:
        """Esc: leave what was begun last."""
        if self.bottom.is_searching:
            self.bottom.end_search()
        elif self._draws and self._edits.clear_marks():
            return
        elif not (self.grid.pane.back() or self.grid.lead_back() or self.runs.go_live()):
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
        if self.runs.busy:
            said = "a node is still running: {debug.stop} stops after it, {app.quit} leaves at once"
            self.surface.say(self.surface.hints(said), "warning")
        else:
            self.files.leave(self._close)

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

    @on(RunStarted)
    @on(WorkDone)
    @on(Decided)
    @on(WorkFailed)
    @on(NodeTried)
    def _hear(self, message: News) -> None:
        if isinstance(message, RunStarted):
            self.design.turn_to("debug")
        self.runs.hear(message)
        if isinstance(message, NodeTried):
            self.trials.take(message)
        elif isinstance(message, WorkDone) and isinstance(message.work, EditState):
            self.states.made()
        elif isinstance(message, WorkDone) and isinstance(message.work, Fork):
            self.forks.made(message.work)
        elif isinstance(message, WorkFailed):
            self.states.refused(message)

    @on(StoreWaits)
    def _tell_of_outage(self, message: StoreWaits) -> None:
        """Tell what the thread waits for."""
        self.runs.tell_outage(message.outage)

    @on(Printed)
    def _log(self, message: Printed) -> None:
        self.panes.log_pane.add(message)

    @on(GraphView.Selected)
    def _select(self, message: GraphView.Selected) -> None:
        self.panes.select(message.node, message.edge, told_by=message.pane)
        if self.design.is_on:
            self._show_status()
        if message.edge is not None:
            self._said_of = message.edge, self.panes.edge_in_words(message.edge)
            self.surface.say(self._said_of[1])

    @on(GraphView.Inspected)
    def _inspect(self) -> None:
        if self.design.is_on:
            self._forms.open()
        else:
            self.grid.lead_to("node")

    @on(GraphView.OutlineToggled)
    def _toggle_outline(self) -> None:
        outline = self.panes.outline
        outline.display = not outline.display
        self.grid.put_in_place()
        (outline if outline.display else self.panes.graph_view).focus()

    @on(GraphView.TooLarge)
    def _show_outline(self) -> None:
        self.panes.outline.display = True
        self.grid.put_in_place()

    @on(GraphView.Connected)
    def _connect(self, message: GraphView.Connected) -> None:
        self._edits.connect(message.source, message.target)

    @on(WhyPane.EdgeChosen)
    def _show_edge(self, message: WhyPane.EdgeChosen) -> None:
        self.surface.select(None, message.edge)
        self.grid.lead_to("graph")

    @on(BreaksPane.Asked)
    @on(StatePane.BreakAsked)
    @on(WhyPane.BreakAsked)
    def _break(self, message: BreaksPane.Asked | StatePane.BreakAsked | WhyPane.BreakAsked) -> None:
        self.runs.breaks.hear(message)

    @on(ProblemsPane.Chosen)
    def _go_to_problem(self, message: ProblemsPane.Chosen) -> None:
        place = message.problem.place
        if place.edge is not None or place.node is not None:
            self.surface.select(place.node, place.edge)
            self.grid.lead_to("graph")

    @on(StatePane.WriterAsked)
    @on(TracePane.Viewed)
    @on(WatchesPane.Viewed)
    def _view(self, message: StatePane.WriterAsked | TracePane.Viewed | WatchesPane.Viewed) -> None:
        self.runs.view_step(message.step)

    @on(TracePane.Marked)
    def _mark(self, message: TracePane.Marked) -> None:
        self.runs.pauses.toggle(message.node)

    @on(WatchesPane.Asked)
    @on(WatchesPane.Opened)
    @on(StatePane.WatchAsked)
    def _watch(self, message: WatchesPane.Asked | WatchesPane.Opened | StatePane.WatchAsked) -> None:
        self.watches.hear(message)

    @on(StatePane.EditAsked)
    def _edit_state(self, message: StatePane.EditAsked) -> None:
        self.states.ask(message.path)

    @on(StatePane.WholeAsked)
    @on(LogPane.WholeAsked)
    def _show_whole(self, message: StatePane.WholeAsked | LogPane.WholeAsked) -> None:
        from stepgraph_tui.dialogs.value import ValueDialog

        dialog = ValueDialog(
            message.title,
            message.value,
            self.surface.copy,
            self.surface.hints,
            versions=message.versions,
            compare=message.changed,
        )
        self.surface.ask(dialog)

    @on(StatePane.Told)
    @on(WhyPane.Told)
    @on(GraphView.Told)
    def _tell(self, message: StatePane.Told | WhyPane.Told | GraphView.Told) -> None:
        self.surface.say(message.text)
