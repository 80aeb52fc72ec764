"""Breakpoints made ready for one graph, by what they wait for, and the hits of those that are met."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from ...conditions import Expression
from ...expressions.evaluate import Test
from ...expressions.explaining import MISSING, Explanation
from ...expressions.paths import Path, parsed_path, value_at
from ...graphs.parts import END
from ...stores.ledger import Row, stopped_by
from ...templates.template import Template
from ...values.errors import EvaluationError, ExpressionError, NodeFailed
from ...values.json_values import json_equal, type_name
from ...values.problems import did_you_mean
from ..visit import Visit
from .breakpoint import FactsAt, Past

if TYPE_CHECKING:
    from ...graphs.plan import CompiledGraph
    from ...values.json_values import Json
    from ..history import History
    from .breakpoint import Breakpoint


@dataclass(frozen=True, slots=True)
class BreakpointHit:
    """A breakpoint that was met. Its state is read from the ledger when somebody looks."""

    breakpoint: Breakpoint
    step: int
    """The step that it is about: the one that was taken, or of ``before`` the one that comes next."""
    position: int
    """How many steps were completed then: the step to look at, to see the run as it was."""
    node: str
    """The node of that step."""
    seq: int
    """The ledger row after which the run stood as the step found it."""
    number: int | None = None
    """How often it was met in the run, this time included; None where nobody counts."""
    failed: bool = False
    """Whether its condition could not be answered: the run halts there, whatever else it says."""
    _visiting: bool = True
    _history: History | None = field(default=None, repr=False, compare=False)

    @property
    def halts(self) -> bool:
        """Whether a run stops there; a log point only writes a line."""
        return self.breakpoint.log is None or self.failed

    @property
    def values(self) -> dict[str, Json]:
        """The state before the step, as a copy."""
        return self._past.values(self.seq)

    @property
    def explanation(self) -> Explanation | None:
        """Its condition with the values of the operands; None for a breakpoint without one."""
        if self.breakpoint.when is None:
            return None
        node = self.node if self._visiting else ""
        facts = FactsAt(self.values, self.step, self._past, self.seq, node)
        return Expression(self.breakpoint.when).explain(facts)

    @property
    def error(self) -> str | None:
        """Why its condition could not be answered, or None."""
        explanation = self.explanation if self.failed else None
        return explanation.error if explanation is not None else None

    def change(self) -> tuple[str, Json, Json] | None:
        """Return the top-level key of a breakpoint on the state, with its value before and after; else None.

        A value that is not there is None.
        """
        if not self.breakpoint.path:
            return None
        path = parsed_path(self.breakpoint.path)
        before, after = (value_at(self._past.values(seq), path) for seq in (self.seq, self.seq + 1))
        return str(path[0]), None if before is MISSING else before, None if after is MISSING else after

    def line(self, values: Mapping[str, Json] | None = None) -> str:
        """Write the line of a log point; a template that cannot be filled in says why instead.

        Args:
            values: The state before the step, where something in it is to stay hidden.
        """
        past = self._past
        view = Visit(
            self.values if values is None else values,
            self.step,
            past.count(self.node, self.seq) + self._visiting,
            None,
            self.node,
            past,
            self.seq,
            False,
        )
        try:
            return Template(self.breakpoint.log or "", "log").render(view)
        except NodeFailed as error:
            return str(error)

    def describe(self) -> str:
        """Describe the breakpoint that was hit: ``before draft when score < 3: before step 5, draft``."""
        bound = self.breakpoint
        where = f"before step {self.step}" if bound.kind == "before" else f"at step {self.step}"
        count = f", hit {self.number}" if self.number is not None else ""
        name = f"{bound.id} " if bound.id else ""
        return f"{name}{bound.describe()}: {where}, {self.node}{count}"

    @property
    def _past(self) -> History:
        assert self._history is not None  # whoever finds a hit gives it one  # noqa: S101
        return self._history


class BrokenBreakpoint(NamedTuple):
    """A breakpoint that can never be met, and why."""

    breakpoint: Breakpoint
    reason: str
    """What is wrong, and what is there instead; for people."""


class _Armed(NamedTuple):
    breakpoint: Breakpoint
    place: int
    """Its place among the breakpoints, under which its hits are counted."""
    test: Test | None
    path: Path | None


class Happening(NamedTuple):
    """A row that was added to a run's ledger, with what it did."""

    row: Row
    """Of a step that was routed again the ``route`` row."""
    before: Mapping[str, Json]
    """The state that it found, of the keys that matter."""
    after: Mapping[str, Json]
    """The state that it left."""
    comes: str | None
    """The node that comes next, when the run is ready to run it."""


