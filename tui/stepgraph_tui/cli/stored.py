"""Stores as commands meet them, and what they remark on the graphs in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stepgraph.stores import RescuableStore, default_store_url, left_log, open_store, store_file
from stepgraph.stores.refusals import ALONE, BACKUP
from stepgraph.values.errors import StepgraphError, StoreError, StoreLost
from stepgraph_tui.text.system import command, is_missing

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.stores.base import StateStore

    from .output import Output

_CHANGES = 5  # differences of a file that are told


@contextmanager
def opened(output: Output, *, create: bool = False) -> Iterator[StateStore]:
    """Open the store that the command line or STEPGRAPH_STORE names, or the default one, and close it behind.

    When its file is taken away meanwhile, what it had is saved beside it.

    Args:
        output: Knows what was named; told when there is nothing yet.
        create: Whether a file that is missing is made; otherwise an empty store stands in for it.

    Raises:
        StoreError: It cannot be opened.
    """
    with _open(output, create) as store:
        try:
            yield store
        except StoreLost as error:
            raise StoreLost(error.message, hint=_rescued(output, store, error)) from error


def _rescued(output: Output, store: StateStore, error: StoreLost) -> str:
    """Save what a lost store had, and say where it is."""
    if not isinstance(store, RescuableStore):
        return error.hint
    try:
        saved = store.rescue()
    except StoreError as failed:
        return f"what it had could not be saved either: {failed.message}"
    if not saved.is_made:
        return f"nothing of what it had can be read any more: {BACKUP}"
    for line in saved.lines()[1:]:
        output.narrate(line)
    see = command("runs", store=str(saved.path))
    place = f"or move that file to its place ({ALONE})"
    return f"what it had is saved to {saved.path}: see it with `{see}`, {place}"


def _open(output: Output, create: bool) -> StateStore:
    address = output.store if output.store is not None else default_store_url()
    file = store_file(address)
    if not create and file is not None and is_missing(file) and left_log(file) is None:
        output.narrate(f"note: there is no store at {file} yet")
        return open_store("memory:")
    store = open_store(address)
    if create and store.url.startswith("memory:"):
        output.narrate("note: this store is in memory; the run is gone when the command ends")
    if output.store is not None or os.environ.get("STEPGRAPH_STORE"):
        output.address = store.url
    return store


def file_changes(app: CompiledGraph) -> list[str] | None:
    """List how the graph file differs by now from the definition that a run goes by.

    Returns:
        A line for each difference; None where there is no file, or none that can be read.
    """
    from stepgraph.documents.differences import differences
    from stepgraph.files import read_graph
    from stepgraph.graphs.definition import to_document

    if app.source is None:
        return None
    try:
        return differences(to_document(app), to_document(read_graph(app.source)))
    except StepgraphError:
        return None


def tell_if_changed(output: Output, app: CompiledGraph) -> None:
    """Remark how the graph file differs by now from the definition the run goes by."""
    if app.source is None:
        return
    goes_on = "the run continues with the version it started with"
    changes = file_changes(app)
    if changes is None:
        output.narrate(f"note: {app.source} can no longer be read; {goes_on}. To see why:")
        output.suggest("check", str(app.source))
        return
    if changes:
        for line in (f"note: {app.source} has changed since:", *first_of(changes)):
            output.narrate(line)
        output.narrate(f"  {goes_on}; --adopt moves it to the current file")


def note_if_changed(output: Output, app: CompiledGraph) -> None:
    """Remark in a line that the graph file differs by now from what a run goes by."""
    if app.source is None:
        return
    changes = file_changes(app)
    if changes is None:
        output.narrate(f"note: {app.source} can no longer be read; the run goes by what the store has")
    elif changes:
        output.narrate(
            f"note: {app.source} differs from what the run goes by; "
            "with --adopt, `resume`, `step` and `retry` go on with the file as it is"
        )


def tell_adopted(output: Output, stored: StateGraph, app: CompiledGraph) -> None:
    """Remark how the graph file differs from the definition that the run is moved from."""
    from stepgraph.documents.differences import differences
    from stepgraph.graphs.definition import to_document

    changes = differences(to_document(stored), to_document(app))
    if changes:
        for line in (f"from here on the run uses the current {app.source}:", *first_of(changes)):
            output.narrate(line)


def first_of(changes: list[str]) -> list[str]:
    """Tell the first differences, and how many more there are."""
    told = [f"  {change}" for change in changes[:_CHANGES]]
    return told + ([f"  and {len(changes) - _CHANGES:,} more"] if len(changes) > _CHANGES else [])
