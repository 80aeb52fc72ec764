"""On what terms a review waits: until when, for whom, and for how many of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, cast, get_args

from ..values.declared import LONGEST, duration_text, parse_duration
from ..values.json_values import Json, preview

OnTimeout = Literal["reject", "fail", "approve_unsafe", "go_on"]
"""What is done when nobody has decided in time; ``go_on`` makes of it a wait for that very time, which is no
question to a person, and which graph files cannot ask for: a node of the type ``wait`` does."""

TIMEOUT = "timeout"
"""The name and the source of what a deadline decides: no person may be called so."""

_DURATIONS = ("deadline", "escalate_after")
_LISTS = ("approvers", "escalate_to")


_FILLERS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Characters that count as printable, and show nothing."""


def person(name: str) -> str:
    """Return what tells people apart: a name without regard to how it is written.

    That is the case, the blanks and dots around it, characters that do not show, and which of several ways
    that Unicode has for a letter is used. Of what names nobody nothing is left.
    """
    composed = _FILLERS.sub("", unicodedata.normalize("NFKC", name))
    seen = "".join(each for each in composed if each.isprintable() or each.isspace())
    return unicodedata.normalize("NFKC", " ".join(seen.split()).casefold()).strip(" .")


class TermsFault(NamedTuple):
    """What is wrong with some terms."""

    code: str
    """``G006``: a value that its key does not take; ``G040``: a deadline without a rule, or the other way
    round; ``G041``: too few people; ``G042``: the terms do not go with what is offered."""
    key: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class ReviewTerms:
    """The terms of a review. None leaves a key to the graph's terms, and then to what holds without any."""

    deadline: float | None = None
    """After how many seconds ``on_timeout`` is applied; 0 waits for ever, as without any terms."""
    on_timeout: OnTimeout | None = None
    """What is done then: it has no default."""
    approvers: tuple[str, ...] | None = None
    """Who may decide; anybody when empty."""
    allow_self: bool | None = None
    """Whether those may decide who started the run or edited its state; they may unless this is False."""
    approvals: int | None = None
    """How many different people must approve; one, as without any terms."""
    escalate_after: float | None = None
    """After how many seconds ``escalate_to`` may decide as well; 0 is never."""
    escalate_to: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for key in _LISTS:
            if isinstance(given := getattr(self, key), list):
                object.__setattr__(self, key, tuple(given))

    @property
    def needed(self) -> int:
        """How many different people must approve."""
        return self.approvals or 1

    def over(self, others: ReviewTerms) -> ReviewTerms:
        """Take what these terms say, and of the others what they do not."""
        return ReviewTerms(
            **{
                key: others_value if value is None else value
                for key, value, others_value in _both(self, others)
            }
        )

    def effective(self) -> ReviewTerms:
        """Leave out what changes nothing: what holds without any terms, and what waits for another key."""
        deadline, after = self.deadline or None, self.escalate_after or None
        return ReviewTerms(
            deadline,
            self.on_timeout if deadline else None,
            self.approvers or None,
            None if self.allow_self is not False else False,
            self.approvals if self.needed > 1 else None,
            after if self.escalate_to else None,
            self.escalate_to if after and self.escalate_to else None,
        )

    def to_json(self) -> dict[str, Json]:
        """Write the terms, durations in seconds."""
        table = {key: value for key, value, _ in _both(self, self) if value is not None}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in table.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ReviewTerms:
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: These are no terms that a review can have.
        """
        terms = cls(**data)
        for fault in terms.faults():
            raise ValueError(fault.message)
        return terms

    def to_table(self) -> dict[str, Json]:
        """Write the terms as a graph file has them, durations as texts."""
        table = self.to_json()
        texts = {key: duration_text(cast(float, table[key])) for key in _DURATIONS if key in table}
        return table | texts

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> ReviewTerms:
        """Read the keys of a table of a graph file, in which each value is one that its key takes."""
        settings: dict[str, Any] = {each.name: table.get(each.name) for each in fields(cls)}
        settings |= {key: parse_duration(text) for key in _DURATIONS if (text := settings[key]) is not None}
        return cls(**settings)

    def faults(self) -> Iterator[TermsFault]:
        """Find what is wrong with these terms, be they the graph's or merged with them."""
        wrong = list(self.wrong_values())
        yield from wrong
        if wrong:
            return
        approvers = {person(name) for name in self.approvers or ()}
        if self.deadline and self.on_timeout is None:
            message = f"there is a deadline of {duration_text(self.deadline)}, but not what happens then"
            hint = 'write on_timeout = "reject", "fail" or, if you must, "approve_unsafe"'
            yield TermsFault("G040", "deadline", message, hint)
        if approvers and len(approvers) < self.needed:
            message = f"approvals is {self.approvals}, but approvers has {_count(len(approvers), 'name')}"
            yield TermsFault("G041", "approvals", message, "name more approvers, or ask for fewer approvals")
        yield from self._faults_of_escalation(approvers)

    def _faults_of_escalation(self, approvers: set[str]) -> Iterator[TermsFault]:
        if self.escalate_after and not self.escalate_to:
            hint = 'such as escalate_to = ["chris"]'
            yield TermsFault("G041", "escalate_after", "escalate_after does not say to whom", hint)
        if self.escalate_to and not self.escalate_after:
            if self.escalate_after is None:
                hint = 'such as escalate_after = "1h"'
                yield TermsFault("G041", "escalate_to", "escalate_to does not say after how long", hint)
            return
        if self.escalate_to and not approvers:
            message = "escalate_to lets nobody new decide: without approvers anybody may"
            yield TermsFault(
                "G041", "escalate_to", message, "name the approvers, or leave the escalation out"
            )
        if self.escalate_after and self.deadline and self.escalate_after >= self.deadline:
            message = f"escalate_after is {duration_text(self.escalate_after)}, when the deadline has passed"
            yield TermsFault(
                "G041", "escalate_after", message, f"give less than {duration_text(self.deadline)}"
            )

    def clashes_with(self, verbs: Collection[str]) -> TermsFault | None:
        """Find what of these terms does not go with the decisions that a review offers."""
        changing = [verb for verb in ("edit", "respond") if verb in verbs]
        if self.needed > 1 and changing:
            message = (
                f"approvals is {self.approvals}, and {changing[0]!r} is offered: what one person changes or "
                "answers, the others would not have approved"
            )
            return TermsFault(
                "G042", "approvals", message, "offer approve and reject alone, or ask one person"
            )
        verb = {"reject": "reject", "approve_unsafe": "approve", "go_on": "approve"}.get(
            self.on_timeout or ""
        )
        if self.deadline and verb is not None and verb not in verbs:
            message = f"on_timeout is {self.on_timeout!r}, but {verb!r} is not offered"
            return TermsFault(
                "G042", "on_timeout", message, f'offer {verb!r} too, or write on_timeout = "fail"'
            )
        return None

    def wrong_values(self) -> Iterator[TermsFault]:
        """Find the values that their keys do not take."""
        for key in _DURATIONS:
            value: object = getattr(self, key)
            if value is not None and not _is_duration(value):
                hint = "give it in seconds, from 0 to ten years"
                yield TermsFault("G006", key, f"{key} is {preview(value)}, which is not a duration", hint)
        for key in _LISTS:
            names: object = getattr(self, key)
            if names is not None:
                yield from _wrong_names(key, names)
        rule: object = self.on_timeout
        if rule is not None and rule not in get_args(OnTimeout):
            hint = "it takes: " + ", ".join(get_args(OnTimeout))
            message = f"on_timeout is {preview(rule)}, which it does not take"
            yield TermsFault("G006", "on_timeout", message, hint)
        may: object = self.allow_self
        if may is not None and type(may) is not bool:
            message = f"allow_self is {preview(may)}"
            yield TermsFault("G006", "allow_self", message, "give it true or false")
        count: Any = self.approvals
        if count is not None and (type(count) is not int or not 1 <= count <= _MOST):
            message = f"approvals is {preview(count)}, which is not a number of people"
            yield TermsFault("G006", "approvals", message, f"give a whole number from 1 to {_MOST}")


