"""The page that is shown first: everything that a decision needs, each thing as short as it can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from stepgraph_tui.widgets.lines import wrapped
from stepgraph_tui.words.cells import cut, padded
from stepgraph_tui.words.reviews import risk_reasons
from stepgraph_tui.words.text import value_text, visible, waited

from .rows import Page, Part, Role, Row
from .said import edge_text, key_of, way_parts

if TYPE_CHECKING:
    from stepgraph.values.json_values import Json

    from .subject import Subject

_QUESTION, _ACTION, _CHANGES = 12, 8, 1  # rows that these may take
_PATH = 24  # cells of a path
_VALUES = 50  # shown values
_RISK: dict[str, Role] = {"high": "bad", "medium": "warn", "unknown": "warn", "low": "plain"}


@dataclass(frozen=True, slots=True)
class Summary:
    """The page, and how far it must have been read before anything can be approved."""

    rows: list[Row]
    must_see: int
    """How many of its rows, from the top, hold the question and the action."""
    whole: bool
    """Whether the question and the action are on it to their ends."""


def summary(subject: Subject, now: float, width: int) -> Summary:
    """Put the page together.

    Args:
        subject: What it is about.
        now: The time, in seconds since 1970.
        width: How many cells a row has.
    """
    page = Page(width)
    page.rows.append(identity(subject, now))
    _risk(page, subject)
    page.rule()
    whole = page.data("Asks", subject.prompt, _QUESTION)
    if not whole:
        page.add("", [("… and more", "warn")], (f"{key_of('details')} whole question", "dim"))
    page.blank()
    whole = _action(page, subject) and whole
    must_see = len(page.rows)
    _values(page, subject)
    _changes(page, subject)
    if subject.leads:
        page.rule()
        _ways_on(page, subject)
    return Summary(page.rows, must_see, whole)


def identity(subject: Subject, now: float) -> Row:
    """Which node asks, in which step of which graph, and how long it has waited."""
    review = subject.review
    visit = f", visit {review.visit}" if review.visit > 1 else ""
    step = f"step {review.step} of {subject.run.max_steps}{visit}"
    about = f"{step} · {visible(review.graph)}@{subject.definition[:4]} · run {visible(review.run_id)}"
    waiting = f"waiting {waited(now - review.asked_at)}" if subject.pending else review.status
    return Row(((f"{visible(review.node):<9} ", "label"), (about, "plain")), (waiting, "plain"))


def _risk(page: Page, subject: Subject) -> None:
    review = subject.review
    risk = review.request.risk
    reasons = "; ".join(risk_reasons(review, subject.mask, list(subject.leads)))
    for number, line in enumerate(wrapped(f"{risk}: {reasons}", page.room)):
        parts: list[Part] = [(line, "plain")]
        if number == 0:
            parts = [(risk, _RISK[risk]), (line.removeprefix(risk), "plain")]
        page.add("" if number else "Risk", parts)


def _action(page: Page, subject: Subject) -> bool:
    """Show the action; False when something of it was left out."""
    if not subject.call:
        page.add("Action", [("none is named", "dim")])
        return True
    whole = page.data("Action", subject.call, _ACTION)
    if not whole:
        page.add("", [("… and more", "warn")], (f"{key_of('details')} all arguments", "dim"))
    return whole


def _values(page: Page, subject: Subject) -> None:
    review = subject.review
    editable = review.request.editable if "edit" in review.request.verbs else {}
    shown: dict[str, Json | None] = {
        path: subject.mask.value(path, value) for path, value in review.values.items()
    }
    missing = [path for path in editable if path not in shown]
    paths = [*shown, *missing]
    column = min(_PATH, page.room // 2, max((cell_len(visible(path)) for path in paths), default=0))
    for number, path in enumerate(paths[:_VALUES]):
        text = "(not there yet)" if path in missing else value_text(shown[path])
        note = f"{key_of('edit')} can be edited ({editable[path]})" if path in editable else ""
        room = page.room - column - 2
        if not note and cell_len(text) > room:
            note = f"{key_of('details')} whole {'text' if isinstance(shown[path], str) else 'value'}"
        if note and page.room > 50:
            room -= len(note) + 2
        parts: list[Part] = [(f"{padded(visible(path), column)}  ", "plain"), (cut(text, room), "data")]
        page.add("" if number else "Shown", parts, (note, "dim") if note else None)
    if len(paths) > _VALUES:
        more = f"and {len(paths) - _VALUES} more"
        page.add("", [(more, "dim")], (f"{key_of('details')} all values", "dim"))


def _changes(page: Page, subject: Subject) -> None:
    signs = [f"{sign} {visible(path)}" for sign, path, _, _ in subject.changed]
    if not signs:
        page.add("Changed", [(f"nothing since {subject.since}", "dim")])
        return
    note: Part = (f"{key_of('difference')} difference", "dim")
    text = f"since {subject.since}: {' '.join(signs[:_VALUES])}"
    lines = wrapped(text, page.room - len(note[0]) - 2)
    for number, line in enumerate(lines[:_CHANGES]):
        cut_off = number == _CHANGES - 1 and (len(lines) > _CHANGES or len(signs) > _VALUES)
        shown = f"{line} …" if cut_off else line
        page.add("" if number else "Changed", [(shown, "plain")], None if number else note)


def _ways_on(page: Page, subject: Subject) -> None:
    for number, lead in enumerate(subject.leads):
        verb = f"{key_of(lead.verb)} {lead.verb}"
        edge = edge_text(subject, lead)
        parts: list[Part] = [(f"{verb:<9} ", "plain"), *way_parts(subject, lead)]
        page.add("" if number else "Then", parts, (edge, "dim") if edge else None)
        if lead.depends_on:
            told = ", ".join(map(visible, lead.depends_on))
            page.words("", f"  as long as {told} does not change that", "dim")
