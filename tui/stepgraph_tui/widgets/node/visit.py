"""What a run has done with a node, up to a moment."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import stepgraph
from stepgraph.graphs import END
from stepgraph.stores import Outcome, RunStatus, calls_of

from ...status_text import call_now_text, unused_decision
from ...text.calls import ended_text, is_of_model, spent_text, thoughts_of, unanswered_text
from ...text.excerpts import last_rows
from ...text.plain import clock, place, plural, shortened, took, value_text
from ...text.reviews import decision_text, wait_text
from ...view.runs import StepStory
from ..lines.page import Line, blank, heading, paragraph, text_block
from .facts import MOST, changed, fact, setting

if TYPE_CHECKING:
    from textual.geometry import Size

    from stepgraph.runs import StepRecord
    from stepgraph.stores import Row
    from stepgraph.values import Json

    from ...run_view import RunSnapshot, RunView
    from ...worker import VisitCalls


_FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+)(?:, in (?P<function>.*))?$')
_BEGINS = "Traceback (most recent call last):"
_POINTER = re.compile(r"[\s~^]+$")  # the line of carets below a line of code
_CHAINED = ("The above exception was", "During handling of the above")
_LIBRARY = re.compile(
    r"[/\\](site|dist)-packages[/\\]|[/\\]lib(64)?[/\\]python\d[\d.]*t?[/\\]|^[A-Z]:\\.*\\Lib\\|^<frozen "
)
_ENGINE = str(Path(stepgraph.__file__).parent)
_MOST = 200  # frames


_Place = tuple[str, str, str]
"""The file, line and function of a call."""


@dataclass(slots=True)
class CallFrame:
    """A call in a traceback."""

    file: str
    line: str
    function: str
    code: list[str] = field(default_factory=list)

    @property
    def is_own(self) -> bool:
        """Whether the user wrote it: it is not of an installed package, of Python or of the engine."""
        return _LIBRARY.search(self.file) is None and not self.file.startswith(_ENGINE)


@dataclass(slots=True)
class Raised:
    """An exception with the calls that led to it, the last call last."""

    frames: list[CallFrame] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def read_traceback(text: str) -> list[Raised]:
    """Read the exceptions of a traceback as Python prints it: what was raised last comes last."""
    raised = [Raised()]
    for line in text.rstrip().split("\n"):
        found = _FRAME.match(line)
        if line.startswith(_BEGINS):
            raised.append(Raised())
        elif found is not None and not raised[-1].said:  # else a message looks like one
            raised[-1].frames.append(CallFrame(found["file"], found["line"], found["function"] or ""))
        elif line.startswith("  ") and raised[-1].frames and not raised[-1].said:
            if not _POINTER.match(line):
                raised[-1].frames[-1].code.append(line.strip())
        elif line.strip() and not line.startswith(_CHAINED):
            raised[-1].said.append(line)
    return [each for each in raised if each.frames or each.said]


def last_own_call(text: str) -> tuple[Path, int] | None:
    """Find the line of the user's own code at which an exception was raised; None where it was in none.

    Args:
        text: The traceback as Python prints it.
    """
    for raised in reversed(read_traceback(text)):
        for frame in reversed(raised.frames):
            if frame.is_own:
                return Path(frame.file), int(frame.line)
    return None


def traceback_lines(
    text: str, folder: Path | None, above: str = "", values: Mapping[_Place, Mapping[str, Json]] = {}
) -> Iterator[Line]:
    """Write the traceback: what was raised last first, the user's calls before those of libraries.

    Args:
        text: As Python prints it; secrets are masked already.
        folder: Where the graph is: files in it are named from there.
        above: What is shown of the failure already: an exception that says no more is not repeated.
        values: The local variables of the user's frames.
    """
    for number, raised in enumerate(reversed(read_traceback(text))):
        if number:
            yield paragraph("caused by:", "dim")
        if number or not _repeats(above, raised.said):
            for line in raised.said:
                yield Line(((line, "bad"),), quoted=True)
        calls = raised.frames[::-1][:_MOST]
        own = [frame for frame in calls if frame.is_own]
        yield from _calls("in your code, the last call first", own, folder, values)
        others = [frame for frame in calls if not frame.is_own]
        yield from _calls("through libraries" if own else "in libraries", others, folder)


def _repeats(above: str, lines: list[str]) -> bool:
    """Whether a message has the words of an exception at its end, and names its type before them.

    Python quotes the key of a KeyError, which the message does not.
    """
    type_, _, words = " ".join(" ".join(lines).split()).partition(": ")
    message = " ".join(above.split())
    name = type_.rpartition(".")[2]
    return any(
        message.endswith(end) and name in message.removesuffix(end).split()
        for end in (words, words.strip("'\""))
    )


def _calls(
    title: str,
    frames: list[CallFrame],
    folder: Path | None,
    values: Mapping[_Place, Mapping[str, Json]] | None = None,
) -> Iterator[Line]:
    dimmed = values is None
    if frames:
        yield paragraph(title, "dim")
    for frame in frames:
        where = f"{_short(frame.file, folder)}:{frame.line}"
        function = frame.function
        yield Line(
            ((where, "dim" if dimmed else "name"), (f"  {function}", "dim" if dimmed else "plain")),
            indent=2,
            hang=2,
        )
        for code in frame.code:
            yield Line(((code, "dim" if dimmed else "value"),), indent=4, quoted=True)
        for name, value in (values or {}).get((frame.file, frame.line, frame.function), {}).items():
            yield Line(((f"{name} = ", "dim"), (str(value), "plain")), indent=6, hang=2)


def _short(file: str, folder: Path | None) -> str:
    path = Path(file)
    return str(path.relative_to(folder)) if folder is not None and path.is_relative_to(folder) else file


if TYPE_CHECKING:
    Call = Mapping[str, Json]

_SHOWN = 50  # calls of one visit
_LATEST = 3  # calls that are over, above one that lasts
_LEAST = 3  # rows of a reply that is coming
_BESIDE = 4  # cells of a row that are not the reply's
_VALUE = 2_000  # characters of what a tool answered


def calling_lines(calls: VisitCalls, masked: Callable[[str], str], size: Size) -> Iterator[Line]:
    """Describe what the node that runs has asked so far, and the end of the reply that is coming.

    Args:
        calls: The calls of its visit.
        masked: Hides secrets.
        size: The size of the pane: as much of the reply is shown as fits.
    """
    if calls.now is None and not calls.ended:
        return
    yield heading("Now")
    latest = calls.ended[-_LATEST:]
    if len(calls.ended) > len(latest):
        yield paragraph(f"… {len(calls.ended) - len(latest):,} calls before", "dim")
    for call in latest:
        yield paragraph(masked(ended_text(call)), "dim")
    if calls.now is not None:
        yield paragraph(masked(call_now_text(calls.now)), "title")
        room = max(_LEAST, size.height - len(latest) - 3)
        for row in last_rows(masked(calls.now.text), room, max(1, size.width - _BESIDE)):
            yield Line(((row, "value"),), quoted=True)
    yield blank()


def call_lines(calls: Sequence[Call], failure: str | None = None) -> Iterator[Line]:
    """Describe the calls of a visit, oldest first: who was asked, what was answered, what it took.

    Args:
        calls: The calls, as the ledger keeps them, secrets masked.
        failure: What the node put out, or why it failed, which is shown already.
    """
    for call in calls[:_SHOWN]:
        is_told = "error" in call and str(call["error"]) in (failure or "")
        heading = unanswered_text(call) if is_told else ended_text(call)
        yield paragraph(heading, "bad" if "error" in call else "name")
        if is_of_model(call):
            text = call.get("text")
            if thoughts := thoughts_of(call):
                yield paragraph("thinking", "dim", 2)
                yield from text_block(shortened(thoughts, _VALUE), "dim", 4)
            if isinstance(text, str) and text and text != failure:
                yield from text_block(text, "value", 2)
        elif "result" in call:
            yield from text_block(shortened(_result_text(call), _VALUE), "value", 2)
    if len(calls) > _SHOWN:
        yield paragraph(f"… {len(calls) - _SHOWN:,} more calls", "dim")


def _result_text(call: Call) -> str:
    result = call.get("result")
    return result if isinstance(result, str) else value_text(result, _VALUE)


_STANDS = {
    RunStatus.READY: "comes next",
    RunStatus.PAUSED: "waits for a person",
    RunStatus.FAILED: "failed",
}


def visit_lines(moment: RunSnapshot, node: str) -> Iterator[Line]:
    """Describe how often the run has visited a node, and what its last visit did."""
    run, record = moment.view.run, moment.view.last_visit(node, moment.step)
    if node == END:
        there = run.outcome is Outcome.END and moment.step == run.step
        yield fact("reached", f"after {plural(run.step, 'step')}" if there else "not so far")
        return
    if moment.live and run.current == node and run.status in _STANDS:
        pending = moment.view.pending
        stands = wait_text(pending) if pending is not None and pending.is_wait else _STANDS[run.status]
        yield fact("now", unused_decision(moment.view) or stands, "title")
    if record is None:
        yield fact("visits", "none so far" if moment.live else f"none up to step {moment.step}")
        return
    yield fact("visits", f"{record.visit:,}")
    yield fact("last", f"step {record.step}, {took(record.duration)}, {clock(record.started_at)}")
    spent = view_spent(moment, node)
    if spent:
        yield fact("spent", spent)
    yield fact("then", place(record.next) if record.next else "nowhere: its routing failed")
    yield from _visit_lines(moment, record)


def view_spent(moment: RunSnapshot, node: str) -> str:
    """Describe what all visits of a node have spent on models so far; empty for nothing."""
    spent = moment.view.spending.by_node.get(node)
    return spent_text(spent) if spent is not None else ""


def _visit_lines(moment: RunSnapshot, record: StepRecord) -> Iterator[Line]:
    """Describe what a visit put out, what it changed, what its templates said, and what a person decided."""
    mask, story = moment.view.mask, StepStory(record, moment.view.mask)
    before = moment.view.state_before(record.step)
    if story.own_output:
        yield from setting("output", story.own_output)
    calls = story.calls
    if calls:
        yield paragraph("calls", "dim")
    for line in call_lines(calls, story.own_output):
        yield _indented(line)
    ops = record.row.ops or {}
    updates = [
        name
        for name, value in (record.row.updates or {}).items()
        if ops.get(name) != "same" and (value is not None or name in before)  # else it was removed already
    ]
    if updates:
        yield paragraph("changed", "dim")
    for name in updates[:MOST]:
        value = mask.value(name, (record.row.updates or {})[name])
        yield _indented(changed(mask.text(name), value, ops.get(name)))
    if len(updates) > MOST:
        yield paragraph(f"… {len(updates) - MOST:,} more", "dim", 2)
    yield from _texts("asked", story.prompts(before))
    decision = story.decision
    if decision is None:
        return
    yield paragraph("decided", "dim")
    yield paragraph(decision_text(decision, with_changes=False), indent=2)
    yield from _texts("as edited", story.asked_as_edited(before, moment.view.state(record.step)))


def _texts(title: str, texts: Mapping[str, str]) -> Iterator[Line]:
    if texts:
        yield paragraph(title, "dim")
    for name, text in texts.items():
        for line in setting(name, text):
            yield _indented(line)


def _indented(line: Line) -> Line:
    return replace(line, indent=line.indent + 2)


def failure_of(moment: RunSnapshot, node: str) -> Row | None:
    """Find the failure that a node, or its routing, is stuck with at a moment."""
    run, record = moment.view.run, moment.record
    if not moment.live:
        failed = record is not None and record.node == node and record.error is not None
        return record.row if failed and record is not None else None
    if run.status is not RunStatus.FAILED or run.current != node:
        return None
    return next((row for row in reversed(moment.view.rows) if row.error is not None), None)


def failed_at(moment: RunSnapshot, node: str) -> tuple[Path, int] | None:
    """Find the line of the user's own code in which a node failed, where it has failed at a moment."""
    row = failure_of(moment, node)
    cause = (row.error or {}).get("cause") if row is not None else None
    trace = str(cause.get("traceback") or "") if isinstance(cause, dict) else ""
    return last_own_call(trace) if trace else None


