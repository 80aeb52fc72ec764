"""Stores as commands meet them, and what they remark on the graphs in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from stepgraph.stores import (
    ALONE,
    BACKUP,
    RescuableStore,
    default_store_url,
    is_driven,
    left_log,
    open_store,
    store_file,
    without_password,
)
from stepgraph.values import StepgraphError, StoreError, StoreLost, UnknownRun, did_you_mean
from stepgraph_tui.store_look import is_in_memory
from stepgraph_tui.text.system import command, is_missing

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.stores import Outage, StateStore

    from .output import Output

_NEAREST = 1_000  # runs, the last changed ones, among which a misspelt one is looked for
_CHANGES = 5  # differences of a file that are printed
_PATIENCE = 60.0  # seconds that a command waits for a server
_TOLD_AT = 2  # tries: one that was cut may be there again at once
_UNSURE = "whether what was asked last is recorded shows when it answers again"
_ADVICE = (
    "note: a password on the command line can be read by everybody on this machine, and commands that are"
    " suggested leave it out: put the address into STEPGRAPH_STORE, or the password into ~/.pgpass"
)


@contextmanager
def command_store(output: Output, *, create: bool = False) -> Iterator[StateStore]:
    """Open the store that the command line or STEPGRAPH_STORE names, or the default one, and close it behind.

    When its file is taken away meanwhile, what it had is saved beside it. Where it has no run of an id, the
    nearest one is proposed, which the store itself tells nobody.

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
        except UnknownRun as error:
            if error.run_id:
                names = (run.head.id for run in store.runs(limit=_NEAREST))
                error.hint = did_you_mean(error.run_id, names, listing="it has") or "it has no runs yet"
            raise
        except KeyboardInterrupt:
            patience = patience_of(store)
            if patience is not None and patience.waits:
                output.narrate(f"no longer waiting for the store: {_UNSURE}")
            raise


def _rescued(output: Output, store: StateStore, error: StoreLost) -> str:
    """Save what a lost store had, and say where it is."""
    if not isinstance(store, RescuableStore):
        return error.hint
    try:
        saved = store.rescue()
    except StoreError as failed:
        return f"what it had could not be saved either: {failed.message}"
    if not saved.whole:
        return f"nothing of what it had can be read any more: {BACKUP}"
    for line in saved.lines()[1:]:
        output.narrate(line)
    see = command("runs", store=str(saved.path))
    place = f"or move that file to its place ({ALONE})"
    return f"what it had is saved to {saved.path}: see it with `{see}`, {place}"


def _open(output: Output, create: bool) -> StateStore:
    address = address_of(output)
    file = store_file(address)
    if not create and file is not None and is_missing(file) and left_log(file) is None:
        output.narrate(f"note: there is no store at {file} yet")
        return open_store("memory:")
    store = open_store(address)
    if create and is_in_memory(store.url):
        output.narrate("note: this store is in memory; the run is gone when the command ends")
    if file is None:
        _tell_outages(output, store)
    secret = without_password(address) != address
    if output.store is not None or (os.environ.get("STEPGRAPH_STORE") and not secret):
        output.address = store.url  # what the environment has, a command finds there: no password is printed
    if output.store is not None and secret:
        output.narrate(_ADVICE)
    return store


def _tell_outages(output: Output, store: StateStore) -> None:
    """Report outages of a store that a server keeps."""
    from stepgraph.stores import ServerStore

    if isinstance(store, ServerStore):
        store.on_outage = Patience(output)


class Patience:
    """A command's patience in an outage: reported once, it lasts a minute unless somebody stops waiting.

    Args:
        output: Where it is reported.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self.waits = False
        """Whether the store waits for its server now."""
        self.is_over = False
        """Whether somebody has stopped waiting."""

    def __call__(self, outage: Outage) -> bool:
        """Record an outage, and return whether to wait on."""
        self.waits = not outage.over and outage.waited < _PATIENCE and not self.is_over  # before the report
        if outage.tries == _TOLD_AT or outage.over:
            self._output.narrate(f"{outage}{'' if outage.over else '; ctrl+c stops waiting'}")
        return self.waits

    def end(self) -> None:
        """Wait no longer, whatever is asked of the store from now on."""
        self.waits, self.is_over = False, True


def patience_of(store: StateStore) -> Patience | None:
    """Find the patience of a command with its store; None where no server is waited for."""
    listener = getattr(store, "on_outage", None)
    return listener if isinstance(listener, Patience) else None


def address_of(output: Output) -> str:
    """Return the address of the store that was named, as it was written, or of the default one."""
    return output.store if output.store is not None else default_store_url()


def file_changes(app: CompiledGraph) -> list[str] | None:
    """List how the graph file differs by now from the definition of a run.

    Returns:
        A line for each difference; None where there is no file, or none that can be read.
    """
    from stepgraph.documents import differences
    from stepgraph.files import graph_ref, read_graph

    if app.source is None:
        return None
    if graph_ref(app.source) is not None:  # nothing is imported to find out
        return []
    try:
        return differences(app.document, read_graph(app.source).document)
    except StepgraphError:
        return None


def tell_if_changed(output: Output, app: CompiledGraph) -> None:
    """Remark how the graph file differs by now from the run's definition."""
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
    """Remark in a line that the graph file differs by now from a run's graph."""
    if app.source is None:
        return
    changes = file_changes(app)
    if changes is None:
        output.narrate(f"note: {app.source} can no longer be read; the run uses the definition in the store")
    elif changes:
        output.narrate(
            f"note: {app.source} differs from the run's graph; "
            "with --adopt, `resume`, `step` and `retry` go on with the file as it is"
        )


def tell_adopted(output: Output, stored: StateGraph, app: CompiledGraph) -> None:
    """Remark how the graph file differs from the definition that the run is moved from."""
    from stepgraph.documents import differences

    changes = differences(stored.document, app.document)
    if changes:
        for line in (f"from here on the run uses the current {app.source}:", *first_of(changes)):
            output.narrate(line)


def first_of(changes: list[str]) -> list[str]:
    """List the first differences, and how many more there are."""
    lines = [f"  {change}" for change in changes[:_CHANGES]]
    return lines + ([f"  and {len(changes) - _CHANGES:,} more"] if len(changes) > _CHANGES else [])


def workers_go_on(store: StateStore, run_id: str) -> bool:
    """Check whether a run goes on by itself; the decision is made, also where that cannot be found out."""
    with suppress(StepgraphError):
        return is_driven(store, run_id)
    return False
