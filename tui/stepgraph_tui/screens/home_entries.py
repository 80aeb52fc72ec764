"""What the home screen lists: reviews that wait, recent files, the shipped examples."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.base import StateStore, StoredRun
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import GraphFileError, StepgraphError
from stepgraph_tui.commands.hints import Hints
from stepgraph_tui.text.masks import mask_of
from stepgraph_tui.text.plain import age, plural, shortened, visible
from stepgraph_tui.text.system import is_missing, people_path
from stepgraph_tui.widgets.lines.entry_list import ListEntry, Section

_MOST = 100  # reviews that are listed
_LONGEST = 500  # characters of a question; cut only after its secrets are masked
_BY_RISK = {"high": 0, "unknown": 1, "medium": 2, "low": 3}
FIRST = "refund_triage"
"""The example that a newcomer should open."""


_Listed = tuple[tuple[int, float, str], ListEntry]
"""An entry after what it is sorted by: its risk, when it was asked (0 for unknown), its run."""


class Waiting:
    """The reviews that wait for a person, read again and again; what has not changed costs little.

    Args:
        store: A connection of the reader's own.
        now: What tells the time, in seconds since 1970.
    """

    def __init__(self, store: StateStore, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._now = now
        self._known: dict[tuple[str, int], _Listed] = {}

    def section(self) -> Section:
        """List the riskiest first, then the oldest, as `stepgraph approvals` lists them."""
        title = "WAITS FOR YOU"
        try:
            paused = self._store.runs(RunStatus.PAUSED, _MOST + 1)
        except StepgraphError as error:
            return Section(title, (), f"The store cannot be read: {visible(error.message)}")
        known = {(run.head.id, run.pointer.version): run for run in paused[:_MOST]}
        self._known = {at: self._known.get(at) or self._read(run) for at, run in known.items()}
        entries = [self._aged(*listed) for listed in sorted(self._known.values(), key=lambda one: one[0])]
        more = f"`stepgraph approvals` lists more than these {_MOST}." if len(paused) > _MOST else ""
        return Section(title, tuple(entries), more if entries else "Nothing waits for you.")

    def _aged(self, order: tuple[int, float, str], entry: ListEntry) -> ListEntry:
        return entry.with_right(age(self._now() - order[1])) if order[1] else entry

    def _read(self, run: StoredRun) -> _Listed:
        """Read the review of a run; one that cannot be read is listed too, first of all."""
        from stepgraph.runs.views import shown_plan  # the graph library, where something waits

        path = Path(run.head.source) if run.head.source is not None else None
        try:
            review = Reviews(self._store).get(run.pointer.review or "")
            mask = mask_of(shown_plan(self._store, run), self._store, run.head.id)
        except StepgraphError as error:
            entry = ListEntry(
                "waiting", run.head.id, f"cannot be read: {error.message}", path=path, run=run.head.id
            )
            return (-1, 0.0, run.head.id), entry
        request = review.request
        asks = f"{request.risk} risk: " if request.risk != "unknown" else ""
        about = f"{asks}{shortened(mask.text(request.prompt), _LONGEST)}"
        entry = ListEntry("waiting", f"{run.head.id} {review.node}", about, path=path, run=run.head.id)
        return (_BY_RISK[request.risk], review.asked_at, run.head.id), entry


def recent_section(files: Sequence[Path], hints: Hints) -> Section:
    """List the files that were opened before, the newest first; those that are gone are off."""
    entries = []
    for file in files:
        missing = is_missing(file)
        right = "missing" if missing else ""
        entries.append(ListEntry("recent", file.name, people_path(file.parent), right, file, off=missing))
    nothing = "No recent graphs. {home.new} makes a new one, {home.open} opens a file."
    remark = "" if entries else hints(nothing)
    return Section("RECENT", tuple(entries), remark)


def example_files(folder: Path) -> list[Path]:
    """List the shipped graphs, the one to begin with first."""
    return sorted(folder.glob("*.toml"), key=lambda file: (file.stem != FIRST, file.name))


def example_section(files: Sequence[Path], notes: Mapping[Path, str]) -> Section:
    """List the shipped graphs, with the notes that were read so far."""
    entries = tuple(ListEntry("example", file.stem, notes.get(file, ""), path=file) for file in files)
    return Section("EXAMPLES", entries, "" if entries else "The examples are not installed here.")


def note_of(file: Path) -> str:
    """Tell what a graph file says about itself in one line, or that it has errors."""
    from stepgraph.files import read_graph
    from stepgraph.graphs.validation import check

    try:
        graph = read_graph(file)
    except GraphFileError as error:
        return f"has errors: {error.problems[0].message}" if error.problems else "has errors"
    errors = sum(problem.is_error for problem in check(graph))
    return f"has {plural(errors, 'error')}" if errors else graph.settings.note