NO_TERMS = ReviewTerms()
"""What says nothing: a review waits for ever, and for anybody."""


def waiting_for(seconds: float) -> ReviewTerms:
    """Build the terms of what waits for a time and not for a person, whatever the terms around it."""
    return ReviewTerms(seconds, "go_on", (), True, 1, 0.0, ())


_MOST = 100
"""The most people who can be asked to approve one thing."""


def _both(terms: ReviewTerms, others: ReviewTerms) -> Iterator[tuple[str, Any, Any]]:
    for each in fields(terms):
        yield each.name, getattr(terms, each.name), getattr(others, each.name)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _is_duration(value: object) -> bool:
    return type(value) in (int, float) and 0 <= cast(float, value) <= LONGEST  # NaN is not


def _wrong_names(key: str, names: object) -> Iterator[TermsFault]:
    if not isinstance(names, tuple):
        hint = 'give a list of names, such as ["ana", "ben"]'
        yield TermsFault("G006", key, f"{key} is {preview(names)}, which is not a list of names", hint)
        return
    seen: set[str] = set()
    for name in cast(tuple[object, ...], names):
        if not isinstance(name, str) or not person(name) or not name.isprintable():
            yield TermsFault("G006", key, f"{key} has {preview(name)}, which is not a name", "name a person")
        elif person(name) == TIMEOUT:
            message = f"{key} names {name!r}, which is what deadlines decide under"
            yield TermsFault("G006", key, message, "name a person")
        elif person(name) in seen:
            yield TermsFault("G006", key, f"{key} names {name!r} twice", "name each person once")
        else:
            seen.add(person(name))
