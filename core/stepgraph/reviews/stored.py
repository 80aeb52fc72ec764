"""A review as the rows of its run's ledger say it: what was asked, who approved, what became of it."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from ..stores.audit import entry_of
from ..stores.base import each_row
from ..stores.ledger import RunStatus
from ..stores.opening import damaged
from ..values.errors import StateError, StoreDamaged, UnknownRun
from ..values.json_values import boot_id, checked_time, is_real, uptime
from ..values.messages import error_detail
from ..values.state import Scope
from .model import Decision, Gate, Review, ReviewRequest, ReviewStatus, Verb, payload_hash
from .secrets import MASK, Spellings, secrets_in, state_changes
from .terms import NO_TERMS, TIMEOUT, ReviewTerms

if TYPE_CHECKING:
    from ..stores.base import StateStore, StoredReview, StoredRun
    from ..stores.ledger import Row
    from ..values.json_values import Json


_SERVER = "server"
_SLACK = 2.0  # seconds by which clocks may differ without a word
NOTED = 60.0
"""A clock is reported as set if it is off by more seconds than this."""


class ClockReading(NamedTuple):
    """A reference clock, and its time."""

    clock: str
    """The store's server, or the id of this machine's boot."""
    at: float
    """In seconds."""

    def to_json(self) -> dict[str, Json]:
        """Write it as a table of JSON."""
        return {"clock": self.clock, "at": self.at}


def read_reference(store: StateStore) -> ClockReading | None:
    """Read the clock of the store's server, else this machine's uptime; None where neither can be had.

    Raises:
        StoreError: The server cannot be asked.
    """
    now = store.now()
    if now is not None:
        return ClockReading(_SERVER, now)
    boot = boot_id()
    return None if boot is None else ClockReading(boot, uptime())


class ReviewClock:
    """The clocks at one look at the reviews of a store; each is read once, when it is needed.

    Args:
        store: The store.
        tell: The time, in seconds since 1970; the machine's own when None.
    """

    def __init__(self, store: StateStore, tell: Callable[[], float] | None) -> None:
        self._store = store if is_real(tell) else None
        self._tell = tell

    @cached_property
    def now(self) -> float:
        """The time, in seconds since 1970.

        Raises:
            RunError: The clock tells no time that a calendar has.
        """
        return checked_time(time.time if self._tell is None else self._tell)

    @cached_property
    def _reference(self) -> ClockReading | None:
        return None if self._store is None else read_reference(self._store)

    def ahead_by(self, asked_at: float, asked: ClockReading) -> float:
        """Compute by how many seconds the clock is ahead of the one by which a question was asked.

        Args:
            asked_at: When it was asked, in seconds since 1970.
            asked: The reference clock at that moment.
        """
        reference = self._reference
        if reference is None or reference.clock != asked.clock or reference.at < asked.at:
            return 0.0
        ahead = (self.now - asked_at) - (reference.at - asked.at)
        return float(math.ceil(ahead)) if abs(ahead) >= _SLACK else 0.0


def stored_review(url: str, found: StoredReview, clock: ReviewClock) -> Review:
    """Read a review from its rows, as its run stood at the same moment.

    Args:
        url: The store.
        found: Its rows, the first of which asks, and its run.
        clock: The clocks of whoever looks at it.

    Raises:
        StoreDamaged: They are not what Stepgraph writes.
    """
    run, rows = found
    asked = rows[0]
    try:
        data = cast(dict[str, Any], asked.data)
        request = ReviewRequest.from_json(data["request"])
        request.to_json()  # refuses what is not of its kind
        gate = Gate.from_json(data["gate"], request) if "gate" in data else None
        passed = data.get("passed")
        terms = ReviewTerms.from_json(data["terms"]) if "terms" in data else NO_TERMS
        if data["hash"] != payload_hash(asked.node or "", data["request"], data["values"], gate):
            raise ValueError("it is not what its hash was made of")
        waits_since = asked.at + asked.duration
        after = terms.escalate_after
        decision = next((_decision(asked, row) for row in rows if row.kind == "decision"), None)
        status = _status(found, decision)
        ahead = 0.0
        if status == "pending" and "asked" in data:
            ahead = clock.ahead_by(waits_since, _reading(data["asked"]))
            waits_since += ahead
        return Review(
            id=asked.review or "",
            run_id=run.head.id,
            graph=run.head.graph,
            node=asked.node or "",
            step=asked.step,
            visit=asked.visit,
            request=replace(request, terms=terms, merge_edits=data.get("merges") is True),
            values=dict(data["values"]),
            hash=str(data["hash"]),
            asked_at=asked.at,
            status=status,
            decision=decision,
            gate=gate,
            passed=None if passed is None else str(passed),
            started_by=str(data.get("started_by", "")),
            terms=terms,
            deadline=None if terms.deadline is None else waits_since + terms.deadline,
            escalates_at=None if after is None else waits_since + after,
            clock_ahead=ahead,
            escalated=any(row.kind == "escalation" for row in rows),
            votes=tuple(_decision(asked, row) for row in rows if row.kind == "vote"),
            edits=dict(data.get("edits", {})),
            authors=_names(data.get("authors", [])),
        )
    except (ArithmeticError, AttributeError, LookupError, StateError, TypeError, ValueError) as error:
        what = f"review {asked.review!r} of run {run.head.id!r} cannot be read"
        raise damaged(url, f"{what} ({type(error).__name__}{error_detail(error)})") from error


def _reading(asked: Any) -> ClockReading:
    clock, at = asked["clock"], asked["at"]
    if type(clock) is not str or type(at) not in (int, float) or not abs(at) <= sys.float_info.max:
        raise ValueError("its clock cannot be read")
    return ClockReading(clock, at)


def _names(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("its authors are no list of names")
    return tuple(names)


def _status(found: StoredReview, decision: Decision | None) -> ReviewStatus:
    run, rows = found
    if decision is not None:
        return "expired" if decision.source == TIMEOUT else "decided"
    if any(row.kind == "attempt" for row in rows):
        return "expired"
    waits = run.pointer.review == rows[0].review and run.pointer.status is RunStatus.PAUSED
    return "pending" if waits else "withdrawn"


def _decision(asked: Row, row: Row) -> Decision:
    decision = Decision.from_json(cast(dict[str, Any], row.data))
    texts = (decision.text, decision.by, decision.comment, decision.source, decision.review, decision.hash)
    fits = all(isinstance(text, str) for text in texts) and isinstance(decision.at, (int, float))
    fits = fits and abs(decision.at) <= sys.float_info.max and bool("".join(texts).encode())
    if not fits or decision.verb not in get_args(Verb) or not isinstance(decision.values, dict):
        raise ValueError("its decision is unreadable")
    if (decision.review, decision.hash) != (asked.review, cast(dict[str, Any], asked.data)["hash"]):
        raise ValueError("its decision is about another one")
    return decision


def entry_for(store: StateStore, run: StoredRun, row: Row) -> dict[str, Json]:
    """Build the entry for a row which decides something about a review, or withdraws it.

    The values of the run's secret keys are hidden in its comment before it is written: afterwards nothing can
    be changed in it, and once the run is deleted nobody knows them any more.

    Args:
        store: Where the run lives.
        run: The run, as it comes before the row.
        row: The row.
    """
    entry = entry_of(run.head, row)
    comment = entry["comment"]
    if isinstance(comment, str) and comment:
        entry["comment"] = _without_secrets(comment, store, run, row)
    return entry


def _without_secrets(comment: str, store: StateStore, run: StoredRun, row: Row) -> str:
    try:
        names = _secret_keys(store.definition(run.pointer.definition))
        if not names:
            return comment
        rows = chain(each_row(store, run.head.id, upto=run.pointer.version), [row])
        found = secrets_in(names, state_changes(rows))
    except (StoreDamaged, UnknownRun):  # nobody can tell what is secret in it
        return MASK
    return Spellings(found).hide(comment)


def _secret_keys(definition: str) -> list[str]:
    """Name the secret keys that a definition declares, those inside of its subgraphs too."""
    return list(_declared_secret(json.loads(definition)))


def _declared_secret(document: Json) -> Iterator[str]:
    tables = document if isinstance(document, dict) else {}
    state, nodes = tables.get("state"), tables.get("nodes")
    for name, key in state.items() if isinstance(state, dict) else ():
        if isinstance(key, dict) and key.get("secret"):
            yield name
    for name, node in nodes.items() if isinstance(nodes, dict) else ():
        if isinstance(node, dict) and "definition" in node:
            yield from map(Scope(name).outer, _declared_secret(node["definition"]))