class CompiledBreakpoints:
    """The breakpoints of a run, ready to be asked; those that cannot be used are kept apart and told.

    Args:
        breakpoints: In the order in which their hits are listed.
        plan: The graph.
    """

    def __init__(self, breakpoints: Sequence[Breakpoint], plan: CompiledGraph) -> None:
        self.breakpoints = tuple(breakpoints)
        """All of them, as they were given."""
        self.plan = plan
        self.broken: list[BrokenBreakpoint] = []
        """Those that can never be met; the ones that are off as well."""
        self.reads: frozenset[str] = frozenset()
        """The keys of the state that they look at."""
        self.is_counted = False
        """Whether hits must be counted to know which of them matter."""
        self._before: dict[str, list[_Armed]] = defaultdict(list)
        self._after: dict[str, list[_Armed]] = defaultdict(list)
        self._of_keys: dict[str, list[_Armed]] = defaultdict(list)
        self._of_kinds: dict[str, list[_Armed]] = defaultdict(list)
        for place, each in enumerate(self.breakpoints):
            self._add(each, place)
        for group in (self._before, self._after, self._of_keys, self._of_kinds):
            group.default_factory = None

    def __bool__(self) -> bool:
        return bool(self._before or self._after or self._of_keys or self._of_kinds)

    def _add(self, each: Breakpoint, place: int) -> None:
        try:
            reason = (
                self._missing(each) or _faulty_log(each) or self._uncountable("log line", _log_visits(each))
            )
            condition = Expression(each.when) if each.when is not None else None
            path = parsed_path(each.path) if each.path else None
        except ExpressionError as error:
            reason = str(error)
            caret = error.caret()
            reason = f"{reason}\n{caret}" if caret else reason
        if reason or (condition and (reason := self._uncountable("condition", condition.visits_read))):
            self.broken.append(BrokenBreakpoint(each, reason))
        if reason or not each.enabled:
            return
        armed = _Armed(each, place, condition.test if condition is not None else None, path)
        self.reads |= condition.reads if condition is not None else frozenset()
        self.is_counted |= each.is_counted
        if path is not None:
            key = str(path[0])
            self.reads |= {key}
            self._of_keys[key].append(armed)
        elif each.kind == "before":
            self._before[each.node].append(armed)
        elif each.kind in ("after", "edge"):
            self._after[each.node].append(armed)
        else:
            self._of_kinds[each.kind].append(armed)

    def _missing(self, each: Breakpoint) -> str:
        """Describe what a breakpoint names that the graph does not have; nothing when all is there."""
        plan = self.plan
        for name, ends in ((each.node, False), (each.target, True)):
            if name and name not in plan.nodes and not (ends and name == END):
                hint = did_you_mean(name, plan.nodes, listing="it has")
                return f"graph {plan.name!r} has no node {name!r}" + (f" ({hint})" if hint else "")
        if each.kind != "edge":
            return ""
        leads = [edge for edge in plan.edges_from(each.node) if edge.target == each.target]
        if not leads:
            targets = dict.fromkeys(edge.target for edge in plan.edges_from(each.node))
            return f"no edge leads from {each.node!r} to {each.target!r} (it leads to: {', '.join(targets)})"
        if each.label is not None and all(edge.describe() != each.label for edge in leads):
            labels = ", ".join(edge.describe() for edge in leads)
            return f"no edge from {each.node!r} to {each.target!r} is {each.label!r} (there is: {labels})"
        return ""

    def _uncountable(self, part: str, visits_read: frozenset[str]) -> str:
        """Name the node whose visits a part of a breakpoint counts in vain."""
        for node in sorted(visits_read):
            if node not in self.plan.nodes:
                hint = did_you_mean(node, self.plan.nodes, listing="it has")
                return f"its {part} counts the visits of {node!r}, which is not a node ({hint})"
        return ""

    def after_row(
        self, happened: Happening, past: Past, counts: dict[int, int], history: History
    ) -> Iterator[BreakpointHit]:
        """Find the breakpoints that a row meets, those before the next node aside.

        Args:
            happened: The row.
            past: The run before the row.
            counts: How often each breakpoint was met; it is kept up to date.
            history: What the hits read from when they are shown.
        """
        row = happened.row
        kind, node, seq = row.kind, row.node or "", row.seq - 1
        visiting = kind != "route"
        position = row.step if kind in ("step", "route") else row.step - 1
        met = self._met(happened)
        for each in sorted(met, key=lambda armed: armed.place) if len(met) > 1 else met:
            facts = FactsAt(happened.before, row.step, past, seq, node if visiting else "")
            hit = BreakpointHit(
                each.breakpoint, row.step, position, node, seq, _visiting=visiting, _history=history
            )
            yield from _count_hit(each, hit, facts, counts)

    def _met(self, happened: Happening) -> list[_Armed]:
        row = happened.row
        kind, met = row.kind, list[_Armed]()
        if self._after and kind in ("step", "route"):
            met += [each for each in self._after.get(row.node or "", ()) if self._is_left(each, row)]
        if self._of_keys and kind == "step":
            for key in row.updates or ():
                met += [each for each in self._of_keys.get(key, ()) if _is_changed(each, happened)]
        if self._of_kinds:
            if row.error is not None:
                met += self._of_kinds.get("fail", ())
            if kind == "review":
                met += self._of_kinds.get("pause", ())
            elif kind in ("step", "route") and row.edge is None and stopped_by(row) is None:
                met += self._of_kinds.get("no_match", ())
        return met

    def _is_left(self, each: _Armed, row: Row) -> bool:
        """Check whether a step's row means the end of a visit, or the edge, that is waited for."""
        bound = each.breakpoint
        if bound.kind == "after":
            return row.kind == "step"
        if row.error is not None or row.edge is None or row.next != bound.target:
            return False
        if bound.label is None:
            return True
        edges = self.plan.edges_from(bound.node)
        return row.edge < len(edges) and edges[row.edge].describe() == bound.label

    def before_next(
        self,
        comes: str,
        step: int,
        seq: int,
        values: Mapping[str, Json],
        past: Past,
        counts: dict[int, int],
        history: History,
        *,
        again: bool = False,
    ) -> Iterator[BreakpointHit]:
        """Find the breakpoints before a node that comes next.

        Args:
            comes: The node.
            step: How many steps are completed.
            seq: The last row.
            values: The state, of the keys that matter.
            past: The run so far.
            counts: See ``after_row``.
            history: What the hits read from when they are shown.
            again: Whether this coming was counted already.
        """
        for each in self._before.get(comes, ()):
            facts = FactsAt(values, step + 1, past, seq, comes)
            hit = BreakpointHit(each.breakpoint, step + 1, step, comes, seq, _history=history)
            yield from _count_hit(each, hit, facts, counts, again=again)

    def concern(self, row: Row, comes: str | None) -> bool:
        """Check cheaply whether a row, or the node that comes next, may hit any of them."""
        return bool(
            row.node in self._after
            or comes in self._before
            or self._of_kinds
            or (self._of_keys and row.updates and not self._of_keys.keys().isdisjoint(row.updates))
        )

    def waits_before(self, node: str | None) -> bool:
        """Check whether anything is to be asked before a node."""
        return node in self._before


