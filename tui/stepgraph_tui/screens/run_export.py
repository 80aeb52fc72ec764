"""Exporting a run, from whatever screen shows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph_tui.cli_equivalents import Equivalents

if TYPE_CHECKING:
    from stepgraph.formats import Exportable
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.export import ExportDialog
    from stepgraph_tui.exports.work import ExportWork


def run_export(context: AppContext, run_id: str, folder: Path) -> ExportDialog:
    """Build the dialog that asks in which format to export a run, and where to.

    Args:
        context: What the app shares.
        run_id: The run.
        folder: Where the file is proposed.
    """
    from stepgraph.formats import file_stem
    from stepgraph_tui.dialogs.export import ExportDialog
    from stepgraph_tui.exports import FORMATS
    from stepgraph_tui.exports.work import ExportWork

    begin = partial(ExportWork, partial(_open_run, context, run_id))
    return ExportDialog(f"run {run_id}", FORMATS, folder / file_stem(run_id), begin, lambda wanted: "")


def exported(work: ExportWork) -> str:
    """Describe what was written."""
    return f"exported to {work.path}: {work.size:,} bytes"


def export_command(context: AppContext, run_id: str, work: ExportWork) -> str:
    """Write the command that exports a run in the same way."""
    equivalents = Equivalents(context.address)
    return equivalents.export(run_id, work.wanted.name, work.path, force=work.force)


@contextmanager
def _open_run(context: AppContext, run_id: str) -> Iterator[Exportable]:
    """Read a run over a connection of the thread's own, as it is now."""
    from stepgraph.formats import Exportable
    from stepgraph.runs import open_run

    with context.connected() as store:
        yield Exportable.of_run(open_run(store, run_id))
