"""All about one step: what was asked and answered, what tools did, what it took, what it changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from textual.message import Message
from textual.reactive import var

from stepgraph.runs import spending_of
from stepgraph.stores import Outcome, RunStatus, calls_of

from ...commands import bindings
from ...status_text import RunningNode
from ...text.calls import spent_text
from ...text.conversation import conversation_of, new_messages
from ...text.plain import clock, place, plural, shortened, took
from ...text.reviews import decision_text, led_by
from ...text.run_list import run_status, stopped_text
from ...view.errors import StopStory, stopping
from ...view.reviews import decided_in, masked_request
from ...view.runs import StepStory
from ..chrome.pane import Pane
from ..lines.page import Line, TextPage, blank, heading, paragraph, text_block
from ..messages import message_lines
from .facts import MOST, changed, fact, setting
from .visit import call_lines, calling_lines, error_lines, folder_of

if TYPE_CHECKING:
    from stepgraph.runs import StepRecord
    from stepgraph.values import Json

    from ...run_view import RunSnapshot, RunView
    from ...text.conversation import ChatMessage

_EARLIER = 6  # messages before the new ones
_BRIEF = 160  # characters of one of those


class VisitPane(Pane, inherit_bindings=False):
    """A visit of a node, whole; it follows the step that is viewed."""

    TITLE = "Step"
    BINDINGS = bindings("visit")
    DEFAULT_CSS = f"VisitPane {{ {TextPage.CSS} }}"

    class Left(Message):
        """The page of the node is to be shown again."""

    running: var[RunningNode | None] = var(None, init=False)
    """The node that runs now, with what it has asked so far."""

    def __init__(self) -> None:
        super().__init__()
        self.display = False
        self.page = TextPage(self)
        self.lines, self.search = self.page.view, self.page.search

    def show(self, moment: RunSnapshot | None) -> None:
        """Show the step that is viewed; another one from its top."""
        about = (moment.view.run_id, moment.step, moment.live) if moment is not None else None
        self.page.show(lambda: self._story(moment), about)

    def watch_running(self, before: RunningNode | None, running: RunningNode | None) -> None:
        """Show what the node asks and is answered while it runs."""
        if (before and before.calls) != (running and running.calls):
            self.show_anew()

    def _story(self, moment: RunSnapshot | None) -> Iterator[Line]:
        if moment is None:
            yield paragraph("No run yet: its steps will be shown here.", "dim")
            return
        running = self.running
        if moment.live and running is not None and running.calls is not None:
            yield from calling_lines(running.calls, moment.view.mask.text, self.size)
        yield from visit_story(moment)

    def back(self) -> bool:
        """Esc: end the search, else go back to where one came from."""
        if not super().back():
            self.post_message(self.Left())
        return True

    def copied(self) -> str | None:
        """Return the whole page as text."""
        return self.page.text()

    def copied_path(self) -> str | None:
        """Return the command that tells all about the step."""
        if self.moment is None:
            return None
        return f"stepgraph runs show {self.moment.view.run_id} --step {self.moment.step}"


def visit_story(moment: RunSnapshot) -> Iterator[Line]:
    """Describe the step that is viewed, the start, or where a run stands."""
    view, record = moment.view, None if moment.live else moment.record
    if record is not None:
        yield from _step(moment, record)
    elif moment.live:
        yield from _status_lines(view)
    else:
        yield paragraph(f"start of run {view.run_id}", "title")
        yield fact("began", clock(view.rows[0].at))
        yield from _conversations(moment)
        yield from _changes(moment, view.mask.values(view.rows[0].updates or {}), view.rows[0].ops or {})


def _step(moment: RunSnapshot, record: StepRecord) -> Iterator[Line]:
    view, story = moment.view, StepStory(record, moment.view.mask)
    target = place(record.next) if record.next else "nowhere: its routing failed"
    right = f"step {record.step:,} of {view.run.step:,}"
    yield Line(((f"{story.node} → {view.mask.text(target)}", "title"),), (right, "dim"), hang=2)
    yield fact("visit", f"{record.visit:,}, {clock(record.started_at)}, took {took(record.duration)}")
    if record.step in view.times.waits:
        yield fact("waited", f"{took(view.times.waits[record.step])} for a person")
    spent = spent_text(spending_of(record.calls))
    if spent:
        yield fact("models", spent)
    edges = story.edges
    for number, edge in enumerate(edges, 1):
        if edge.matched and len(edges) > 1:
            name = " ".join((edge.label or edge.condition).split())
            yield fact("edge", f"{number} of {len(edges)}: {name}")
    yield from _on_the_way(view, record.step, record.row.seq)
    if record.row.error is not None:
        yield blank()
        yield heading("The routing failed")
        yield from error_lines(view.mask.table(record.row.error), None)
    asked = story.prompts(view.state_before(record.step))
    if asked:
        yield blank()
        yield heading("Asked")
    for name, text in asked.items():
        yield from setting(name, text)
    calls = story.calls
    if calls:
        yield blank()
        yield heading(plural(len(calls), "call"))
        yield from call_lines(calls, story.own_output)
    yield from _conversations(moment)
    yield from _changes(moment, story.updates, record.row.ops or {})
    output = story.own_output
    if output and not _is_told(output, story.updates):
        yield blank()
        yield heading("Output")
        yield from text_block(output, "value")
    yield blank()
    yield fact("key", f"{view.run_id}:{record.step}, stays the same when the step is tried again", "dim")


def _is_told(output: str, updates: Mapping[str, Json]) -> bool:
    """Check whether an output is nothing but what the step changed, as JSON; LangGraph's nodes have such."""
    try:
        value = json.loads(output)
    except ValueError:
        return False
    return isinstance(value, dict) and value.keys() <= updates.keys()


