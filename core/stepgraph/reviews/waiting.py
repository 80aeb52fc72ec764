"""Lists of reviews: which of them are asked for, in which order they come, which ask the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple, get_args

from ..values.errors import FilterError
from ..values.json_values import Json
from ..values.messages import some_of
from ..values.problems import did_you_mean
from .model import Review, Risk, Verb
from .terms import person
from .voters import approvers

FIELDS = ("graph", "node", "run", "risk", "age")
"""What a word of a filter can begin with, before a colon."""
MINE = "mine"
"""The word of a filter that asks for what is this person's to decide, or was decided by them."""
POSSIBLE = 'graph:X node:X run:X risk:high age:>2h mine, and words; "quoted text" is looked for as it is'
"""What a filter can say, in a line."""
_RISKS: Sequence[Risk] = get_args(Risk)
_RANKS: Mapping[Risk, int] = {"high": 0, "unknown": 1, "medium": 2, "low": 3}
_NAMED = 6  # reviews that are named in a line
_TERM = re.compile(
    r"(?P<bare>\w+):(?=\s|$)"  # nothing comes after it yet
    r'|(?:(?P<field>\w+):)?(?:"(?P<quoted>[^"]*)"?|(?P<word>\S+))'
)
_AGE = re.compile(r"(?P<sign>[<>]?)(?P<number>\d+(?:\.\d+)?)(?P<unit>[smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True)
class ListedReview:
    """A review as a list shows it.

    Args:
        review: With its secrets hidden: what is searched is what is seen.
    """

    review: Review

    @cached_property
    def words(self) -> str:
        """All that free words are looked for in, in lower case."""
        review, request = self.review, self.review.request
        texts = [request.prompt, request.action, request.risk_reason, self.review.started_by]
        texts += [review.id, review.run_id, review.graph, review.node]
        if review.decision is not None:
            texts += [review.decision.by, review.decision.comment, review.decision.text]
        for message in request.conversation:
            texts += _texts(message)
        return "\n".join([*texts, *_texts(request.arguments), *_texts(review.values)]).lower()

    def is_of(self, me: str, now: float) -> bool:
        """Check whether a person is asked by name, or has decided it or voted on it."""
        review = self.review
        deciders = [vote.by for vote in review.votes]
        if review.decision is not None:
            deciders.append(review.decision.by)
        elif review.status == "pending":
            deciders += approvers(review, now)
        return person(me) in map(person, deciders)


def _texts(value: Json | Mapping[str, Json]) -> Iterator[str]:
    """List the names and values in a value."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield name
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif value is not None:
        yield value if isinstance(value, str) else str(value)


# Which are asked for


class FilterTerm(NamedTuple):
    """A part of a filter: it is found, or it is not."""

    field: str
    """One of ``FIELDS``, ``mine``, or empty for free words."""
    text: str
    """What is to be found, in lower case."""
    written: str
    """As the person has written it."""

    def finds(self, listed: ListedReview, now: float, me: str) -> bool:
        """Check whether a review is asked for."""
        review = listed.review
        match self.field:
            case "":
                return self.text in listed.words
            case "graph":
                return self.text in review.graph.lower()
            case "node":
                return self.text in review.node.lower()
            case "run":
                return self.text in review.run_id.lower()
            case "risk":
                return review.request.risk in self.text.split(",")
            case "age":
                sign, seconds = _age(self.text)
                waited = now - review.asked_at
                return waited < seconds if sign == "<" else waited >= seconds
        return listed.is_of(me, now)


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """Which reviews are asked for: all of its terms must be found; without any, all reviews are."""

    terms: tuple[FilterTerm, ...] = ()

    @classmethod
    def parse(cls, text: str) -> InboxFilter:
        """Read a filter as a person writes it: ``graph:refund risk:high,unknown age:>2h "to Ana"``.

        Raises:
            FilterError: A word before a colon is not a field, or the field does not take its value.
        """
        return cls(tuple(_term(found) for found in _TERM.finditer(text) if found["quoted"] != ""))

    def choose(self, reviews: Iterable[ListedReview], now: float, me: str = "") -> list[ListedReview]:
        """Take the reviews that are asked for, in their order.

        Args:
            reviews: All of them.
            now: The time, in seconds since 1970: ages are counted up to it.
            me: The person who asks, for ``mine``.
        """
        return [listed for listed in reviews if all(term.finds(listed, now, me) for term in self.terms)]


def _term(found: re.Match[str]) -> FilterTerm:
    written, name = found.group(), found["field"] or found["bare"]
    text = found["quoted"] if found["quoted"] is not None else found["word"] or ""
    if name is None:
        is_mine = found["quoted"] is None and text.lower() == MINE
        return FilterTerm(MINE if is_mine else "", text.lower(), written)
    if name.lower() not in FIELDS:
        hint = did_you_mean(name, FIELDS, listing="possible")
        raise FilterError(
            f"a filter has no {name}: of its own", hint=f'{hint}; put "{written}" in quotes to look for it'
        )
    return FilterTerm(name.lower(), _CHECKS.get(name.lower(), str)(text.lower()), written)


def _checked_risk(text: str) -> str:
    """Complete the names of risks: ``hi,unk`` is ``high,unknown``."""
    wanted = []
    for part in text.split(","):
        risks = [risk for risk in _RISKS if part and risk.startswith(part)]
        if not risks:
            raise FilterError(f"risk: cannot be {part!r}", hint=f"possible: {', '.join(_RISKS)}")
        wanted += risks
    return ",".join(wanted)


def _checked_age(text: str) -> str:
    if _AGE.fullmatch(text) is None:
        raise FilterError(f"age: cannot be {text!r}", hint="possible: age:>2h, age:<30m, age:>1d, age:>10s")
    return text


def _age(text: str) -> tuple[str, float]:
    found = _AGE.fullmatch(text)
    assert found is not None  # it was checked when it was read  # noqa: S101
    return found["sign"], float(found["number"]) * _SECONDS[found["unit"]]


_CHECKS: Mapping[str, Callable[[str], str]] = {"risk": _checked_risk, "age": _checked_age}


# In which order they come


def deadline_of(review: Review) -> float:
    """Find when it is too late to decide, in seconds since 1970; endlessly far without a deadline."""
    return inf if review.deadline is None else review.deadline


class ReviewOrder(NamedTuple):
    """What pending reviews are sorted by."""

    name: str
    key: Callable[[Review], Any]
    """The smallest comes first."""


def urgency(review: Review) -> tuple[float, int, float, str]:
    """Return the sort key of pending reviews: deadline, risk, waiting since, run."""
    return deadline_of(review), _RANKS[review.request.risk], review.asked_at, review.run_id


ORDERS = (
    ReviewOrder("deadline", urgency),
    ReviewOrder("risk", lambda review: urgency(review)[1:]),
    ReviewOrder("age", lambda review: urgency(review)[2:]),
)
"""The orders that can be asked for, the usual one first: what is too late soonest, then the riskiest, then
what has waited longest."""


def in_order(reviews: Iterable[Review]) -> list[Review]:
    """Sort pending reviews in the order in which people should look at them."""
    return sorted(reviews, key=urgency)


# Which ask the same


ReviewGroup = tuple[ListedReview, ...]
"""Reviews that ask the very same: one node of one graph, with one payload, on the same terms."""


def question_of(review: Review) -> tuple[str, ...]:
    """Describe what a review asks and of whom: the graph, the node, the hash of the payload, the terms.

    The hash leaves the terms out. Of reviews with the same terms each still has its own deadline.
    """
    return review.graph, review.node, review.hash, json.dumps(review.terms.to_json(), sort_keys=True)


def soonest_deadline(reviews: Iterable[Review]) -> float:
    """Find when it is too late for the first of some reviews; endlessly far without any deadline."""
    return min(map(deadline_of, reviews), default=inf)


def grouped(reviews: Iterable[ListedReview]) -> list[ReviewGroup]:
    """Group reviews that ask the same; each group is where its first one did."""
    groups: dict[tuple[str, ...], list[ListedReview]] = {}
    for listed in reviews:
        groups.setdefault(question_of(listed.review), []).append(listed)
    return [tuple(members) for members in groups.values()]


def refuse_together(reviews: Sequence[Review], verb: Verb) -> str:
    """Explain why reviews cannot be decided all at once; empty where they can.

    Any may be rejected together. Only identical ones of low risk may be approved so: whoever approves
    several at once has read one.
    """
    if verb not in ("approve", "reject"):
        return f"several reviews can only be approved or rejected together, not decided by {verb!r}"
    without = [review.id for review in reviews if verb not in review.request.verbs]
    if without:
        return f"{_reviews(without)} {'does' if len(without) == 1 else 'do'} not offer {verb!r}"
    if verb == "reject" or len(reviews) == 1:
        return ""
    risky = [review for review in reviews if review.request.risk != "low"]
    if risky:
        risks = dict.fromkeys(review.request.risk for review in risky)
        named = f"{' and '.join(risks)}-risk reviews must be approved one at a time"
        return f"{named}: {_reviews([each.id for each in risky])}"
    questions = {question_of(review) for review in reviews}
    if len({question[:-1] for question in questions}) > 1:
        return "they do not all ask the same: approve them one by one"
    if len(questions) > 1:
        return "they ask the same on different terms: approve them one by one"
    return ""


def _reviews(ids: Sequence[str]) -> str:
    """Name reviews: ``review a-1``, ``reviews a-1, a-2 and 7 more``."""
    return f"review{'' if len(ids) == 1 else 's'} {some_of(list(ids), _NAMED)}"
