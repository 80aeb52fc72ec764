"""The list of all runs: which there are, where they stand, and what can be done with one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on, work
from textual.actions import parse
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input
from textual.worker import get_current_worker

from stepgraph.runs import origin_text, parent_of
from stepgraph.stores import RunStatus
from stepgraph_tui.commands import COMMANDS, bindings
from stepgraph_tui.commands.command import Wording
from stepgraph_tui.dialogs.dialog import TALKS
from stepgraph_tui.dialogs.pick import Pick, PickOption
from stepgraph_tui.screens.list_screen import ListScreen
from stepgraph_tui.text.plain import clock, plural
from stepgraph_tui.text.run_filter import FILTERS, RunFilter
from stepgraph_tui.text.system import is_missing, people_path
from stepgraph_tui.widgets.chrome.status_lines import KeyLine, TitleLine
from stepgraph_tui.widgets.run_list import RunList

from .actions import RunActions, RunAnswers, Then
from .table import RunTable

if TYPE_CHECKING:
    from stepgraph.stores import StoredRun
    from stepgraph_tui.context import AppContext

_SHOWS, _KEEPS, _FORGETS = "show ", "keep ", "drop "
_ALWAYS = ("back", "close", "sort", "views", "totals")
_OF_RUNS = ("fold", "unfold", "mark")
_NOTHING = "There are no runs yet. Open a graph to start one."
_DAMAGED = "It cannot be read: {runs.open} shows what is known, and what to do."
_FILTERED = "No run matches."
_ALL_AGAIN = "{runs.back} takes the filter away."
_FILTERING = f"Words, or {FILTERS}"


class RunsScreen(ListScreen[RunTable, RunList], inherit_bindings=False):
    """Lists the runs of the store, and does what can be done without running a node.

    What drives a run happens in Debug, where it is seen: that is asked for by ``RunChosen``.

    Args:
        context: What the app shares.
        driven: Names the runs that this app drives now.
        run_id: The run that the cursor is on at first, if it is there.
    """

    AUTO_FOCUS = "RunList"
    BINDINGS = bindings("runs")
    CSS_PATH = "runs.tcss"

    @dataclass
    class RunChosen(Message):
        """A run is to be opened in Debug, and perhaps driven on."""

        path: Path | None
        run_id: str
        then: Then = ""

        @classmethod
        def of(cls, run: StoredRun, then: Then = "") -> RunsScreen.RunChosen:
            """Ask for a run with its file; it can be looked at without, where that is gone."""
            path = Path(run.head.source) if run.head.source is not None else None
            return cls(None if path is None or is_missing(path) else path, run.head.id, then)

    @dataclass
    class RunsRead(Message):
        """It is known of some more runs whether a filter holds of them."""

        asked: RunFilter
        read: list[tuple[StoredRun, bool]]
        done: bool = False

    def __init__(
        self,
        context: AppContext,
        driven: Callable[[], Collection[str]] = lambda: (),
        run_id: str | None = None,
    ) -> None:
        table = RunTable(context.store, context.store_look.stamp)
        shown = RunList(table.awaits, context.clock.time, driven, context.engine_look.words)
        super().__init__(context, table, shown)
        self._first = run_id
        self._answers = RunAnswers(context.store)
        self._actions = RunActions(context, table, shown, self, driven)
        self._title = TitleLine(context.hints)
        self._reading: RunFilter | None = None  # the filter that runs are read for just now

    def compose(self) -> ComposeResult:
        """Compose a title, the filter, the list, words about the selected run, and the keys."""
        yield self._title
        yield self._filter
        yield self._list
        yield self._hint
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list, and keep it up to date."""
        self.look()
        self._show()
        self._list.go_to(self._first)

    @property
    def selected(self) -> StoredRun | None:
        """The run with the cursor."""
        branch = self._list.selected
        return branch.run if branch is not None else None

    # What is shown

    def _show(self) -> None:
        """Show the list as the table has it now."""
        empty = _FILTERED if len(self._table) else _NOTHING
        table = self._table
        self._list.show(table.branches, table.listed_damages, "" if self._unread else empty)
        unread = table.unread
        self._show_title(len(unread))
        self._tell(self._about())
        self.refresh_bindings()
        if self._reading != table.filter and unread:
            self._reading = table.filter
            self._read_runs(table.filter, unread)

    @work(thread=True, exclusive=True, group="reading", exit_on_error=False)
    def _read_runs(self, asked: RunFilter, runs: Sequence[StoredRun]) -> None:
        """Look into runs for what a filter asks, the last changed first; what was read is shown meanwhile."""
        from stepgraph_tui.view.run_content import ContentReader, in_batches  # with the first such filter

        worker, reader = get_current_worker(), ContentReader(self._shared.store)

        def read(run: StoredRun) -> tuple[StoredRun, bool]:
            return run, asked.holds_of(run, reader)

        for batch in in_batches(runs, read, lambda: worker.is_cancelled):
            self.post_message(self.RunsRead(asked, batch))
        self.post_message(self.RunsRead(asked, [], done=True))

    @on(RunsRead)
    def _take_read(self, message: RunsRead) -> None:
        if message.done and message.asked == self._reading:
            self._reading = None
        if message.asked != self._table.filter:
            return
        self._table.learn(message.read)
        self._show()

    def _show_title(self, unread: int) -> None:
        counts, table = self._table.counts, self._table
        parts = [
            f"{counts[status]:,} {status.value}"
            for status in (RunStatus.PAUSED, RunStatus.FAILED, RunStatus.READY)
            if counts[status]
        ]
        if table.damages:
            parts.append(f"{len(table.damages):,} damaged")
        of = "" if not table.filter.terms else f"{sum(1 for _ in table.branches):,} of "
        total = f"   {of}{plural(len(table), 'run')}{': ' if parts else ''}{', '.join(parts)}"
        marks = f"   {len(self._list.marked)} marked" if self._list.marked else ""
        reading = f"   reading {plural(unread, 'run')}" if unread else ""
        title = Text.assemble(("Runs", "bold"), f"{total}{marks}{reading}   by {table.order.name}")
        self._title.show(title, counts[RunStatus.PAUSED])

    def _about(self) -> str:
        """Describe what of the selected run has no column."""
        if self._filter.writes:
            return self._table.filter.problem or _FILTERING
        if self._list.damage is not None:
            return self._hints(_DAMAGED)
        branch = self._list.selected
        if branch is None:
            return self._hints(_ALL_AGAIN) if self._table.filter.terms else ""
        head = branch.run.head
        parts = [f"{head.id} of {head.graph}"] if self._list.is_cut(branch) else []
        if head.origin is not None:
            gone = "" if parent_of(head) in self._table else ", which is gone"
            parts.append(f"forked from {origin_text(head)}{gone}")
        parts.append(f"started {clock(head.created_at)}")
        parts.append(people_path(Path(head.source)) if head.source else "built in Python")
        parts.insert(0, self._answers.describe(branch.run))
        return "   ".join(filter(None, parts))

    def tell_how_to_leave(self) -> None:
        """Name the keys that close the list, and that leave the app."""
        self.say(self._hints("{runs.close} closes the list, {app.quit} leaves Stepgraph"))

    @on(RunList.Moved)
    @on(events.DescendantFocus)
    def _follow(self) -> None:
        self._tell(self._about())
        self.refresh_bindings()

    def on_key(self, event: events.Key) -> None:
        """Clear the last message; show why a key does nothing."""
        self._hint.hush()
        active = self.active_bindings.get(event.key)
        if active is not None and not active.enabled and active.node is self:
            self.action_do(str(parse(active.binding.action)[2][0]))

    def renamed(self) -> Mapping[str, Wording]:
        """Offer first to compare marked runs."""
        return {"runs.compare": COMMANDS["runs.compare"].first()} if self._list.marked else {}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now has a key; None for what can say why it does not."""
        if not self.is_mounted or action in _ALWAYS:
            return True
        if action == "filter":
            return not self._filter.writes
        if self.selected is None and (self._list.damage is None or action in _OF_RUNS):
            return False
        return action != "do" or self._actions.refusal(_verb(str(parameters[0]))) is None or None

    # Moving

    def action_fold(self) -> None:
        """Fold the forks of the run; where there is nothing to fold, go to its origin."""
        branch = self._list.selected
        if branch is not None and branch.forks and not branch.hidden:
            self._table.fold(branch.run.head.id, folded=True)
            self._show()
        else:
            self._list.go_to_origin()

    def action_unfold(self) -> None:
        """Unfold the forks of the run; where they are shown, go to the first."""
        branch = self._list.selected
        if branch is not None and branch.hidden:
            self._table.fold(branch.run.head.id, folded=False)
            self._show()
        elif branch is not None and branch.forks:
            self._list.to("next")

    @on(RunList.Folded)
    def _turn_fold(self) -> None:
        branch = self._list.selected
        if branch is not None:
            (self.action_unfold if branch.hidden else self.action_fold)()

    # Choosing

    @on(Input.Changed)
    def _apply_filter(self) -> None:
        self._table.choose(self._filter.text)
        self._show()

    @on(Input.Submitted)
    def _leave_filter(self) -> None:
        if not self._filter.text:
            self._filter.hide()
        self._list.focus()

    @work(group=TALKS)
    async def action_views(self) -> None:
        """Choose a filter that was kept under a name, or keep this one."""
        remembered, text = self._shared.remembered, self._filter.text.strip()
        views = remembered.views
        options = [PickOption(f"{_SHOWS}{name}", name, note) for name, note in views.items()]
        options += [
            PickOption(f"{_FORGETS}{name}", f"Forget {name}", note)
            for name, note in views.items()
            if note == text
        ]

        def offered(typed: str) -> PickOption | None:
            name = typed.strip()
            is_new = bool(text and name) and name not in views
            return PickOption(f"{_KEEPS}{name}", f"Keep {text} as {name}") if is_new else None

        hint = "Type a name to keep this filter." if text else "Write a filter first to keep it by a name."
        answer = await self.ask(Pick("Views", options, hint=hint, offered=offered))
        if answer is None:
            return
        verb, name = answer[: len(_SHOWS)], answer[len(_SHOWS) :]
        if verb == _SHOWS:
            self._filter.set_text(remembered.views.get(name, ""))
            self._list.focus()
            return
        remembered.keep_view(name, text if verb == _KEEPS else None)
        self.say(f"{'kept' if verb == _KEEPS else 'forgotten'}: {name}")

    def action_totals(self) -> None:
        """Show what the listed runs took, by graph, model and day."""
        from stepgraph_tui.dialogs.run_pages import TotalsPage

        runs = [branch.run for branch in self._table.branches]
        self.app.push_screen(TotalsPage(self._shared.store, runs, self.copy))

    def action_back(self) -> None:
        """Leave the field; then show all runs again; then take the marks away."""
        if self._filter.writes and self._filter.text:
            self._list.focus()
        elif self._filter.display:
            self._filter.clear()
            self._list.focus()
        elif self._list.marked:
            for run_id in list(self._list.marked):
                self._list.mark(run_id)
            self._show()

    def action_mark(self) -> None:
        """Mark the run, and go to the next one."""
        run = self.selected
        if run is not None:
            self._list.mark(run.head.id)
            self._list.to("next")
            self._show()

    # What is done with a run

    @on(RunList.Opened)
    def action_open(self) -> None:
        """Open the run in Debug."""
        run, damage = self.selected, self._list.damage
        if run is not None:
            self.open(run)
        elif damage is not None:
            self._actions.tell(damage)

    def open(self, run: StoredRun, then: Then = "") -> None:
        """Open a run in Debug, and perhaps go on with it there."""
        self.post_message(self.RunChosen.of(run, then))

    def action_do(self, command: str) -> None:
        """Run an action on a run: ``run.fork`` is ``fork`` of its actions."""
        verb = _verb(command)
        why = self._actions.refusal(verb)
        if why is not None:
            self.say(why, warns=True)
        else:
            talk = getattr(self._actions, verb)()
            if talk is not None:  # it asks people
                self.begin(talk)

    def edit_text(self, text: str, suffix: str) -> str | None:
        """Edit a text in $EDITOR; None when it was left as it is."""
        return self._shared.editor(self.app).edit_text(text, suffix)

    def action_close(self) -> None:
        """Return to where the list was opened."""
        self.dismiss()


def _verb(command: str) -> str:
    """Read what a key does with a run: ``fork`` of ``run.fork``."""
    return parse(command)[1]
