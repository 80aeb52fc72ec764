"""The workbench: one graph, one run of it, and all that keys can do with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from textual import events
from textual.actions import parse
from textual.message import Message

from stepgraph.ledger import RunStatus
from stepgraph_tui import twins
from stepgraph_tui.commands import DEBUG, DESIGN, EDIT, Command, bindings
from stepgraph_tui.commands.names import key_name
from stepgraph_tui.desk import Desk
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.dialogs.open_path import OpenPath
from stepgraph_tui.dialogs.run_form import RunForm, RunInputs
from stepgraph_tui.stepping import Go, Retry, Step
from stepgraph_tui.widgets.graph_view import GraphPane

from .offers import no_such_step, refusal, refused_edit, refused_of_file
from .trying import WorkbenchTry

_TICK = 0.2  # seconds between two looks at the node that runs
_LOOK = 1.0  # seconds between two looks at what other processes did


def _actions(commands: Iterable[Command]) -> frozenset[str]:
    return frozenset(command.action.partition("(")[0] for command in commands)


def _by_key(commands: Iterable[Command], mapped: Mapping[str, str]) -> dict[str, Command]:
    return {key: command for command in commands for key in mapped.get(command.id, command.keys).split(",")}


_IN_DEBUG, _OF_THE_GRAPH = _actions(DEBUG), _actions(EDIT)
_IN_DESIGN = _actions(DESIGN) | _OF_THE_GRAPH


class Workbench(WorkbenchTry):
    """Runs and steps what the panes show.

    Args:
        desk: What the app shares.
        path: The graph file; None for a run that has none.
        run_id: The run to show at once; the last one of this file when None.
        design: Whether the graph is to be drawn, rather than a run of it debugged; one without nodes is.
    """

    BINDINGS = bindings((*DEBUG, *EDIT, *DESIGN))
    CSS_PATH = "workbench.tcss"

    class Left(Message):
        """Another graph file was asked for."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    def __init__(
        self, desk: Desk, path: Path | None, run_id: str | None = None, *, design: bool = False
    ) -> None:
        super().__init__(desk, path, run_id)
        self._begins_in_design = design
        mapped = desk.settings.keys
        self._keys_of_other = {
            "design": ("Debug", _by_key(DEBUG, mapped)),
            "debug": ("Design", _by_key((*DESIGN, *EDIT), mapped)),
        }

    def on_mount(self) -> None:
        """Show the graph, and the run that was asked for or was looked at last."""
        self.prepare()
        self.show_graph()
        if self._begins_in_design or self._is_blank:
            self.action_mode()
        self.begin_filing()
        run_id = self._asked_for or self.place.run
        if run_id is not None:
            self.open_run(run_id, missing_is_fine=self._asked_for is None)
        if self._asked_for is not None:
            self.open_review()
        self.set_interval(_TICK, self.tick)
        self.set_interval(_LOOK, self.look)
        self.set_interval(_LOOK, self.look_at_disk)
        self.look()

    @property
    def _is_blank(self) -> bool:
        """Whether there is nothing yet but a graph file to draw in."""
        file = self.file
        if file.path is None or self._asked_for is not None or not file.readable or file.design.nodes:
            return False
        return all(problem.code.startswith("G") for problem in file.problems)  # else it is no graph file

    def on_unmount(self) -> None:
        """Let go of the thread and of the file."""
        super().on_unmount()
        self.end_filing()

    # What the keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now is offered; None for what can say why it does not."""
        if action in (_IN_DEBUG if self.designing else _IN_DESIGN):
            return False
        if action in _OF_THE_GRAPH and not isinstance(self.pane, GraphPane):
            return False
        offered = {
            "approvals": self.header.waiting > 0,
            "find_next": self.searching,
            "enlarge": not self.enlarged,
            "restore": self.enlarged,
        }
        if action in offered:
            return offered[action]
        return None if self._refusal(action, parameters) else True

    def _refusal(self, action: str, parameters: tuple[object, ...]) -> str | None:
        if action == "view":
            return no_such_step(self.moment, earlier=parameters == (-1,))
        if self.designing or action == "save":
            return self._refused_edit(action)
        running = self.thread.running
        return refusal(
            action, self.run, busy=self.busy, running=running.node if running is not None else None
        )

    def _refused_edit(self, action: str) -> str | None:
        node, marked = self.node, self.graph_view.marked
        return refused_of_file(action, self.file, is_same=self.on_disk == "same") or refused_edit(
            action,
            node=node in self.file.design.nodes,
            edge=self.graph_view.selected_edge is not None,
            marks=bool(marked),
            copied=bool(self.desk.cut),
        )

    def on_key(self, event: events.Key) -> None:
        """Say why a key does nothing."""
        active = self.active_bindings.get(event.key)
        if active is None:
            mode, keys = self._keys_of_other[self.mode]
            other = keys.get(event.key)
            if other is not None:
                self.say(f"{key_name(event.key)} {other.label}: a key of {mode}; m goes there", "warning")
        elif not active.enabled and active.node is self:
            _, action, parameters = parse(active.binding.action)
            self.say(self._refusal(action, parameters) or "not now", "warning")

    def action_step(self) -> None:
        """Run exactly one node; without a run, ask for the inputs of one."""
        if self.run is None:
            self._ask_for_inputs()
        elif self._is_live() and self.submit(Step(self.run.id)):
            self.note(twins.step(self.run.id, self.desk.address))

    def action_go(self) -> None:
        """Run on, or begin a run."""
        if self.run is None or self.run.status is RunStatus.ENDED:
            self._ask_for_inputs()
        elif self._is_live() and self.submit(Go(self.run.id)):
            self.note(twins.resume(self.run.id, self.desk.address, after=self.pause_after))

    def action_to_here(self) -> None:
        """Run on until the selected node comes next."""
        node = self.graph_view.selected
        if node is None or self.run is None:
            self.say("select a node in the graph first", "warning")
        elif self._is_live() and self.submit(Go(self.run.id, until=node)):
            self.note(twins.resume(self.run.id, self.desk.address, node, self.pause_after))

    def action_pause_after(self) -> None:
        """Mark the selected node (in the trace: the step's), or take the mark off it."""
        node = self.trace_pane.node if self.pane is self.trace_pane else self.graph_view.selected
        if node is None:
            self.say("select a node in the graph first", "warning")
        else:
            self.mark_pause(node)

    def action_stop(self) -> None:
        """Stop after the node that runs now."""
        self.thread.stop()
        self.say("stops after this node")

    def action_retry(self) -> None:
        """Try the failed part again."""
        if self.run is not None and self._is_live() and self.submit(Retry(self.run.id)):
            self.note(twins.retry(self.run.id, self.desk.address))

    def action_start_over(self) -> None:
        """Start a new run with the same inputs; where one is unfinished they can be changed first."""
        view = self.view
        if view is None:
            return
        if view.run.status is RunStatus.ENDED:
            self.start(dict(view.inputs))
        else:
            self._ask_for_inputs(f"Start over; run {view.run.id} is kept as it stands")

    def action_view(self, by: int) -> None:
        """View the step before or after the one that is viewed."""
        if self.moment is not None:
            step = self.moment.step + by
            self.view_step(step if step < self.moment.view.run.step else None)

    def action_approvals(self) -> None:
        """Open the review that waits."""
        self.open_review(or_another=True)

    def _is_live(self) -> bool:
        """Steps are taken where the run stands, as it was seen to stand: else the key only goes there."""
        if not self.busy and self.look():
            self.go_live()
            self.say("the run was changed elsewhere: look, then press again to run it", "warning")
            return False
        if self.go_live():
            self.say("back where the run stands; press again to run it", "warning")
            return False
        return True

    def action_close(self) -> None:
        """Go back to the home screen."""
        if self.busy:
            self.say("a node still runs: X stops after it, ctrl+q leaves at once", "warning")
            return
        self.leave(self._close)

    def _close(self) -> None:
        self.keep_place()
        self.dismiss()

    def action_open_file(self) -> None:
        """Ask for another graph file; this one stays open below it, with its edits."""

        def opened(path: Path | None) -> None:
            if path is None:
                return
            if self.file.path is not None and path.resolve() == self.file.path.resolve():
                self.say("that is this graph")
            else:
                self.post_message(self.Left(path))

        self.app.push_screen(OpenPath(), opened)

    def action_run(self) -> None:
        """Ask for the inputs of a run of the graph as it is here."""
        if self.busy:
            self.say("a node still runs: X stops after it", "warning")
        else:
            self._ask_for_inputs()

    def _ask_for_inputs(self, title: str | None = None) -> None:
        app = self.compiled()
        if app is None:
            return
        given = self.view.inputs if self.view is not None else {}

        def answered(inputs: RunInputs | None) -> None:
            if inputs is not None:
                self.start(inputs.values, inputs.run_id)

        self.app.push_screen(FormDialog(RunForm(app, given, title)), answered)
