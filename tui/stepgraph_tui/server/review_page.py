"""What the page of a review shows, in words that are safe to show."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stepgraph.runs import preview_decision
from stepgraph.values import StepgraphError, dumps

from ..text.characters import visible
from ..text.plain import WHOLE, by_lines, key_text, value_text, visible_lines, with_arrows
from ..text.reviews import (
    EditedQuestion,
    action_text,
    decision_text,
    preview_text,
    result_lines,
    risk_reasons,
    shown_label,
    so_far,
    still_missing,
    term_rows,
)
from ..text.state_diff import difference_lines
from ..view.reviews import ReviewStory, SafeDecision, masked_request, request_of
from .bodies import visited

if TYPE_CHECKING:
    from stepgraph.reviews import Decision
    from stepgraph.values import Json, ValueType

    from ..view.reviews import SafeReview


_STATUS_WORDS = {
    "decided": "This was decided",
    "expired": "Nobody decided in time",
    "withdrawn": "This was withdrawn: the run was edited or stopped",
}
_WAY = 12
"""How many of the last nodes are listed."""


@dataclass(frozen=True, slots=True)
class EditView:
    """What an edit would do, to be looked at before it is decided."""

    differences: list[str]
    action: str
    unknown: str
    leads: str


def review_page(view: OpenReview, form: Mapping[str, str], edit: Decision | None = None) -> dict[str, Any]:
    """Collect what the page of a review shows.

    Args:
        view: The review.
        form: What was written into its form already.
        edit: The edit that is to be looked at.
    """
    review, run, mask = view.review, view.run, view.mask
    shown, leads, pending = view.safe, view.leads, view.pending
    waits = run.pending
    return {
        "review": review,
        "run": run,
        "running": view.running,
        "prompt": visible_lines(shown.request.prompt),
        "reasons": "; ".join(risk_reasons(shown, leads)),
        "terms": _terms(view) if review.status in ("pending", "expired") else [],
        "status_words": _STATUS_WORDS.get(review.status, ""),
        "decided": _decided(shown),
        "said": _decision_lines(shown),
        "way": " → ".join(map(visible, visited(run.store.visits(run.id), run.version)[-_WAY:])),
        "error": visible(mask.text(run.error.message)) if run.error is not None else "",
        "next_review": waits.id if waits is not None and waits.id != review.id else None,
        "led_by": [(message.role, visible_lines(message.whole)) for message in so_far(view)],
        "action": by_lines(action_text(request_of(shown))),
        "label": shown_label(review),
        "values": [(key_text(path), _value(value)) for path, value in shown.values.items()],
        "result": result_lines(view, "→"),
        "consequences": [
            (
                lead.verb,
                with_arrows(mask.text(preview_text(lead))),
                still_missing(review, lead.verb),
                bool(lead.side_effects),
            )
            for lead in leads
        ],
        "fields": view.filled(form),
        "text": form.get("text", ""),
        "comment": form.get("comment", ""),
        "edited": _edited(view, edit) if edit is not None and pending else None,
    }


def _decided(review: SafeReview) -> str:
    """Describe who decided what and when; what they said about it is below, with its line breaks."""
    decision, votes = review.decision, review.votes
    before = f"{', '.join(vote.by for vote in votes)} approved, then " if votes else ""
    if decision is None:
        return ""
    return visible(before) + decision_text(SafeDecision(replace(decision, text="", comment="")))


def _decision_lines(review: SafeReview) -> list[str]:
    """List the answer and the comment of a decision, where there are any."""
    decision = review.decision
    texts = (decision.text, decision.comment) if decision is not None else ()
    return ["\n".join(visible_lines(text)) for text in texts if text]


def _terms(view: OpenReview) -> list[tuple[str, str]]:
    return [(name, view.mask.text(words)) for name, words in term_rows(view.review, time.time())]


def _value(value: Json) -> str:
    """Write a value: a text with its line breaks, anything else as JSON."""
    return "\n".join(visible_lines(value)) if isinstance(value, str) else value_text(value, WHOLE)


def _edited(view: OpenReview, edit: Decision) -> EditView:
    review, run, mask = view.review, view.run, view.mask
    question = EditedQuestion.of(view, edit)
    before = {path: mask.value(path, view.proposed(path)) for path in edit.values}
    after = {path: mask.value(path, value) for path, value in edit.values.items()}
    try:
        leads = with_arrows(mask.text(preview_text(preview_decision(run.plan, run, review, edit))))
    except StepgraphError as error:
        leads = visible(mask.text(error.message))
    action = "" if question.action == action_text(masked_request(review.request, mask)) else question.action
    return EditView(difference_lines(before, after, "→", WHOLE), by_lines(action), question.unknown, leads)


@dataclass(frozen=True, slots=True)
class EditField:
    """A value that a reviewer may change, as a form has it."""

    path: str
    name: str
    type: ValueType
    text: str
    """As it can be edited; empty for a secret one."""
    hidden: bool

    @property
    def rows(self) -> int:
        """How many lines a field for it has."""
        return min(12, max(2, self.text.count("\n") + 1, len(self.text) // 50))


@dataclass(frozen=True, slots=True)
class OpenReview(ReviewStory):
    """A review as its page shows it."""

    running: bool

    def proposed(self, path: str) -> Json:
        """Return the value that an edit of a path starts from; None if there is none."""
        return self.review.proposed.get(path)

    @property
    def fields(self) -> list[EditField]:
        """What may be edited, with the values that are proposed."""
        return [self._field(path, kind) for path, kind in self.review.request.editable.items()]

    def _field(self, path: str, kind: ValueType) -> EditField:
        value = self.proposed(path)
        hidden = value is not None and self.mask.value(path, value) != value
        text = "" if hidden or value is None else value if isinstance(value, str) else dumps(value)
        return EditField(path, key_text(path), kind, text, hidden)

    def filled(self, form: Mapping[str, str]) -> list[EditField]:
        """Return the fields as somebody has filled them in; a secret one is never sent back."""
        return [
            field if field.hidden else replace(field, text=form.get(f"value:{field.path}", field.text))
            for field in self.fields
        ]
