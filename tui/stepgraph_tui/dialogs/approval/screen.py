"""The dialog in which a person reads a pending review and decides it."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import ModalScreen

from stepgraph.reviews.model import Decision
from stepgraph.values.errors import AlreadyDecided, PayloadChanged, StepgraphError
from stepgraph_tui.commands import APPROVAL, COMMANDS, bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.commands.live import live_commands, live_keys
from stepgraph_tui.commands.names import key_name
from stepgraph_tui.dialogs.dialog import scroll
from stepgraph_tui.text.cells import cut
from stepgraph_tui.text.plain import visible
from stepgraph_tui.worker import Decide

from .box import ReviewBox
from .drafts import ReviewDraft, ReviewDrafts, Writes
from .edit_form import EditForm
from .key_gate import KeyGate
from .panel import DecisionPanel, VerbLine
from .view import PageName, ReviewView
from .watching import ReviewWatch
from .wording import DOES, decided_text, edge_text, question_text, way_parts

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph.stores.base import StateStore

    from .watching import Subject

_OF_THE_APP, _OF_PAGES = ("app.help", "app.palette"), ("list.copy", "list.close")
"""Commands of other contexts that hold here, too."""
_SAID = attrgetter("verb", "by", "source", "comment")
"""What tells a decision of ours, once it is recorded, from that of somebody else."""
_VERBS = ("approve", "edit", "reject", "respond")


def _stamped_now() -> float:
    """Tell the time by the clock that Textual stamps its events by, which is not the same on every system."""
    return Message().time


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
        say: Says one line once the dialog is closed.
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
        say: Callable[[str], object] = lambda line: None,
        hints: Hints = UNMAPPED,
        time: Callable[[], float] = clock.time,
        now: Callable[[], float] = _stamped_now,
        stamp: Callable[[events.Event], float] = lambda event: event.time,
    ) -> None:
        super().__init__()
        self._first, self._drafts, self._hints, self._time = review_id, drafts, hints, time
        self._decide, self._me, self._copy, self._last_word = decide, me, copy, say
        self.watcher = ReviewWatch(store)
        self.draft = ReviewDraft()
        self.sent: Decision | None = None
        """What was handed over and is not recorded yet."""
        self.over = ""
        """Why nothing can be decided here any more; empty while it can."""
        self.notice = ""
        """What is said beside the verbs."""
        self.view, self.form = ReviewView(time, hints), EditForm()
        self.panel = DecisionPanel(lambda event: self.gate.counts(event))
        self.box = ReviewBox(self.view, self.form, self.panel)
        self.gate = KeyGate(self, self.box, now=now, stamp=stamp, changed=self.say_keys)
        self.verb_line = VerbLine()

    def compose(self) -> ComposeResult:
        """Show the box, and the keys at the bottom of the screen."""
        yield self.box
        yield self.verb_line

    def on_mount(self) -> None:
        """Read the review, keep watching it, keep the time, and know when the person comes back."""
        self.open(self._first)
        self.set_interval(1.0, self.look_again)
        self.set_interval(0.1, self._count_down)
        self.watch(self.app, "app_focus", self.gate.arm_anew, init=False)
        self.app.app_resume_signal.subscribe(self, lambda _: self.gate.arm_anew())

    def _count_down(self) -> None:
        if self.verb_line.waits:
            self.say_keys()

    # Which keys count, and for what

    def on_screen_resume(self) -> None:
        """Wait anew: what lay above the dialog is gone."""
        self.gate.arm_anew()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Let a click end the quiet, and be nothing else."""
        self.gate.counts(event)

    async def on_key(self, event: events.Key) -> None:
        """Let the key through once it counts."""
        await self.gate.take(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell which keys work now."""
        subject = self.watcher.subject
        idle, others = self.box.idle, len(self.watcher.queue) > 1 or bool(self.over)
        can_decide = subject is not None and not self.over and self.sent is None and idle
        if action in _VERBS:
            offered = subject is not None and action in subject.review.request.verbs
            return can_decide and offered and (self.view.read or action in ("reject", "respond"))
        works = {
            "comment": can_decide,
            "turn_page": subject is not None and idle,
            "walk": idle and self.view.can_walk(-1 if parameters == (-1,) else 1),
            "turn_to": idle and self.sent is None and others,
            "close": bool(self.over),
            "copy": bool(self.over and self.draft),
        }
        return works.get(action, True)

    # The review that is shown

    def open(self, review_id: str, notice: str = "") -> None:
        """Show a review as it is in the store now."""
        self.box.close_fields(self.draft)
        self.sent, self.over, self.notice, self.draft = None, "", notice, ReviewDraft()
        try:
            subject = self.watcher.open(review_id)
        except StepgraphError as error:
            self.view.open(None)
            self.over = f"the review cannot be shown: {visible(str(error))}"
            self.box.title("APPROVAL")
        else:
            self._begin(subject)
        self.action_turn_page("summary")
        self.gate.arm_anew()

    def _begin(self, subject: Subject) -> None:
        review = subject.review
        self.view.open(subject)
        self.draft = self._drafts.of(review)
        if self.draft:
            self.notice = self.notice or f"draft, not sent: {self.draft.parts}"
        self.set_class(subject.high, "-high")
        if not subject.pending:
            self._end(subject, review)
        self.box.title(f"APPROVAL {self.watcher.place}", f"RISK {review.request.risk.upper()}")

    def look_again(self) -> None:
        """Look whether somebody else has decided or changed what is shown."""
        subject = self.watcher.subject
        if subject is None or self.over:
            return
        try:
            news = self.watcher.news(subject)
        except StepgraphError as error:
            self.tell(f"the store cannot be read: {visible(str(error))}")
            return
        if news.is_over:
            self._end(subject, news.review)
        elif news.run_changed and self.sent is None:
            self.open(news.review.id, "the run was changed meanwhile: look again")
        else:
            self.view.tell_time()

    def _end(self, subject: Subject, review: Review) -> None:
        """Say why nothing can be decided here any more."""
        decision, sent = review.decision, self.sent
        if decision is not None and sent is not None and _SAID(decision) == _SAID(sent):
            self.recorded(review)
            return
        self.box.close_fields(self.draft)
        self.sent = None
        if decision is not None:
            self.over = f"already {decided_text(subject, decision, self._time())}"
        else:
            self.over = "this request changed: it is not what waits any more"
            if self.watcher.successor() is not None:
                self.over += f"\n{self._hints.key('approval.next')} shows what is asked now"
            try:
                self.view.outdate(self.watcher.after_the_question(subject))
            except StepgraphError as error:
                self.over += f"\n{visible(str(error))}"
        if self.draft:
            self.over += self._hints("\nwhat you wrote is kept; {list.copy} copies it")
        self.paint(from_top=True)
        self.gate.arm_anew()

    def recorded(self, review: Review) -> None:
        """Close, with one line that says so: the decision is in the store."""
        self._drafts.drop(review)
        subject = self.watcher.subject
        if subject is None or subject.review.id != review.id or review.decision is None:
            return
        text = decided_text(subject, review.decision, self._time())
        self.sent = None
        if not self.over:
            self._last_word(text)
        self.over = text
        if not self.is_attached:
            return
        if self.is_active:
            self.dismiss()
        else:
            self.box.close_fields(self.draft)
            self.paint()

    def refused(self, error: StepgraphError) -> None:
        """Say why the decision was not recorded. What was written stays."""
        self.sent = None
        self.tell(f"not recorded: {visible(str(error))}")
        if isinstance(error, AlreadyDecided | PayloadChanged):
            self.look_again()

    def tell(self, notice: str) -> None:
        """Say something beside the verbs."""
        self.notice = notice
        if self.is_attached:
            self.say()

    # What is shown

    def paint(self, *, from_top: bool = False) -> None:
        """Show the page as it is now."""
        self.view.paint(self.box.row_width, from_top=from_top)
        self.say()

    def on_resize(self) -> None:
        """Put the page together for another width."""
        self.paint()

    @on(ReviewView.Looked)
    def look(self) -> None:
        """Note what has been seen, and say how much there is below."""
        self.box.say_outside()
        if self.view.note_seen() and not self.over:
            self.say()

    def say(self) -> None:
        """Bring everything around the page up to date."""
        subject = self.watcher.subject
        self.panel.show_comment(
            self.draft.comment,
            wanted=subject is not None and "reject" in subject.review.request.verbs,
            write=self._hints("{approval.comment} write") if self.box.idle and not self.over else "",
            width=self.box.row_width,
        )
        if self.box.idle:
            said = self.over or f"{self.notice}\n{self.view.gate}"
            self.panel.say([Text(line) for line in said.split("\n") if line])
        self.box.fit(self.size)
        self.say_keys()

    def say_keys(self) -> None:
        """Say which keys work now."""
        left = self.gate.quiet_wanted
        instead = f"keys in {left:.1f} s" if left > 0 and not self.box.writing else ""
        self.verb_line.show(self.box.keys(self._hints) or self.verb_keys(), instead)

    def verb_keys(self) -> list[tuple[str, str]]:
        """Name the keys that work while no field is open, the one that leaves last."""
        if self.over:
            copy = [(self._hints.key("list.copy"), "Copy what you wrote")] if self.draft else []
            close = live_keys(self).get("list.close", ())
            told = key_name("enter") if key_name("enter") in close else "".join(close[:1])
            return [*copy, (f"{told} {self._hints.key('approval.later')}".strip(), "Close")]
        verbs = [
            one for one in live_commands(self) if one.command.context == "approval" and one.command.footer
        ]
        verbs.sort(key=lambda one: one.command.footer)
        keys = [(one.keys[0], one.command.label) for one in verbs]
        return [*keys[:-1], (keys[-1][0], "Back")] if self.view.page != "summary" else keys

    # What the verbs do

    def action_approve(self) -> None:
        """Ask once more, then approve."""
        self._confirm(Decision.approve(by=self._me, comment=self.draft.comment))

    def action_reject(self) -> None:
        """Ask for the reason where there is none yet, then once more."""
        if self.draft.comment.strip():
            self._confirm(Decision.reject(by=self._me, comment=self.draft.comment))
        else:
            self._write("reason", "", "Why is it rejected? The comment goes with the decision.")

    def action_respond(self) -> None:
        """Ask for the answer."""
        self._write("answer", self.draft.answer, "Your answer. It is not a refusal: the run goes on with it.")

    def action_comment(self) -> None:
        """Ask for the comment."""
        self._write("comment", self.draft.comment, "The comment that goes with the decision:")

    def _write(self, what: Writes, text: str, line: str) -> None:
        self.notice = ""
        self.panel.write(what, text, [Text(line)])
        self.say()

    async def action_edit(self) -> None:
        """Show the fields that can be changed."""
        if self.watcher.subject is None:
            return
        self.notice = ""
        await self.form.open(self.watcher.subject, self.draft)
        self.box.say_outside()
        self.panel.say([Text("Nothing is sent yet: what this changes is shown first.")])
        self.say()

    @on(EditForm.Typed)
    def _keep_edits(self) -> None:
        if self.form.display:
            self.draft.edits = self.form.edits
            self.say_keys()

    @on(EditForm.Sent)
    def _confirm_edit(self, message: EditForm.Sent) -> None:
        if not message.values:
            line = "nothing is changed: {form.cancel}, then {approval.approve}, approves it as it is"
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
            lead = subject.lead_of(decision)
        except StepgraphError as error:
            self.tell(visible(str(error)))
            return
        decision, self.notice = replace(decision, source="app"), ""
        lines = [Text(cut(question_text(subject, decision), self.box.row_width), "bold")]
        if lead is not None:
            way = "".join(text for text, _ in way_parts(subject, lead))
            lines.append(Text(cut(f"Then {way}   {edge_text(subject, lead)}".rstrip(), self.box.row_width)))
        named = subject.high and decision.verb in ("approve", "edit")
        how = "type the node's name and press Enter" if named else "press Enter"
        lines.append(Text(f"To {DOES[decision.verb]}, {how}. A click never decides."))
        if decision.verb == "edit":
            self.view.propose(decision)
            self.paint(from_top=True)
        self.panel.confirm(decision, lines, subject.review.node if named else None)
        self.say()

    @on(DecisionPanel.Confirmed)
    def _send(self) -> None:
        """Hand the decision over, bound to exactly what is shown."""
        subject, decision = self.watcher.subject, self.panel.decision
        if subject is None or decision is None or self.over or self.sent is not None:
            return
        review = subject.review
        if not self._decide(Decide(review.run_id, review.id, decision, review.hash)):
            self.panel.say([Text("✗ a node runs now, so nothing was sent; Enter tries again", "bold")])
            return
        self.sent = decision
        self._back()
        self.tell("the decision is being recorded")

    def _back(self) -> None:
        """Return to the verbs."""
        self.box.close_fields(self.draft)
        self.action_turn_page("summary")

    # What other keys do

    @on(EditForm.Left)
    def action_later(self) -> None:
        """Leave what was begun last; without anything begun, close. The review stays pending."""
        if not self.box.idle or (self.view.page != "summary" and not self.over):
            self._back()
        else:
            self.dismiss()

    def action_close(self) -> None:
        """Close what can only be read."""
        self.dismiss()

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
