"""A run with its secrets masked: where it stands, steps, edits, reviews and breakpoint hits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.runs import SAYING_MODE, WITHOUT_STEPS, Timeline, mask_of, mode_of, mode_word, modes_said
from stepgraph.stores import Outcome, RunStatus, stopped_by
from stepgraph.values import identical

from .errors import ErrorStory, StopStory, stopping

if TYPE_CHECKING:
    from stepgraph.conditions import Explanation
    from stepgraph.reviews import Decision
    from stepgraph.runs import EvaluatedEdge, Mask, Run, StepRecord
    from stepgraph.runs.debug import BreakpointHit
    from stepgraph.stores import Row, RowKind
    from stepgraph.values import Json

    from .reviews import SafeDecision, SafeReview


class EdgeStory:
    """An edge as a step met it, secrets masked."""

    __slots__ = ("_edge", "_mask")

    def __init__(self, edge: EvaluatedEdge, mask: Mask) -> None:
        self._edge, self._mask = edge, mask

    @property
    def target(self) -> str:
        """Where it leads."""
        return self._mask.text(self._edge.target)

    @property
    def label(self) -> str | None:
        """Its label."""
        return None if self._edge.label is None else self._mask.text(self._edge.label)

    @property
    def condition(self) -> str:
        """Its condition in words."""
        return self._mask.text(self._edge.condition)

    @property
    def matched(self) -> bool | None:
        """True for the winner, False for those before it, None for those that were not evaluated."""
        return self._edge.matched

    @property
    def error(self) -> str | None:
        """What the condition raised."""
        return None if self._edge.error is None else self._mask.text(self._edge.error)

    @property
    def explanation(self) -> Explanation:
        """The condition with the values of its operands in the state of that step."""
        return self._mask.explanation(self._edge.explanation)


class StepStory:
    """A completed step, or an attempt that failed, secrets masked."""

    __slots__ = ("_mask", "record")

    def __init__(self, record: StepRecord, mask: Mask) -> None:
        self.record = record
        """The record itself, whose texts and values are not masked."""
        self._mask = mask

    @property
    def node(self) -> str:
        """The node."""
        return self._mask.text(self.record.node)

    @property
    def next(self) -> str | None:
        """The node that comes next, END, or None when nothing does."""
        return None if self.record.next is None else self._mask.text(self.record.next)

    @property
    def updates(self) -> dict[str, Json]:
        """What the node changed; None for a removed key."""
        return self._mask.values(self.record.updates)

    def hidden(self, text: str) -> str:
        """Hide secrets in a text about it."""
        return self._mask.text(text)

    @property
    def removed(self) -> list[str]:
        """The keys that it took away, of those that there were."""
        gone = [name for name, value in self.record.updates.items() if value is None]
        before = self.record.before if gone else {}
        return [self._mask.text(name) for name in gone if name in before]

    @property
    def output(self) -> str | None:
        """What the node put out."""
        output = self.record.output
        return None if output is None else self._mask.text(output)

    @property
    def own_output(self) -> str | None:
        """What the node put out where that is more than its updates as JSON."""
        output = self.record.row.output
        return None if output is None else self._mask.text(output)

    @property
    def error(self) -> ErrorStory | None:
        """Why the node or the routing failed."""
        error = self.record.error
        return None if error is None else ErrorStory.of(error, self._mask)

    @property
    def traceback(self) -> str:
        """The traceback of its error; empty where it has none."""
        cause = (self.record.row.error or {}).get("cause")
        return self._mask.text(str(cause.get("traceback") or "")) if isinstance(cause, dict) else ""

    @property
    def calls(self) -> list[dict[str, Json]]:
        """What models and tools answered on this visit, oldest first."""
        return [self._mask.values(call) for call in self.record.calls]

    @property
    def edges(self) -> list[EdgeStory]:
        """The node's edges in the order in which they were tried."""
        return [EdgeStory(edge, self._mask) for edge in self.record.edges]

    @property
    def was_stopped(self) -> bool:
        """Whether a person stopped the run here, so that no edge was tried."""
        return stopped_by(self.record.row) is not None

    @property
    def decision(self) -> SafeDecision | None:
        """What a person decided last on this visit."""
        decision = self.record.decision
        if decision is None:
            return None
        from .reviews import masked_decision  # only where a person was asked

        return masked_decision(decision, self._mask)

    @property
    def before(self) -> dict[str, Json]:
        """The state that the node was given."""
        return self._mask.values(self.record.before)

    def prompts(self, before: Mapping[str, Json]) -> dict[str, str]:
        """Fill in the templates of the node as they were then; the texts by their settings.

        Args:
            before: The masked state that the visit found, which is read once for several questions.
        """
        return self._masked(self.record.asked(before))

    def asked_as_edited(self, before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, str]:
        """Write what the visit asked again from the values that its reviewer put in; see ``edited_texts``.

        Args:
            before: The masked state that the visit found.
            after: The masked state that the step left.
        """
        decision = self.record.decision
        if decision is None:
            return {}
        return self._masked(edited_texts(self.record, decision, before, after))

    def _masked(self, texts: Mapping[str, str]) -> dict[str, str]:
        return {self._mask.text(name): self._mask.text(text) for name, text in texts.items()}


