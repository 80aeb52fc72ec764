"""The dialog in which a person reads a pending review and decides it."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.message import Message

from stepgraph.reviews.model import Decision
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.commands import APP, APPROVAL, FORM, LIST, bindings
from stepgraph_tui.stepping import Decide
from stepgraph_tui.words.cells import cut
from stepgraph_tui.words.text import visible

from .desk import Desk, Writes
from .drafts import Drafts
from .edit_form import EditForm
from .said import DOES, edge_text, key_of, question_text, way_parts
from .watched import Watched

if TYPE_CHECKING:
    from stepgraph.stores.base import StateStore

_ELSEWHERE = ("app.help", "app.palette", "form.accept", "list.copy", "list.close")
"""Commands of other contexts that hold here, too."""
_VERBS = ("approve", "edit", "reject", "respond")


def _stamped_now() -> float:
    """The time by the clock that Textual stamps its events by, which is not the same on every system."""
    return Message().time


class ApprovalDialog(Watched):
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
        time: The time, in seconds since 1970.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    BINDINGS = bindings(
        [*APPROVAL, *(command for command in (*APP, *FORM, *LIST) if command.id in _ELSEWHERE)]
    )

    def __init__(
        self,
        store: StateStore,
        review_id: str,
        *,
        decide: Callable[[Decide], bool],
        me: str,
        drafts: Drafts,
        copy: Callable[[str], object],
        say: Callable[[str], object] | None = None,
        time: Callable[[], float] = clock.time,
        now: Callable[[], float] = _stamped_now,
        stamp: Callable[[events.Event], float] = lambda event: event.time,
    ) -> None:
        super().__init__(store, review_id, drafts=drafts, say=say, time=time, now=now, stamp=stamp)
        self._decide, self._me, self._copy = decide, me, copy

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Which keys work now."""
        can_decide = self.subject is not None and not self.over and self.sent is None
        if action in _VERBS:
            offered = can_decide and action in self._offered and self.idle
            return offered and (self.read or action in ("reject", "respond"))
        if action == "comment":
            return can_decide and self.idle
        if action in ("details", "difference"):
            return self.subject is not None and self.idle
        if action == "turn_to":
            return self.idle and self.sent is None and (len(self.queue) > 1 or bool(self.over))
        return self._check_other(action)

    def _check_other(self, action: str) -> bool:
        if action == "accept":
            return self.desk.writes is not None
        if action == "close":
            return bool(self.over)
        return action != "copy" or bool(self.over and self.draft)

    @property
    def _offered(self) -> tuple[str, ...]:
        return self.subject.review.request.verbs if self.subject is not None else ()

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
        self.desk.write(what, text, [Text(line)])
        self.say()

    async def action_edit(self) -> None:
        """Show the fields that can be changed."""
        if self.subject is None:
            return
        self.notice = ""
        await self.form.open(self.subject, self.draft)
        self.middle.say("")
        self.desk.say([Text("Nothing is sent yet: what this changes is shown first.")])
        self.say()

    @on(EditForm.Typed)
    def _keep_edits(self) -> None:
        if self.form.display:
            self.draft.edits = self.form.edits
            self.say_keys()

    @on(EditForm.Sent)
    def _confirm_edit(self, message: EditForm.Sent) -> None:
        if not message.values:
            self.desk.say([Text(f"nothing is changed: Esc, then {key_of('approve')}, approves it as it is")])
            return
        self.close_fields()
        self._confirm(Decision.edit(message.values, by=self._me, comment=self.draft.comment))

    @on(Desk.Typed)
    def _keep_text(self, message: Desk.Typed) -> None:
        self.keep(message.what, message.text)
        self.say()

    @on(Desk.Written)
    def _go_on(self, message: Desk.Written) -> None:
        self.keep(message.what, message.text)
        if message.what == "comment":
            self._back()
        elif not message.text.strip():
            self.desk.say([Text(f"✗ the {message.what} is missing: write it, or leave with Esc", "bold")])
        elif message.what == "reason":
            self.action_reject()
        else:
            self._confirm(Decision.respond(message.text, by=self._me, comment=self.draft.comment))

    def _confirm(self, decision: Decision) -> None:
        """Say what would be done, and ask for Enter or for the node's name."""
        subject = self.subject
        if subject is None:
            return
        try:
            lead = subject.lead_of(decision)
        except StepgraphError as error:
            self.tell(visible(str(error)))
            return
        self.decision, self.notice = replace(decision, source="app"), ""
        lines = [Text(cut(question_text(subject, decision), self.row_width), "bold")]
        if lead is not None:
            way = "".join(text for text, _ in way_parts(subject, lead))
            lines.append(Text(cut(f"Then {way}   {edge_text(subject, lead)}".rstrip(), self.row_width)))
        named = subject.high and decision.verb in ("approve", "edit")
        how = "type the node's name and press Enter" if named else "press Enter"
        lines.append(Text(f"To {DOES[decision.verb]}, {how}. A click never decides."))
        if decision.verb == "edit":
            self.turn_page("proposal")
        self.desk.confirm(lines, subject.review.node if named else None)
        self.say()

    @on(Desk.Confirmed)
    def _send(self) -> None:
        """Hand the decision over, bound to exactly what is shown."""
        subject, decision = self.subject, self.decision
        if subject is None or decision is None or self.over or self.sent is not None:
            return
        review = subject.review
        if not self._decide(Decide(review.run_id, review.id, decision, review.hash)):
            self.desk.say([Text("✗ a node runs now, so nothing was sent; Enter tries again", "bold")])
            return
        self.sent = decision
        self._back()
        self.tell("the decision is being recorded")

    def _back(self) -> None:
        """Return to the verbs."""
        self.close_fields()
        self.decision = None
        self.turn_page("summary")

    @on(EditForm.Left)
    def action_later(self) -> None:
        """Leave what was begun last; without anything begun, close. The review stays pending."""
        if not self.idle or (self.page != "summary" and not self.over):
            self._back()
        else:
            self.dismiss()

    def action_close(self) -> None:
        """Close what can only be read."""
        self.dismiss()

    def action_copy(self) -> None:
        """Copy what was written and cannot be sent any more."""
        self._copy(self.draft.text())

    def action_accept(self) -> None:
        """Finish the text."""
        self.desk.accept()

    async def action_help(self) -> None:
        """Show the keys that work here."""
        await self.app.run_action("help")

    def action_command_palette(self) -> None:
        """Offer the commands by their names."""
        self.app.action_command_palette()

    def action_details(self) -> None:
        """Show everything in full, or the summary again."""
        self.turn_page("summary" if self.page == "details" else "details")

    def action_difference(self) -> None:
        """Show what has changed, or the summary again."""
        self.turn_page("summary" if self.page == "difference" else "difference")
