"""How far deciding the review that is shown has come: what was written, handed over, recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, Protocol

from rich.text import Text

from stepgraph.reviews import Decision, missing_text
from stepgraph.values import StepgraphError

from ...commands.command import key_name
from ...commands.live import live_commands, live_keys
from ...text.characters import visible
from ...text.reviews import countdown, expired_text, other_name, refusals
from ...worker import Decide
from .drafts import ReviewDraft, ReviewDrafts
from .proposal import Proposal, decided_text

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph.reviews import Review
    from stepgraph.values import NotAllowed

    from ...commands.hints import Hints
    from .drafts import Writes
    from .edit_form import EditForm
    from .onward import Onward
    from .pages import Difference
    from .panel import DecisionPanel, ReviewBox
    from .view import PageName, ReviewView
    from .watching import ReviewWatch, Subject


_SAID = attrgetter("verb", "by", "source", "comment")
"""What tells a decision of ours, once it is recorded, from that of somebody else."""


class DecisionState:
    """Knows whether the review that is shown can be decided, is being decided, or is over, and why.

    Args:
        watcher: Reads the reviews.
        drafts: What was written before.
        hints: Names the keys.
        time: The time, in seconds since 1970.
        me: Who decides.
    """

    def __init__(
        self,
        watcher: ReviewWatch,
        drafts: ReviewDrafts,
        hints: Hints,
        time: Callable[[], float],
        me: str = "",
    ) -> None:
        self._watcher, self._drafts, self._hints, self._time, self._me = watcher, drafts, hints, time, me
        self.draft = ReviewDraft()
        self.sent: Decision | None = None
        """What was handed over and is not recorded yet."""
        self.over = ""
        """Why nothing can be decided here any more; empty while it can."""
        self.notice = ""
        """What is said beside the verbs."""

    @property
    def subject(self) -> Subject | None:
        """The review that is shown; None where it could not be read."""
        return self._watcher.subject

    @property
    def offered(self) -> Sequence[str]:
        """The verbs that the node allows and this person may use, while something can be decided."""
        subject = self.subject
        if subject is None or self.over or self.sent:
            return ()
        return [verb for verb in subject.review.request.verbs if verb not in self.refusals]

    @property
    def refusals(self) -> Mapping[str, NotAllowed]:
        """The verbs that this person may not use, each with the reason."""
        subject = self.subject
        return {} if subject is None else refusals(subject.review, self._me, self._time())

    @property
    def kept_from(self) -> str:
        """Why this person may not decide, or not approve, and who might; empty where they may."""
        subject = self.subject
        if subject is None or not subject.pending or self.over or self.sent:
            return ""
        refusal = next(iter(self.refusals.values()), None)
        if refusal is None:
            return ""
        return f"{visible(str(refusal))}\n{other_name(subject.review, self._me, self._time())}".rstrip()

    @property
    def countdown(self) -> str:
        """What the review does by itself, and in how long; empty where that is nothing."""
        subject = self.subject
        return "" if subject is None or self.over else countdown(subject.review, self._time())

    @property
    def can_approve(self) -> bool:
        """Whether it can be approved here, as it is or with changes."""
        return not {"approve", "edit"}.isdisjoint(self.offered)

    @property
    def has_others(self) -> bool:
        """Whether other reviews wait as well."""
        return len(self._watcher.queue) > 1

    @property
    def waits(self) -> float | None:
        """For how many seconds the review has waited; None where it does not wait any more."""
        subject = self.subject
        if subject is None or not subject.pending or self.over:
            return None
        return self._time() - subject.review.asked_at

    def begin(self, review_id: str, notice: str) -> Subject | None:
        """Read a review and what was written for it; None where it cannot be shown."""
        self.sent, self.over, self.notice, self.draft = None, "", notice, ReviewDraft()
        try:
            subject = self._watcher.open(review_id)
        except StepgraphError as error:
            self.over = f"the review cannot be shown: {visible(str(error))}"
            return None
        self.draft = self._drafts.of(subject.review)
        if self.draft:
            self.notice = notice or f"draft, not sent: {self.draft.parts}"
        return subject

    def is_ours(self, review: Review) -> bool:
        """Check whether a review was decided as it was handed over here."""
        made = review.made_last
        return made is not None and self.sent is not None and _SAID(made) == _SAID(self.sent)

    def end(self, subject: Subject, review: Review) -> tuple[Difference, ...] | None:
        """Explain why nothing can be decided any more.

        Returns:
            What was changed after the question; None where it was decided, or that cannot be read.
        """
        self.sent, since_then = None, None
        if review.decision is not None:
            self.over = f"already {decided_text(subject, review.decision, self._time())}"
        elif review.status == "expired":
            self.over = expired_text(review)
        else:
            self.over = "this request changed: it no longer waits"
            if self._watcher.successor() is not None:
                self.over += f"\n{self._hints.key('approval.next')} shows what is asked now"
            try:
                since_then = self._watcher.after_the_question(subject)
            except StepgraphError as error:
                self.over += f"\n{visible(str(error))}"
        if self.draft:
            self.over += self._hints("\nwhat you wrote is kept; {list.copy} copies it")
        return since_then

    def record(self, review: Review) -> str | None:
        """Record that a review is decided, or was approved by one of several; the draft was sent.

        Returns:
            What is to be said of it; None where another review is shown.
        """
        self._drafts.drop(review)
        subject = self.subject
        made = review.made_last
        if subject is None or subject.review.id != review.id or made is None:
            return None
        said = decided_text(subject, made, self._time())
        if review.decision is None:
            said += f"; {visible(missing_text(review, self._time()))}"
        self.sent, self.over = None, said
        return self.over


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
        """Show a message beside the verbs."""

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
        """Continue with a text that is finished; one that is missing is asked for again."""
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
        """Show what would be done, and ask for Enter or for the node's name."""
        subject = self._state.subject
        if subject is None:
            return
        try:
            proposed = Proposal.of(subject, decision)
        except StepgraphError as error:
            self._surface.tell(str(error))
            return
        self._state.notice = ""
        self._view.propose(proposed)
        onward = self._onward(subject.review)
        if subject.review.gate is not None:
            onward = onward.at_gate(decision)
        self._panel.confirm(proposed.decision, proposed.name, onward)
        self._surface.paint(from_top=True)

    def send(self, *, goes_on: bool) -> None:
        """Submit the decision, bound to exactly what is shown.

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
            self._panel.say([Text("✗ a node is running, so nothing was sent; Enter tries again", "bold")])
            return
        state.sent = decision
        self.leave()
        self._surface.tell(SENDING)

    def leave(self) -> None:
        """Return to the verbs; what was written is kept."""
        self._box.close_fields(self._state.draft)
        self._view.turn("summary")
        self._surface.paint(from_top=True)


@dataclass(frozen=True, slots=True)
class Verbs:
    """What can be done with the review that is shown, as things stand."""

    state: DecisionState
    is_idle: bool
    """Whether keys are verbs: no field is open."""
    is_shown: bool
    """Whether there is a page to read."""
    is_read: bool
    """Whether the question and the whole action have been seen."""
    page: PageName
    walks: Mapping[int, bool]
    """Whether the page has changes of a step before (-1) or after (1) those that it shows."""

    def allow(self, action: str, parameters: tuple[object, ...] = ()) -> bool:
        """Check whether an action of the dialog does something now."""
        state = self.state
        if action == "decide":
            return self.is_idle and self._can_begin(str(parameters[0]))
        is_over = bool(state.over)
        works = {
            "turn_page": self.is_idle and self.is_shown,
            "walk": self.is_idle and self.walks[-1 if parameters == (-1,) else 1],
            "turn_to": self.is_idle and state.sent is None and (state.has_others or is_over),
            "inbox": self.is_idle and state.sent is None,
            "close": is_over,
            "copy": is_over and bool(state.draft),
        }
        return works.get(action, True)

    def _can_begin(self, what: str) -> bool:
        if what == "comment":
            return bool(self.state.offered)
        return what in self.state.offered and (self.is_read or what in ("reject", "respond"))

    def keys(self, screen: Screen[None], hints: Hints) -> list[tuple[str, str]]:
        """Name the keys that work on a screen while no field is open, the one that leaves last."""
        if self.state.over:
            copy = [(hints.key("list.copy"), "Copy what you wrote")] if self.state.draft else []
            close = live_keys(screen).get("list.close", ())
            told = key_name("enter") if key_name("enter") in close else "".join(close[:1])
            return [*copy, (f"{told} {hints.key('approval.later')}".strip(), "Close")]
        live = live_commands(screen)
        verbs = [one for one in live if one.command.context == "approval" and one.command.footer]
        verbs.sort(key=lambda one: one.command.footer)
        keys = [(one.keys[0], one.command.label) for one in verbs]
        return [*keys[:-1], (keys[-1][0], "Back")] if self.page != "summary" else keys
