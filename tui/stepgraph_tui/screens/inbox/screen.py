"""The inbox: what waits for a person in all runs and graphs, and what became of what waited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Input

from stepgraph.reviews import POSSIBLE
from stepgraph.stores import RunStatus
from stepgraph.values import StepgraphError

from ...commands import COMMANDS, bindings
from ...commands.command import Wording
from ...text.inbox import STATES, ReviewState, ended_text, place_text
from ...text.plain import moment, plural
from ...text.reviews import term_rows
from ...text.system import command
from ...widgets.chrome.status_lines import KeyLine, NoticeLine
from ...widgets.chrome.tabs import ChipLine, WordTabs
from ...widgets.inbox_list import InboxList, InboxRow
from ...worker import Decided, WorkFailed
from ..list_screen import ListScreen
from ..review_dialog import Continuing
from ..runs import RunsScreen
from .actions import InboxActions, InboxTable

if TYPE_CHECKING:
    from stepgraph.stores import StateStore, StoredRun

    from ...context import AppContext


_EMPTY: dict[ReviewState, str] = {
    "pending": "Nothing waits for you.",
    "decided": "Nothing was decided yet.",
    "expired": "Nothing has expired.",
    "broken": "Nothing is broken.",
}


def empty_text(state: ReviewState, store: StateStore) -> list[str]:
    """Describe an empty list, line by line; where nothing waits, also what runs meanwhile."""
    if state != "pending":
        return [_EMPTY[state]]
    try:
        ready = len(store.runs(RunStatus.READY))
    except StepgraphError:
        return [_EMPTY[state]]
    runs = "run is" if ready == 1 else "runs are"
    return [_EMPTY[state], f"{ready:,} {runs} running, or ready to go on." if ready else "Nothing runs."]


def row_text(row: InboxRow | None, now: float, address: str | None, run_status: Callable[[str], str]) -> str:
    """Describe what of a row has no column, or no room in one; of what is broken, what to do.

    Args:
        row: The row; None where there is none.
        now: The time, in seconds since 1970.
        address: The store's address where commands must name it.
        run_status: Tells how a run stands.
    """
    if row is None:
        return ""
    if row.broken is not None:
        return row.broken.ways_on(partial(command, store=address))
    review = row.reviews[0].review
    name = f"{len(row.reviews)} reviews that ask the same" if row.fold else review.run_id
    decision = review.decision
    if decision is not None:
        comment = decision.comment or decision.text
        ended = f"{ended_text(review)}{f': {comment}' if comment else ''}"
        stands = run_status(review.run_id)
        return "   ".join((name, ended, stands, f"at {moment(decision.at, now)}", place_text(review)))
    parts = [name, place_text(review)]
    terms = term_rows(review, now, counts=False)
    parts += [f"{heading}: {text}" for heading, text in terms if heading in ("decides", "votes")]
    parts += [review.request.prompt] if review.request.action else []
    return "   ".join(parts)


_NONE_MATCHES = "No review matches the filter; {inbox.back} takes it away."
_OF_ROWS = ("open", "copy", "copy_command")


class InboxScreen(ListScreen[InboxTable, InboxList], inherit_bindings=False):
    """Lists the reviews of the store, and opens the dialogs that decide them. No key of its own decides.

    Args:
        context: What the app shares.
        run_id: The run on whose review the cursor is at first, if that waits.
    """

    AUTO_FOCUS = "InboxList"
    BINDINGS = bindings("inbox")
    CSS_PATH = "inbox.tcss"

    def __init__(self, context: AppContext, run_id: str | None = None) -> None:
        now, stamp, self._continuing = context.clock.time, context.store_look.stamp, Continuing(context)
        me, run_status = context.settings.name, self._continuing.run_status
        super().__init__(context, InboxTable(context.store, now, me, stamp, run_status), InboxList(now))
        self._first = run_id
        self._tabs, self._chips, self._notice = WordTabs(), ChipLine(), NoticeLine()
        self._actions = InboxActions(context, self._continuing, self._table, self._list, self)
        self._misread = ""

    def compose(self) -> ComposeResult:
        """Compose the tabs, the filter, the list, words about the selected review, and the keys."""
        yield self._tabs
        yield self._filter
        yield self._chips
        yield self._list
        yield self._notice
        yield self._hint
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list, and put the cursor where it was asked for."""
        self.look()
        self._show()
        waiting = (each.review for each in self._table.lists.pending)
        here = next((review.id for review in waiting if review.run_id == self._first), None)
        if here is None or not self._list.go_to(here):
            self._list.cursor.go_to(0)

    def on_unmount(self) -> None:
        """Close the thread that records decisions."""
        self._actions.close()

    @property
    def selected(self) -> InboxRow | None:
        """The row with the cursor."""
        return self._list.selected

    @property
    def run_id(self) -> str | None:
        """The run whose review has the cursor."""
        row = self.selected
        return row.reviews[0].review.run_id if row is not None and row.reviews else None

    # What is shown

    def look(self) -> None:
        """Read what has changed in the store by now; the cursor stays where it is."""
        super().look()
        self._tell_ready()

    def look_again(self) -> None:
        """Update from the app's look at the store."""
        super().look_again()
        self._tell_ready()

    def _tell_ready(self) -> None:
        """Show how many runs continue here, and how many could."""
        if self._notice.show(self._continuing.notice("inbox.continue")):
            self.refresh_bindings()

    def _show(self) -> None:
        """Show the list as the table has it now."""
        table = self._table
        self._list.show(table.state, table.rows, [] if self._unread else self._empty_text)
        counts = [f"{table.lists.count(state):,}" if table.has_read else "?" for state in STATES]
        names = [f"{number} {state.capitalize()}" for number, state in enumerate(STATES, 1)]
        words = [f"{name} {count}" for name, count in zip(names, counts, strict=True)]
        order = f"by {table.order.name} " if table.state == "pending" else ""
        right = f"{len(self._list.marked)} marked " if self._list.marked else order
        self._tabs.show("Inbox", words, STATES.index(table.state), right)
        chips = [] if self._filter.display else table.chips
        self._chips.show(chips, self._hints("{inbox.back} clears"))
        self._follow()

    @property
    def _empty_text(self) -> list[str]:
        """The words where nothing is listed."""
        if self._table.chips:
            return [self._hints(_NONE_MATCHES)]
        return empty_text(self._table.state, self._shared.store)

    @on(InboxList.Moved)
    @on(events.DescendantFocus)
    def _follow(self) -> None:
        """Describe what of the selected row has no room in the columns, or the error in a filter."""
        if self._filter.writes:
            self._hint.tell(self._misread or f"{POSSIBLE}.", warns=bool(self._misread))
        else:
            now, run_status = self._shared.clock.time(), self._continuing.run_status
            about = row_text(self.selected, now, self._shared.address, run_status)
            self._tell(about)
        self.refresh_bindings()

    def tell_how_to_leave(self) -> None:
        """Name the keys that close the list, and that leave the app."""
        self.say(self._hints("{inbox.close} closes the inbox, {app.quit} leaves Stepgraph"))

    def on_key(self) -> None:
        """Clear the last message."""
        self._hint.hush()

    def renamed(self) -> Mapping[str, Wording]:
        """Offer first to decide marked reviews, else to continue decided runs."""
        if self._list.marked:
            return {"inbox.open": COMMANDS["inbox.open"].first(f"Decide {len(self._list.marked)}")}
        return {"inbox.continue": COMMANDS["inbox.continue"].first()}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now has a key."""
        if not self.is_mounted:
            return True
        row = self.selected
        if action == "filter":
            return not self._filter.writes
        if action in _OF_ROWS:
            return row is not None
        if action == "mark":
            return row is not None and bool(row.ids)
        if action == "mark_all":
            return bool(self._table.markable)
        if action == "continue":
            return self._continuing.count > 0
        if action == "resume":
            return row is not None and row.is_decided
        return action != "sort" or self._table.state == "pending"

    # Moving

    @on(WordTabs.Chosen)
    def _turn_to(self, message: WordTabs.Chosen) -> None:
        self.action_turn(STATES[message.number])

    def action_turn(self, state: ReviewState) -> None:
        """List something else."""
        self._table.turn(state)
        self._list.marked.clear()
        self._show()
        self._list.cursor.go_to(0)

    @on(InboxList.Folded)
    def _turn_fold(self) -> None:
        row = self.selected
        if row is not None and row.fold:
            self.action_fold(row.fold == "▾")

    def action_fold(self, folded: bool) -> None:
        """Fold the group that the cursor is in, or unfold it."""
        row = self.selected
        if row is not None and (row.fold or (row.is_member and folded)):
            self._table.fold(row.group, folded=folded)
            first = row.reviews[0].review.id
            self._show()
            self._list.go_to(first)
            if not folded:
                self._list.cursor.reveal(self._list.lines.at + len(row.reviews))

    # Choosing

    @on(Input.Changed)
    def _apply_filter(self) -> None:
        self._misread = self._table.choose(self._filter.text)
        self._show()

    @on(Input.Submitted)
    def _leave_filter(self) -> None:
        """Return to the list; a filter that says nothing is mended first."""
        if self._misread:
            self.app.bell()
            return
        self._filter.hide()
        self._list.focus()
        self._show()

    def action_back(self) -> None:
        """Leave the field, then show all reviews again, then take the marks away, then close."""
        if self._filter.writes and self._filter.text and not self._misread:
            self._leave_filter()
        elif self._filter.writes or self._table.chips:
            self._filter.clear()
            self._list.focus()
            self._show()
        elif self._list.marked:
            self.unmark()
        else:
            self.action_close()

    def action_mark(self) -> None:
        """Mark the review, or all of the group, and go to the next row."""
        row = self.selected
        if row is not None:
            self._list.mark(row)
            self._list.to("next")
            self._show()

    def action_mark_all(self) -> None:
        """Mark all that is listed; where all of it is marked, nothing."""
        ids = self._table.markable
        self._list.marked = set() if ids <= self._list.marked else ids
        self._list.lines.repaint()
        self._show()

    def unmark(self) -> None:
        """Clear all marks."""
        self._list.marked.clear()
        self._list.lines.repaint()
        self._show()

    # What is done with a review

    @on(InboxList.Opened)
    def action_open(self) -> None:
        """Open the review, or the dialog that decides the marked ones; unfold a group."""
        row = self.selected
        if self._list.marked:
            self.begin(self._actions.open_marked())
        elif row is not None and row.fold:
            self._turn_fold()
        elif row is not None:
            self._actions.open(row)

    def action_continue(self) -> None:
        """Continue all decided runs in the background."""
        self._actions.continue_decided()

    def action_resume(self) -> None:
        """Continue with the run of a decided review."""
        row = self.selected
        if row is not None:
            self.begin(self._actions.resume(row))

    def action_copy(self) -> None:
        """Copy the ids of the row."""
        row = self.selected
        if row is not None:
            self._actions.copy(row)

    def action_copy_command(self) -> None:
        """Copy the command that shows the review."""
        row = self.selected
        if row is not None:
            self._actions.copy_command(row)

    @on(Decided)
    def _recorded(self, message: Decided) -> None:
        self._actions.recorded(message)

    @on(WorkFailed)
    def _refused(self, message: WorkFailed) -> None:
        self._actions.refused(message)

    def open_run(self, run: StoredRun) -> None:
        """Open a run in Debug, and go on with it there."""
        self.post_message(RunsScreen.RunChosen.of(run, "go"))

    def action_close(self) -> None:
        """Return to where the inbox was opened, once all that was decided together is recorded."""
        if self._actions.left:
            self.say(f"{plural(self._actions.left, 'decision')} still to be recorded", warns=True)
        else:
            self.dismiss()
