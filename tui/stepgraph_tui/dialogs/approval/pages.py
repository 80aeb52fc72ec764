"""The pages that a review is read on: the summary that comes first, and everything in full."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from stepgraph.runs import MASK

from ...text.cells import cell_len, cut, padded
from ...text.characters import visible
from ...text.diffs import value_diff
from ...text.plain import clock, key_text, plural, value_text
from ...text.reviews import risk_text, still_missing, task_and_said
from ...widgets.lines import wrapped
from ..value import row_starts
from .proposal import edge_text, way_parts
from .rows import LONGEST, Part, ReviewRow, Role, RowWriter, full_text

if TYPE_CHECKING:
    from stepgraph.values import Json

    from ...commands.hints import Hints
    from .proposal import Proposal
    from .rows import Told
    from .subject import Difference, Subject


_MOST = 1_000  # arguments, changes
_QUESTION, _ACTION, _CHANGES = 12, 8, 1  # rows that these may take
_PATH = 24  # cells of a path
_VALUES = 50  # shown values
_ROLE = 9  # cells of who says something
_RESULTS = 6  # changes that a node has made
_RISK: dict[str, Role] = {"high": "bad", "medium": "warn", "unknown": "warn", "low": "plain"}


def summary(subject: Subject, width: int, hints: Hints, kept_from: Collection[str] = ()) -> list[ReviewRow]:
    """Compose the first page: everything that a decision needs, each thing as short as it can be.

    Args:
        subject: What it is about.
        width: How many cells a row has.
        hints: Names the keys.
        kept_from: The verbs that this person may not use: where they lead is shown without a key.
    """
    page = RowWriter(width)
    page.rows.append(_identity(subject))
    _risk(page, subject)
    _terms(page, subject)
    page.rule()
    if not page.text("Asks", subject.asks, "asks", _QUESTION):
        page.add("", [("… and more", "warn")], (f"{hints.key('approval.details')} whole question", "dim"))
    page.blank()
    if not subject.call:
        page.add("Action", [("none", "dim")])
    elif not page.text("Action", subject.acts, "action", _ACTION):
        page.add("", [("… and more", "warn")], (f"{hints.key('approval.details')} all arguments", "dim"))
    (_result if subject.result else _values)(page, subject, hints)
    _add_conversation(page, subject, hints)
    _changes(page, subject, hints)
    if subject.leads:
        page.rule()
        _ways_on(page, subject, hints, kept_from)
    return page.rows


def _identity(subject: Subject) -> ReviewRow:
    """Describe which node asks, in which step of which graph."""
    review = subject.review
    visit = f", visit {review.visit}" if review.visit > 1 else ""
    step = f"step {review.step:,} of {subject.run.max_steps:,}{visit}"
    about = f"{step} · {review.graph}@{subject.definition[:4]} · run {review.run_id}"
    status: Part | None = None if subject.pending else (review.status, "plain")
    return ReviewRow(((f"{visible(review.node):<9} ", "label"), (visible(about), "plain")), status)


def _risk(page: RowWriter, subject: Subject) -> None:
    review = subject.review
    risk = review.request.risk
    rated, why = risk_text(subject.safe, subject.leads)
    for number, line in enumerate(wrapped(f"{rated}{why}", page.room)):
        parts: list[Part] = [(line, "plain")]
        if number == 0:
            parts = [(rated, _RISK[risk]), (line.removeprefix(rated), "plain")]
        page.add("" if number else "Risk", parts)


def _terms(page: RowWriter, subject: Subject) -> None:
    """Describe its deadline, who may decide it, and who has approved so far."""
    for heading, text in subject.terms:
        unsafe = heading == "deadline" and subject.review.terms.on_timeout == "approve_unsafe"
        page.words(heading.capitalize(), text, "warn" if unsafe else "plain")


def _values(page: RowWriter, subject: Subject, hints: Hints) -> None:
    review = subject.review
    editable = review.request.editable if "edit" in review.request.verbs else {}
    shown: dict[str, Json | None] = {
        path: subject.mask.value(path, value) for path, value in review.values.items()
    }
    missing = [path for path in editable if path not in shown]
    paths = [*shown, *missing]
    column = min(_PATH, page.room // 2, max((cell_len(key_text(path)) for path in paths), default=0))
    for number, path in enumerate(paths[:_VALUES]):
        text = "(not set yet)" if path in missing else value_text(shown[path])
        note = f"{hints.key('approval.edit')} can be edited ({editable[path]})" if path in editable else ""
        room = page.room - column - 2
        if not note and cell_len(text) > room:
            note = (
                f"{hints.key('approval.details')} whole {'text' if isinstance(shown[path], str) else 'value'}"
            )
        if note and page.room > 50:
            room -= len(note) + 2
        parts: list[Part] = [(f"{padded(key_text(path), column)}  ", "plain"), (cut(text, room), "data")]
        page.add("" if number else subject.values_title, parts, (note, "dim") if note else None)
    if len(paths) > _VALUES:
        more = f"and {len(paths) - _VALUES} more"
        page.add("", [(more, "dim")], (f"{hints.key('approval.details')} all values", "dim"))


def _result(page: RowWriter, subject: Subject, hints: Hints) -> None:
    """Show what approving would change, and what of it can be edited."""
    for number, line in enumerate(subject.result[:_RESULTS]):
        page.add("" if number else "Result", [(cut(line, page.room), "data")])
    if len(subject.result) > _RESULTS:
        more = f"and {len(subject.result) - _RESULTS} more changes"
        page.add("", [(more, "dim")], (f"{hints.key('approval.details')} all of the action", "dim"))
    editable = ", ".join(
        f"{key_text(path)} ({kind})" for path, kind in subject.review.request.editable.items()
    )
    if editable:
        page.add("", [(cut(f"{hints.key('approval.edit')} can edit {editable}", page.room), "dim")])


def _add_conversation(page: RowWriter, subject: Subject, hints: Hints) -> None:
    """Show the task, and the last words of the model that asks."""
    if not subject.led_by:
        return
    note = f"{hints.key('approval.details')} {plural(len(subject.led_by), 'message')}"
    *others, (label, text) = task_and_said(subject.led_by) or [("Said", "")]
    for other, words in others:
        page.add(other, [(cut(words, page.room), "data")])
    room = page.room - (len(note) + 2 if page.room > 50 else 0)
    page.add(label, [(cut(text, room), "data")], (note, "dim"))


def _changes(page: RowWriter, subject: Subject, hints: Hints) -> None:
    signs = [f"{sign} {key_text(path)}" for sign, path, _, _ in subject.changed]
    if not signs:
        page.add("Changed", [(f"nothing since {subject.since}", "dim")])
        return
    note: Part = (f"{hints.key('approval.difference')} difference", "dim")
    text = f"since {subject.since}: {' '.join(signs[:_VALUES])}"
    lines = wrapped(text, page.room - len(note[0]) - 2)
    for number, line in enumerate(lines[:_CHANGES]):
        cut_off = number == _CHANGES - 1 and (len(lines) > _CHANGES or len(signs) > _VALUES)
        shown = f"{line} …" if cut_off else line
        page.add("" if number else "Changed", [(shown, "plain")], None if number else note)


def _ways_on(page: RowWriter, subject: Subject, hints: Hints, kept_from: Collection[str]) -> None:
    for number, lead in enumerate(subject.leads):
        key = "" if lead.verb in kept_from else f"{hints.key(f'approval.{lead.verb}')} "
        verb = f"{key}{lead.verb}"
        once = still_missing(subject.review, lead.verb)
        edge = once or edge_text(subject, lead)
        parts: list[Part] = [(f"{verb:<9} ", "plain"), *way_parts(subject, lead)]
        page.add("" if number else "Then", parts, (edge, "dim") if edge else None)
        if lead.depends_on:
            names = ", ".join(lead.depends_on)
            page.words("", f"  unless {names} changes that", "dim")


def details(subject: Subject, width: int) -> list[ReviewRow]:
    """Show the whole request, and the whole of each shown value."""
    page = RowWriter(width)
    review, request = subject.review, subject.review.request
    page.words("Review", f"{review.id}, hash {review.hash}, asked {clock(review.asked_at)}")
    page.words("Run", f"{review.run_id}, graph {review.graph}@{subject.definition[:8]}")
    page.words("Node", f"{review.node}, step {review.step}, visit {review.visit}")
    page.words("Risk", "".join(risk_text(subject.safe, subject.leads)))
    page.rule()
    page.text("Asks", subject.asks, "asks")
    page.rule()
    action, *arguments = subject.in_full
    if action.text:
        page.text("Action", action, "action")
    else:
        page.words("Action", "none")
    most = 2 * _MOST if subject.acts.left_out else len(arguments)
    for number, part in enumerate(arguments[:most]):
        page.text("", part, "data" if number % 2 else "plain")
    _left_out(page, (len(arguments) - most) // 2)
    for number, (path, value) in enumerate(review.values.items()):
        page.rule()
        type_ = request.editable.get(path)
        note: Part | None = (f"can be edited ({type_})", "dim") if type_ else None
        page.add("" if number else subject.values_title, [(key_text(path), "plain")], note)
        page.data("", full_text(subject.mask.value(path, value)))
    if subject.led_by:
        page.rule()
        page.add("So far", [(plural(len(subject.led_by), "message"), "plain")])
    for message in subject.led_by:
        page.data(cut(message.role, _ROLE), message.whole)
    return page.rows


def proposal(proposed: Proposal, width: int) -> list[ReviewRow]:
    """Show what an edit would make of the action, above what it changes."""
    page = RowWriter(width)
    subject, edited = proposed.subject, proposed.edited
    page.words("Node", subject.review.node)
    page.rule()
    if subject.call or edited.action:
        _asked_and_now(page, subject.acts, proposed.acts, edited.unknown, "action")
    if not subject.call or edited.prompt not in (subject.prompt, ""):
        _asked_and_now(page, subject.asks, proposed.asks, edited.unknown, "asks")
    page.rule()
    for number, (path, old, new) in enumerate(proposed.changes):
        page.add("" if number else "Changes", [(key_text(path), "label")])
        if old is not None:
            page.text("  from", old)
        page.text("  to", new)
    comment = proposed.decision.comment
    if comment:
        page.rule()
        page.data("Comment", subject.mask.text(comment))
    return page.rows


def _asked_and_now(page: RowWriter, asked: Told, now: Told, unknown: str, role: Role) -> None:
    """Show what was asked, and below it what that becomes."""
    if asked.text:
        page.text("Asked", asked)
    else:
        page.words("Asked", "nothing was named")
    if unknown:
        page.words("Now", f"unknown: {unknown}", "warn")
    elif now == asked:
        hidden = MASK in now.text
        page.words(
            "Now",
            f"the same but for what {MASK} hides" if hidden else "unchanged: the edit does not affect it",
        )
    elif now.text:
        page.text("Now", now, role)
    else:
        page.words("Now", "nothing is named")


def _left_out(page: RowWriter, count: int) -> None:
    if count > 0:
        page.words("", f"… {count:,} more, not shown here", "warn")


def difference(changed: Sequence[Difference], when: str, width: int, note: str = "") -> list[ReviewRow]:
    """Show every changed value in full, what is there before and after word by word.

    Args:
        changed: What changed, masked already.
        when: Since when, or in which step.
        width: How many cells a row has.
        note: What is at the right end of the first row.
    """
    page = RowWriter(width)
    for number, line in enumerate(wrapped(when if changed else f"nothing {when}", page.room)):
        page.add(
            "" if number else "Changed", [(line, "plain")], None if number or not note else (note, "dim")
        )
    for sign, path, old, new in changed[:_MOST]:
        page.rule()
        page.add("", [(f"{sign} {key_text(path)}", "label")])
        if sign == "~":
            _changed(page, old, new)
        else:
            _whole(page, "  before" if sign == "-" else "", old if sign == "-" else new)
    if len(changed) > _MOST:
        page.words("", f"… {len(changed) - _MOST:,} more, not shown here", "warn")
    return page.rows


def _changed(page: RowWriter, old: Json, new: Json) -> None:
    shown = value_diff(old, new)
    starts = [*row_starts(shown.text[:LONGEST], page.marked_room), min(len(shown.text), LONGEST)]
    for start, stop in pairwise(starts):
        page.diff(shown.parts(start, start + len(shown.text[start:stop].rstrip("\n"))))
    page.left_out(len(shown.text) - LONGEST)


def _whole(page: RowWriter, label: str, value: Json) -> None:
    page.data(label, full_text(value))
