"""The list of all runs: which there are, where they stand, and what can be done with one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Static

from stepgraph.runs.fork_tree import parent_of
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StepgraphError
from stepgraph_tui import cli_equivalents, clipboard
from stepgraph_tui.commands import RUNS, bindings
from stepgraph_tui.text.plain import clock, plural, visible
from stepgraph_tui.text.system import is_missing, people_path
from stepgraph_tui.widgets.chrome.key_line import KeyLine
from stepgraph_tui.widgets.chrome.line_field import LineField
from stepgraph_tui.widgets.run_list import RunList

from .actions import delete_question, forked, refused, stop_question, stopped
from .table import RunTable

if TYPE_CHECKING:
    from stepgraph.stores.base import StoredRun
    from stepgraph_tui.context import AppContext

Then = Literal["", "go", "retry"]
"""What is done with a run once it is open in Debug."""
_EVERY = 1.0  # seconds between two looks at the store
_NOTHING = "There are no runs yet. Open a graph to start one."
_FILTERED = "No run is like that. {runs.back} shows all again."
_FILTERING = "Words, or graph:  status:  node:  before one.  Enter goes to the list, {runs.back} shows all."


class RunsScreen(Screen[None], inherit_bindings=False):
    """Lists the runs of the store, and does what can be done without running a node.

    What drives a run happens in Debug, where it is seen: that is asked for by ``RunChosen``.

    Args:
        context: What the app shares.
        driven: Names the runs that this app drives now.
        run_id: The run that the cursor is on at first, if it is there.
    """

    AUTO_FOCUS = "RunList"
    BINDINGS = bindings(RUNS)
    CSS_PATH = "runs.tcss"

    @dataclass
    class RunChosen(Message):
        """A run is to be opened in Debug, and perhaps driven on."""

        path: Path | None
        run_id: str
        then: Then = ""

    def __init__(
        self,
        context: AppContext,
        driven: Callable[[], Collection[str]] = lambda: (),
        run_id: str | None = None,
    ) -> None:
        super().__init__()
        self._shared, self._driven, self._first = context, driven, run_id
        self._table = RunTable(context.store)
        self._list = RunList(self._table.risk, context.clock.time)
        self._said: tuple[str, bool] | None = None
        self._unread = ""
        self._written: dict[str, Text] = {}

    def compose(self) -> ComposeResult:
        """Compose a title, the filter, the list, what is said of the selected run, and the keys."""
        yield Static(classes="title")
        with Horizontal(classes="filter"):
            yield Static("/")
            yield LineField(compact=True)
        yield self._list
        yield Static(classes="hint")
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list, and keep it up to date."""
        self.query_one(".filter").display = False
        self.look()
        self._show()
        self._list.go_to(self._first)
        self._looking = self.set_interval(_EVERY, self.look)

    def on_screen_suspend(self) -> None:
        """Look no more while another screen is on top."""
        if self.is_mounted:
            self._looking.pause()

    def on_screen_resume(self) -> None:
        """Look again."""
        if self.is_mounted:
            self.look()
            self._looking.resume()

    @property
    def _filter(self) -> Input:
        return self.query_one(Input)

    @property
    def selected(self) -> StoredRun | None:
        """The run with the cursor."""
        branch = self._list.selected
        return branch.run if branch is not None else None

    # What is shown

    def look(self) -> None:
        """Read what has changed in the store; the cursor stays where it is."""
        unread = self._unread
        try:
            changed = self._table.look()
            self._unread = ""
        except StepgraphError as error:
            changed, self._unread = False, visible(error.message)
        if changed or self._unread != unread:
            self._list.marked = {run_id for run_id in self._list.marked if run_id in self._table}
            self._show()
        self._list.tick()

    def _show(self) -> None:
        """Show the list as the table has it now."""
        empty = self._hints(_FILTERED) if len(self._table) else _NOTHING
        self._list.show(self._table.branches, "" if self._unread else empty)
        self._show_title()
        self._show_hint()
        self.refresh_bindings()

    def _show_title(self) -> None:
        counts, table = self._table.counts, self._table
        parts = [
            f"{counts[status]:,} {status.value}"
            for status in (RunStatus.PAUSED, RunStatus.FAILED, RunStatus.READY)
            if counts[status]
        ]
        if table.damages:
            parts.append(f"{len(table.damages):,} damaged (see `stepgraph doctor`)")
        of = "" if not table.filter.words else f"{sum(1 for _ in table.branches):,} of "
        told = f"   {of}{plural(len(table), 'run')}{': ' if parts else ''}{', '.join(parts)}"
        marks = f"   {len(self._list.marked)} marked" if self._list.marked else ""
        self._put(".title", Text.assemble(("Runs", "bold"), f"{told}{marks}   by {table.order.name}"))

    def _show_hint(self) -> None:
        said, warns = self._said or ((self._unread, True) if self._unread else (self._about(), False))
        self.query_one(".hint").set_class(warns, "-warning")
        self._put(".hint", Text(said, no_wrap=True, overflow="ellipsis"))

    def _put(self, selector: str, text: Text) -> None:
        """Write a line, if it is not written already: painting it again would write to the terminal."""
        if self._written.get(selector) != text:
            self._written[selector] = text
            self.query_one(selector, Static).update(text)

    def _about(self) -> str:
        """Tell of the selected run what has no column."""
        if self._filter.has_focus:
            return self._hints(_FILTERING)
        run = self.selected
        if run is None:
            return ""
        head = run.head
        told = []
        if head.origin is not None:
            gone = "" if parent_of(head) in self._table else ", which is gone"
            told.append(f"forked from {visible(head.origin)}{gone}")
        told.append(f"started {clock(head.created_at)}")
        told.append(visible(people_path(Path(head.source))) if head.source else "built in Python")
        return "   ".join(told)

    def say(self, text: str, *, warns: bool = False) -> None:
        """Say something until the next key."""
        self._said = text, warns
        self._show_hint()

    def _warn(self, text: str) -> None:
        self.say(text, warns=True)

    @property
    def _hints(self) -> Callable[[str], str]:
        return self._shared.hints

    @on(RunList.Moved)
    @on(events.DescendantFocus)
    def _follow(self) -> None:
        self._show_hint()
        self.refresh_bindings()

    def on_key(self, event: events.Key) -> None:
        """Say no more what was said before; say why a key does nothing."""
        self._hush()
        active = self.active_bindings.get(event.key)
        if active is not None and not active.enabled and active.node is self:
            action = active.binding.action
            if action == "compare":
                self.action_compare()
            else:
                self._refuse(action)

    def on_mouse_down(self) -> None:
        """Say no more what was said before."""
        self._hush()

    def _hush(self) -> None:
        if self._said is not None:
            self._said = None
            self._show_hint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now has a key; None for what can say why it does not."""
        if not self.is_mounted or action in ("back", "close", "sort", "filter"):
            return action != "filter" or not (self.is_mounted and self._filter.has_focus)
        run = self.selected
        if run is None:
            return False
        if action == "compare":
            return bool(self._list.marked) or None
        return refused(action, run) is None or None

    # Moving

    def action_move(self, by: int) -> None:
        """Go to another run."""
        self._list.move(by)

    def action_page(self, by: int) -> None:
        """Go a page further."""
        self._list.page(by)

    def action_first(self) -> None:
        """Go to the first run."""
        self._list.move(-inf)

    def action_last(self) -> None:
        """Go to the last run."""
        self._list.move(inf)

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
            self._list.move(1)

    @on(RunList.Folded)
    def _turn_fold(self) -> None:
        branch = self._list.selected
        if branch is not None:
            (self.action_unfold if branch.hidden else self.action_fold)()

    # Choosing

    def action_sort(self) -> None:
        """Sort by the next order."""
        self._table.sort(1)
        self._show()

    def action_filter(self) -> None:
        """Write what the runs are to be like."""
        self.query_one(".filter").display = True
        self._filter.focus()

    @on(Input.Changed)
    def _apply_filter(self) -> None:
        self._table.choose(self._filter.value)
        self._show()

    @on(Input.Submitted)
    def _leave_filter(self) -> None:
        if not self._filter.value:
            self.query_one(".filter").display = False
        self._list.focus()

    def action_back(self) -> None:
        """Leave the field; then show all runs again; then take the marks away."""
        if self._filter.has_focus and self._filter.value:
            self._list.focus()
        elif self.query_one(".filter").display:
            self._filter.value = ""
            self.query_one(".filter").display = False
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
            self._list.move(1)
            self._show()

    # What is done with a run

    @on(RunList.Opened)
    def action_open(self) -> None:
        """Open the run in Debug."""
        self._open("")

    def _open(self, then: Then) -> None:
        run = self.selected
        if run is not None:
            path = Path(run.head.source) if run.head.source is not None else None
            if path is not None and is_missing(path):
                path = None  # a run can be looked at without its file
            self.post_message(self.RunChosen(path, run.head.id, then))

    def _refuse(self, action: str) -> bool:
        """Say why something cannot be done with the run; False where it can be."""
        run = self.selected
        why = refused(action, run) if run is not None else "there is no run"
        if run is not None and run.head.id in self._driven() and action in ("delete", "stop"):
            why = "it is being driven in this window: stop it there first"
        if why is not None:
            self._warn(f"{visible(run.head.id)}: {self._hints(why)}" if run is not None else why)
        return why is not None

    def action_resume(self) -> None:
        """Go on with the run where that is seen; a run that waits is opened at its review."""
        run = self.selected
        if run is None or self._refuse("resume"):
            return
        if run.pointer.status is RunStatus.PAUSED:
            self._open("")
        else:
            node = visible(run.pointer.current or "")
            question = f"Continue run {run.head.id} in Debug? {node} runs next."
            self._ask(question, "Continue", partial(self._open, "go"))

    def action_retry(self) -> None:
        """Try again what has failed, where that is seen."""
        run = self.selected
        if run is not None and not self._refuse("retry"):
            node = visible(run.pointer.current or "")
            self._ask(f"Retry run {run.head.id} in Debug, at {node}?", "Retry", partial(self._open, "retry"))

    def action_fork(self) -> None:
        """Ask for the step after which a new run goes on, and make it."""
        run = self.selected
        if run is None or self._refuse("fork"):
            return
        from stepgraph_tui.dialogs.pick import NamePrompt

        run_id, last = run.head.id, run.pointer.step

        def wrong(text: str) -> str | None:
            is_step = text.isdecimal() and int(text) <= last
            return None if is_step else f"Write a step from 0, the start, to {last}."

        def fork(step: str | None) -> None:
            if step is not None:
                self._do(partial(self._fork, run_id, int(step)))

        title = f"Fork run {run_id} after step"
        self.app.push_screen(NamePrompt(title, str(last), wrong, verb="Fork"), fork)

    def _fork(self, run_id: str, at: int) -> None:
        made = forked(self._shared, run_id, at)
        self._note(cli_equivalents.fork(run_id, at, made.id, self._shared.address))
        self.look()
        self._list.go_to(made.id)
        self.say(f"{made.id} goes on from {visible(run_id)} after step {at}: nothing has run yet")

    def action_stop(self) -> None:
        """Ask, then end the run where it stands."""
        run = self.selected
        if run is not None and not self._refuse("stop"):
            self._ask(stop_question(run), "End it", partial(self._do, partial(self._stop, run)))

    def _stop(self, run: StoredRun) -> None:
        stopped(self._shared, run)
        self._note(cli_equivalents.stop(run.head.id, self._shared.address))
        self.look()
        self.say(f"{visible(run.head.id)} was ended where it stood")

    def action_delete(self) -> None:
        """Ask, then delete the run, as it stood when it was asked."""
        run = self.selected
        if run is not None and not self._refuse("delete"):
            question = delete_question(run, len(self._table.forks_of(run.head.id)))
            self._ask(question, "Delete", partial(self._do, partial(self._delete, run)))

    def _delete(self, run: StoredRun) -> None:
        run_id = run.head.id
        deleted = self._shared.store.delete_runs({run_id: run.pointer.version})
        self.look()
        if deleted:
            self._note(cli_equivalents.delete(run_id, self._shared.address))
            self.say(f"{visible(run_id)} is deleted")
        elif run_id in self._table:
            self._warn(f"{visible(run_id)} moved on meanwhile, and was not deleted: look, then try again")
        else:
            self._warn(f"{visible(run_id)} was deleted elsewhere already")

    def action_compare(self) -> None:
        """Show where two runs part: the marked ones, or the marked one and the one with the cursor."""
        run, marked = self.selected, sorted(self._list.marked)
        if run is not None and len(marked) == 1 and run.head.id not in marked:
            marked.append(run.head.id)
        if len(marked) == 2:
            self._do(partial(self._compare, *marked))
        else:
            self._warn(self._hints("mark two runs with {runs.mark}, or one and go to the other"))

    def _compare(self, left: str, right: str) -> None:
        from stepgraph_tui.dialogs.comparison import ComparisonPage

        self._note(cli_equivalents.compare(left, right, self._shared.address))
        self.app.push_screen(ComparisonPage(self._shared.store, left, right, self._copy))

    def action_copy(self) -> None:
        """Copy the id of the run."""
        run = self.selected
        if run is not None:
            self._copy(run.head.id)

    def action_copy_command(self) -> None:
        """Copy the command that shows the run."""
        run = self.selected
        if run is not None:
            self._copy(cli_equivalents.show_run(run.head.id, self._shared.address))

    def _copy(self, text: str) -> None:
        """Copy a text, and say by which way; the programs that do it may take their time."""

        def work() -> None:
            said = clipboard.copy(self.app, text)
            self.app.call_from_thread(self.say, said)

        self.run_worker(work, thread=True, exit_on_error=False, group="clipboard")

    def _ask(self, question: str, verb: str, then: Callable[[], None]) -> None:
        from stepgraph_tui.dialogs.questions import Confirm

        def answered(yes: bool | None) -> None:
            if yes:
                then()

        self.app.push_screen(Confirm(question, verb), answered)

    def _do(self, what: Callable[[], None]) -> None:
        """Do something with the store, and say what went wrong."""
        try:
            what()
        except StepgraphError as error:
            self.look()
            self._warn(visible(f"{error.message} ({error.hint})" if error.hint else error.message))

    def _note(self, command: str) -> None:
        self._shared.log.note(self._shared.clock.time(), command)

    def action_close(self) -> None:
        """Go back to where the list was opened."""
        self.dismiss()