def failure_lines(moment: RunSnapshot, row: Row) -> Iterator[Line]:
    """Describe a failure of a run: what happened, what to do about it, and where in the code it was."""
    masked = moment.view.mask.row(row)
    error = masked.error or {}
    yield from error_lines(error, folder_of(moment.view))
    yield from call_lines(calls_of(masked), str(error.get("message", "")))


def folder_of(view: RunView) -> Path | None:
    """Find the folder of a run's graph: files in it are named from there."""
    source = view.plan.source
    return source.parent if source is not None else None


def error_lines(error: Mapping[str, Json], folder: Path | None) -> Iterator[Line]:
    """Write an error as the ledger keeps it.

    Args:
        error: What was raised, secrets masked.
        folder: Where the graph is: files in it are named from there.
    """
    message = str(error.get("message", ""))
    yield from text_block(message, "bad")
    if error.get("hint"):
        yield paragraph(str(error["hint"]))
    cause = error.get("cause")
    trace = str(cause.get("traceback") or "") if isinstance(cause, dict) else ""
    if trace and isinstance(cause, dict):
        yield from traceback_lines(trace, folder, message, _values_in(cause.get("frames")))


def _values_in(frames: Json) -> dict[_Place, Mapping[str, Json]]:
    """Read the local variables of the user's frames, by where the frames are."""
    values: dict[_Place, Mapping[str, Json]] = {}
    for frame in frames if isinstance(frames, list) else ():
        local = frame.get("locals") if isinstance(frame, dict) else None
        if isinstance(frame, dict) and isinstance(local, dict):
            values[str(frame.get("file")), str(frame.get("line")), str(frame.get("function"))] = local
    return values


def taken_text(moment: RunSnapshot, source: str, position: int) -> str:
    """Describe how often the run has taken an edge, in words."""
    steps = moment.view.steps_taking(source, position)
    count = bisect_right(steps, moment.step)
    return f"{plural(count, 'time')}, last at step {steps[count - 1]:,}" if count else "never"
