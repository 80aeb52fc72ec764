"""Exporting what a workbench shows: the run, or the graph as it is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph_tui import cli_equivalents
from stepgraph_tui.text.plain import visible

if TYPE_CHECKING:
    from stepgraph.formats.export import Exportable, ExportFormat
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph_tui.context import AppContext
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
        from stepgraph.formats.export import file_stem
        from stepgraph_tui.dialogs.export import ExportDialog
        from stepgraph_tui.exports import FORMATS
        from stepgraph_tui.exports.work import ExportWork

        run = None if self._design.is_on else self._runs.shown.run
        path = self._design.file.path
        folder = path.parent if path is not None else Path()
        if run is not None:
            source = partial(_opened_run, self._context, run.id)
            what, stem = f"run {run.id}", file_stem(run.id)
        else:
            graph = self._runs.starter.compiled()
            if graph is None:
                return  # a word about it was said
            source = partial(_opened_graph, graph)
            what, stem = f"graph {graph.name}", path.stem if path is not None else file_stem(graph.name)

        def begin(wanted: ExportFormat, out: Path) -> ExportWork:
            return ExportWork(source, wanted, out)

        def refused(wanted: ExportFormat) -> str:
            return "needs a run: show one in Debug first" if wanted.needs_run and run is None else ""

        def answered(work: ExportWork | None) -> None:
            if work is not None:
                self._tell(work, run.id if run is not None else None)

        dialog = ExportDialog(what, FORMATS, folder / stem, begin, refused)
        self._surface.ask(dialog, answered)

    def _tell(self, work: ExportWork, run_id: str | None) -> None:
        self._surface.say(f"exported to {visible(str(work.path))}: {work.size:,} bytes")
        path, to = self._design.file.path, work.wanted.name
        if run_id is not None:
            address = self._context.address
            self._surface.note(cli_equivalents.export(run_id, to, work.path, address, force=work.force))
        elif path is not None and not self._design.file.is_dirty:  # a command knows nothing of unsaved edits
            self._surface.note(cli_equivalents.export(str(path), to, work.path, force=work.force))


@contextmanager
def _opened_graph(graph: CompiledGraph) -> Iterator[Exportable]:
    from stepgraph.formats.export import Exportable

    yield Exportable.of_graph(graph)


@contextmanager
def _opened_run(context: AppContext, run_id: str) -> Iterator[Exportable]:
    """Read a run over a connection of the thread's own, as it stands now."""
    from stepgraph.formats.export import Exportable
    from stepgraph.runs.views import open_run

    with context.connected() as store:
        yield Exportable.of_run(open_run(store, run_id))