def _count_hit(
    each: _Armed, hit: BreakpointHit, facts: FactsAt, counts: dict[int, int], *, again: bool = False
) -> Iterator[BreakpointHit]:
    """Return the hit when its condition holds and it is one that counts."""
    bound = each.breakpoint
    if each.test is not None:
        try:
            if not each.test(facts):
                return
        except EvaluationError:
            yield replace(hit, failed=True)
            return
    if not bound.is_counted:
        yield hit
        return
    number = counts[each.place] = counts.get(each.place, 0) + (not again)
    if number > bound.skip and (number - bound.skip) % bound.every == 0:
        yield replace(hit, number=number)


def _is_changed(each: _Armed, happened: Happening) -> bool:
    """Check whether a step did to a part of the state what is waited for."""
    assert each.path is not None  # it is under its key  # noqa: S101
    before, after = value_at(happened.before, each.path), value_at(happened.after, each.path)
    if before is MISSING or after is MISSING:
        same = before is after
    else:
        same = before is after or json_equal(before, after)
    match each.breakpoint.kind:
        case _ if same:
            return False
        case "changes":
            return True
        case "becomes":
            return after is not MISSING and json_equal(after, each.breakpoint.value)
        case _:
            return before is not MISSING and after is not MISSING and type_name(before) != type_name(after)


def _log_visits(each: Breakpoint) -> frozenset[str]:
    return Template(each.log, "log").visits_read if each.log is not None else frozenset()


def _faulty_log(each: Breakpoint) -> str:
    """Describe what is wrong with the template of a log point; nothing when it parses."""
    if each.log is None:
        return ""
    for problem in Template(each.log, "log").problems(""):
        message = problem.message.partition(": ")[2]
        return f"{message} ({problem.hint})" if problem.hint else message
    return ""
