"""The dialog in which a person reads a pending review and decides it."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.screen import ModalScreen

from stepgraph.reviews.model import Decision
from stepgraph.values.errors import AlreadyDecided, PayloadChanged, StepgraphError, StoreUnreachable
from stepgraph_tui.commands import APPROVAL, COMMANDS, bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.dialogs.dialog import scroll
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.unread import unread_text
from stepgraph_tui.worker import Decide

from .box import ReviewBox
from .deciding import DecisionState
from .drafts import ReviewDraft, ReviewDrafts, Writes
from .edit_form import EditForm
from .key_gate import KeyGate, stamped_now
from .panel import DecisionPanel
from .proposal import Proposal
from .verbs import VerbLine, Verbs
from .view import PageName, ReviewView
from .watching import ReviewWatch
from .wording import meanwhile

if TYPE_CHECKING:
    from textual.timer import Timer

    from stepgraph.reviews.model import Review
    from stepgraph.stores.base import StateStore

    from .watching import Subject

_SENDING = "the decision is being recorded"
_KEPT = "The decision is recorded once it answers."
_OF_THE_APP, _OF_PAGES = ("app.help", "app.palette"), ("list.copy", "list.close")
"""Commands of other contexts that hold here, too."""


class ReviewScreen(ModalScreen[None], inherit_bindings=False):
    """Shows all that a person should know before deciding a review, and hands the decision over.

    Nothing is decided by one key, by a click, or by a key that was typed for something else. Closing the
    dialog decides nothing, and loses nothing that was written.

    Args:
        store: The store, read on this thread.
        review_id: The review to begin with.
        decide: Hands a decision to whoever records it; False when that must wait.
        me: Who decides.
        drafts: What was written before.
        copy: Copies a text for other programs.
        say: Says one line, once the dialog is closed, about a review that was decided here.
        hints: Names the keys.
        time: The time, in seconds since 1970.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    AUTO_FOCUS = ""
    ALLOW_SELECT = False
    CSS_PATH = "review.tcss"
    BINDINGS = bindings(
        [
            *APPROVAL,
            *(replace(COMMANDS[name], action=f"app.{COMMANDS[name].action}") for name in _OF_THE_APP),
            *(COMMANDS[name] for name in _OF_PAGES),
        ]
    )

    def __init__(
        self,
        store: StateStore,
        review_id: str,
        *,
        decide: Callable[[Decide], bool],
        me: str,
        drafts: ReviewDrafts,
        copy: Callable[[str], object],
        say: Callable[[str, Review], object] = lambda line, review: None,
        hints: Hints = UNMAPPED,
        time: Callable[[], float] = clock.time,
        now: Callable[[], float] = stamped_now,
        stamp: Callable[[events.Event], float] = lambda event: event.time,
    ) -> None:
        super().__init__()
        self._first, self._hints = review_id, hints
        self._decide, self._me, self._copy, self._last_word = decide, me, copy, say
        self.watcher = ReviewWatch(store, time)
        self.state = DecisionState(self.watcher, drafts, hints, time, me)
        self.view, self.form = ReviewView(hints), EditForm()
        self.panel = DecisionPanel(lambda event: self.gate.counts(event))
        self.box = ReviewBox(self.view, self.form, self.panel)
        self.gate = KeyGate(self, self.box, now=now, stamp=stamp, changed=self.say_keys)
        self.verb_line = VerbLine()
        self._unread = ""  # the notice that says that the store cannot be read
        self._counting: Timer | None = None  # the tenths of a second until keys count

    def compose(self) -> ComposeResult:
        """Show the box, and the keys at the bottom of the screen."""
        yield self.box
        yield self.verb_line

    def on_mount(self) -> None:
        """Read the review, keep watching it, keep the time, and know when the person comes back."""
        self._counting = self.set_interval(0.1, self.say_keys, pause=True)
        self.open(self._first)
        self.watch(self.app, "app_focus", self.gate.arm_anew, init=False)
        self.app.app_resume_signal.subscribe(self, lambda _: self.gate.arm_anew())

    # Which keys count, and for what

    def on_screen_resume(self) -> None:
        """Wait anew: what lay above the dialog is gone."""
        self._tell_time()
        self.view.refresh()
        self.gate.arm_anew()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Let a click end the quiet, and be nothing else."""
        self.gate.counts(event)

    async def on_key(self, event: events.Key) -> None:
        """Let the key through once it counts."""
        await self.gate.take(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell which keys work now."""
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
            self.box.title(self.watcher.place(self._hints), subject.review.request.risk)
        self.action_turn_page("summary")
        self.gate.arm_anew()

    def look_again(self) -> None:
        """Look whether somebody else has decided or changed what is shown, and how long it has waited."""
        subject = self.watcher.subject
        if subject is None or self.state.over:
            return
        try:
            news = self.watcher.news(subject)
        except StepgraphError as error:
            self._tell_unread(error)
            return
        if self._unread and self.state.notice == self._unread:
            self.tell(_SENDING if self.state.sent is not None else "")
        self._unread = ""
        if news.is_over:
            self._end(subject, news.review)
        elif news.run_changed and self.state.sent is None:
            self.open(news.review.id, meanwhile(subject.review, news.review))
        elif self.is_active:
            self._tell_time()

    def _tell_unread(self, error: StepgraphError) -> None:
        """Say that the store cannot be read, until it can; what was sent is kept by the thread that waits."""
        is_down = isinstance(error, StoreUnreachable)
        told = unread_text(error) if is_down else f"the store cannot be read: {visible(str(error))}"
        self._unread = f"{told}\n{_KEPT}" if is_down and self.state.sent is not None else told
        self.tell(self._unread)

    def _tell_time(self) -> None:
        """Say how long the review has waited, or how long it still does."""
        if self.box.is_attached:  # not while the dialog is put together, nor while it is taken down
            self.box.tell_time(self.state.waits, self.state.countdown)

    def _end(self, subject: Subject, review: Review) -> None:
        """Say why nothing can be decided here any more."""
        if self.state.is_ours(review):
            self.recorded(review)
            return
        self.box.close_fields(self.draft)
        since_then = self.state.end(subject, review)
        if since_then is not None:
            self.view.outdate(since_then)
        self.paint(from_top=True)
        self.gate.arm_anew()

    def recorded(self, review: Review) -> None:
        """Close, with one line that says so: the decision is in the store."""
        was_over, said = bool(self.state.over), self.state.record(review)
        if said is not None and not was_over:
            self._last_word(said, review)
        if said is None or not self.is_attached:
            return
        if self.is_active:
            self.dismiss()
        else:
            self.box.close_fields(self.draft)
            self.paint()

    def refused(self, error: StepgraphError) -> None:
        """Say why the decision was not recorded. What was written stays."""
        self.state.sent = None
        self.tell(f"not recorded: {visible(str(error))}")
        if isinstance(error, AlreadyDecided | PayloadChanged):
            self.look_again()

    def tell(self, notice: str) -> None:
        """Say something beside the verbs."""
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
        """Put the page together for another width."""
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
            said = self.state.over or "\n".join([self.state.notice, kept_from, *too_long])
            self.panel.say([Text(line) for line in said.split("\n") if line])
        self._ask()
        self._tell_time()
        self.box.fit(self.size)
        self.look()

    @on(ReviewView.Looked)
    def look(self) -> None:
        """Say how much there is below, and what may be done now that more of it was seen."""
        self.box.say_outside(self.view.way_on if self.state.can_approve else "")
        self._ask()
        self.say_keys()

    def _ask(self) -> None:
        """Ask what is about to be confirmed, or say what must be read before that."""
        proposed = self.view.proposed
        if proposed is not None and self.box.asks:
            scrolls = self._hints.together("approval.page_up", "approval.page_down")
            self.panel.ask(proposed.lines(self.box.row_width, self.view.gate, scrolls))

    def say_keys(self) -> None:
        """Say which keys work now."""
        left = self.gate.quiet_wanted
        counting = left > 0 and not self.box.writing
        if self._counting is not None:
            (self._counting.resume if counting else self._counting.pause)()
        instead = f"keys in {left:.1f} s" if counting else ""
        self.verb_line.show(self.box.keys(self._hints) or self._verbs.keys(self, self._hints), instead)

    # What the verbs do

    def action_approve(self) -> None:
        """Ask once more, then approve."""
        self._confirm(Decision.approve(by=self._me, comment=self.draft.comment))

    def action_reject(self) -> None:
        """Ask for the reason where there is none yet, then once more."""
        if self.draft.comment.strip():
            self._confirm(Decision.reject(by=self._me, comment=self.draft.comment))
        else:
            self._write("reason", "")

    def action_respond(self) -> None:
        """Ask for the answer."""
        self._write("answer", self.draft.answer)

    def action_comment(self) -> None:
        """Ask for the comment."""
        self._write("comment", self.draft.comment)

    def _write(self, what: Writes, text: str) -> None:
        self.state.notice = ""
        self.panel.write(what, text)
        self.say()

    async def action_edit(self) -> None:
        """Show the fields that can be changed."""
        if self.watcher.subject is None:
            return
        self.state.notice = ""
        await self.form.open(self.watcher.subject, self.draft)
        self.panel.say([Text("Nothing is sent yet: you see the changes first.")])
        self.say()

    @on(EditForm.Typed)
    def _keep_edits(self) -> None:
        if self.form.display:
            self.draft.edits = self.form.edits
            self.say_keys()

    @on(EditForm.Sent)
    def _confirm_edit(self, message: EditForm.Sent) -> None:
        if not message.values:
            line = "nothing is changed: {form.cancel}, then {approval.approve}, approves it unchanged"
            self.panel.say([Text(self._hints(line))])
            return
        self.box.close_fields(self.draft)
        self._confirm(Decision.edit(message.values, by=self._me, comment=self.draft.comment))

    @on(DecisionPanel.Typed)
    def _keep_text(self, message: DecisionPanel.Typed) -> None:
        self.draft.keep(message.what, message.text)
        self.say()

    @on(DecisionPanel.Written)
    def _go_on(self, message: DecisionPanel.Written) -> None:
        self.draft.keep(message.what, message.text)
        if message.what == "comment":
            self._back()
        elif not message.text.strip():
            line = f"✗ the {message.what} is missing: write it, or leave with {self.box.leaving}"
            self.panel.say([Text(line, "bold")])
        elif message.what == "reason":
            self.action_reject()
        else:
            self._confirm(Decision.respond(message.text, by=self._me, comment=self.draft.comment))

    def _confirm(self, decision: Decision) -> None:
        """Say what would be done, and ask for Enter or for the node's name."""
        subject = self.watcher.subject
        if subject is None:
            return
        try:
            proposed = Proposal.of(subject, decision)
        except StepgraphError as error:
            self.tell(visible(str(error)))
            return
        self.state.notice = ""
        self.view.propose(proposed)
        self.panel.confirm(proposed.decision, proposed.name)
        self.paint(from_top=True)

    @on(DecisionPanel.Confirmed)
    def _send(self) -> None:
        """Hand the decision over, bound to exactly what is shown."""
        subject, decision = self.watcher.subject, self.panel.decision
        if subject is None or decision is None or self.state.over or self.state.sent is not None:
            return
        if not self.view.is_read:
            self.app.bell()
            return
        review = subject.review
        if not self._decide(Decide(review.run_id, review.id, decision, review.hash)):
            self.panel.say([Text("✗ a node runs now, so nothing was sent; Enter tries again", "bold")])
            return
        self.state.sent = decision
        self._back()
        self.tell(_SENDING)

    def _back(self) -> None:
        """Return to the verbs."""
        self.box.close_fields(self.draft)
        self.action_turn_page("summary")

    # What other keys do

    @on(EditForm.Left)
    def action_later(self) -> None:
        """Leave what was begun last; without anything begun, close. The review stays pending."""
        if not self.box.idle or (self.view.page != "summary" and not self.state.over):
            self._back()
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
