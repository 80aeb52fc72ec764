"""The controllers of a workbench, put together, each under the name that commands have for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from stepgraph_tui.documents import Buffer

from .design_controller import DesignController
from .export_controller import ExportController
from .file_controller import FileController
from .fork_controller import ForkController
from .loop_controller import LoopController
from .run_controller import RunController
from .state_controller import StateController
from .step_controller import StepController
from .trial_controller import TrialController
from .watch_controller import WatchController

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph_tui.context import AppContext
    from stepgraph_tui.documents import PythonGraph

    from .command_router import Controller
    from .forms import DesignForms
    from .graph_edits import GraphEdits
    from .grid import PaneGrid
    from .module_controller import ModuleController
    from .panes import WorkbenchPanes
    from .surface import Surface


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
            from .module_controller import ModuleController

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

    @cached_property
    def by_name(self) -> Mapping[str, Callable[[], Controller]]:
        """What finds each controller, by the name that its commands begin with."""
        return {
            "run": lambda: self.steps,
            "live": lambda: self.runs.live,
            "reviews": lambda: self.runs.reviews,
            "breaks": lambda: self.runs.breaks,
            "pauses": lambda: self.runs.pauses,
            "version": lambda: self.runs.definition,
            "loop": lambda: self.loops,
            "design": lambda: self.design,
            "forms": lambda: self.forms,
            "graph": lambda: self.edits,
            "file": lambda: self.files,
            "fork": lambda: self.forks,
            "export": lambda: self.exports,
            "trial": lambda: self.trials,
            "watches": lambda: self.watches,
            "panes": lambda: self._grid,
        }
