"""The home screen: what waits for you, what you had open, and examples to begin with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from stepgraph import __version__
from stepgraph.stores.base import StateStore
from stepgraph.stores.refusals import is_served
from stepgraph_tui.commands import HOME, bindings
from stepgraph_tui.commands.command import Command, Wording
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.commands.live import live_keys
from stepgraph_tui.preload import preload
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.text.system import is_missing
from stepgraph_tui.widgets.chrome.filter_line import FilterLine
from stepgraph_tui.widgets.chrome.key_line import KeyLine
from stepgraph_tui.widgets.chrome.notice_line import NoticeLine
from stepgraph_tui.widgets.chrome.title_line import TitleLine
from stepgraph_tui.widgets.lines import Way
from stepgraph_tui.widgets.lines.entry_list import EntryList, Section

from .home_entries import (
    DAMAGED,
    Waiting,
    example_files,
    example_section,
    listed_section,
    note_of,
    recent_section,
)
from .onward import Continuing, continue_decided

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
"""What reads and shows a graph: loaded behind the first frame."""
_LOW = 12  # rows
_FIRST_STEPS = "{home.enter} opens the graph. Then {debug.go} starts a run, and {debug.step} runs one node."
_FILTERING = "{home.back} leaves the filter, {home.back} again shows everything."
_OPENS_REVIEW = "{home.enter} opens the run where it waits for you."
_MENDS = "`stepgraph doctor` tells more; `stepgraph doctor --repair` saves the rest."
_MENDS_THERE = "`stepgraph doctor` tells more; restore a backup of the database."
_GONE = "The file is gone. {home.forget} takes it off the list."


class HomeScreen(Screen[None], inherit_bindings=False):
    """Lists what can be opened, and says which of it was chosen.

    Args:
        store: Where the runs are; a connection for the UI thread.
        remembered: The recent files.
        examples: The folder of the shipped graphs.
        now: What tells the time, in seconds since 1970.
        hints: Names the keys.
        continuing: Knows which runs can continue here; nothing is said of them when None.
    """

    AUTO_FOCUS = "EntryList"
    BINDINGS = bindings(HOME)
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
        """Say what the keys do in the field, where letters are written."""
        live = live_keys(self)
        arrows = [live[way][0] for way in ("home.up", "home.down") if way in live]
        choose = f"{' '.join(arrows)} choose, " if arrows else ""
        return f"Enter opens, {choose}{self._hints(_FILTERING)}"

    def tell_how_to_leave(self) -> None:
        """Name the key that leaves the app."""
        self._say(self._hints("{app.quit} leaves Stepgraph."))

    def _say(self, hint: str) -> None:
        self._hint.update(Text(hint))

    def wording(self, command: Command) -> Wording:
        """Tell what a command does now: decided runs are continued first."""
        return command.now(wanted=command.id == "home.continue")

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
        """Go to another entry."""
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

    def action_continue(self) -> None:
        """Continue all decided runs in the background."""
        if self._continuing is not None:
            continue_decided(self._continuing, self)

    def ask(self, dialog: Screen[bool], then: Callable[[bool | None], None]) -> None:
        """Open a dialog, and continue with its answer."""
        self.app.push_screen(dialog, then)

    def say(self, text: str, *, warns: bool = False) -> None:
        """Say something until the cursor moves."""
        self._say(text)

    def action_open_path(self) -> None:
        """Ask for the path of a file."""
        from stepgraph_tui.dialogs.open_path import OpenPath

        def open_file(path: Path | None) -> None:
            if path is not None:
                self.post_message(self.GraphChosen(path))

        self.app.push_screen(OpenPath(), open_file)

    def action_new(self) -> None:
        """Make a graph file, and draw it."""
        from stepgraph_tui.dialogs.new_graph import NewGraph

        def draw(path: Path | None) -> None:
            if path is not None:
                self.post_message(self.GraphChosen(path, design=True))

        self.app.push_screen(NewGraph(), draw)

    def action_forget(self) -> None:
        """Take the selected file off the list."""
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
