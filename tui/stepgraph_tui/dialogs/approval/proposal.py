"""A decision that is about to be confirmed: what it asks once more, and what it would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from rich.text import Text

from ...text.cells import chop_cells, cut
from ...text.characters import visible
from ...text.plain import by_lines, moment, place, value_text
from ...text.reviews import REASONS, EditedQuestion, changes_text, done_text, path_parts
from ...text.run_list import edge_name
from ...view.reviews import masked_decision
from ...widgets.lines import wrapped
from .onward import VERBS, Onward
from .rows import Part, full_text, told

if TYPE_CHECKING:
    from stepgraph.reviews import Decision, Review
    from stepgraph.runs import DecisionPreview

    from .rows import MustRead, Told
    from .subject import Subject


def decided_text(subject: Subject, decision: Decision, now: float) -> str:
    """Describe a decision in one line: ``rejected by ben (cli) 14:01:10: too high``."""
    decision = masked_decision(decision, subject.mask)
    comment, changed = decision.text or decision.comment, changes_text(decision)
    return visible(
        f"{done_text(decision, source=True)} {moment(decision.at, now)}"
        + (f", {changed}" if changed else "")
        + (f": {comment}" if comment else "")
    )


def meanwhile(before: Review, now: Review) -> str:
    """Describe what has become of a review that still waits while it was looked at."""
    voted = [vote.by for vote in now.votes[len(before.votes) :]]
    if voted:
        return f"{' and '.join(voted)} approved in the meantime"
    if now.escalated and not before.escalated:
        return "it was escalated in the meantime: others may decide it as well"
    return "the run changed in the meantime: look again"


def way_parts(subject: Subject, lead: DecisionPreview) -> Iterator[Part]:
    """Find where a decision leads: ``→ pay ! → notify → END``."""
    reason = subject.mask.text(lead.reason)
    if lead.edge is None and lead.kind != "runs":
        word = REASONS.get(lead.kind, "fails: ")
        yield word + reason, "dim" if lead.kind == "unknown" else "warn"
        return
    if lead.edge is not None and lead.capped:
        yield f"the run stops at its step limit before {place(lead.edge.target)}", "warn"
        return
    yield from path_parts(lead)


def edge_text(subject: Subject, lead: DecisionPreview) -> str:
    """Describe which edge is taken: ``edge 1 approved``; empty without one, and for a node's only one."""
    if lead.edge is None:
        return ""
    count = len(subject.app.edges_from(lead.edge.source))
    name = edge_name(lead.edge.label, lead.edge.condition.describe(), lead.position - 1, count)
    return f"edge {name}" if name else ""


_MOST = 3  # rows of the question


@dataclass(frozen=True)
class Proposal:
    """What would be decided, and what would come of it."""

    subject: Subject
    decision: Decision
    lead: DecisionPreview | None
    """Where it would lead; None where the graph does not have the node."""
    edited: EditedQuestion
    """What is asked with the changes of an edit; nothing for other decisions."""

    @classmethod
    def of(cls, subject: Subject, decision: Decision) -> Proposal:
        """Find out what a decision would do.

        Raises:
            NotAllowed: The review does not offer it.
        """
        lead = subject.lead_of(decision)
        edited = subject.edited_by(decision) if decision.verb == "edit" else EditedQuestion()
        return cls(subject, replace(decision, source="app"), lead, edited)

    @cached_property
    def acts(self) -> Told:
        """What the action becomes by an edit."""
        same = self.edited.action == self.subject.call
        return self.subject.acts if same else told("Now", by_lines(self.edited.action))

    @cached_property
    def asks(self) -> Told:
        """What the question becomes by an edit."""
        same = self.edited.prompt == self.subject.prompt
        return self.subject.asks if same else told("Now asks", self.edited.prompt)

    @cached_property
    def changes(self) -> Sequence[tuple[str, Told | None, Told]]:
        """The path of each changed value, the value before where there was one, and the new value."""
        mask, before = self.subject.mask, self.subject.review.proposed

        return [
            (
                path,
                told("", full_text(mask.value(path, before[path]))) if path in before else None,
                told(f"To {path}", full_text(mask.value(path, new))),
            )
            for path, new in self.decision.values.items()
        ]

    @property
    def must_read(self) -> MustRead:
        """What must be read before it is approved; nothing before other decisions.

        That is the question and the action, and what they become by an edit: the changed values themselves
        only where nobody can tell that.
        """
        if self.decision.verb not in ("approve", "edit"):
            return {}
        subject = self.subject
        becomes = [new for _, _, new in self.changes] if self.edited.unknown else [self.acts, self.asks]
        new = tuple(text for text in becomes if text not in (subject.acts, subject.asks))
        return {**subject.must_read, "change": [new]}

    @property
    def name(self) -> str | None:
        """What must be typed to confirm it: the node's name; None where Enter is enough."""
        named = self.subject.high and self.decision.verb in ("approve", "edit")
        return self.subject.review.node if named else None

    @cached_property
    def question(self) -> str:
        """What is about to be done: ``Approve pay(amount=90)?``, ``Reject pay(amount=240)?``."""
        subject, decision = self.subject, self.decision
        what = subject.call or subject.review.node
        if decision.verb == "respond":
            what = value_text(subject.mask.text(decision.text))
        if subject.review.gate is not None and decision.verb == "reject":
            return f"Stop the run at {subject.review.node}?"
        if self.edited.action not in ("", subject.call):
            what = self.edited.action
        elif decision.verb == "edit":
            what = f"with {changes_text(masked_decision(decision, subject.mask))}"
        return f"{VERBS[decision.verb].capitalize()} {what}?"

    def lines(self, width: int, unread: str, more: str, onward: Onward) -> list[Text]:
        """Lay out the question: what would be done, where that leads, and how it is confirmed.

        Args:
            width: How many cells a line has.
            unread: What must be done before it can be confirmed; empty when it was done.
            more: How the rest of what is above is brought into view.
            onward: What follows it.
        """
        question = visible(self.question)
        begun = question[: (_MOST + 1) * width]
        asked = wrapped(begun, width)
        if len(asked) > _MOST or len(begun) < len(question):
            where = "" if self.decision.verb == "respond" else f": all of it stands above ({more})"
            asked = [*chop_cells(begun, max(2, width))[: _MOST - 1], cut(f"… cut here{where}", width)]
        lines = [Text(line, "bold") for line in asked]
        if self.lead is not None:
            way = "".join(text for text, _ in way_parts(self.subject, self.lead))
            lines.append(Text(cut(f"Then {way}   {edge_text(self.subject, self.lead)}".rstrip(), width)))
        if onward.kept:
            lines += [Text(cut(line, width)) for line in wrapped(onward.kept, width)[:2]]
        last = unread or onward.asks(self.decision, self.name)
        return [*lines, Text(cut(last, width), "bold" if unread else "")]
