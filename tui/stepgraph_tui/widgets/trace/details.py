"""What is shown below a line of the trace that was expanded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from stepgraph.runs import spending_of
from stepgraph.stores import RunStatus, calls_of
from stepgraph_tui.text.calls import spent_text
from stepgraph_tui.text.cells import hanging
from stepgraph_tui.text.plain import LONG, clock, plural, shortened, took, value_text, visible_lines
from stepgraph_tui.text.reviews import decision_text
from stepgraph_tui.view.reviews import decided_in

if TYPE_CHECKING:
    from stepgraph.runs import Spending, StepRecord
    from stepgraph.values import Json
    from stepgraph_tui.run_view import RunView

Fact = tuple[str, str]
"""A word, and what there is to say. The word is empty where it is the one before."""

LABEL = 9
"""How many cells the words take."""
_VALUE = 400  # characters of a value
_OUTPUT = 8  # lines of an output
_TRACE = 12  # lines of a traceback: the last ones tell most
_KEYS = 20  # changed keys
_FOLDED = 4  # lines of one fact


def details(view: RunView, step: int | None) -> list[Fact]:
    """Collect the facts of a step, 0 being the start; for None, of where the run stands."""
    if step is None:
        return list(_standing(view))
    record = view.record(step)
    if record is not None:
        return list(_step(view, record))
    start = view.rows[0]
    return [("began", clock(start.at)), *_changed(view.mask.values(start.updates or {}))]


def fold(facts: list[Fact], width: int) -> list[Fact]:
    """Fold the facts line by line, in lines of so many cells beside the words."""
    folded = []
    for label, text in facts:
        lines = list(hanging(text, width, hang=0))
        if len(lines) > _FOLDED:
            lines = [*lines[: _FOLDED - 1], f"{lines[_FOLDED - 1]}…"]
        folded += [(label if number == 0 else "", line) for number, line in enumerate(lines)]
    return folded


def _step(view: RunView, record: StepRecord) -> Iterator[Fact]:
    mask = view.mask
    yield "visit", f"{record.visit} of {record.node}"
    yield "began", f"{clock(record.started_at)}, took {took(record.duration)}"
    if record.step in view.times.waits:
        yield "waited", f"{took(view.times.waits[record.step])} for a person"
    yield "key", f"{view.run_id}:{record.step}, stays the same when the step is tried again"
    edges = record.edges
    for number, edge in enumerate(edges, 1):
        if edge.matched:
            yield "edge", f"{number} of {len(edges)}: {shortened(mask.text(edge.condition), LONG)}"
    yield from _on_the_way(view, record.step, record.row.seq)
    yield from _spent(spending_of(record.calls))
    yield from _error(mask.table(record.row.error or {}))
    if record.row.output is not None:
        yield from _lines("output", mask.text(record.row.output), _OUTPUT)
    yield from _changed(mask.values(record.updates))


def _spent(spent: Spending) -> Iterator[Fact]:
    """Find what the calls of a visit to models took."""
    if spent.calls:
        yield "models", f"{spent_text(spent)}, in {took(spent.seconds)}"


def _changed(values: Mapping[str, Json]) -> Iterator[Fact]:
    for number, (name, value) in enumerate(values.items()):
        if number == _KEYS:
            yield "", f"and {len(values) - _KEYS:,} more"
            return
        told = "removed" if value is None else f"= {value_text(value, _VALUE)}"
        yield "" if number else "changed", f"{name} {told}"


def _error(error: Mapping[str, Json]) -> Iterator[Fact]:
    """Yield what a masked error says, what to do about it, and the end of its traceback."""
    for label in ("message", "hint"):
        if error.get(label):
            yield label.replace("message", "error"), shortened(str(error[label]), LONG)
    cause = error.get("cause")
    trace = str(cause.get("traceback") or "").rstrip() if isinstance(cause, dict) else ""
    lines = trace.split("\n")[-_TRACE:] if trace else []
    yield from _lines("trace", "\n".join(lines), _TRACE)


def _lines(label: str, text: str, most: int) -> Iterator[Fact]:
    """Write a text with its line breaks; nothing for an empty one."""
    first, *rest = text.split("\n", most)
    more = rest.pop().count("\n") + 1 if len(rest) == most else 0
    for number, line in enumerate([first, *rest] if text else []):
        yield "" if number else label, f"│ {visible_lines(shortened(line, _VALUE))[0]}"
    if more:
        yield "", f"and {plural(more, 'more line')}"


def _on_the_way(view: RunView, step: int, upto: int) -> Iterator[Fact]:
    """Find what was decided, and what had failed, before a step was done."""
    before = view.record(step - 1)
    for row in view.rows[before.row.seq if before is not None else 1 : upto]:
        if row.kind == "decision":
            yield "decided", decision_text(decided_in(view.mask.row(row)))
        elif row.kind == "vote":
            yield "voted", decision_text(decided_in(view.mask.row(row)))
        elif row.kind == "escalation":
            yield "others", f"{clock(row.at)}: {view.mask.text(str((row.data or {}).get('comment') or ''))}"
        elif row.kind == "attempt":
            yield (
                "failed",
                clock(row.at) + ("" if row.review is not None else f", after {took(row.duration)}"),
            )
            yield from _error(view.mask.table(row.error or {}))
            yield from _spent(spending_of(calls_of(row)))


def _standing(view: RunView) -> Iterator[Fact]:
    """Tell more about where a run stands, if there is more: a question, a decision, an error."""
    run, mask = view.run, view.mask
    yield from _on_the_way(view, run.step + 1, len(view.rows))
    if run.status is RunStatus.PAUSED:
        asked = next((row for row in reversed(view.rows) if row.kind == "review"), None)
        request = (asked.data or {}).get("request") if asked is not None else None
        if isinstance(request, dict):
            yield from _lines("asks", mask.text(str(request.get("prompt") or "")), _OUTPUT)
            yield from _lines("action", mask.text(str(request.get("action") or "")), _OUTPUT)
    elif run.error is not None and view.rows[-1].kind != "attempt":
        yield "error", shortened(mask.text(run.error.message), LONG)
        if run.error.hint:
            yield "hint", shortened(mask.text(run.error.hint), LONG)
