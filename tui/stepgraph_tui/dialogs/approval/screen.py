"""The dialog in which a person reads a pending review and decides it."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult

from stepgraph.reviews import Decision
from stepgraph.values import AlreadyDecided, PayloadChanged, StepgraphError, StoreUnreachable
from stepgraph_tui.commands import COMMANDS, dialog_bindings, of_the_app
from stepgraph_tui.commands.command import key_name
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.commands.live import live_commands, live_keys
from stepgraph_tui.text.characters import visible
from stepgraph_tui.text.plain import unread_text
from stepgraph_tui.widgets.scrolling import scroll
from stepgraph_tui.worker import Decide

from ..dialog import Dialog
from .arming import ArmedKeys, stamped_now
from .box import ReviewBox
from .deciding import SENDING, DecisionState, over_text, recorded_text
from .drafts import ReviewDraft, ReviewDrafts, Writes
from .edit_form import EditForm
from .onward import Onward
from .panel import DecisionPanel
from .proposal import Proposal, meanwhile
from .view import PageName, ReviewView
from .watching import ReviewWatch

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.stores import StateStore

    from .subject import Subject
    from .watching import ReviewNews

Begun = Literal["approve", "edit", "reject", "respond", "comment"]
"""What a key of the dialog begins."""
_KEPT = "The decision is recorded once it answers."
_UNCHANGED = "nothing is changed: {form.cancel}, then {approval.approve}, approves it unchanged"
_OF_PAGES = ("list.copy", "list.close")
"""Commands of other contexts that hold here, too."""


class ReviewScreen(Dialog[None], inherit_bindings=False):
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
        self._first, self._me, self._hints, self._time = review_id, me, hints, time
        self._decide, self._onward, self._copy, self._last_word = decide, onward, copy, say
        self._drafts, self.draft = drafts, ReviewDraft()
        self._watch = ReviewWatch(store, time, store_stamp or store.stamp)
        self._state = DecisionState(me, time())
        self.box = ReviewBox(hints, self._counts)
        self.view, self.form, self.panel = self.box.view, self.box.form, self.box.panel
        self._keys = ArmedKeys(self, self.box, self._named_keys, now=now, stamp=stamp)
        self.is_leaving = False
        """Whether its decision is recorded, and it is being closed."""

    def compose(self) -> ComposeResult:
        """Show the box, and the keys at the bottom of the screen."""
        yield self.box
        yield self._keys.line

    def begin(self) -> None:
        """Read the review, keep watching it, keep the time, and know when the person comes back."""
        self._keys.begin()
        self.open(self._first)

    # Which keys count, and for what

    def _counts(self, event: events.Event) -> bool:
        return self._keys.count(event)

    def on_screen_resume(self) -> None:
        """Wait again: what lay above the dialog is gone."""
        self.box.tell_time(self.state)
        self.view.refresh()
        self._keys.arm_anew()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """End the quiet period with a click, which does nothing else."""
        self._keys.count(event)

    async def on_key(self, event: events.Key) -> None:
        """Pass the key on once keys count."""
        await self._keys.take(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Find which keys work now."""
        state, idle = self.state, self.box.idle
        if action == "decide":
            return idle and state.offers(str(parameters[0]), is_read=self.view.is_read)
        works = {
            "turn_page": idle and state.subject is not None,
            "walk": idle and self.view.can_walk(-1 if parameters == (-1,) else 1),
            "turn_to": idle and state.can_turn,
            "inbox": idle and state.sent is None,
            "close": bool(state.over),
            "copy": bool(state.over) and bool(self.draft),
        }
        return works.get(action, True)

    def _named_keys(self) -> list[tuple[str, str]]:
        """Name the keys that work now, with what they do; the one that leaves comes last."""
        if not self.box.idle:
            return self.box.keys
        hints = self._hints
        if self._state.over:
            copy = [(hints.key("list.copy"), "Copy what you wrote")] if self.draft else []
            close = live_keys(self).get("list.close", ())
            enter = key_name("enter")
            key = enter if enter in close else "".join(close[:1])
            return [*copy, (f"{key} {hints.key('approval.later')}".strip(), "Close")]
        live = live_commands(self)
        verbs = [one for one in live if one.command.context == "approval" and one.command.footer]
        verbs.sort(key=lambda one: one.command.footer)
        keys = [(one.keys[0], one.command.label) for one in verbs]
        return keys if self.view.page == "summary" else [*keys[:-1], (keys[-1][0], "Back")]

    # The review that is shown

    @property
    def state(self) -> DecisionState:
        """What can be done about it now."""
        return replace(self._state, now=self._time())

    def open(self, review_id: str, notice: str = "") -> None:
        """Show a review as it is in the store now."""
        self.box.close_fields(self.draft)
        self.draft = ReviewDraft()
        try:
            subject = self._watch.open(review_id)
        except StepgraphError as error:
            message = f"the review cannot be shown: {visible(str(error))}"
            self._state = DecisionState(self._me, self._time(), over=message, notice=notice)
            self.view.open(None)
            self.box.title("")
        else:
            self._show(subject, notice)
        self.action_turn_page("summary")
        self._keys.arm_anew()

    def _show(self, subject: Subject, notice: str) -> None:
        review = subject.review
        self.draft = self._drafts.of(review)
        now, has_others = self._time(), len(self._watch.queue) > 1
        self._state = DecisionState.of(
            subject, self.draft, me=self._me, now=now, has_others=has_others, notice=notice
        )
        self.view.open(subject)
        self.set_class(subject.high, "-high")
        if not subject.pending:
            self._end(subject, review)
        if review.is_wait:  # for a time: no person is asked anything, but may go on sooner
            self.box.title("", what="WAIT")
        else:
            self.box.title(self._watch.place(self._hints), review.request.risk)

    def look_again(self) -> None:
        """Check whether somebody else has decided or changed what is shown, and how long it has waited.

        While a decision is on its way to the store, its answer says what became of it, and who goes on.
        """
        news = self._news()
        if self._state.sent is None:
            self._take(news)
        if self.is_active:
            self.box.tell_time(self.state)

    def _news(self) -> ReviewNews | None:
        """Read what has changed in the store; None where nothing has, or on an error, which is shown."""
        subject = self._state.subject
        if subject is None or self._state.over:
            return None
        news, unread = None, ""
        try:
            news = self._watch.news(subject)
        except StoreUnreachable as error:
            unread = "\n".join([unread_text(error), *([_KEPT] if self._state.sent is not None else [])])
        except StepgraphError as error:
            unread = f"the store cannot be read: {error}"
        if unread != self._state.unread:  # other messages stay beside it
            self._state = replace(self._state, unread=unread)
            self.say()
        return news

    def _take(self, news: ReviewNews | None) -> None:
        """Show that the review is over, or what has changed in it."""
        subject = self._state.subject
        if news is None or subject is None:
            return
        if news.is_over:
            self._end(subject, news.review)
        elif news.run_changed:
            self.open(news.review.id, meanwhile(subject.review, news.review))

    def _end(self, subject: Subject, review: Review) -> None:
        """Show why nothing can be decided here any more."""
        self.box.close_fields(self.draft)
        lines = [over_text(subject, review, self._time())]
        if review.decision is None and review.status != "expired":
            if self._watch.successor() is not None:
                lines.append(f"{self._hints.key('approval.next')} shows what is asked now")
            try:
                self.view.outdate(self._watch.after_the_question(subject))
            except StepgraphError as error:
                lines.append(visible(str(error)))
        if self.draft:
            lines.append(self._hints("what you wrote is kept; {list.copy} copies it"))
        self._state = replace(self._state, sent=None, over="\n".join(lines))
        self.paint(from_top=True)
        self._keys.arm_anew()

    def recorded(self, review: Review) -> None:
        """Close, with one line that says so: the decision is in the store."""
        self._drafts.drop(review)
        subject, was_over = self._state.subject, self._state.over
        if subject is None or subject.review.id != review.id or review.made_last is None:
            return
        text = recorded_text(subject, review, self._time())
        self._state = replace(self._state, sent=None, over=text)
        if not was_over:
            self._last_word(text, review)
        if not self.is_attached:
            return
        if self.is_active:
            self.is_leaving = True
            self.dismiss()
        else:
            self.box.close_fields(self.draft)
            self.paint()

    def refused(self, error: StepgraphError) -> None:
        """Show why the decision was not recorded. What was written stays."""
        self._watch.distrust()  # what came meanwhile was not shown
        news = self._news() if isinstance(error, AlreadyDecided | PayloadChanged) else None
        if news is not None and self._state.is_ours(news.review):
            self.recorded(news.review)  # the answer was lost, not the decision
            return
        self._state = replace(self._state, sent=None)
        self.tell(f"not recorded: {error}")
        self._take(news)

    # What is shown

    def tell(self, notice: str) -> None:
        """Show a message beside the verbs."""
        self._state = replace(self._state, notice=notice)
        self.say()

    def paint(self, *, from_top: bool = False) -> None:
        """Show the page as it is now."""
        self.box.paint(self.state, self.draft, from_top=from_top)
        self._keys.show()

    def on_resize(self) -> None:
        """Lay the page out for another width."""
        self.paint()

    def say(self) -> None:
        """Bring everything around the page up to date."""
        if self.is_attached:
            self.box.show(self.state, self.draft)
            self._keys.show()

    @on(ReviewView.Looked)
    def look(self) -> None:
        """Show how much lies below, and what may be done now that more was seen."""
        self.box.look(self.state)
        self._keys.show()

    # How a decision is composed: begun, written, proposed, sent. Nothing is sent before it was confirmed.

    async def action_decide(self, what: Begun) -> None:
        """Ask for what a verb takes: a text, the changed fields, or only whether it is meant."""
        draft = self.draft
        if what == "approve":
            self._propose(Decision.approve(by=self._me, comment=draft.comment))
        elif what == "edit":
            await self._open_form()
        elif what == "reject":
            self._reject()
        elif what == "respond":
            self._write("answer", draft.answer)
        else:
            self._write("comment", draft.comment)

    def _reject(self) -> None:
        """Ask for the reason where there is none yet, then once more."""
        comment = self.draft.comment
        if comment.strip():
            self._propose(Decision.reject(by=self._me, comment=comment))
        else:
            self._write("reason", "")

    def _write(self, what: Writes, text: str) -> None:
        self.panel.write(what, text)
        self.tell("")

    async def _open_form(self) -> None:
        subject = self._state.subject
        if subject is not None:
            await self.form.open(subject, self.draft)
            self.panel.say([Text("Nothing is sent yet: you see the changes first.")])
            self.tell("")

    @on(EditForm.Typed)
    def _keep_edits(self) -> None:
        if self.form.display:
            self.draft.edits = self.form.edits
        self._keys.show()

    @on(EditForm.Sent)
    def _take_edits(self, message: EditForm.Sent) -> None:
        if not message.values:
            self.panel.say([Text(self._hints(_UNCHANGED))])
            return
        self.box.close_fields(self.draft)
        self._propose(Decision.edit(message.values, by=self._me, comment=self.draft.comment))

    @on(DecisionPanel.Typed)
    def _keep_text(self, message: DecisionPanel.Typed) -> None:
        self.draft.keep(message.what, message.text)
        self.say()

    @on(DecisionPanel.Written)
    def _take_text(self, message: DecisionPanel.Written) -> None:
        """Continue with a text that is finished; one that is missing is asked for again."""
        self.draft.keep(message.what, message.text)
        if message.what == "comment":
            self._leave()
        elif not message.text.strip():
            line = f"✗ the {message.what} is missing: write it, or leave with {self.box.leaving}"
            self.panel.say([Text(line, "bold")])
        elif message.what == "reason":
            self._reject()
        else:
            self._propose(Decision.respond(message.text, by=self._me, comment=self.draft.comment))

    def _propose(self, decision: Decision) -> None:
        """Show what would be done, and ask for Enter or for the node's name."""
        subject = self._state.subject
        if subject is None:
            return
        try:
            proposed = Proposal.of(subject, decision)
        except StepgraphError as error:
            self.tell(str(error))
            return
        self._state = replace(self._state, notice="")
        self.view.propose(proposed)
        onward = self._onward(subject.review)
        if subject.review.gate is not None:
            onward = onward.at_gate(decision)
        self.panel.confirm(proposed.decision, proposed.name, onward)
        self.paint(from_top=True)

    @on(DecisionPanel.Confirmed)
    def _send(self, message: DecisionPanel.Confirmed) -> None:
        """Submit the decision, bound to exactly what is shown."""
        state, decision = self._state, self.panel.decision
        if state.subject is None or decision is None or state.over or state.sent is not None:
            return
        if not self.view.is_read:
            self.app.bell()
            return
        review = state.subject.review
        if not self._decide(Decide(review.run_id, review.id, decision, review.hash, message.goes_on)):
            self.panel.say([Text("✗ a node is running, so nothing was sent; Enter tries again", "bold")])
            return
        self._state = replace(state, sent=decision)
        self._leave()
        self.tell(SENDING)

    def _leave(self) -> None:
        """Return to the verbs; what was written is kept."""
        self.box.close_fields(self.draft)
        self.view.turn("summary")
        self.paint(from_top=True)

    # What other keys do

    @on(EditForm.Left)
    def action_later(self) -> None:
        """Leave what was begun last; without anything begun, close. The review stays pending."""
        if not self.box.idle or (self.view.page != "summary" and not self._state.over):
            self._leave()
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
        other = self._watch.other(by)
        if other is None:
            self.app.bell()
        else:
            self.open(other)

    def action_scroll(self, way: str) -> None:
        """Scroll what the review says, or the form where that is open."""
        scroll(self.box.scrolled, way)
