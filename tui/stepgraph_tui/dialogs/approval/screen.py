"""The dialog in which a person reads a pending review and decides it."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.screen import ModalScreen

from stepgraph.values import AlreadyDecided, PayloadChanged, StepgraphError, StoreUnreachable
from stepgraph_tui.commands import COMMANDS, dialog_bindings, of_the_app
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.text.plain import unread_text
from stepgraph_tui.widgets.lines import wrapped
from stepgraph_tui.widgets.scrolling import scroll

from .deciding import Begun, DecisionComposer, DecisionState, Verbs
from .drafts import ReviewDraft, ReviewDrafts
from .edit_form import EditForm
from .onward import Onward
from .panel import DecisionPanel, ReviewBox
from .proposal import meanwhile
from .view import PageName, ReviewView
from .watching import ArmedKeys, ReviewWatch, stamped_now

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.stores import StateStore
    from stepgraph_tui.worker import Decide

    from .watching import ReviewNews, Subject

_KEPT = "The decision is recorded once it answers."
_OF_PAGES = ("list.copy", "list.close")
"""Commands of other contexts that hold here, too."""


class ReviewScreen(ModalScreen[None], inherit_bindings=False):
    """Shows all that a person should know before deciding a review, and hands the decision over.

    Nothing is decided by one key, by a click, or by a key that was typed for something else. Closing the
    dialog decides nothing, and loses nothing that was written.

    Args:
        store: The store, read on this thread.
        review_id: The review to begin with.
        decide: Hands a decision to whoever records it; False when that must wait.
        onward: Tells what follows a decision of a review.
        me: Who decides.
        drafts: What was written before.
        copy: Copies a text for other programs.
        say: Says one line, once the dialog is closed, about a review that was decided here.
        hints: Names the keys.
        time: The time, in seconds since 1970.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
        store_stamp: Gives the store's stamp, which each commit changes; None asks the store.
    """

    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    CSS_PATH = "review.tcss"
    BINDINGS = dialog_bindings("approval", of_the_app(COMMANDS["app.palette"]), *_OF_PAGES)

    def __init__(
        self,
        store: StateStore,
        review_id: str,
        *,
        decide: Callable[[Decide], bool],
        onward: Callable[[Review], Onward] = lambda review: Onward(),
        me: str,
        drafts: ReviewDrafts,
        copy: Callable[[str], object],
        say: Callable[[str, Review], object] = lambda line, review: None,
        hints: Hints = UNMAPPED,
        time: Callable[[], float] = clock.time,
        now: Callable[[], float] = stamped_now,
        stamp: Callable[[events.Event], float] = lambda event: event.time,
        store_stamp: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self._first, self._hints = review_id, hints
        self._copy, self._last_word = copy, say
        self.watcher = ReviewWatch(store, time, store_stamp or store.stamp)
        self.state = DecisionState(self.watcher, drafts, hints, time, me)
        self.view, self.form = ReviewView(hints), EditForm()
        self.panel = DecisionPanel(lambda event: self.keys.gate.counts(event))
        self.box = ReviewBox(self.view, self.form, self.panel)
        self.keys = ArmedKeys(
            self, self.box, named=self._named_keys, writing=lambda: self.box.writing, now=now, stamp=stamp
        )
        self._composer = DecisionComposer(
            self.state,
            self.view,
            self.form,
            self.panel,
            self.box,
            self,
            me=me,
            decide=decide,
            onward=onward,
            hints=hints,
        )
        self.is_leaving = False
        """Whether its decision is recorded, and it is being closed."""
        self._unread = ""  # why the store could not be read at the last look

    def compose(self) -> ComposeResult:
        """Show the box, and the keys at the bottom of the screen."""
        yield self.box
        yield self.keys.line

    def on_mount(self) -> None:
        """Read the review, keep watching it, keep the time, and know when the person comes back."""
        self.keys.begin()
        self.open(self._first)

    # Which keys count, and for what

    def on_screen_resume(self) -> None:
        """Wait anew: what lay above the dialog is gone."""
        self._tell_time()
        self.view.refresh()
        self.keys.gate.arm_anew()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """End the quiet period with a click, which does nothing else."""
        self.keys.gate.counts(event)

    async def on_key(self, event: events.Key) -> None:
        """Pass the key on once keys count."""
        await self.keys.gate.take(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Find which keys work now."""
        return self._verbs.allow(action, parameters)

    @property
    def _verbs(self) -> Verbs:
        shown, view = self.watcher.subject is not None, self.view
        walks = {by: view.can_walk(by) for by in (-1, 1)}
        return Verbs(self.state, self.box.idle, shown, view.is_read, view.page, walks)

    # The review that is shown

    @property
    def draft(self) -> ReviewDraft:
        """What was written for it."""
        return self.state.draft

    def open(self, review_id: str, notice: str = "") -> None:
        """Show a review as it is in the store now."""
        self.box.close_fields(self.draft)
        subject = self.state.begin(review_id, notice)
        self.view.open(subject)
        if subject is None:
            self.box.title("")
        else:
            self.set_class(subject.high, "-high")
            if not subject.pending:
                self._end(subject, subject.review)
            if subject.review.is_wait:  # for a time: no person is asked anything, but may go on sooner
                self.box.title("", what="WAIT")
            else:
                self.box.title(self.watcher.place(self._hints), subject.review.request.risk)
        self.action_turn_page("summary")
        self.keys.gate.arm_anew()

    def look_again(self) -> None:
        """Check whether somebody else has decided or changed what is shown, and how long it has waited.

        While a decision is on its way to the store, its answer tells what became of it, and who goes on.
        """
        news = self._news()
        if self.state.sent is None:
            self._take(news)
        if self.is_active:
            self._tell_time()

    def _news(self) -> ReviewNews | None:
        """Read what has changed in the store; None where nothing has, or it cannot be read, which is told."""
        subject = self.watcher.subject
        if subject is None or self.state.over:
            return None
        try:
            news = self.watcher.news(subject)
        except StepgraphError as error:
            is_down = isinstance(error, StoreUnreachable)
            told = unread_text(error) if is_down else f"the store cannot be read: {error}"
            self._tell_unread(f"{told}\n{_KEPT}" if is_down and self.state.sent is not None else told)
            return None
        self._tell_unread("")
        return news

    def _take(self, news: ReviewNews | None) -> None:
        """Show that the review is over, or what has changed in it."""
        subject = self.watcher.subject
        if news is None or subject is None:
            return
        if news.is_over:
            self._end(subject, news.review)
        elif news.run_changed:
            self.open(news.review.id, meanwhile(subject.review, news.review))

    def _tell_unread(self, told: str) -> None:
        """Show that the store cannot be read, until it can; other messages stay beside it."""
        if told != self._unread:
            self._unread = told
            if self.is_attached:
                self.say()

    def _tell_time(self) -> None:
        """Show how long the review has waited, or how long it still does."""
        if self.box.is_attached:  # not while the dialog is put together, nor while it is taken down
            self.box.tell_time(self.state.waits, self.state.countdown)

    def _end(self, subject: Subject, review: Review) -> None:
        """Show why nothing can be decided here any more."""
        self.box.close_fields(self.draft)
        since_then = self.state.end(subject, review)
        if since_then is not None:
            self.view.outdate(since_then)
        self.paint(from_top=True)
        self.keys.gate.arm_anew()

    def recorded(self, review: Review) -> None:
        """Close, with one line that says so: the decision is in the store."""
        was_over, said = bool(self.state.over), self.state.record(review)
        if said is not None and not was_over:
            self._last_word(said, review)
        if said is None or not self.is_attached:
            return
        if self.is_active:
            self.is_leaving = True
            self.dismiss()
        else:
            self.box.close_fields(self.draft)
            self.paint()

    def refused(self, error: StepgraphError) -> None:
        """Show why the decision was not recorded. What was written stays."""
        self.watcher.distrust()  # what came meanwhile was not shown
        news = self._news() if isinstance(error, AlreadyDecided | PayloadChanged) else None
        if news is not None and self.state.is_ours(news.review):
            self.recorded(news.review)  # the answer was lost, not the decision
            return
        self.state.sent = None
        self.tell(f"not recorded: {error}")
        self._take(news)

    def tell(self, notice: str) -> None:
        """Show a message beside the verbs."""
        self.state.notice = notice
        if self.is_attached:
            self.say()

    # What is shown

    def paint(self, *, from_top: bool = False) -> None:
        """Show the page as it is now."""
        self.view.kept_from = self.state.refusals
        self.view.paint(self.box.row_width, from_top=from_top)
        self.say()

    def on_resize(self) -> None:
        """Lay the page out for another width."""
        self.paint()

    def say(self) -> None:
        """Bring everything around the page up to date."""
        subject, refused = self.watcher.subject, self.state.refusals
        verbs = [] if subject is None else subject.review.request.verbs
        can_write = self.box.idle and not self.state.over and not all(verb in refused for verb in verbs)
        self.panel.show_comment(
            self.draft.comment,
            wanted="reject" in verbs and "reject" not in refused,
            write=self._hints("{approval.comment} write") if can_write else "",
            width=self.box.row_width,
        )
        if self.box.idle:
            too_long = self.view.too_long if self.state.can_approve else []
            kept_from = self.state.kept_from
            said = self.state.over or "\n".join([self.state.notice, self._unread, kept_from, *too_long])
            lines = (part for line in said.split("\n") if line for part in wrapped(line, self.box.row_width))
            self.panel.say([Text(line) for line in lines])
        self._ask()
        self._tell_time()
        self.box.fit(self.size)
        self.look()

    @on(ReviewView.Looked)
    def look(self) -> None:
        """Show how much lies below, and what may be done now that more was seen."""
        self.box.say_outside(self.view.way_on if self.state.can_approve else "")
        self._ask()
        self.keys.show()

    def _ask(self) -> None:
        """Ask what is about to be confirmed, or say what must be read before that."""
        proposed = self.view.proposed
        if proposed is not None and self.box.asks:
            scrolls = self._hints.together("approval.page_up", "approval.page_down")
            self.panel.ask(proposed.lines(self.box.row_width, self.view.gate, scrolls, self.panel.onward))

    def _named_keys(self) -> list[tuple[str, str]]:
        return self.box.keys(self._hints) or self._verbs.keys(self, self._hints)

    def ring(self) -> None:
        """Ring the bell: a key does nothing."""
        self.app.bell()

    # What the verbs do

    async def action_decide(self, what: Begun) -> None:
        """Begin a decision, or a comment for one; nothing is sent before it was confirmed."""
        await self._composer.begin(what)

    @on(EditForm.Typed)
    def _keep_edits(self) -> None:
        self._composer.keep_edits()
        self.keys.show()

    @on(EditForm.Sent)
    def _take_edits(self, message: EditForm.Sent) -> None:
        self._composer.take_edits(message)

    @on(DecisionPanel.Typed)
    def _keep_text(self, message: DecisionPanel.Typed) -> None:
        self.draft.keep(message.what, message.text)
        self.say()

    @on(DecisionPanel.Written)
    def _take_text(self, message: DecisionPanel.Written) -> None:
        self._composer.take_text(message)

    @on(DecisionPanel.Confirmed)
    def _send(self, message: DecisionPanel.Confirmed) -> None:
        self._composer.send(goes_on=message.goes_on)

    # What other keys do

    @on(EditForm.Left)
    def action_later(self) -> None:
        """Leave what was begun last; without anything begun, close. The review stays pending."""
        if not self.box.idle or (self.view.page != "summary" and not self.state.over):
            self._composer.leave()
        else:
            self.dismiss()

    def action_close(self) -> None:
        """Close what can only be read."""
        self.dismiss()

    def action_inbox(self) -> None:
        """Close, and list the reviews of all runs; this one stays pending."""
        self.dismiss()
        self.app.call_later(self.app.run_action, "app.inbox")

    def action_copy(self) -> None:
        """Copy what was written and cannot be sent any more."""
        self._copy(self.draft.text())

    def action_turn_page(self, page: PageName) -> None:
        """Show a page from its top; the summary instead of the one that is shown already."""
        self.view.turn(page)
        self.paint(from_top=True)

    def action_walk(self, by: int) -> None:
        """Show what the step before or after has changed."""
        self.view.walk(by)
        self.paint(from_top=True)

    def action_turn_to(self, by: int) -> None:
        """Show the next or the previous review that waits."""
        other = self.watcher.other(by)
        if other is None:
            self.app.bell()
        else:
            self.open(other)

    def action_scroll(self, way: str) -> None:
        """Scroll what the review says, or the form where that is open."""
        scroll(self.box.scrolled, way)