class StateChanges(NamedTuple):
    """What an edit does to some top-level keys, secrets masked."""

    touched: dict[str, Json]
    """What these keys held before."""
    becomes: dict[str, Json]
    """What they hold after it; those that it takes away are missing."""
    hidden: list[str]
    """The keys whose change nobody can see."""

    @classmethod
    def of(cls, before: Mapping[str, Json], updates: Mapping[str, Json], mask: Mask) -> StateChanges:
        """Mask what an edit does.

        Args:
            before: The state before it.
            updates: The top-level keys that it sets; None for one that it takes away.
            mask: Hides secrets.
        """
        touched = {key: before[key] for key in updates if key in before}
        becomes = {key: value for key, value in updates.items() if value is not None}
        hidden = [
            mask.text(key)
            for key in touched.keys() & becomes.keys()
            if not identical(touched[key], becomes[key])
            and identical(mask.value(key, touched[key]), mask.value(key, becomes[key]))
        ]
        return cls(mask.values(touched), mask.values(becomes), hidden)


class EditStory:
    """An edit of a run's state by a person, secrets masked."""

    __slots__ = ("_mask", "_row", "_run")

    def __init__(self, story: RunStory, row: Row) -> None:
        self._run, self._row, self._mask = story.run, row, story.mask

    @property
    def step(self) -> int:
        """The step that it came after."""
        return self._row.step

    @property
    def at(self) -> float:
        """When it was made, in seconds since 1970."""
        return self._row.at

    @property
    def by(self) -> str:
        """Who made it."""
        return self._field("by")

    @property
    def comment(self) -> str:
        """Why."""
        return self._field("comment")

    @property
    def updates(self) -> dict[str, Json]:
        """The keys that it set; None for one that it took away."""
        return self._mask.values(self._row.updates or {})

    @property
    def changes(self) -> StateChanges:
        """What it did to these keys; the state before it is rebuilt for that."""
        before = self._run.store.values(self._run.id, self._row.seq - 1)
        return StateChanges.of(before, self._row.updates or {}, self._mask)

    def _field(self, key: str) -> str:
        return self._mask.text(str((self._row.data or {}).get(key) or ""))


