"""A decision on its way: the verb, what is written for it, what is proposed, what is handed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol

from rich.text import Text

from stepgraph.reviews.model import Decision
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.text.plain import visible
from stepgraph_tui.worker import Decide

from .proposal import Proposal

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph_tui.commands.hints import Hints

    from .box import ReviewBox
    from .deciding import DecisionState
    from .drafts import Writes
    from .edit_form import EditForm
    from .onward import Onward
    from .panel import DecisionPanel
    from .view import ReviewView

Begun = Literal["approve", "edit", "reject", "respond", "comment"]
"""What a key of the dialog begins."""
SENDING = "the decision is being recorded"
_UNCHANGED = "nothing is changed: {form.cancel}, then {approval.approve}, approves it unchanged"


class ComposingSurface(Protocol):
    """The dialog, as far as composing a decision needs it."""

    def paint(self, *, from_top: bool = False) -> None:
        """Show the page as it is now."""

    def say(self) -> None:
        """Bring everything around the page up to date."""

    def tell(self, notice: str) -> None:
        """Say something beside the verbs."""

    def ring(self) -> None:
        """Ring the bell: a key does nothing."""


class DecisionComposer:
    """Takes a decision from its verb to whoever records it: written, proposed, confirmed, handed over.

    Args:
        state: What is decided, and how far that has come.
        view: Shows what would be done.
        form: The fields of an edit.
        panel: Where texts are written, and the question is answered.
        box: Has both of them.
        surface: The dialog.
        me: Who decides.
        decide: Hands a decision to whoever records it; False when that must wait.
        onward: Tells what follows a decision of a review.
        hints: Names the keys.
    """

    def __init__(
        self,
        state: DecisionState,
        view: ReviewView,
        form: EditForm,
        panel: DecisionPanel,
        box: ReviewBox,
        surface: ComposingSurface,
        *,
        me: str,
        decide: Callable[[Decide], bool],
        onward: Callable[[Review], Onward],
        hints: Hints,
    ) -> None:
        self._state, self._view, self._form = state, view, form
        self._panel, self._box, self._surface = panel, box, surface
        self._me, self._decide, self._onward, self._hints = me, decide, onward, hints

    async def begin(self, what: Begun) -> None:
        """Ask for what a verb takes: a text, the changed fields, or only whether it is meant."""
        draft = self._state.draft
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
        comment = self._state.draft.comment
        if comment.strip():
            self._propose(Decision.reject(by=self._me, comment=comment))
        else:
            self._write("reason", "")

    def _write(self, what: Writes, text: str) -> None:
        self._state.notice = ""
        self._panel.write(what, text)
        self._surface.say()

    async def _open_form(self) -> None:
        subject = self._state.subject
        if subject is None:
            return
        self._state.notice = ""
        await self._form.open(subject, self._state.draft)
        self._panel.say([Text("Nothing is sent yet: you see the changes first.")])
        self._surface.say()

    # What was written

    def keep_edits(self) -> None:
        """Keep what stands in the form, for as long as it is open."""
        if self._form.display:
            self._state.draft.edits = self._form.edits

    def take_edits(self, message: EditForm.Sent) -> None:
        """Propose an edit, unless nothing is changed."""
        if not message.values:
            self._panel.say([Text(self._hints(_UNCHANGED))])
            return
        draft = self._state.draft
        self._box.close_fields(draft)
        self._propose(Decision.edit(message.values, by=self._me, comment=draft.comment))

    def take_text(self, message: DecisionPanel.Written) -> None:
        """Go on with a text that is finished; one that is missing is asked for again."""
        self._state.draft.keep(message.what, message.text)
        if message.what == "comment":
            self.leave()
        elif not message.text.strip():
            line = f"✗ the {message.what} is missing: write it, or leave with {self._box.leaving}"
            self._panel.say([Text(line, "bold")])
        elif message.what == "reason":
            self._reject()
        else:
            self._propose(Decision.respond(message.text, by=self._me, comment=self._state.draft.comment))

    # What is to be done

    def _propose(self, decision: Decision) -> None:
        """Say what would be done, and ask for Enter or for the node's name."""
        subject = self._state.subject
        if subject is None:
            return
        try:
            proposed = Proposal.of(subject, decision)
        except StepgraphError as error:
            self._surface.tell(visible(str(error)))
            return
        self._state.notice = ""
        self._view.propose(proposed)
        onward = self._onward(subject.review)
        if subject.review.gate is not None:
            onward = onward.at_gate(decision)
        self._panel.confirm(proposed.decision, proposed.name, onward)
        self._surface.paint(from_top=True)

    def send(self, *, goes_on: bool) -> None:
        """Hand the decision over, bound to exactly what is shown.

        Args:
            goes_on: Whether the run is to continue then.
        """
        state, decision = self._state, self._panel.decision
        subject = state.subject
        if subject is None or decision is None or state.over or state.sent is not None:
            return
        if not self._view.is_read:
            self._surface.ring()
            return
        review = subject.review
        if not self._decide(Decide(review.run_id, review.id, decision, review.hash, goes_on)):
            self._panel.say([Text("✗ a node runs now, so nothing was sent; Enter tries again", "bold")])
            return
        state.sent = decision
        self.leave()
        self._surface.tell(SENDING)

    def leave(self) -> None:
        """Return to the verbs; what was written is kept."""
        self._box.close_fields(self._state.draft)
        self._view.turn("summary")
        self._surface.paint(from_top=True)
