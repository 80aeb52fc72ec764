"""The home screen: what waits for you, what you had open, and examples to begin with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from stepgraph import __version__
from stepgraph.reviews import DueReviews, Reviews, urgency
from stepgraph.stores import Damage, RunStatus, StateStore, StoredRun, is_served
from stepgraph.values import GraphFileError, StepgraphError, StoreDamaged, StoreUnreachable

from ..commands import COMMANDS, bindings
from ..commands.command import Wording
from ..commands.hints import UNMAPPED, Hints
from ..commands.live import live_keys
from ..dialogs.dialog import TALKS
from ..preload import preload
from ..remembered import Remembered
from ..text.plain import age, plural, shortened, unread_text
from ..text.run_list import damage_text
from ..text.system import is_missing, people_path
from ..view.reviews import RunMasks
from ..widgets.chrome.find_bar import FilterLine
from ..widgets.chrome.status_lines import KeyLine, NoticeLine, TitleLine
from ..widgets.lines import Way
from ..widgets.lines.page import EntryList, ListEntry, Section
from ..widgets.words import one_line
from .review_dialog import Continuing, continue_decided

if TYPE_CHECKING:
    from stepgraph.files import GraphRef


Answer = TypeVar("Answer")
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
            return Section(title, (), f"The store cannot be read: {error.message}")
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
    from stepgraph.files import NAME, listed_graphs  # only where there is one, mostly

    if is_missing(folder / NAME):
        return None
    try:
        graphs = listed_graphs(folder)
    except GraphFileError as error:
        return Section(NAME.upper(), (), f"{error.message} ({error.hint})")
    entries = tuple(_make_entry(folder, name, ref) for name, ref in graphs.items())
    return Section(NAME.upper(), entries, "" if entries else "It lists no graph in Python.")


def _make_entry(folder: Path, name: str, ref: GraphRef) -> ListEntry:
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
    """Describe what a graph file says about itself in one line, or that it has errors."""
    from stepgraph.files import read_graph
    from stepgraph.graphs.validation import check

    try:
        graph = read_graph(file)
    except GraphFileError as error:
        return f"has errors: {error.problems[0].message}" if error.problems else "has errors"
    errors = sum(problem.is_error for problem in check(graph))
    return f"has {plural(errors, 'error')}" if errors else graph.settings.note


REST = (
    "stepgraph.documents.schema",
    "stepgraph.files.reader",
    "stepgraph.graphs.validation",
    "jinja2",
    "stepgraph.nodes.approval",
    "stepgraph.nodes.handler",
    "stepgraph.nodes.llm",
    "stepgraph.nodes.router",
    "stepgraph.nodes.tool",
    "stepgraph_tui.documents.buffer",
    "stepgraph_tui.status_text",
    "stepgraph_tui.widgets.graph_view",
    "stepgraph_tui.widgets.state",
    "stepgraph_tui.widgets.trace",
    "stepgraph_tui.screens.workbench",
    "stepgraph_tui.screens.runs",
    "stepgraph_tui.screens.inbox",
)
"""What reads and shows a graph: loaded after the first frame."""
_LOW = 12  # rows
_FIRST_STEPS = "{home.enter} opens the graph. Then {debug.go} starts a run, and {debug.step} runs one node."
_FILTERING = "{home.back} leaves the filter, {home.back} again shows everything."
_OPENS_REVIEW = "{home.enter} opens the run at its review."
_MENDS = "`stepgraph doctor` shows more; `stepgraph doctor --repair` saves the rest."
_MENDS_THERE = "`stepgraph doctor` shows more; restore a backup of the database."
_GONE = "The file is gone. {home.forget} removes it from the list."


class HomeScreen(Screen[None], inherit_bindings=False):
    """Lists what can be opened, and says which of it was chosen.

    Args:
        store: Where the runs are; a connection for the UI thread.
        remembered: The recent files.
        examples: The folder of the shipped graphs.
        now: What tells the time, in seconds since 1970.
        hints: Names the keys.
        continuing: Knows which runs can continue here; they are not mentioned when None.
    """

    AUTO_FOCUS = "EntryList"
    BINDINGS = bindings("home")
    CSS_PATH = "home.tcss"

    @dataclass
    class GraphChosen(Message):
        """A graph, a run of one, or both are to be opened; ``design`` for a graph that is to be drawn."""

        path: Path | None
        run_id: str | None = None
        design: bool = False

    @dataclass
    class NotesRead(Message):
        """The examples were read."""

        notes: dict[Path, str]

    def __init__(
        self,
        store: StateStore,
        remembered: Remembered,
        examples: Path,
        now: Callable[[], float] = time.time,
        hints: Hints = UNMAPPED,
        continuing: Continuing | None = None,
    ) -> None:
        super().__init__()
        self._remembered, self._hints = remembered, hints
        self._waiting = Waiting(store, now)
        self._mends = _MENDS_THERE if is_served(store.url) else _MENDS
        self._examples = example_files(examples)
        self._notes: dict[Path, str] = {}
        self._listed: Section | None = None  # the graphs of langgraph.json
        self._title = TitleLine(hints)
        self._filter, self._list, self._hint = FilterLine(), EntryList(), Static(classes="hint")
        self._notice, self._continuing = NoticeLine(), continuing

    def compose(self) -> ComposeResult:
        """Compose a title, the list, what the selected entry is good for, and the keys."""
        yield self._title
        yield self._filter
        yield self._list
        yield self._notice
        yield self._hint
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list; the notes of the examples come a little later."""
        self._listed = listed_section(Path.cwd())
        self.look()
        self._choose_first()

    def on_resize(self, event: events.Resize) -> None:
        """In very little room there is only the list."""
        self.set_class(event.size.height < _LOW, "-low")

    def on_screen_resume(self) -> None:
        """Look again."""
        # By way of the app, which takes messages once it has started: refreshes before that paint nothing.
        self.app.call_later(self.call_after_refresh, self._load_the_rest)
        self._listed = listed_section(Path.cwd())  # trust may have been given since
        if self.is_mounted:
            self.look()

    def look_again(self) -> None:
        """Look once more, unless another screen is on top."""
        if self.is_active:
            self.look()

    def look(self) -> None:
        """Read again what waits and what is there; the cursor stays where it is."""
        listed = [self._listed] if self._listed is not None else []
        self._list.show(
            self._waiting.section(),
            *listed,
            recent_section(self._remembered.recent, self._hints),
            example_section(self._examples, self._notes),
            text=self._filter.text,
        )
        title = Text.assemble(("Stepgraph", "bold"), f" {__version__}   a studio for graphs of AI agents")
        self._title.show(title, self._waiting.count)
        continuing = self._continuing
        if continuing is not None and self._notice.show(continuing.notice("home.continue")):
            self.refresh_bindings()

    def _choose_first(self) -> None:
        """Choose what waits, else the last file; a newcomer starts with the first example."""
        entries = [entry for section in self._list.sections for entry in section.entries if not entry.off]
        if entries:
            self._list.select(entries[0])

    @work(exclusive=True, group="rest")
    async def _load_the_rest(self) -> None:
        """Get ready to open graphs, then read what the examples say of themselves."""
        await preload(REST)
        if not self._notes:
            self._read_notes()

    @work(thread=True, group="notes")
    def _read_notes(self) -> None:
        self.post_message(self.NotesRead({file: note_of(file) for file in self._examples}))

    @on(NotesRead)
    def _show_notes(self, message: NotesRead) -> None:
        self._notes = message.notes
        self.look()

    @on(EntryList.Moved)
    @on(events.DescendantFocus)
    def _say_what_it_is(self) -> None:
        entry = self._list.selected
        if self._filter.writes:
            self._say(self._filtering())
        elif entry is None or entry.kind == "recent":
            self._say("")
        elif entry.kind == DAMAGED:
            self._say(self._mends)
        else:
            self._say(self._hints(_OPENS_REVIEW if entry.kind == "waiting" else _FIRST_STEPS))
        self.refresh_bindings()

    def _filtering(self) -> str:
        """Describe what the keys do in the field, where letters are written."""
        live = live_keys(self)
        arrows = [live[way][0] for way in ("home.up", "home.down") if way in live]
        choose = f"{' '.join(arrows)} choose, " if arrows else ""
        return f"Enter opens, {choose}{self._hints(_FILTERING)}"

    def tell_how_to_leave(self) -> None:
        """Name the key that leaves the app."""
        self._say(self._hints("{app.quit} leaves Stepgraph."))

    def _say(self, hint: str) -> None:
        self._hint.update(one_line(hint))

    def renamed(self) -> Mapping[str, Wording]:
        """Offer first to continue decided runs."""
        return {"home.continue": COMMANDS["home.continue"].first()}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now has a key."""
        entry = self._list.selected if self.is_mounted else None
        if action == "forget":
            return entry is not None and entry.kind == "recent"
        if action == "continue":
            return self._continuing is not None and self._continuing.count > 0
        if action == "choose":
            return entry is not None and entry.kind != DAMAGED
        if action == "filter":
            return not self._filter.writes
        return True

    # What the keys do

    def action_to(self, way: Way) -> None:
        """Move to another entry."""
        self._list.to(way)

    @on(EntryList.Opened)
    @on(Input.Submitted)
    def action_choose(self) -> None:
        """Open what is selected."""
        entry = self._list.selected
        if entry is None:
            return
        if entry.kind == DAMAGED:
            self._say(self._mends)
            self.app.bell()
            return
        path = entry.path if entry.path is not None and not is_missing(entry.path) else None
        if path is None and entry.run is None:
            self._say(self._hints(_GONE))
            self.app.bell()
            return
        self.post_message(self.GraphChosen(path, entry.run))  # a run can be looked at without its file

    @work(group=TALKS)
    async def action_continue(self) -> None:
        """Continue all decided runs in the background."""
        if self._continuing is not None:
            await continue_decided(self._continuing, self)

    async def ask(self, dialog: Screen[Answer]) -> Answer | None:
        """Open a dialog, and return its answer; None where it was left without one."""
        answer: Answer | None = await self.app.push_screen_wait(dialog)
        return answer

    def say(self, text: str, *, warns: bool = False) -> None:
        """Show a message until the cursor moves."""
        self._say(text)

    @work(group=TALKS)
    async def action_open_path(self) -> None:
        """Ask for the path of a file."""
        from stepgraph_tui.dialogs.open_path import OpenPath

        path = await self.ask(OpenPath())
        if path is not None:
            self.post_message(self.GraphChosen(path))

    @work(group=TALKS)
    async def action_new(self) -> None:
        """Create a graph file, and draw it."""
        from stepgraph_tui.dialogs.open_path import NewGraph

        path = await self.ask(NewGraph())
        if path is not None:
            self.post_message(self.GraphChosen(path, design=True))

    def action_forget(self) -> None:
        """Remove the selected file from the list."""
        entry = self._list.selected
        if entry is not None and entry.path is not None:
            self._remembered.forget(entry.path)
            self._remembered.save()
            self.look()

    def action_filter(self) -> None:
        """Write what the entries are to contain."""
        self._filter.open()

    @on(Input.Changed)
    def _apply_filter(self) -> None:
        self.look()

    def action_back(self) -> None:
        """Leave the field; then show everything again."""
        if not (self._filter.writes and self._filter.text):
            self._filter.clear()
        self._list.focus()

    async def action_quit(self) -> None:
        """Leave Stepgraph."""
        await self.app.action_quit()
