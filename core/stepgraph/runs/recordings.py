"""What a run has recorded of its calls to models and tools, to answer another run that asks the same."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ..models.client import CallKind, Question
from ..stores.base import rows_with_calls
from ..stores.ledger import Row, calls_of
from ..values.errors import NodeFailed
from ..values.json_values import Json, canonical
from .records import StepRecord
from .views import open_run

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from .run import Run

_Key: TypeAlias = tuple[str, object, object]  # the node, the kind, and the hash of what it says
_DIFFERENCES = 12  # lines of a message
_WIDTH = 160  # characters of such a line


@dataclass(frozen=True, slots=True)
class _RecordedCall:
    """Where a recorded call is."""

    seq: int
    index: int
    """Which call of its row it is."""
    visit: int
    is_whole: bool
    """Whether its visit went on with it: it did not fail there."""


class RunRecordings:
    """The calls that one run has recorded; its ledger is read when the first call is looked for.

    A call answers when the same node said the very same, whatever the alias of the model is. Of several, one
    of the same visit comes first, in the order in which they were made.

    Args:
        store: Where the run lives.
        run_id: The run.

    Raises:
        UnknownRun: There is no such run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self.run_id = run_id
        self._run: Run = open_run(store, run_id)
        self._given: Counter[tuple[_Key, int]] = Counter()

    @cached_property
    def _recorded_calls(self) -> dict[_Key, list[_RecordedCall]]:
        found: dict[_Key, list[_RecordedCall]] = {}
        for row in rows_with_calls(self._run.store, self._run.id, upto=self._run.version):
            for index, call in enumerate(calls_of(row)):
                if "error" not in call or _was_taken(call, row):
                    kept = _RecordedCall(row.seq, index, row.visit, row.kind != "attempt")
                    key = row.node or "", call.get("kind"), call.get("digest")
                    found.setdefault(key, []).append(kept)
        return found

    @cached_property
    def _answered_nodes(self) -> frozenset[str]:
        """The nodes that a model has answered anything to."""
        return frozenset(node for node, kind, _ in self._recorded_calls if kind == "model")

    def knows(self, node: str) -> bool:
        """Check whether a model has answered anything to a node."""
        return node in self._answered_nodes

    def answer(self, question: Question) -> dict[str, Any]:
        """Return the recorded call that answers a question.

        Raises:
            NodeFailed: There is none; the message names the nearest one and how it differs.
        """
        key = question.node, question.kind, question.digest
        kept = self._recorded_calls.get(key)
        if not kept:
            raise self._miss(question)
        chosen = _of_visit(kept, question.visit)
        place = key, question.visit
        call = chosen[min(self._given[place], len(chosen) - 1)]
        self._given[place] += 1
        return calls_of(self._run._history.row(call.seq))[call.index]

    def _miss(self, question: Question) -> NodeFailed:
        what = f"the {question.kind} {question.name!r}"
        message = (
            f"run {self.run_id!r} has no recorded answer of {what} to what node {question.node!r} says "
            f"on visit {question.visit}"
        )
        hint = "have it say the same again, or run it live to record a new answer"
        nearest = self._nearest(question)
        if nearest is None:
            return NodeFailed(f"{message}, and nothing else of that node that could be shown", hint=hint)
        record, lines = nearest
        step = f"step {record.step} (visit {record.visit})"
        if not lines:
            near = f"{step} began in the same words: what follows differs, or its tools or schema do"
            return NodeFailed(f"{message}; {near}", hint=hint)
        return NodeFailed("\n".join([f"{message}; {step} is nearest, and differs:", *lines]), hint=hint)

    def _nearest(self, question: Question) -> tuple[StepRecord, list[str]] | None:
        """Find the recorded visit whose words are most like a question, and how they differ."""
        best: tuple[float, StepRecord, list[str]] | None = None
        now = _lines(question.said)
        for row in rows_with_calls(self._run.store, self._run.id, upto=self._run.version):
            if row.node != question.node:
                continue
            record = StepRecord(row, self._run._history)
            for request in _rebuild_requests(record, question.kind):
                then = _lines(request)
                likeness = difflib.SequenceMatcher(None, "\n".join(then), "\n".join(now)).quick_ratio()
                likeness += 0.001 * (record.visit == question.visit)
                if best is None or likeness > best[0]:
                    best = likeness, record, then
        return None if best is None else (best[1], _differences(best[2], now))


def _was_taken(call: dict[str, Any], row: Row) -> bool:
    """Check whether the node went on from the failure of a call: an agent lets its model hear of a tool's."""
    return call.get("kind") == "tool" and row.kind != "attempt"


def _of_visit(kept: list[_RecordedCall], visit: int) -> list[_RecordedCall]:
    """Choose the calls that answer on a visit: of the same one, else of the last before it, else the first.

    Those of failed attempts answer only where there are no others.
    """
    kept = [call for call in kept if call.is_whole] or kept
    before = [call.visit for call in kept if call.visit <= visit]
    wanted = max(before) if before else min(call.visit for call in kept)
    return [call for call in kept if call.visit == wanted]


def _rebuild_requests(record: StepRecord, kind: CallKind) -> Iterator[Json]:
    """Write once more what a node said to a model first, or to its tools, on a recorded visit.

    Nodes that were built in Python are none that a store has: what they said is not known.
    """
    if kind == "tool":
        for call in calls_of(record.row):
            if call["kind"] == "tool":
                yield {"name": call["name"], "arguments": call.get("arguments")}
        return
    request = record.model_request
    if request is not None:
        yield request.to_json()


def _lines(request: Any) -> list[str]:
    """Write a request in lines that can be compared."""
    if not isinstance(request, dict) or "messages" not in request:
        return [canonical(request)]
    lines = []
    for message in request["messages"]:
        lines += [f"{message['role']}: {line}" for line in message["text"].split("\n")]
        lines += [f"{message['role']} calls {canonical(call)}" for call in message.get("tool_calls", ())]
    return lines


def _differences(then: list[str], now: list[str]) -> list[str]:
    changed = [line for line in difflib.ndiff(then, now) if line[:1] in "+-"]
    shown = [_shorten(line) for line in changed[:_DIFFERENCES]]
    more = len(changed) - len(shown)
    return [*shown, f"and {more} more lines"] if more > 0 else shown


def _shorten(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