def _led_by(messages: Sequence[ChatMessage]) -> Iterator[Line]:
    """Show the messages that led to a question."""
    if messages:
        yield blank()
        yield heading(f"So far: {plural(len(messages), 'message')}")
    for at, message in enumerate(messages):
        yield from message_lines(message, at, None, new=False)


def _conversations(moment: RunSnapshot) -> Iterator[Line]:
    """Show what a step has added to conversations, and what came before."""
    before, after = moment.around()
    for key, value in after.items():
        messages = conversation_of(value) or []
        new = new_messages(before.get(key), value) if messages else set()
        if not new:
            continue
        yield blank()
        yield heading(f"{moment.view.mask.text(key)}: {len(new):,} new of {len(messages):,}")
        first = min(new)
        if first > _EARLIER:
            yield paragraph(f"… {plural(first - _EARLIER, 'message')} before", "dim", 2)
        for at in range(max(0, first - _EARLIER), first):
            message = messages[at]
            text = shortened(message.brief, _BRIEF)
            yield Line(((f"  {message.role}  ", "dim"), (text, "dim")), (f"{at + 1}", "dim"), hang=4)
        if first:
            yield blank()
        for at in sorted(new):
            yield from message_lines(messages[at], at, None, new=True)


def _changes(moment: RunSnapshot, updates: Mapping[str, Json], ops: Mapping[str, Json]) -> Iterator[Line]:
    """List what else a step has changed."""
    values = moment.around()[1]
    others = [name for name in updates if not conversation_of(values.get(name)) and ops.get(name) != "same"]
    if others:
        yield blank()
        yield heading("Changed")
    for name in others[:MOST]:
        yield changed(name, updates[name], ops.get(name))  # type: ignore[arg-type]
    if len(others) > MOST:
        yield paragraph(f"… {len(others) - MOST:,} more", "dim")


def _on_the_way(view: RunView, step: int, upto: int) -> Iterator[Line]:
    """Show what was decided, and what had failed, before a step was done."""
    before = view.record(step - 1)
    for row in view.rows[before.row.seq if before is not None else 1 : upto]:
        masked = view.mask.row(row)
        if row.kind == "decision":
            yield fact("decided", decision_text(decided_in(masked)))
        elif row.kind == "vote":
            yield fact("voted", decision_text(decided_in(masked)))
        elif row.kind == "escalation":
            yield fact("others", f"{clock(row.at)}: {(masked.data or {}).get('comment') or ''}")
        elif row.kind == "attempt":
            after = "" if row.review is not None else f", after {took(row.duration)}"
            yield fact("failed", f"{clock(row.at)}{after}", "bad")
            yield from error_lines(masked.error or {}, folder_of(view))
            if step > view.run.step:  # those of a completed step stand with it
                yield from call_lines(calls_of(masked), str((masked.error or {}).get("message", "")))


def _ending(view: RunView) -> Iterator[Line]:
    """Show how a run ended, what it took, where it was, and what its last step put out."""
    run, mask = view.run, view.mask
    yield Line(((f"run {view.run_id} {run_status(run)}", "title"),), hang=2)
    yield fact("began", clock(view.rows[0].at))
    yield fact("ended", clock(view.rows[-1].at))
    worked = f"{took(run.seconds)} work"
    yield fact("took", f"{worked}, {took(view.times.waiting())} waiting" if view.times.waits else worked)
    if spent := spent_text(view.spending.total):
        yield fact("models", spent)
    if run.outcome is Outcome.STOPPED and (row := stopping(run)) is not None:
        yield fact("stopped", stopped_text(StopStory.of(mask.row(row))))
    if run.visits:
        visits = [f"{mask.text(node)} {count:,}" for node, count in run.visits.items()]
        more = f" and {plural(len(visits) - MOST, 'other node')}" if len(visits) > MOST else ""
        yield fact("visits", f"{', '.join(visits[:MOST])}{more}")
    yield from _on_the_way(view, run.step + 1, len(view.rows))
    last = view.record(run.step)
    output = StepStory(last, mask).output if last is not None else None
    if last is not None and output:
        yield blank()
        yield heading(f"Output of step {run.step:,}, {mask.text(last.node)}")
        yield from text_block(output, "value")


def _status_lines(view: RunView) -> Iterator[Line]:
    """Show where a run stands: its next node, a question, an error, or how it ended."""
    run, mask = view.run, view.mask
    if run.status is RunStatus.ENDED:
        yield from _ending(view)
        return
    node = mask.text(run.current or "END")
    words = {RunStatus.PAUSED: "waits for a person", RunStatus.FAILED: "failed"}
    yield Line(
        ((f"{node} {words.get(run.status, 'comes next')}", "title"),),
        (f"step {run.step + 1:,}", "dim"),
        hang=2,
    )
    yield from _on_the_way(view, run.step + 1, len(view.rows))
    if view.pending is not None:
        request = masked_request(view.pending.request, mask)
        for label, text in (("asks", request.prompt), ("action", request.action)):
            if text:
                yield from setting(label, text)
        yield from _led_by(led_by(request))
    elif run.error is not None and view.rows[-1].kind != "attempt":
        yield from error_lines(
            mask.table(view.rows[-1].error or {"message": run.error.message}), folder_of(view)
        )
    spent = spent_text(view.spending.total)
    if spent:
        yield fact("models", f"{spent} in the whole run")
