"""The graph as it is designed: the mode, edits, undo, and going from problem to problem."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stepgraph.editing import Edited, EditError
from stepgraph.stores import Outcome, RunStatus
from stepgraph.values import StepgraphError

from ...cli_equivalents import Equivalents
from ...text.plain import plural
from ...worker import Adopt
from ..run_export import export_command, exported, run_export
from .refusals import NO_NODE, NO_RUN, refused_turn

if TYPE_CHECKING:
    from stepgraph.editing import Edit, Turned
    from stepgraph.editing.fixes import Fix
    from stepgraph.formats import Exportable, ExportFormat
    from stepgraph.graphs import CompiledGraph
    from stepgraph.values import Problem

    from ...context import AppContext
    from ...dialogs.export import ExportDialog
    from ...documents import Checked, OpenedGraph
    from ...exports.work import ExportWork
    from ...run_view import RunView
    from .break_controller import BreakController, PauseMarks
    from .run_controller import RunController
    from .surface import Surface


Mode = Literal["design", "debug"]


class DesignController:
    """Changes the graph of the file. A run that was started keeps the graph it began with.

    Args:
        file: The graph file.
        surface: The screen.
        runs: The run that is shown.
        breaks: Has the breakpoints, which follow the names of nodes.
        pauses: Has the pause marks, which do too.
    """

    def __init__(
        self,
        file: OpenedGraph,
        surface: Surface,
        runs: RunController,
        breaks: BreakController,
        pauses: PauseMarks,
    ) -> None:
        self.mode: Mode = "debug"
        """Whether the graph is designed, or a run of it debugged."""
        self.file = file
        self._surface = surface
        self._runs = runs
        self._problems = surface.panes.problems_pane
        self._breaks, self._pauses = breaks, pauses
        # the new names of nodes that are still drawn under their old ones
        self._renamed: Mapping[str, str] = {}
        # what was selected at the last problem, and before the last edit
        self._selected_there: tuple[str | None, int | None] = (None, None)
        self._selected_before: tuple[str | None, int | None] = (None, None)
        self._told_run: str | None = None  # the run that a message said keeps its own graph

    @property
    def is_on(self) -> bool:
        """Whether the graph is designed now."""
        return self.mode == "design"

    def turn_to(self, mode: Mode) -> None:
        """Switch to a mode, and to its panes."""
        if mode != self.mode:
            for tab in ("node", "problems") if mode == "design" else ("state", "trace"):
                self._surface.show_pane(tab, focus=False)
        self.mode = mode
        self._surface.show()

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works, else why it does not."""
        return refused_turn(verb, self.file) or True

    def action_mode(self) -> None:
        """Switch to the other mode."""
        self.turn_to("debug" if self.is_on else "design")
        self._surface.show_pane("graph")

    # What is selected

    @property
    def node(self) -> str | None:
        """The selected node, by the name that the file has for it."""
        node = self._surface.selected
        return self._renamed.get(node or "", node)

    def chosen_nodes(self) -> list[str]:
        """List the marked nodes in file order, else the selected one."""
        marked = self._surface.marked
        if marked:
            return [name for name in self.file.design.nodes if name in marked]
        return [self.node] if self.node in self.file.design.nodes and self.node is not None else []

    def one_node(self) -> str | None:
        """Find the selected node; None, and a word about it, where there is none."""
        node = self.node
        if node is None or node not in self.file.design.nodes:
            self._surface.say(NO_NODE, "warning")
            return None
        return node

    # Editing

    def edit(self, edit: Edit) -> Edited | None:
        """Apply an edit, and show the graph as it is then.

        Returns:
            What came of it; None when it was refused, with a message.
        """
        before = self.file.design
        self._selected_before = self._surface.selected, self._surface.selected_edge
        try:
            edited = self.file.do(edit)
        except EditError as error:
            self._surface.tell_error(error)
            return None
        if edited.design is before:
            self._surface.say("nothing was changed")
            return edited
        self._surface.say(f"{edited.said}{self._run_left_alone()}")
        self._changed(edited)
        return edited

    def _run_left_alone(self) -> str:
        """Note once for each unfinished run that it continues with the graph it began with."""
        run = self._runs.shown.run
        if run is None or run.outcome or run.id == self._told_run:
            return ""
        self._told_run = run.id
        return f"; run {run.id} keeps its own graph"

    def action_undo(self) -> None:
        """Undo the last edit."""
        self._turn(self.file.undo(), "undid", "there is nothing to undo")

    def action_redo(self) -> None:
        """Redo what was undone."""
        self._turn(self.file.redo(), "redid", "there is nothing to redo")

    def take_back(self, made: Edited) -> None:
        """Undo an edit as if it had never been made, where nothing else was done since."""
        turned = self.file.take_back(made)
        if turned is not None:
            node, edge = self._selected_before
            self._surface.say(f"undid: {turned.said}")
            self._changed(replace(turned, node=node, edge=edge))

    def _turn(self, turned: Turned | None, verb: str, nothing: str) -> None:
        if turned is None:
            self._surface.say(nothing, "warning")
            return
        self._surface.say(f"{verb}: {turned.said}")
        self._changed(turned)

    def _changed(self, after: Edited | Turned) -> None:
        """Build and check the new design; a large one in a thread, so that keys are answered meanwhile."""
        if after.renamed is not None:
            self._pauses.rename(*after.renamed)
            self._breaks.rename("node", *after.renamed)
        if after.renamed_key is not None:
            self._breaks.rename("key", *after.renamed_key)
        if self.file.is_large:
            if after.renamed is not None:
                self._renamed = {**self._renamed, after.renamed[0]: after.renamed[1]}
            self._surface.begin(self._check_in_thread(after))
            self._surface.show()
        else:
            self._take(self.file.checking()(), after)

    def show_file(self) -> None:
        """Show the graph as it was just read; a large one is built and checked in a thread first."""
        if self.file.readable and not self.file.is_taken:
            self._surface.begin(self._check_in_thread(None))
        self._surface.show()

    def recheck(self) -> None:
        """Check the design again, as what it is checked by has changed."""
        if self.file.is_large:
            self._surface.begin(self._check_in_thread(None))
        else:
            self._take(self.file.checking()(), None)

    async def _check_in_thread(self, after: Edited | Turned | None) -> None:
        check = self.file.checking()

        def work() -> Checked:
            checked = check()
            if after is None:  # a large graph lives long: no need to go through it again and again
                gc.collect()
                gc.freeze()
            return checked

        self._take(await self._surface.work(work), after)

    def _take(self, checked: Checked, after: Edited | Turned | None) -> None:
        if not self.file.take(checked):
            return  # it was edited again meanwhile
        renamed = dict([after.renamed]) if after is not None and after.renamed is not None else {}
        self._surface.show({**self._renamed, **renamed})
        self._renamed = {}
        if after is not None and (after.node is not None or after.edge is not None):
            self._surface.select(after.node, after.edge)

    # Problems

    def action_problem(self, by: int) -> None:
        """Move to the next problem, or the one before."""
        problem = self._problems.step(by)
        if problem is None:
            self._surface.say("nothing is wrong")
            return
        if problem.place.edge is not None or problem.place.node is not None:
            self._surface.select(problem.place.node, problem.place.edge)
        self._selected_there = self.node, self._surface.selected_edge
        count = len(self._fixes_for(problem))
        fixes = "a fix" if count == 1 else f"{count} fixes"
        mend = f"{self._surface.hints.key('design.fix')} has {fixes}: " if count else ""
        self._surface.say(f"{mend}{problem.message}", "error" if problem.is_error else "warning")

    def _fixes_for(self, problem: Problem) -> list[Fix]:
        """List the edits that would mend a problem; none where nothing can be edited."""
        from stepgraph.editing.fixes import fixes_for  # it knows all edits, which no frame shows

        return [] if self.file.refusal else list(fixes_for(problem, self.file.design))

    async def action_fix(self) -> None:
        """Offer the fixes of a problem of what is selected, else of the one that was gone to last."""
        problem = self._problem_here()
        if problem is None:
            self._surface.say("nothing is wrong")
            return
        from stepgraph_tui.dialogs.fixes import FixMenu

        design = self.file.design
        fixes = [fix for fix in self._fixes_for(problem) if fix.works_in(design)]
        if not fixes:
            self._surface.say(f"no automatic fix: {problem.hint or problem.message}", "warning")
            return
        fix = await self._surface.ask(FixMenu(problem, design, fixes))
        if fix is not None and self.edit(fix.edit) is not None:
            self._surface.say(fix.label)

    def _problem_here(self) -> Problem | None:
        """Find the problem that was gone to, or the first of what was selected since."""
        gone_to, node, edge = self._problems.selected, self.node, self._surface.selected_edge
        if gone_to is None or self._problems.has_focus or (node, edge) == self._selected_there:
            return gone_to

        def is_here(problem: Problem) -> bool:
            place = problem.place
            return place.edge == edge if edge is not None else node is not None and place.node == node

        if is_here(gone_to):
            return gone_to
        here = sorted(filter(is_here, self.file.checked.problems), key=lambda problem: not problem.is_error)
        return next(iter(here), gone_to)


