"""What the home screen lists: reviews that wait, recent files, the shipped examples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.reviews.due import DueReviews
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.waiting import urgency
from stepgraph.stores.base import Damage, StateStore, StoredRun
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import GraphFileError, StepgraphError, StoreDamaged, StoreUnreachable
from stepgraph_tui.commands.hints import Hints
from stepgraph_tui.text.plain import age, plural, shortened, visible
from stepgraph_tui.text.runs import damage_text
from stepgraph_tui.text.system import is_missing, people_path
from stepgraph_tui.text.unread import unread_text
from stepgraph_tui.view.reviews import RunMasks
from stepgraph_tui.widgets.lines.entry_list import ListEntry, Section

if TYPE_CHECKING:
    from stepgraph.files import GraphRef

_MOST = 100  # reviews that are listed
_UNREAD = -1.0  # more urgent than all that can be read
DAMAGED = "damaged"
"""The kind of an entry for a run that is damaged."""
_LONGEST = 500  # characters of a question; cut only after its secrets are masked
FIRST = "refund_triage"
"""The example that a newcomer should open."""


_Visit = tuple[str, int]
"""A run and its version."""
_Urgency = tuple[float, int, float, str]
"""What reviews are sorted by: the deadline, the risk, when it was asked (0 for unknown), the run."""


class Waiting:
    """The reviews that wait for a person, read again and again; what has not changed costs little.

    Args:
        store: A connection of the reader's own.
        now: What tells the time, in seconds since 1970.
    """

    def __init__(self, store: StateStore, now: Callable[[], float] = time.time) -> None:
        self._store, self._now = store, now
        self._masks, self._reviews, self._due = RunMasks(store), Reviews(store, now), DueReviews(store, now)
        self._urgencies: dict[_Visit, _Urgency] = {}
        self._entries: dict[_Visit, ListEntry] = {}
        self._listed: tuple[ListEntry, ...] = ()
        self.count = 0
        """How many there were at the last look."""

    def section(self) -> Section:
        """List the most urgent of them, as `stepgraph approvals` lists all."""
        title = "WAITS FOR YOU"
        try:
            found = self._store.runs(RunStatus.PAUSED)
        except StoreUnreachable as error:  # the entries stay below the cursor: they are likely to come back
            return Section(title, self._listed, f"T{unread_text(error)[1:]}.")
        except StepgraphError as error:
            return Section(title, (), f"The store cannot be read: {visible(error.message)}")
        paused = {_visit(run): run for run in found}
        known = self._urgencies
        self._urgencies = {at: known.get(at) or self._urgency(run) for at, run in paused.items()}
        timed = self._due.timed
        paused = {at: run for at, run in paused.items() if run.pointer.review not in timed}
        self.count = len(paused)
        if self._ends(found):
            return self.section()
        listed = sorted(paused, key=self._urgencies.__getitem__)[:_MOST]
        self._entries = {at: self._entries.get(at) or self._entry(paused[at]) for at in listed}
        waiting = (self._aged(self._urgencies[at][2], entry) for at, entry in self._entries.items())
        entries = self._listed = (*map(_damaged, found.damages), *waiting)
        others = len(paused) - len(listed)
        if not others:
            return Section(title, entries, "" if entries else "Nothing waits for you.")
        title += f": THE {len(listed)} MOST URGENT OF {len(paused):,}"
        more = f"{others:,} more wait: `stepgraph approvals` lists all."
        return Section(
            title, entries, more, f"not searched: {others:,} more; `stepgraph approvals` lists all."
        )

    def _ends(self, paused: Iterable[StoredRun]) -> bool:
        try:
            return self._due.look(paused)
        except StepgraphError:  # the entries tell
            return False

    def _aged(self, asked_at: float, entry: ListEntry) -> ListEntry:
        return entry.with_right(age(self._now() - asked_at)) if asked_at else entry

    def _urgency(self, run: StoredRun) -> _Urgency:
        """Read no more than the review; one that cannot be read comes first of all."""
        try:
            review = self._reviews.of(run)
        except StepgraphError:
            return _UNREAD, 0, 0.0, run.head.id
        if isinstance(review, Damage):
            return _UNREAD, 0, 0.0, run.head.id
        self._due.take(review)
        return urgency(review)

    def _entry(self, run: StoredRun) -> ListEntry:
        path = Path(run.head.source) if run.head.source is not None else None
        try:
            review = self._reviews.of(run)
            if isinstance(review, Damage):
                return _damaged(review)
            mask = self._masks.of(run)
        except StoreDamaged as error:
            return _damaged(Damage(error.what, run.head.id))
        except StepgraphError as error:
            unread = f"cannot be read: {error.message}"
            return ListEntry("waiting", run.head.id, unread, path=path, run=run.head.id)
        request = review.request
        asks = f"{request.risk} risk: " if request.risk != "unknown" else ""
        about = f"{asks}{shortened(mask.text(request.prompt), _LONGEST)}"
        return ListEntry("waiting", f"{run.head.id} {review.node}", about, path=path, run=run.head.id)


def _damaged(damage: Damage) -> ListEntry:
    return ListEntry(DAMAGED, damage.run or "a run", f"damaged: {damage_text(damage)}", run=damage.run)


def _visit(run: StoredRun) -> _Visit:
    return run.head.id, run.pointer.version


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


def listed_section(folder: Path) -> Section | None:
    """List the graphs that the ``langgraph.json`` of a folder names; None where there is no such file."""
    from stepgraph.files.langgraph_json import NAME, listed_graphs  # only where there is one, mostly

    if is_missing(folder / NAME):
        return None
    try:
        graphs = listed_graphs(folder)
    except GraphFileError as error:
        return Section(NAME.upper(), (), f"{visible(error.message)} ({error.hint})")
    entries = tuple(_listed(folder, name, ref) for name, ref in graphs.items())
    return Section(NAME.upper(), entries, "" if entries else "It lists no graph in Python.")


def _listed(folder: Path, name: str, ref: GraphRef) -> ListEntry:
    from stepgraph.files import is_trusted, unopened

    place = ref.file.relative_to(folder) if ref.file.is_relative_to(folder) else ref.file
    missing = is_missing(ref.file)
    try:
        right = "missing" if missing else "" if is_trusted(unopened(ref)) else "not trusted yet"
    except GraphFileError:
        right = "cannot be read"
    return ListEntry("listed", name, f"{place}:{ref.name}", right, ref.path, off=missing)


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