class RunStory:
    """A run as pages, reports and answers tell it, secrets masked; what is long is read piece by piece.

    Args:
        run: A handle of it.
        mask: Hides its secrets.
    """

    def __init__(self, run: Run, mask: Mask) -> None:
        self.run = run
        """The run itself: its numbers, and the names in its graph. Its texts and values are not masked."""
        self.mask = mask
        """Hides its secrets in any other text."""

    @classmethod
    def of(cls, run: Run) -> RunStory:
        """Build the story of a run, masking secrets that it has now, or had before."""
        return cls(run, mask_of(run.plan, run.store, run.id))

    @property
    def values(self) -> dict[str, Json]:
        """The state now."""
        return self.mask.values(self.run.values)

    def values_at(self, step: int) -> dict[str, Json]:
        """Read the state after a step; 0 is the start.

        Raises:
            RunError: The run has no such step.
        """
        return self.mask.values(self.run.values_at(step))

    @property
    def output(self) -> str | None:
        """What the last completed step put out."""
        output = self.run.output
        return None if output is None else self.mask.text(output)

    @property
    def error(self) -> ErrorStory | None:
        """Why it failed."""
        return None if self.run.error is None else ErrorStory.of(self.run.error, self.mask)

    @property
    def started_by(self) -> str:
        """Who started or forked it; empty where nobody said."""
        return self.mask.text(self.run.started_by)

    @cached_property
    def stop(self) -> StopStory | None:
        """How a person stopped it; None where nobody did."""
        row = stopping(self.run) if self.run.outcome is Outcome.STOPPED else None
        return None if row is None else StopStory.of(self.mask.row(row))

    @property
    def adoptions(self) -> Iterator[tuple[int, str]]:
        """The moves to a changed graph: the step that each came after, and what differed."""
        for row in self.run.store.rows(self.run.id, kinds=("adopt",)):
            changes = (row.data or {}).get("differences")
            yield row.step, self.mask.text("; ".join(map(str, changes)) if isinstance(changes, list) else "")

    @property
    def mode(self) -> str:
        """Who answers in it: SCRIPTED, LIVE, REPLAY or MIXED."""
        run = self.run
        modes = modes_said(run.store.rows(run.id, upto=run.version, kinds=SAYING_MODE))
        return mode_word(modes, run.step, ended=run.status is RunStatus.ENDED)

    @property
    def replayed(self) -> str | None:
        """The run whose recordings answer in it; None where none do."""
        return mode_of(self.run.store, self.run.id, self.run.version).replay

    def waiting(self, now: float | None = None) -> float:
        """Add up for how many seconds it has waited for a person.

        Args:
            now: The time, in seconds since 1970, up to which a question that still waits counts; it does not
                when None.
        """
        times = Timeline(self.run.rows_after(0, WITHOUT_STEPS))
        return times.waiting(now if self.run.status is RunStatus.PAUSED else None)

    def steps(self, first: int = 0, last: int | None = None) -> Iterator[StepStory]:
        """Read the completed steps after a step, up to another."""
        return (StepStory(record, self.mask) for record in self.run.history[first:last])

    def step(self, number: int) -> StepStory:
        """Read a completed step, from 1."""
        return StepStory(self.run.history[number - 1], self.mask)

    def attempts(self, first: int = 0, skip: int = 0) -> Iterator[StepStory]:
        """Read the failures of nodes after a step, without the first ``skip`` of them."""
        records = self.run.attempts_after(first)
        return (StepStory(record, self.mask) for record in islice(records, skip, None))

    def edits(self, first: int = 0, skip: int = 0) -> Iterator[EditStory]:
        """Read the edits of its state after a step, without the first ``skip`` of them."""
        rows = self.run.rows_after(first, ("edit",))
        return (EditStory(self, row) for row in islice(rows, skip, None))

    def edits_at(self, step: int) -> Iterator[EditStory]:
        """Read the edits between a step and the next one."""
        return takewhile(lambda edit: edit.step == step, self.edits(step))

    def reviews(self, first: int = 0, skip: int = 0) -> Iterator[SafeReview]:
        """Read what it asked people after a step, without the first ``skip`` of these questions."""
        from stepgraph.reviews import Reviews

        from .reviews import masked

        reviews = Reviews(self.run.store)
        for row in islice(self.run.rows_after(first, ("review",)), skip, None):
            if row.review is not None:
                yield masked(reviews.get(row.review), self.mask)

    def count(self, kind: RowKind) -> int:
        """Count the rows of its ledger of one kind."""
        return sum(1 for _ in self.run.rows_after(0, (kind,)))

    @property
    def pending(self) -> SafeReview | None:
        """The review that it waits for."""
        review = self.run.pending
        if review is None:
            return None
        from .reviews import masked

        return masked(review, self.mask)


def edited_texts(
    record: StepRecord, decision: Decision, before: Mapping[str, Json], after: Mapping[str, Json]
) -> dict[str, str]:
    """Write what a past visit asked again from the values that its reviewer put in.

    Args:
        record: The visit.
        decision: What was decided on it.
        before: The state that the visit found.
        after: The state that it left.

    Returns:
        The texts by their settings; those that the edit did not change are left out.
    """
    edited = {path.split(".")[0] for path in decision.values}
    if not edited or record.gate is not None:
        return {}
    asked = record.asked(before)
    anew = record.asked({**before, **{key: after[key] for key in edited & after.keys()}})
    return {name: text for name, text in anew.items() if text != asked.get(name)}


class HitStory:
    """A breakpoint that was met, secrets masked.

    Args:
        hit: How it was met; its texts and values are not masked.
        mask: Hides the secrets of the run.
    """

    def __init__(self, hit: BreakpointHit, mask: Mask) -> None:
        self.hit = hit
        self._mask = mask

    @property
    def description(self) -> str:
        """Which breakpoint was met, and where."""
        return self._mask.text(self.hit.describe())

    @property
    def node(self) -> str:
        """The node of the step."""
        return self._mask.text(self.hit.node)

    @property
    def place(self) -> str:
        """Where in the graph the breakpoint is."""
        return self._mask.text(self.hit.breakpoint.place())

    @property
    def path(self) -> str:
        """The part of the state that it is about; empty for another kind."""
        return self._mask.text(self.hit.breakpoint.path)

    @property
    def line(self) -> str:
        """The line of a log point."""
        return self._mask.text(self.hit.line(self._mask.values(self.hit.values)))

    @property
    def explanation(self) -> Explanation | None:
        """Its condition with the values of the operands; None for a breakpoint without one."""
        explanation = self.hit.explanation
        return None if explanation is None else self._mask.explanation(explanation)

    def change(self) -> tuple[Json, Json] | None:
        """Return what a breakpoint on the state saw before and after; None for a value that is not there."""
        changed = self.hit.change()
        if changed is None:
            return None
        key, before, after = changed
        return self._mask.value(key, before), self._mask.value(key, after)

    def breakpoint_text(self) -> str:
        """Write the breakpoint as the command line takes it."""
        from stepgraph.runs.debug import format_breakpoint

        return self._mask.text(format_breakpoint(self.hit.breakpoint))
