"""Decisions and ways on in the words of the dialog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stepgraph_tui.text.plain import moment, place, visible
from stepgraph_tui.text.reviews import REASONS, changes_text, done_text, path_parts
from stepgraph_tui.text.runs import edge_name
from stepgraph_tui.view.reviews import masked_decision

from .rows import Part

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.runs.decision_preview import DecisionPreview

    from .watching import Subject


def decided_text(subject: Subject, decision: Decision, now: float) -> str:
    """Tell a decision in one line: ``rejected by ben (cli) 14:01:10: too high``."""
    decision = masked_decision(decision, subject.mask)
    said, changed = decision.text or decision.comment, changes_text(decision)
    return visible(
        f"{done_text(decision, source=True)} {moment(decision.at, now)}"
        + (f", {changed}" if changed else "")
        + (f": {said}" if said else "")
    )


def meanwhile(before: Review, now: Review) -> str:
    """Tell what has become of a review that still waits while it was looked at."""
    voted = [visible(vote.by) for vote in now.votes[len(before.votes) :]]
    if voted:
        return f"{' and '.join(voted)} approved in the meantime"
    if now.escalated and not before.escalated:
        return "it was escalated in the meantime: others may decide it as well"
    return "the run changed in the meantime: look again"


def way_parts(subject: Subject, lead: DecisionPreview) -> Iterator[Part]:
    """Tell where a decision leads: ``→ pay ! → notify → END``."""
    reason = visible(subject.mask.text(lead.reason))
    if lead.edge is None and lead.kind != "runs":
        word = REASONS.get(lead.kind, "fails: ")
        yield word + reason, "dim" if lead.kind == "unknown" else "warn"
        return
    if lead.edge is not None and lead.capped:
        yield f"the run stops at its step limit before {place(lead.edge.target)}", "warn"
        return
    yield from path_parts(lead)


def edge_text(subject: Subject, lead: DecisionPreview) -> str:
    """Tell which edge is taken: ``edge 1 approved``; empty without one, and for a node's only one."""
    if lead.edge is None:
        return ""
    count = len(subject.app.edges_from(lead.edge.source))
    name = edge_name(lead.edge.label, lead.edge.condition.describe(), lead.position - 1, count)
    return f"edge {name}" if name else ""
