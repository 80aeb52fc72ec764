"""The workbench: one graph, one run of it, and all that keys can do with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on, work
from textual.actions import parse
from textual.app import ComposeResult
from textual.timer import Timer

from stepgraph.values import StoreUnreachable

from ...commands import bindings
from ...commands.command import Wording
from ...context import AppContext
from ...documents import Buffer, Watcher, graph_at
from ...preload import preload
from ...widgets.breaks import BreaksPane
from ...widgets.chrome.find_bar import BottomLine
from ...widgets.chrome.status_lines import HeaderLine, KeyLine
from ...widgets.graph_view import GraphPane, GraphView
from ...widgets.log import LogPane
from ...widgets.problems import ProblemsPane
from ...widgets.state import ChatPane, StatePane
from ...widgets.trace import TracePane
from ...widgets.watches import WatchesPane
from ...widgets.why import WhyPane
from ...worker import (
    Decided,
    EditState,
    Fork,
    GraphLoaded,
    NodeTried,
    Printed,
    RunStarted,
    StoreWaits,
    WorkDone,
    WorkFailed,
)
from .break_controller import BreakController, PauseMarks
from .command_router import CommandRouter
from .design_controller import DefinitionController, DesignController, ExportController
from .file_controller import FileController, ModuleController
from .kept_place import KeptPlace
from .outcomes import Outcomes
from .refusals import renamed
from .review_controller import ReviewController
from .run_controller import EVERY, ImportAsked, RunController
from .run_starter import ForkController, LiveController, RunStarter
from .state_controller import StateController
from .status import StatusLines
from .step_controller import LoopController, StepController
from .surface import Surface
from .trial_controller import TrialController
from .watch_controller import WatchController

if TYPE_CHECKING:
    from ...documents import PythonGraph
    from ..runs import Then
    from .graph_edits import DesignForms, GraphEdits


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
    "stepgraph_tui.dialogs.help",
    "stepgraph_tui.dialogs.break_form",
    "stepgraph_tui.palette",
    "pydantic.main",
    "stepgraph.nodes.settings",  # its model is the first one, which has pydantic load the rest of itself
    "stepgraph_tui.dialogs.forms",
    "stepgraph.editing.renaming",
    "stepgraph.editing.fixes",
    "stepgraph_tui.screens.workbench.graph_edits",
    "stepgraph.runs.debug.stops",
    "stepgraph.runs.debug.kept",
    "multiprocessing",
    "watchfiles",
)
"""What the keys need and no first frame shows: loaded after it."""


class Workbench(Surface):
    """Shows a graph and a run of it in panes, and hands keys to the controllers of run, design and file.

    Args:
        context: What the app shares.
        path: The graph file, or the graph in a Python module; None for a run that has none.
        run_id: The run to show at once; when None the last one that was looked at here, else one of this
            file that has not ended.
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
        super().__init__(context)
        self._then = then
        self._asked_for = run_id
        self._begins_in_design = design
        self._ticks: Timer | None = None  # while the thread has work
        self._is_work_shown = False  # whether that is to be seen
        self._watcher: Watcher | None = None  # of the file, once all is loaded
        self.file = (
            file
            if file is not None
            else graph_at(path, drafts=context.edits, hints=context.hints, connections=context.connections)
        )
        self._place = KeptPlace(path, self)
        self.header, self.bottom = HeaderLine(context.hints), BottomLine(context.hints, self.next_line)
        self.runs = RunController(context, self.file, self)
        self.runs.thread.pause_after = frozenset(self._place.found.pause_after)
        self.live = LiveController(context, self, self.runs)
        self.starter = RunStarter(context, self, self.runs, self.live)
        self.reviews = ReviewController(context, self, self.runs)
        self.outcomes = Outcomes(self, self.runs, self.starter, self.reviews)
        self.steps = StepController(context, self, self.runs, self.starter, self.reviews)
        self.loops = LoopController(self, self.runs, self.steps)
        self.breaks = BreakController(context, self.file, self, self.runs)
        self.pauses = PauseMarks(self, self.runs.thread)
        self.definition = DefinitionController(self.file, self, self.runs)
        self.design = DesignController(self.file, self, self.runs, self.breaks, self.pauses)
        self.files: FileController | ModuleController
        self.module: ModuleController | None = None
        """What has the graph imported, where it is Python."""
        if isinstance(self.file, Buffer):
            self.files = FileController(context, self.file, self, self.design, self.runs)
        else:
            self.files = self.module = ModuleController(self.file, self, self.design, self.runs)
        self.trials = TrialController(context, self, self.runs, self.design, self.live)
        self.watches = WatchController(context, self.file, self, self.runs, self.panes)
        self.forks = ForkController(context, self, self.runs)
        self.states = StateController(context, self, self.runs)
        self.exports = ExportController(context, self, self.design, self.runs)
        self._lines = StatusLines(self.header, self)
        self.router = CommandRouter(self)

    # What edits graphs is imported with the first key that does: no first frame shows it.

    @cached_property
    def forms(self) -> DesignForms:
        """The forms of Design."""
        from .graph_edits import DesignForms

        return DesignForms(self.design, self.runs, self)

    @cached_property
    def edits(self) -> GraphEdits:
        """The edits that keys make in the graph."""
        from .graph_edits import GraphEdits

        return GraphEdits(self.context, self.design, self.forms, self)

    def compose(self) -> ComposeResult:
        """Header, panes, what comes next, keys."""
        yield self.header
        yield self.grid
        yield self.bottom
        yield KeyLine()

    def on_mount(self) -> None:
        """Show the graph, and the run that was asked for or was looked at last."""
        self.header.store = self.context.address or ""
        self._place.restore()
        self.panes.first = self._place.found.node
        self.design.show_file()
        self.breaks.look()
        if self.file.checked.errors:
            self.grid.show_pane("problems")
        if self._begins_in_design or (self._asked_for is None and self.file.is_blank):
            self.design.action_mode()
        self.files.begin()
        run_id = self._asked_for or self._place.found.run or self.runs.shown.unfinished()
        if run_id is not None:
            self.runs.shown.open(run_id, missing_is_fine=self._asked_for is None)
        self._ticks = self.set_interval(EVERY, self._tick, pause=True)
        self.runs.shown.look()
        if self._asked_for is not None:
            self._go_on(self._then)
        elif self.file.path is None and self.file.checked.graph is not None:
            self.call_later(self.steps.action_ask)  # a program wants a run of its graph

    @work(exclusive=True, group="rest")
    async def _load_the_rest(self) -> None:
        """Get ready for the keys, and watch the file."""
        for group in self.grid.groups:
            group.complete()
        await preload(REST)
        self.watches.load()
        if self._watcher is None and self.file.disk_path is not None:
            stirred = partial(self.call_later, self.files.look_at_disk)
            self._watcher = Watcher(self.file.disk_path, stirred)

    def look_again(self) -> None:
        """Look at the time, and at what others did to the run, its breakpoints, its watches and the file."""
        self.runs.shown.look_again()
        self.breaks.look()
        self.watches.look()
        self.files.look_at_disk()
        self.panes.trace_pane.tell_time()
        self._lines.look_again()

    def on_unmount(self) -> None:
        """Close the thread and the file."""
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
            self.steps.action_go()
        elif then == "retry":
            self.steps.action_retry()
        else:
            self.reviews.open()

    def keep_place(self) -> None:
        """Remember how the file is left, and its run: an app that is killed finds it again."""
        run = self.runs.shown.run
        self._place.keep(run.id if run is not None else None, self.pauses.nodes)

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
        panes.show_pauses(self.pauses.nodes)
        panes.show_breaks(self.breaks.break_list(), self.breaks.marks())
        panes.log_pane.mask = self.trials.mask
        self._lines.show()
        self.refresh_bindings()
        self._is_work_shown = runs.busy
        if self._ticks is not None:
            (self._ticks.resume if runs.busy else self._ticks.pause)()

    def show_work(self) -> None:
        """Show that the thread is at work at the first tick: what is done by then is shown once, as done."""
        self._is_work_shown = False
        if self._ticks is None:
            self.show()
        else:
            self._ticks.reset()

    def _tick(self) -> None:
        if not self.runs.tick():
            (self._lines if self._is_work_shown else self).show()

    def on_resize(self) -> None:
        """Place the panes: the terminal has another size."""
        self.grid.put_in_place()

    def on_screen_resume(self) -> None:
        """Show what came of a trial, which waits until no dialog has the keys, and of added models."""
        self.trials.show()
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

    def renamed(self) -> Mapping[str, Wording]:
        """Describe the commands that do something else in this mode, or to this run."""
        moment = self.runs.shown.moment
        return renamed(moment, designing=self.design.is_on, is_python=self.file.is_python)

    def action_do(self, command: str) -> None:
        """Run a controller's command."""
        try:
            self.router.do(command)
        except StoreUnreachable as error:
            self.tell_error(error)

    def on_mouse_down(self) -> None:
        """Clear the last message."""
        self.clear()

    def on_key(self, event: events.Key) -> None:
        """Clear the last message; explain why a key does nothing."""
        self.clear()
        active = self.active_bindings.get(event.key)
        reason = None
        if active is None:
            reason = self.router.in_other_mode(event.key)
        elif not active.enabled and active.node is self:
            works = self.router.availability(str(parse(active.binding.action)[2][0]))
            reason = works if isinstance(works, str) else "not now"
        if reason is not None:
            self.say(reason, "warning")

    @property
    def _draws(self) -> bool:
        """Whether the keys go to a graph that is designed."""
        return self.design.is_on and not self.file.refusal and isinstance(self.grid.pane, GraphPane)

    def on_paste(self, event: events.Paste) -> None:
        """Paste what the terminal pastes, where the graph has the keys."""
        if self._draws:
            event.stop()
            self.edits.paste(event.text)

    def action_copy(self) -> None:
        """Copy what is selected in the pane; in Design, nodes as they are in the file."""
        if not (self._draws and self.edits.copy_chosen()):
            self.copy_selected(self.grid.pane.copied())

    def action_copy_path(self) -> None:
        """Copy where it is."""
        self.copy_selected(self.grid.pane.copied_path())

    def action_back(self) -> None:
        """Esc: leave what was begun last."""
        if self.bottom.is_searching:
            self.bottom.end_search()
        elif self._draws and self.edits.clear_marks():
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
        self.say(self.hints(f"{first}, {{app.quit}} leaves Stepgraph"))

    def action_close(self) -> None:
        """Return to the home screen."""
        if self.runs.busy and not self.runs.is_importing:
            reason = "a node is still running: {debug.stop} stops after it, {app.quit} leaves at once"
            self.say(self.hints(reason), "warning")
        else:
            self.begin(self._close())

    async def _close(self) -> None:
        if await self.files.may_leave():
            self.keep_place()
            self.dismiss()

    async def action_find(self) -> None:
        """Ask what to find in the pane."""
        await self.bottom.search(self.grid.pane)

    def action_find_next(self, by: int) -> None:
        """Move to the next match, or the one before."""
        self.bottom.find_next(by)

    # What the thread tells

    @on(RunStarted)
    @on(WorkDone)
    @on(Decided)
    @on(WorkFailed)
    @on(NodeTried)
    @on(GraphLoaded)
    def _hear(self, message: RunStarted | WorkDone | Decided | WorkFailed | NodeTried | GraphLoaded) -> None:
        """Handle the thread's reports on its work; what is special to some work has its own controller."""
        if isinstance(message, RunStarted):
            self.design.turn_to("debug")
        if self.module is not None and isinstance(message, GraphLoaded | WorkFailed):
            self.module.take(message)  # before the run goes on with what waited for it
        self.outcomes.hear(message)
        if self.module is not None and isinstance(message, GraphLoaded | WorkFailed):
            self.module.tell(message)
        if isinstance(message, NodeTried):
            self.trials.take(message)
        elif isinstance(message, WorkDone) and isinstance(message.work, EditState):
            self.states.forget_text()
        elif isinstance(message, WorkDone) and isinstance(message.work, Fork):
            self.forks.show_fork(message.work)
        elif isinstance(message, WorkFailed) and isinstance(message.work, EditState):
            self.begin(self.states.refused(message.work, message.error))

    @on(ImportAsked)
    def _import(self) -> None:
        if self.module is not None:
            self.module.load()

    @on(StoreWaits)
    def _tell_outage(self, message: StoreWaits) -> None:
        self.runs.tell_outage(message.outage)

    @on(Printed)
    def _log(self, message: Printed) -> None:
        self.panes.log_pane.add(message)

    # What the panes tell

    @on(GraphView.Selected)
    def _select(self, message: GraphView.Selected) -> None:
        """Select in every pane what was selected in one; say which edge it is."""
        self.panes.select(message.node, message.edge, told_by=message.pane)
        if self.design.is_on:
            self._lines.show()
        if message.edge is not None:
            self._lines.say_edge(message.edge)

    @on(GraphView.Inspected)
    def _inspect(self) -> None:
        """Open the form of what is selected; in Debug, the pane that tells all of it."""
        refused = self.file.refusal
        if self.design.is_on and not refused:
            self.begin(self.forms.open())
            return
        self.grid.show_node()
        if self.design.is_on:
            self.say(refused)

    @on(WhyPane.EdgeChosen)
    def _show_edge(self, message: WhyPane.EdgeChosen) -> None:
        self._show_in_graph(None, message.edge)

    @on(ProblemsPane.Chosen)
    def _show_problem(self, message: ProblemsPane.Chosen) -> None:
        self._show_in_graph(message.problem.place.node, message.problem.place.edge)

    def _show_in_graph(self, node: str | None, edge: int | None) -> None:
        """Select a part of the graph, and go there; do nothing where it is none."""
        if node is not None or edge is not None:
            self.select(node, edge)
            self.grid.lead_to("graph")

    @on(BreaksPane.Asked)
    def _change_breaks(self, message: BreaksPane.Asked) -> None:
        self.begin(self.breaks.hear(message))

    @on(StatePane.BreakAsked)
    def _break_on_value(self, message: StatePane.BreakAsked) -> None:
        self.breaks.break_on_value(message.path, *message.values)

    @on(WhyPane.BreakAsked)
    def _break_on_edge(self, message: WhyPane.BreakAsked) -> None:
        self.breaks.toggle_edge(message.edge)

    @on(WatchesPane.Opened)
    def _load_watches(self) -> None:
        self.watches.load()

    @on(WatchesPane.Asked)
    def _change_watches(self, message: WatchesPane.Asked) -> None:
        self.begin(self.watches.hear(message))

    @on(StatePane.WatchAsked)
    def _watch_value(self, message: StatePane.WatchAsked) -> None:
        self.watches.add(message.text)

    @on(StatePane.WriterAsked)
    @on(TracePane.Viewed)
    @on(WatchesPane.Viewed)
    def _view(self, message: StatePane.WriterAsked | TracePane.Viewed | WatchesPane.Viewed) -> None:
        self.runs.shown.view_step(message.step)

    @on(TracePane.Marked)
    def _mark(self, message: TracePane.Marked) -> None:
        self.pauses.toggle(message.node)

    @on(ChatPane.Asked)
    def _change_messages(self, message: ChatPane.Asked) -> None:
        self.begin(self.states.change_messages(message))

    @on(ChatPane.ValueAsked)  # here: what a pane is told to post comes no further than its sender
    def _show_messages(self, message: ChatPane.ValueAsked) -> None:
        self.panes.state_pane.show_whole(message.path)

    @on(StatePane.EditAsked)
    def _edit_state(self, message: StatePane.EditAsked) -> None:
        self.begin(self.states.ask(message.path))

    @on(StatePane.WholeAsked)
    @on(LogPane.WholeAsked)
    def _show_whole(self, message: StatePane.WholeAsked | LogPane.WholeAsked) -> None:
        from stepgraph_tui.dialogs.value import ValueDialog

        versions, compare = message.versions, message.changed
        self.app.push_screen(
            ValueDialog(
                message.title, message.value, self.copy, self.hints, versions=versions, compare=compare
            )
        )

    @on(StatePane.Told)
    @on(WhyPane.Told)
    @on(GraphView.Told)
    def _tell(self, message: StatePane.Told | WhyPane.Told | GraphView.Told) -> None:
        self.say(message.text)
