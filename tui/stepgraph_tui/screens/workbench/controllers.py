"""The controllers of a workbench, put together, each under the name that commands have for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from textual.actions import parse

from ...commands import CONTEXTS
from ...commands.command import key_name
from ...documents import Buffer
from ...widgets.breaks import BreaksPane
from ...widgets.graph_view import GraphPane, GraphView
from ...widgets.log import LogPane
from ...widgets.node import VisitPane
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
from .break_controller import LoopController
from .design_controller import DesignController, ExportController
from .file_controller import FileController
from .run_controller import ImportAsked, RunController
from .run_starter import ForkController
from .state_controller import StateController
from .step_controller import StepController
from .trial_controller import TrialController
from .watch_controller import WatchController

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph.expressions import Path

    from ...commands import Command
    from ...context import AppContext
    from ...documents import PythonGraph
    from .forms import DesignForms
    from .graph_edits import GraphEdits
    from .grid import PaneGrid
    from .panes import WorkbenchPanes
    from .run_starter import ModuleController
    from .status import StatusLines
    from .surface import Surface


_NAMED = {
    "run": "steps",
    "live": "runs.live",
    "reviews": "runs.reviews",
    "breaks": "runs.breaks",
    "pauses": "runs.pauses",
    "version": "runs.definition",
    "loop": "loops",
    "design": "design",
    "forms": "forms",
    "graph": "edits",
    "file": "files",
    "fork": "forks",
    "export": "exports",
    "trial": "trials",
    "watches": "watches",
    "panes": "_grid",
}
"""Where each controller is, by the name that its commands begin with."""


class Controllers:
    """Has every controller of a workbench; each owns a part of what the screen knows.

    Args:
        context: What the app shares.
        file: The graph file.
        surface: The screen, as controllers see it.
        panes: What it shows.
        grid: Where it shows that.
        post: Takes what the stepping thread tells.
        keep: Keeps what is to be found again when the file is opened the next time.
    """

    def __init__(
        self,
        context: AppContext,
        file: Buffer | PythonGraph,
        surface: Surface,
        panes: WorkbenchPanes,
        grid: PaneGrid,
        post: Callable[[Message], object],
        keep: Callable[[], object],
    ) -> None:
        self._context, self._surface, self._grid = context, surface, grid
        self.runs = RunController(context, file, surface, post, keep)
        self.steps = StepController(context, surface, self.runs)
        self.design = DesignController(file, surface, self.runs, panes.problems_pane)
        self.files: FileController | ModuleController
        self.module: ModuleController | None = None
        """What has the graph imported, where it is Python."""
        if isinstance(file, Buffer):
            self.files = FileController(context, file, surface, self.design, self.runs, post)
        else:
            from .run_starter import ModuleController

            self.files = self.module = ModuleController(file, surface, self.design, self.runs, post)
        self.trials = TrialController(context, surface, self.runs, self.design)
        self.watches = WatchController(context, file, surface, self.runs, panes)
        self.forks = ForkController(context, surface, self.runs)
        self.states = StateController(context, surface, self.runs)
        self.loops = LoopController(surface, self.runs, self.steps)
        self.exports = ExportController(context, surface, self.design, self.runs)

    # What edits graphs is imported with the first key that does: no first frame shows it.

    @cached_property
    def forms(self) -> DesignForms:
        """The forms of Design."""
        from .forms import DesignForms

        return DesignForms(self.design, self.runs, self._surface)

    @cached_property
    def edits(self) -> GraphEdits:
        """The edits that keys make in the graph."""
        from .graph_edits import GraphEdits

        return GraphEdits(self._context, self.design, self.forms, self._surface)

    def named(self, name: str) -> Controller:
        """Find a controller by the name that its commands begin with."""
        found: Controller = attrgetter(_NAMED[name])(self)
        return found


_IN_BOTH = frozenset({"run.stop"})
"""The commands of Debug that hold in Design as well: a module may be imported there, too."""
_IN_DEBUG = frozenset(command.action for command in CONTEXTS["debug"]) - _IN_BOTH
_OF_THE_GRAPH = frozenset(command.action for command in CONTEXTS["edit"])
_IN_DESIGN = _OF_THE_GRAPH | {command.action for command in CONTEXTS["design"]}
_LOOKS = frozenset({"design.problem(1)", "design.problem(-1)", "run.ask"})
"""The commands of Design that edit nothing."""


class Controller(Protocol):
    """Does what keys ask for; ``do('run.step')`` calls ``action_step`` of the one that is called run."""

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works; False where it is not offered, a text that says why it does nothing."""


