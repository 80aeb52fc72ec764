"""The inbox: what waits for a person in all runs and graphs, and what became of what waited."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Input, Static

from stepgraph.reviews.waiting import POSSIBLE
from stepgraph.values.errors import StepgraphError
from stepgraph_tui import cli_equivalents, clipboard
from stepgraph_tui.commands import INBOX, bindings
from stepgraph_tui.text.inbox import STATES, ReviewState
from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.text.reviews import RunMasks
from stepgraph_tui.text.system import command
from stepgraph_tui.widgets.chrome.key_line import KeyLine
from stepgraph_tui.widgets.chrome.line_field import LineField
from stepgraph_tui.widgets.chrome.word_tabs import WordTabs
from stepgraph_tui.widgets.inbox_list import InboxList, InboxRow
from stepgraph_tui.worker import Decided, WorkFailed

from .deciding import InboxDecisions
from .table import InboxTable
from .words import empty_text, row_text

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.widgets.lines import Way

Answer = TypeVar("Answer")
_EVERY = 1.0  # seconds between two looks at the store
_NONE_MATCHES = "No review matches the filter; {inbox.back} takes it away."


class InboxScreen(Screen[None], inherit_bindings=False):
    """Lists the reviews of the store, and opens the dialogs that decide them. No key of its own decides.

    Args:
        context: What the app shares.
        run_id: The run on whose review the cursor is at first, if that waits.
    """

    AUTO_FOCUS = "InboxList"
    BINDINGS = bindings(INBOX)
    CSS_PATH = "inbox.tcss"

    def __init__(self, context: AppContext, run_id: str | None = None) -> None:
        super().__init__()
        self._shared, self._first = context, run_id
        self._table = InboxTable(context.store, context.clock.time, context.settings.name)
        self._list = InboxList(context.clock.time)
        self._tabs = WordTabs()
        self._decisions = InboxDecisions(context, self.post_message)
        self._workers_go_on = False  # with the run that was decided last
        self._said: tuple[str, bool] | None = None
        self._unread = self._misread = ""
        self._written: dict[str, Text] = {}

    def compose(self) -> ComposeResult:
        """Compose the tabs, the filter, the list, what is said of the selected review, and the keys."""
        yield self._tabs
        with Horizontal(classes="filter"):
            yield Static("/")
            yield LineField(compact=True)
        yield Static(classes="chips")
        yield self._list
        yield Static(classes="hint")
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list, and keep it up to date."""
        self.query_one(".filter").display = False
        self.look()
        self._show()
        waiting = (each.review for each in self._table.lists.pending)
        here = next((review.id for review in waiting if review.run_id == self._first), None)
        if here is None or not self._list.go_to(here):
            self._list.go_first()
        self._looking = self.set_interval(_EVERY, self.look)

    def on_unmount(self) -> None:
        """Let go of the thread that records decisions."""
        self._decisions.close()

    def on_screen_suspend(self) -> None:
        """Look no more while another screen is on top; dialogs look by themselves."""
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
    def selected(self) -> InboxRow | None:
        """The row with the cursor."""
        return self._list.selected

    @property
    def _hints(self) -> Callable[[str], str]:
        return self._shared.hints

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
            self._list.marked = {marked for marked in self._list.marked if self._table.waits(marked)}
            self._show()
        self._list.tick()

    def _show(self) -> None:
        """Show the list as the table has it now."""
        table = self._table
        self._list.show(table.state, table.rows, [] if self._unread else self._empty_text)
        counts = [(state, table.lists.count(state)) for state in STATES]
        words = [
            f"{number} {state.capitalize()} {count:,}" for number, (state, count) in enumerate(counts, 1)
        ]
        order = f"by {table.order.name} " if table.state == "pending" else ""
        right = f"{len(self._list.marked)} marked " if self._list.marked else order
        self._tabs.show("Inbox", words, STATES.index(table.state), right)
        self._show_chips()
        self._show_hint()
        self.refresh_bindings()

    @property
    def _empty_text(self) -> list[str]:
        """What is said where nothing is listed."""
        if self._table.chips:
            return [self._hints(_NONE_MATCHES)]
        return empty_text(self._table.state, self._shared.store)

    def _show_chips(self) -> None:
        chips, line = self._table.chips, self.query_one(".chips")
        line.display = bool(chips) and not self.query_one(".filter").display
        told = [part for chip in chips for part in ((f" {visible(chip)} ", "reverse"), "  ")]
        self._put(".chips", Text.assemble("Filter  ", *told, (self._hints("{inbox.back} clears"), "dim")))

    def _show_hint(self) -> None:
        said, warns = self._said or ((self._unread, True) if self._unread else (self._about(), False))
        if self._filter.has_focus and self._misread:
            said, warns = self._misread, True
        self.query_one(".hint").set_class(warns, "-warning")
        self.query_one(".hint").set_class(self._said is not None, "-said")
        self._put(".hint", Text(said))

    def _put(self, selector: str, text: Text) -> None:
        """Write a line, if it is not written already: painting it again would write to the terminal."""
        if self._written.get(selector) != text:
            self._written[selector] = text
            self.query_one(selector, Static).update(text)

    def _about(self) -> str:
        """Tell of the selected row what has no column, or no room in one."""
        if self._filter.has_focus:
            return f"{POSSIBLE}."
        return row_text(self.selected, self._shared.clock.time(), self._shared.address)

    def say(self, text: str, *, warns: bool = False) -> None:
        """Say something until the next key; ``warns`` when it is why something was not done."""
        self._said = text, warns
        self._show_hint()

    def tell_how_to_leave(self) -> None:
        """Name the keys that close the list, and that leave the app."""
        self.say(self._hints("{inbox.close} closes the inbox, {app.quit} leaves Stepgraph"))

    @on(InboxList.Moved)
    @on(events.DescendantFocus)
    def _follow(self) -> None:
        self._show_hint()
        self.refresh_bindings()

    def on_key(self) -> None:
        """Say no more what was said before."""
        self._hush()

    def on_mouse_down(self) -> None:
        """Say no more what was said before."""
        self._hush()

    def _hush(self) -> None:
        if self._said is not None:
            self._said = None
            self._show_hint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what works now has a key."""
        if not self.is_mounted:
            return True
        row = self.selected
        if action == "filter":
            return not self._filter.has_focus
        if action in ("mark", "open", "copy", "copy_command"):
            return row is not None and (action != "mark" or bool(row.ids))
        if action == "mark_all":
            return bool(self._table.markable)
        return action != "sort" or self._table.state == "pending"

    # Moving

    def action_to(self, way: Way) -> None:
        """Go to another review."""
        self._list.to(way)

    @on(WordTabs.Chosen)
    def _turn_to(self, message: WordTabs.Chosen) -> None:
        self.action_turn(STATES[message.number])

    def action_turn(self, state: ReviewState) -> None:
        """List something else."""
        self._table.turn(state)
        self._list.marked.clear()
        self._show()
        self._list.go_first()

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

    # Choosing

    def action_sort(self) -> None:
        """Sort by the next order."""
        self._table.sort()
        self._show()

    def action_filter(self) -> None:
        """Write what the reviews are to be like."""
        self.query_one(".filter").display = True
        self._show_chips()
        self._filter.focus()

    @on(Input.Changed)
    def _apply_filter(self) -> None:
        self._misread = self._table.choose(self._filter.value)
        self._show()

    @on(Input.Submitted)
    def _leave_filter(self) -> None:
        """Go back to the list; a filter that says nothing is mended first."""
        if self._misread:
            self.app.bell()
            return
        self.query_one(".filter").display = False
        self._show_chips()
        self._list.focus()

    def action_back(self) -> None:
        """Leave the field, then show all reviews again, then take the marks away, then close."""
        if self._filter.has_focus and self._filter.value and not self._misread:
            self._leave_filter()
        elif self._filter.has_focus or self._table.chips:
            self._filter.value = ""
            self.query_one(".filter").display = False
            self._list.focus()
            self._show()
        elif self._list.marked:
            self._list.marked.clear()
            self._list.lines.repaint()
            self._show()
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

    # What is done with a review

    @on(InboxList.Opened)
    def action_open(self) -> None:
        """Open the review, or the dialog that decides the marked ones; unfold a group."""
        row = self.selected
        if self._list.marked:
            self._open_marked()
        elif row is None:
            return
        elif row.fold:
            self.action_fold(row.fold == "▾")
        elif row.broken is not None and row.broken.review is None:
            self._tell_broken(row)
        else:
            self._open_review(row.reviews[0].review.id)

    def _open_review(self, review_id: str) -> None:
        """Open a review where it is decided; it takes neither its graph nor trust."""
        from stepgraph_tui.dialogs.approval import ReviewScreen

        context = self._shared
        dialog = ReviewScreen(
            context.store,
            review_id,
            decide=self._decisions.submit,
            me=context.settings.name,
            drafts=context.drafts,
            copy=self.copy,
            say=self._tell_decided,
            hints=context.hints,
            time=context.clock.time,
        )
        self._decisions.dialog = dialog
        self.app.push_screen(dialog)

    def _open_marked(self) -> None:
        from stepgraph_tui.dialogs.bulk import BulkDialog

        marked = [each for each in self._table.lists.pending if each.review.id in self._list.marked]
        context = self._shared

        def waiting() -> set[str]:
            self.look()
            return {each.review.id for each in self._table.lists.pending}

        def decided(decision: Decision | None) -> None:
            if decision is not None:
                left = waiting()
                reviews = [each.review for each in marked if each.review.id in left]
                self._decisions.decide_all(reviews, decision)

        self.app.push_screen(
            BulkDialog(
                marked,
                me=context.settings.name,
                waiting=waiting,
                hints=context.hints,
                time=context.clock.time,
            ),
            decided,
        )

    @on(Decided)
    def _recorded(self, message: Decided) -> None:
        review = message.review
        self._workers_go_on = message.workers_go_on
        mask = RunMasks(self._shared.store).of_review(review)
        told = cli_equivalents.decide(review, self._shared.address, mask)
        self._shared.log.note(self._shared.clock.time(), told)
        self._go_on(self._decisions.recorded(review))

    @on(WorkFailed)
    def _refused(self, message: WorkFailed) -> None:
        self._go_on(self._decisions.refused(message.error))

    def _go_on(self, said: str) -> None:
        """Show what has changed, and say what became of the decisions once all of them are recorded."""
        self.look()
        if said:
            self._list.marked.clear()
            self._show()
            self.say(visible(said))

    def _tell_decided(self, said: str, review: Review) -> None:
        """Say what was decided, and how the run goes on."""
        if self._workers_go_on:
            self.say(f"{said}; workers go on with the run")
            return
        goes_on = visible(cli_equivalents.resume(review.run_id, self._shared.address))
        self.say(f"{said}; `{goes_on}` continues that run")

    def _tell_broken(self, row: InboxRow) -> None:
        """Show all that is known of a review that cannot be read, and what to do."""
        from stepgraph_tui.dialogs.damage import DamagePage

        damage = row.broken.damage if row.broken is not None else None
        if damage is not None:
            told = self._hints("{runs.delete} in the list of runs deletes what is left of it.")
            page = DamagePage(damage, self._shared.address, told if damage.run else "", self.copy)
            self.app.push_screen(page)

    def action_copy(self) -> None:
        """Copy the ids of the row."""
        row = self.selected
        if row is not None:
            ids = [listed.review.id for listed in row.reviews]
            self.copy(" ".join(ids) or (row.broken.run_id if row.broken is not None else ""))

    def action_copy_command(self) -> None:
        """Copy the command that shows the review; of a broken one, the one that tells more."""
        row = self.selected
        if row is not None and row.reviews:
            self.copy(cli_equivalents.show_approval(row.reviews[0].review.id, self._shared.address))
        elif row is not None:
            self.copy(command("doctor", store=self._shared.address))

    def copy(self, text: str) -> None:
        """Copy a text, and say by which way; the programs that do it may take their time."""

        def work() -> None:
            said = clipboard.copy(self.app, text)
            self.app.call_from_thread(self.say, said)

        self.run_worker(work, thread=True, exit_on_error=False, group="clipboard")

    def action_close(self) -> None:
        """Go back to where the inbox was opened, once all that was decided together is recorded."""
        if self._decisions.left:
            self.say(f"{plural(self._decisions.left, 'decision')} still to be recorded", warns=True)
        else:
            self.dismiss()