class DefinitionController:
    """Shows how the file differs from a run's graph, and lets the run adopt it.

    Args:
        file: The graph file.
        surface: The screen.
        runs: Has the run that is shown, and the thread.
    """

    def __init__(self, file: OpenedGraph, surface: Surface, runs: RunController) -> None:
        self._file, self._surface, self._runs = file, surface, runs

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether there is anything to show."""
        if self._runs.shown.view is None:
            return self._surface.hints(NO_RUN)
        changes = self._runs.shown.changes
        if not changes and not self._file.readable:
            return self._surface.hints("the file cannot be read: {workbench.problems} shows why")
        return bool(changes) or "the run already uses this version of the file"

    async def action_show(self) -> None:
        """Show what differs, and offer to adopt it."""
        view = self._runs.shown.view
        if view is None:
            return
        from stepgraph_tui.dialogs.questions import AdoptQuestion

        path = self._file.path
        name = path.name if path is not None else view.run.head.graph
        changes = self._runs.shown.changes
        if await self._surface.ask(AdoptQuestion(view.run_id, name, changes, self._refusal(view))):
            self._adopt(view.run_id)

    def _adopt(self, run_id: str) -> None:
        try:
            app = self._file.compiled()
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        self._runs.submit(Adopt(run_id, app))

    def _refusal(self, view: RunView) -> str | None:
        """Explain why the run cannot be moved to the file; None when it can."""
        run, graph = view.run, self._file.checked.graph
        if run.status is RunStatus.ENDED and run.outcome is not Outcome.MAX_STEPS:
            return self._surface.hints("it has ended: {debug.start_over} starts over with the file")
        if self._file.checked.errors or not self._file.readable or graph is None:
            return f"the file has {plural(self._file.checked.errors, 'error')} to fix first"
        node = run.current if run.current is not None else view.steps[-1].next
        if node not in graph.nodes:
            there = f"it stands at {node or ''}, a node that the file no longer has"
            return f"{there}. {self._surface.hints('Put it back there, or {debug.start_over} starts over')}"
        return None


class ExportController:
    """Exports the run that is shown; in Design, and without one, the graph with its edits.

    Args:
        context: What the app shares.
        surface: The screen.
        design: Knows the mode, and has the file.
        runs: The run.
    """

    def __init__(
        self, context: AppContext, surface: Surface, design: DesignController, runs: RunController
    ) -> None:
        self._context, self._surface = context, surface
        self._design, self._runs = design, runs

    def availability(self, verb: str, *arguments: object) -> bool:
        """Check whether the key works: it does."""
        return True

    async def action_ask(self) -> None:
        """Ask in which format, and where to."""
        run = None if self._design.is_on else self._runs.shown.run
        if run is not None:
            path = self._design.file.path
            folder = path.parent if path is not None else Path()
            self._tell(run.id, await self._surface.ask(run_export(self._context, run.id, folder)))
            return
        graph = self._runs.compiled()
        if graph is not None:  # else a message has said so
            self._tell(None, await self._surface.ask(self._graph_export(graph)))

    def _graph_export(self, graph: CompiledGraph) -> ExportDialog:
        from stepgraph.formats import file_stem
        from stepgraph_tui.dialogs.export import ExportDialog
        from stepgraph_tui.exports import FORMATS
        from stepgraph_tui.exports.work import ExportWork

        def refused(wanted: ExportFormat) -> str:
            return "needs a run: show one in Debug first" if wanted.needs_run else ""

        path = self._design.file.path
        stem = path.with_name(path.stem) if path is not None else Path(file_stem(graph.name))
        begin = partial(ExportWork, partial(_opened_graph, graph))
        return ExportDialog(f"graph {graph.name}", FORMATS, stem, begin, refused)

    def _tell(self, run_id: str | None, work: ExportWork | None) -> None:
        if work is None:
            return
        self._surface.say(exported(work))
        path = self._design.file.path
        if run_id is not None:
            self._surface.note(export_command(self._context, run_id, work))
        elif path is not None and not self._design.file.is_dirty:  # a command knows nothing of unsaved edits
            self._surface.note(Equivalents().export(str(path), work.wanted.name, work.path, force=work.force))


@contextmanager
def _opened_graph(graph: CompiledGraph) -> Iterator[Exportable]:
    from stepgraph.formats import Exportable

    yield Exportable.of_graph(graph)