class CommandRouter:
    """Hands commands to the controllers of the workbench.

    Args:
        context: How keys are mapped and named.
        controllers: Finds each controller, by the name that commands have for it.
        design: Knows the mode.
        grid: Knows the pane that has the keys.
    """

    def __init__(
        self,
        context: AppContext,
        controllers: Callable[[str], Controller],
        design: DesignController,
        grid: PaneGrid,
    ) -> None:
        self._controllers, self._design, self._grid = controllers, design, grid
        self._hints, mapped = context.hints, context.settings.keys
        self._keys_of_other = {
            "design": ("Debug", _by_key(CONTEXTS["debug"], mapped)),
            "debug": ("Design", _by_key((*CONTEXTS["design"], *CONTEXTS["edit"]), mapped)),
        }

    def controller(self, name: str) -> Controller:
        """Find a controller by the name that commands have for it."""
        return self._controllers(name)

    def availability(self, command: str) -> bool | str:
        """Check whether a command works; False where it is not offered, a text that says why not."""
        if command in (_IN_DEBUG if self._design.is_on else _IN_DESIGN):
            return False
        if command in _OF_THE_GRAPH and not isinstance(self._grid.pane, GraphPane):
            return False
        if command in _IN_DESIGN - _LOOKS and self._design.file.refusal:
            return self._design.file.refusal
        name, verb, arguments = parse(command)
        return self.controller(name).availability(verb, *arguments)

    def do(self, command: str) -> None:
        """Do what a controller offers: ``run.view(-1)`` is ``action_view(-1)`` of the run's."""
        name, verb, arguments = parse(command)
        getattr(self.controller(name), f"action_{verb}")(*arguments)

    def in_other_mode(self, key: str) -> str | None:
        """Describe what a key would do in the other mode; None where it does nothing there, either."""
        mode, keys = self._keys_of_other[self._design.mode]
        if key not in keys:
            return None
        there = self._hints("{workbench.mode} goes there")
        return f"{key_name(key)} {keys[key].label}: a key of {mode}; {there}"


def _by_key(commands: Iterable[Command], mapped: Mapping[str, str]) -> dict[str, Command]:
    return {key: command for command in commands for key in mapped.get(command.id, command.keys).split(",")}


class MessageRouter:
    """Hands messages to the controller, or the pane, that they are for.

    Args:
        controllers: The controllers.
        panes: What the screen shows.
        grid: Where it shows that.
        surface: The screen.
        lines: The header and the NEXT line.
    """

    def __init__(
        self,
        controllers: Controllers,
        panes: WorkbenchPanes,
        grid: PaneGrid,
        surface: Surface,
        lines: StatusLines,
    ) -> None:
        self.to, self.panes = controllers, panes
        self._grid, self._surface, self._lines = grid, surface, lines

    def route(self, message: Message) -> None:
        """Hand over a message of a kind that is ``ROUTED``."""
        ROUTED[type(message)](self, message)

    # Of the thread

    def hear(self, message: RunStarted | WorkDone | Decided | WorkFailed | NodeTried | GraphLoaded) -> None:
        """Take what the thread tells of its work; what is special to some work has its own controller."""
        to = self.to
        if isinstance(message, RunStarted):
            to.design.turn_to("debug")
        if to.module is not None and isinstance(message, GraphLoaded | WorkFailed):
            to.module.take(message)  # before the run goes on with what waited for it
        to.runs.hear(message)
        if to.module is not None and isinstance(message, GraphLoaded | WorkFailed):
            to.module.tell(message)
        if isinstance(message, NodeTried):
            to.trials.take(message)
        elif isinstance(message, WorkDone) and isinstance(message.work, EditState):
            to.states.made()
        elif isinstance(message, WorkDone) and isinstance(message.work, Fork):
            to.forks.made(message.work)
        elif isinstance(message, WorkFailed):
            to.states.refused(message)

    # Of the graph

    def select(self, message: GraphView.Selected) -> None:
        """Select in every pane what was selected in one; say which edge it is."""
        self.panes.select(message.node, message.edge, told_by=message.pane)
        if self.to.design.is_on:
            self._lines.show()
        if message.edge is not None:
            self._lines.say_edge(message.edge)

    def inspect(self) -> None:
        """Open the form of what is selected; in Debug, the pane that tells all of it."""
        refused = self.to.design.file.refusal
        if self.to.design.is_on and not refused:
            self.to.forms.open()
            return
        self.panes.visit_pane.display = False
        self._grid.lead_to("node")
        if self.to.design.is_on:
            self._surface.say(refused)

    def toggle_outline(self) -> None:
        """Show the outline or hide it, and give the keys to what is shown."""
        outline = self.panes.outline
        outline.display = not outline.display
        self._grid.put_in_place()
        (outline if outline.display else self.panes.graph_view).focus()

    def show_chat(self, path: Path | None) -> None:
        """Show a conversation in the place of the values of the state, or these again."""
        chat = self.panes.chat_pane
        chat.display = path is not None
        if path is not None:
            chat.open(path)
        self._grid.put_in_place()
        self._grid.show_pane("state")

    def show_visit(self) -> None:
        """Show all about the step that is viewed, in the place of the selected node."""
        self.panes.visit_pane.display = True
        self._grid.lead_to("node")

    def leave_visit(self) -> None:
        """Show the selected node again, and go back to where one came from."""
        self.panes.visit_pane.display = False
        self._grid.put_in_place()
        self._grid.lead_back()

    def show_outline(self) -> None:
        """Show the outline of a graph that is too large to be drawn."""
        self.panes.outline.display = True
        self._grid.put_in_place()

    # Of the other panes

    def show_in_graph(self, node: str | None, edge: int | None) -> None:
        """Select a part of the graph, and go there; do nothing where it is none."""
        if node is not None or edge is not None:
            self._surface.select(node, edge)
            self._grid.lead_to("graph")

    def show_whole(self, message: StatePane.WholeAsked | LogPane.WholeAsked) -> None:
        """Show a whole value."""
        from stepgraph_tui.dialogs.value import ValueDialog

        dialog = ValueDialog(
            message.title,
            message.value,
            self._surface.copy,
            self._surface.hints,
            versions=message.versions,
            compare=message.changed,
        )
        self._surface.ask(dialog)

    def tell(self, message: StatePane.Told | WhyPane.Told | GraphView.Told) -> None:
        """Say what a pane has to say."""
        self._surface.say(message.text)


