"""The pages that show everything in full: the request, what has changed, what an edit would change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepgraph_tui.words.reviews import risk_reasons
from stepgraph_tui.words.text import clock, value_text, visible

from .rows import Page, Part, Row

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision
    from stepgraph.values.json_values import Json

    from .subject import Difference, Subject

LONGEST = 100_000
"""How many characters of one text can be shown."""
_MOST = 1_000  # arguments, changes


def too_long(subject: Subject) -> bool:
    """Whether the question or the action is longer than this dialog can show to its end."""
    return len(subject.prompt) > LONGEST or len(subject.call) > LONGEST


def details(subject: Subject, width: int) -> list[Row]:
    """The whole request, and the whole of each shown value."""
    page = Page(width)
    review, request = subject.review, subject.review.request
    page.words("Review", f"{visible(review.id)}, hash {visible(review.hash)}, asked {clock(review.asked_at)}")
    page.words("Run", f"{visible(review.run_id)}, graph {visible(review.graph)}@{subject.definition[:8]}")
    page.words("Node", f"{visible(review.node)}, step {review.step}, visit {review.visit}")
    page.words(
        "Risk", f"{request.risk}: {'; '.join(risk_reasons(review, subject.mask, list(subject.leads)))}"
    )
    page.rule()
    _long(page, "Asks", subject.prompt)
    page.rule()
    _long(page, "Action", subject.mask.text(request.action) or "none is named")
    arguments = subject.mask.values(request.arguments)
    shown = list(arguments.items())[: _MOST if too_long(subject) else None]
    for name, argument in shown:
        page.add("", [(visible(name), "plain")])
        _value(page, "", argument)
    _left_out(page, len(arguments) - len(shown))
    for number, (path, value) in enumerate(review.values.items()):
        page.rule()
        type_ = request.editable.get(path)
        note: Part | None = (f"can be edited ({type_})", "dim") if type_ else None
        page.add("" if number else "Shown", [(visible(path), "plain")], note)
        _value(page, "", subject.mask.value(path, value))
    return page.rows


def difference(changed: Sequence[Difference], since: str, width: int) -> list[Row]:
    """Every changed value in full, masked before."""
    page = Page(width)
    page.words("Changed", f"since {since}:" if changed else f"nothing since {since}")
    for sign, path, old, new in changed[:_MOST]:
        page.rule()
        page.add("", [(f"{sign} {visible(path)}", "label")])
        if sign != "+":
            _value(page, "  before", old)
        if sign != "-":
            _value(page, "  after", new)
    _left_out(page, len(changed) - _MOST)
    return page.rows


def proposal(subject: Subject, decision: Decision, width: int) -> list[Row]:
    """What an edit would change."""
    page = Page(width)
    page.words("Node", visible(subject.review.node))
    page.rule()
    for number, (path, new) in enumerate(decision.values.items()):
        page.add("" if number else "Changes", [(visible(path), "label")])
        if path in subject.review.values:
            _value(page, "  from", subject.mask.value(path, subject.review.values[path]))
        _value(page, "  to", subject.mask.value(path, new))
    page.rule()
    if subject.call:
        page.data("Asked", subject.call, 3)
        page.add("", [("as it was asked, before these changes", "dim")])
    if decision.comment:
        page.data("Comment", subject.mask.text(decision.comment))
    return page.rows


def _left_out(page: Page, count: int) -> None:
    if count > 0:
        page.words("", f"… {count:,} more, which are not shown here", "warn")


def _value(page: Page, label: str, value: Json) -> None:
    """A value; a text of several lines is shown line by line, every other one as JSON."""
    _long(page, label, value if isinstance(value, str) and "\n" in value else value_text(value, 10**9))


def _long(page: Page, label: str, text: str) -> None:
    page.data(label, text[:LONGEST])
    if len(text) > LONGEST:
        page.words("", f"… {len(text) - LONGEST:,} more characters, which are not shown here", "warn")
