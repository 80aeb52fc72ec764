"""Exporting what a workbench shows: the run, or the graph as it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph_tui import cli_equivalents
from stepgraph_tui.screens.run_export import export_command, exported, run_export

if TYPE_CHECKING:
    from stepgraph.formats.export import Exportable, ExportFormat
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.export import ExportDialog
    from stepgraph_tui.exports.work import ExportWork

    from .design_controller import DesignController
    from .run_controller import RunController
    from .surface import Surface


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
        """Tell whether the key works: it does."""
        return True

    def action_ask(self) -> None:
        """Ask in which format, and where to."""
        run = None if self._design.is_on else self._runs.shown.run
        if run is not None:
            path = self._design.file.path
            folder = path.parent if path is not None else Path()
            self._surface.ask(run_export(self._context, run.id, folder), partial(self._tell, run.id))
            return
        graph = self._runs.starter.compiled()
        if graph is not None:  # else a word about it was said
            self._surface.ask(self._graph_export(graph), partial(self._tell, None))

    def _graph_export(self, graph: CompiledGraph) -> ExportDialog:
        from stepgraph.formats.export import file_stem
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
            self._surface.note(
                cli_equivalents.export(str(path), work.wanted.name, work.path, force=work.force)
            )


@contextmanager
def _opened_graph(graph: CompiledGraph) -> Iterator[Exportable]:
    from stepgraph.formats.export import Exportable

    yield Exportable.of_graph(graph)