ROUTED: dict[type[Message], Callable[[MessageRouter, Any], object]] = {
    **dict.fromkeys((RunStarted, WorkDone, Decided, WorkFailed, NodeTried, GraphLoaded), MessageRouter.hear),
    ImportAsked: lambda router, _: router.to.module.load() if router.to.module is not None else None,
    StoreWaits: lambda router, message: router.to.runs.tell_outage(message.outage),
    Printed: lambda router, message: router.panes.log_pane.add(message),
    GraphView.Selected: MessageRouter.select,
    GraphView.Inspected: lambda router, _: router.inspect(),
    GraphView.OutlineToggled: lambda router, _: router.toggle_outline(),
    GraphView.TooLarge: lambda router, _: router.show_outline(),
    WhyPane.EdgeChosen: lambda router, chosen: router.show_in_graph(None, chosen.edge),
    ProblemsPane.Chosen: lambda router, chosen: router.show_in_graph(
        chosen.problem.place.node, chosen.problem.place.edge
    ),
    **dict.fromkeys(
        (BreaksPane.Asked, StatePane.BreakAsked, WhyPane.BreakAsked),
        lambda router, asked: router.to.runs.breaks.hear(asked),
    ),
    **dict.fromkeys(
        (WatchesPane.Asked, WatchesPane.Opened, StatePane.WatchAsked),
        lambda router, asked: router.to.watches.hear(asked),
    ),
    **dict.fromkeys(
        (StatePane.WriterAsked, TracePane.Viewed, WatchesPane.Viewed),
        lambda router, asked: router.to.runs.shown.view_step(asked.step),
    ),
    TracePane.Opened: lambda router, _: router.show_visit(),
    VisitPane.Left: lambda router, _: router.leave_visit(),
    TracePane.Marked: lambda router, asked: router.to.runs.pauses.toggle(asked.node),
    StatePane.ChatAsked: lambda router, asked: router.show_chat(asked.path),
    ChatPane.Left: lambda router, _: router.show_chat(None),
    ChatPane.ValueAsked: lambda router, asked: router.panes.state_pane.show_whole(asked.path),
    ChatPane.Asked: lambda router, asked: router.to.states.hear(asked),
    StatePane.EditAsked: lambda router, asked: router.to.states.ask(asked.path),
    **dict.fromkeys((StatePane.WholeAsked, LogPane.WholeAsked), MessageRouter.show_whole),
    **dict.fromkeys((StatePane.Told, WhyPane.Told, GraphView.Told), MessageRouter.tell),
}
"""Where each kind of message goes."""
