"""The report of a run, or of a graph, in Markdown: for a colleague, a ticket or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING

from stepgraph.formats import Exported, mermaid
from stepgraph.graphs import END
from stepgraph.reviews import MOST_TOLD, as_output
from stepgraph.stores import Outcome, RunStatus

from ..drawing import TooLargeToDrawError
from ..drawing.picture.glyphs import UNICODE
from ..drawing.picture.graph_drawing import edge_texts
from ..text.calls import ended_text, spent_text, thoughts_of
from ..text.characters import visible
from ..text.comparison import told_edits
from ..text.conversation import ChatMessage, conversation_of, count_text, new_messages
from ..text.loops import loop_lines
from ..text.plain import clock, plural, took, value_text, visible_lines
from ..text.reviews import action_text, changes_text, done_text, expired_text, led_by
from ..text.run_list import run_status, stopped_text, tried_edges
from ..text.state_diff import StateChange, changes
from ..view.loops import loop_of
from ..view.reviews import decision_of, request_of, votes_of
from ..view.runs import RunStory
from .drawings import drawn_text

if TYPE_CHECKING:
    from stepgraph.formats import Exportable
    from stepgraph.graphs import Edge, NodeEntry
    from stepgraph.runs import Run
    from stepgraph.tools import ToolEntry
    from stepgraph.values import Json, StateKey

    from ..view.reviews import SafeDecision, SafeReview
    from ..view.runs import EdgeStory, StepStory


_TICKS = re.compile("`+")
LONGEST = 4_000
"""Characters of a text that stands by itself."""


def code(text: str) -> str:
    """Write a text of others in a line; line breaks in it are written out."""
    shown = visible(text)
    if not shown.strip():
        return "(blank)" if shown else "(empty)"
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    apart = " " if shown[0] in "` " or shown[-1] in "` " else ""  # one blank at both ends is taken off again
    return f"{ticks}{apart}{shown}{apart}{ticks}"


def fence(lines: Iterable[str], language: str = "text") -> Iterator[str]:
    """Write lines as a block of code, with a fence that is longer than any in them.

    Args:
        lines: The lines; those of others are made safe to show here.
        language: How it is colored.
    """
    safe = [each for line in lines for each in visible_lines(line)]
    longest = max((len(run) for line in safe for run in _TICKS.findall(line)), default=0)
    marks = "`" * max(3, longest + 1)
    yield from ("", f"{marks}{language}", *safe, marks, "")


def quoted(text: str, most: int = 40) -> Iterator[str]:
    """Write a text by itself; of a long one the beginning, and how much was left out.

    Args:
        text: The text.
        most: How many lines of it are written.
    """
    kept = text[:LONGEST]
    lines = kept.strip("\n").split("\n")
    if len(lines) > 1:
        yield from fence(lines[:most])
    else:
        yield from ("", code(lines[0]), "")  # which wraps, where a fence would not
    if len(lines) > most:
        yield from (f"({len(lines) - most:,} more lines are left out.)", "")
    if len(text) > LONGEST:
        yield from (f"({len(text) - LONGEST:,} more characters are left out.)", "")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Write a table; a bar within a cell ends no cell. Without rows there is none."""
    written = [_row(row) for row in rows]
    if written:
        yield from ("", _row(head), _row(["---"] * len(head)), *written, "")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


_MOST = 200
"""Nodes, edges, keys or tools that are listed one by one."""
_VALUE = 400
"""Characters of a value."""
_LINE = 80
"""Characters of a setting that is in a line; a longer text is in a block."""


def left_out(count: int, noun: str) -> Iterator[str]:
    """Describe how many are not told."""
    if count > 0:
        yield from ("", f"{plural(count, f'more {noun}')} left out.")


def place_code(node: str) -> str:
    """Name a node, or END."""
    return "END" if node == END else code(node)


class GraphReport:
    """Describes a graph.

    Args:
        source: The graph, and what hides its secrets.
    """

    def __init__(self, source: Exportable) -> None:
        self._graph, self._mask = source.graph, source.mask

    def _inline(self, text: str) -> str:
        """Write a text of others in a line; nothing where there is none."""
        return code(self._mask.text(text)) if text else ""

    def lines(self) -> Iterator[str]:
        """Describe what the graph consists of."""
        graph = self._graph
        yield from ("", "## Nodes")
        for entry in islice(graph.nodes.values(), _MOST):
            yield from self._node(entry)
        yield from left_out(len(graph.nodes) - _MOST, "node")
        yield from ("", "## Edges", "", "Of the edges of a node, the first one that matches is taken.")
        edges = zip(graph.edges[:_MOST], edge_texts(graph.edges), strict=False)
        rows = (self._edge(edge, text) for edge, text in edges)
        yield from table(("from", "edge", "to", "when", "note"), rows)
        yield from left_out(len(graph.edges) - _MOST, "edge")
        if graph.keys:
            yield from ("", "## State")
            rows = (self._key(key) for key in islice(graph.keys.values(), _MOST))
            yield from table(("key", "type", "at the start", "is", "note"), rows)
            yield from left_out(len(graph.keys) - _MOST, "key")
        if graph.tools:
            yield from ("", "## Tools")
            tools = (self._tool(tool) for tool in islice(graph.tools.values(), _MOST))
            yield from table(("tool", "does it by", "is", "note"), tools)
            yield from left_out(len(graph.tools) - _MOST, "tool")

    def _node(self, entry: NodeEntry) -> Iterator[str]:
        facts = ["has side effects"] if entry.side_effects else []
        facts += [f"a person is asked {entry.review} it"] if entry.review in ("before", "after") else []
        facts += [f"at most {code(str(entry.timeout))} a visit"] if entry.timeout is not None else []
        yield from ("", f"### {code(self._mask.text(entry.name))}", "")
        yield f"Type {code(entry.type or 'unknown')}{''.join(f'; {fact}' for fact in facts)}."
        if entry.note:
            yield from quoted(self._mask.text(entry.note))
        short, long = list[tuple[str, str]](), list[tuple[str, str]]()
        for name, value in self._mask.values(dict(entry.settings or {})).items():
            if isinstance(value, str) and (len(value) > _LINE or "\n" in value):
                long.append((name, value))
            else:
                short.append((code(name), code(value_text(value, _VALUE))))
        yield from table(("setting", "value"), short)
        for name, text in long:
            yield from (f"{code(name)}:", *quoted(text))

    def _edge(self, edge: Edge, text: str) -> tuple[str, ...]:
        condition = "" if edge.unconditional else code(self._mask.text(edge.condition.describe()))
        if edge.broken is not None:
            condition = f"broken: {code(self._mask.text(edge.broken.text))}"
        source, target = code(self._mask.text(edge.source)), place_code(self._mask.text(edge.target))
        return source, self._inline(text), target, condition, self._inline(edge.note)

    def _key(self, key: StateKey) -> tuple[str, ...]:
        kinds = {
            "an input": key.input,
            "secret": key.secret,
            f"merged by {key.reducer}": key.reducer != "replace",
        }
        default: Json = key.default  # type: ignore[assignment]  # it is JSON, or it could not be compiled
        begins = code(value_text(self._mask.value(key.name, default), _VALUE)) if key.has_default else ""
        names = ", ".join(kind for kind, holds in kinds.items() if holds)
        return (
            code(self._mask.text(key.name)),
            key.type or "any",
            begins,
            names,
            self._inline(key.note),
        )

    def _tool(self, tool: ToolEntry) -> tuple[str, ...]:
        by = "Python" if tool.tool is not None else self._inline(tool.handler or "")
        if tool.command is not None:
            by = "a command"
        kinds = {
            "scripted": tool.returns is not None,
            "with side effects": tool.side_effects,
            "only with approval": tool.requires_approval,
        }
        names = ", ".join(kind for kind, holds in kinds.items() if holds)
        return code(self._mask.text(tool.name)), by, names, self._inline(tool.note)


FIRST, LAST = 20, 80
"""Steps that are listed one by one: those at the beginning, and those at the end."""
_EVENTS = 100
"""Reviews, edits or failures that are listed: the last ones."""
_KEYS = 200
"""Keys of a state, and changes of a step."""
_LINES, _TRACE = 20, 15
"""Lines of an output, and of a traceback: its last ones."""
_LOOP = 100  # cells


def run_report(story: RunStory) -> Iterator[str]:
    """Describe what happened in a run."""
    yield from _outcome(story)
    yield from _state("Inputs", story.values_at(0))
    yield from _steps(story)
    yield from _reviews(story)
    yield from _edits(story)
    yield from _failures(story)
    yield from _models(story.run)
    yield from _loop(story)
    is_over = story.run.status is RunStatus.ENDED
    yield from _state("State at the end" if is_over else "State now", story.values)


def _outcome(story: RunStory) -> Iterator[str]:
    run, mask, stop = story.run, story.mask, story.stop
    yield from ("", f"## Run {code(run.id)}: {run.status.value}")
    spent, waited = spent_text(run.spending), story.waiting()
    facts = {
        "stands": code(mask.text(run_status(run))),
        "outcome": run.outcome.value if run.outcome is not None else "",
        "stopped": code(f"{clock(stop.at)}, {stopped_text(stop)}") if stop is not None else "",
        "started": clock(run.head.created_at) + (f" by {code(story.started_by)}" if story.started_by else ""),
        "took": f"{took(run.seconds)} of work" + (f", {took(waited)} of waiting" if waited else ""),
        "answers": f"{story.mode}{f': {spent}' if spent else ''}",
        "forked from": code(mask.text(run.head.origin)) if run.head.origin else "",
        "error": code(story.error.text) if story.error is not None else "",
    }
    yield from table(("", ""), ((name, fact) for name, fact in facts.items() if fact))


def _state(title: str, values: Mapping[str, Json]) -> Iterator[str]:
    yield from ("", f"## {title}")
    if not values:
        yield from ("", "Nothing.")
    shown = list(islice(values.items(), _KEYS))
    conversations = {name: messages for name, value in shown if (messages := conversation_of(value))}

    def cell(name: str, value: Json) -> str:
        return (
            count_text(conversations[name], 0) if name in conversations else code(value_text(value, _VALUE))
        )

    yield from table(("key", "value"), ((code(name), cell(name, value)) for name, value in shown))
    yield from left_out(len(values) - _KEYS, "key")
    for name, messages in conversations.items():
        yield from ("", f"### {code(name)}")
        yield from left_out(len(messages) - MOST_TOLD, "earlier message")
        yield from _message_lines(messages[-MOST_TOLD:])


def _message_lines(messages: Iterable[ChatMessage]) -> Iterator[str]:
    for message in messages:
        yield from ("", f"{code(message.role)}:", "")
        yield from quoted(message.whole)


def _steps(story: RunStory) -> Iterator[str]:
    yield from ("", "## Steps")
    count = story.run.step
    if not count:
        yield from ("", "None is completed.")
    last = max(FIRST, count - LAST)

    def told() -> Iterator[StepStory]:  # again each time: what a step has looked up is its whole state
        yield from story.steps(0, FIRST)
        yield from story.steps(last)

    yield from table(("step", "node", "edge taken", "took"), map(_trace_row, told()))
    for step in told():
        if step.record.step == last + 1 and last > FIRST:
            yield from ("", f"*Steps {FIRST + 1:,} to {last:,} are left out, here and in the table above.*")
        yield from _step(story, step)


def _trace_row(step: StepStory) -> tuple[str, ...]:
    led = f"→ {place_code(step.next)}" if step.next is not None else "none"
    taken = next((edge for edge in step.edges if edge.matched), None)
    label = f"{code(taken.label)} " if taken is not None and taken.label else ""
    return f"{step.record.step:,}", code(step.node), f"{label}{led}", took(step.record.duration)


def _step(story: RunStory, step: StepStory) -> Iterator[str]:
    record, edges, output = step.record, step.edges, step.output
    again = f", visit {record.visit}" if record.visit > 1 else ""
    led = f" → {place_code(step.next)}" if step.next is not None else ""
    yield from ("", f"### {record.step:,}. {code(step.node)}{led}", "")
    yield f"{_way(edges)} It took {took(record.duration)}{again}."
    if decision := step.decision:
        yield from ("", f"{_decided(decision)}.")
    if len(edges) > 1 or any(edge.condition != "always" for edge in edges):
        yield from fence(line.removeprefix("  ") for line in tried_edges(step, "→"))
    yield from _changed(story, changes(record.before, story.run.values_at(record.step)))
    if output and output not in map(as_output, step.updates.values()):  # which was written just now
        yield from ("", "Output:", *quoted(output, _LINES))
    calls = [f"- {code(ended_text(call))}" for call in step.calls]
    yield from ("", *calls, "") if calls else ()
    for thoughts in filter(None, map(thoughts_of, step.calls)):
        yield from ("", "Thinking:", *quoted(thoughts, _LINES))
    if step.error is not None:
        yield from ("", f"The routing failed: {code(step.error.text)}")


def _way(edges: list[EdgeStory]) -> str:
    """Describe which edge was taken."""
    taken = next((number for number, edge in enumerate(edges, 1) if edge.matched), None)
    if taken is None:
        return "No edge was taken."
    if len(edges) == 1:
        return "Its only edge was taken."
    label = edges[taken - 1].label
    name = f", {code(label)}," if label else ""
    return f"Edge {taken} of {len(edges)}{name} was taken."


def _changed(story: RunStory, found: Iterator[StateChange]) -> Iterator[str]:
    """Describe what became of the state, as a difference that sites color."""
    lines = [line for change in found for line in _lines(story, change)]
    if lines:
        yield from fence(lines[:_KEYS], "diff")
        yield from left_out(len(lines) - _KEYS, "changed value")


def _lines(story: RunStory, change: StateChange) -> Iterator[str]:
    path, mask = ".".join(change.path), story.mask
    name, old, new = mask.text(path), mask.value(path, change.old), mask.value(path, change.new)
    messages = conversation_of(new)
    if messages and isinstance(new, list) and (places := new_messages(old, new)):
        yield from (f"+ {name} {messages[place].line}" for place in sorted(places))
        return
    for sign, value in (("-", old), ("+", new)):
        if change.sign in (sign, "~"):
            yield f"{sign} {name} {value_text(value, _VALUE)}"


def _decided(decision: SafeDecision) -> str:
    """Describe what was decided, by whom, when, from where and why."""
    comment, edited = decision.text or decision.comment, changes_text(decision)
    text = f"{code(done_text(decision, source=True))} at {clock(decision.at)}"
    return text + (f", {code(edited)}" if edited else "") + (f": {code(comment)}" if comment else "")


def _reviews(story: RunStory) -> Iterator[str]:
    count = story.count("review")
    if count:
        yield from ("", "## Reviews")
        yield from left_out(count - _EVENTS, "earlier review")
    for review in story.reviews(skip=max(0, count - _EVENTS)):
        yield from _review(review)


def _review(review: SafeReview) -> Iterator[str]:
    request, decision = request_of(review), decision_of(review)
    yield from ("", f"### {code(review.node)}, step {review.step:,}: {review.status}")
    yield from quoted(request.prompt)
    yield from _message_lines(led_by(request))
    action = action_text(request)
    rows = [("asked", clock(review.asked_at)), ("risk", request.risk)]
    rows += [("why", code(request.risk_reason))] if request.risk_reason else []
    rows += [("action", code(action))] if action else []
    rows += [("vote", _decided(vote)) for vote in votes_of(review)]
    if decision is not None:
        rows.append(("decision", _decided(decision)))
    elif review.status == "expired":
        rows.append(("expired", code(expired_text(review))))
    yield from table(("", ""), rows)


def _edits(story: RunStory) -> Iterator[str]:
    count = story.count("edit")
    if count:
        yield from ("", "## Edits of the state")
        yield from left_out(count - _EVENTS, "earlier edit")
    for heading, lines in told_edits(story.edits(skip=max(0, count - _EVENTS)), "→"):
        yield from ("", f"{code(heading)}:", *fence(lines))


def _failures(story: RunStory) -> Iterator[str]:
    count = story.count("attempt")
    if count:
        yield from ("", "## Failures")
        yield from left_out(count - _EVENTS, "earlier failure")
    for failed in story.attempts(skip=max(0, count - _EVENTS)):
        record, trace = failed.record, failed.traceback
        where = f"step {record.step:,}, visit {record.visit}"
        yield from ("", f"{code(failed.node)}, {where}, at {clock(record.started_at)}:")
        traced = trace.rstrip().split("\n")[-_TRACE:] if trace.strip() else []
        yield from fence([failed.error.text if failed.error is not None else "None", *traced])


def _models(run: Run) -> Iterator[str]:
    spent = {node: text for node, each in run.spending_by_node.items() if (text := spent_text(each))}
    if spent:
        yield from ("", "## Models")
        rows = [(code(node), text) for node, text in spent.items()]
        yield from table(("node", "took"), [*rows, ("in all", spent_text(run.spending))])


def _loop(story: RunStory) -> Iterator[str]:
    run = story.run
    if run.outcome is not Outcome.MAX_STEPS:
        return
    yield from ("", "## Why it did not end")
    loop = loop_of(run, story.mask)
    if loop is not None:
        yield from fence(line for line, _ in loop_lines(loop, _LOOP))
    elif run.loop_report is not None:
        yield from ("", code(story.mask.text(str(run.loop_report))))


_EDGES, _CHARACTERS = 500, 50_000
"""The largest diagram that Mermaid shows where nobody has told it otherwise."""


def markdown(source: Exportable) -> Exported:
    """Write the report of a run; of a graph by itself, what it consists of."""
    run, mask = source.run, source.mask
    parts = GraphReport(source).lines() if run is None else run_report(RunStory(run, mask))
    lines = chain(_head(source), _drawing(source), parts)
    return Exported("\n".join(_single_blanks(lines)).rstrip("\n") + "\n")


def _head(source: Exportable) -> Iterator[str]:
    graph, mask = source.graph, source.mask
    yield f"# {code(mask.text(graph.name))}"
    if graph.settings.note:
        yield from quoted(mask.text(graph.settings.note))
    file = f" in {code(graph.source.name)}" if graph.source is not None else ""  # not where it lies
    yield ""
    yield (
        f"A state graph{file} of {plural(len(graph.nodes), 'node')} and {plural(len(graph.edges), 'edge')}. "
        f"A run begins at {code(mask.text(graph.start))} and completes at most "
        f"{plural(graph.settings.max_steps, 'step')}."
    )


def _drawing(source: Exportable) -> Iterator[str]:
    """Draw the graph as a diagram that sites show; one that is too large for them as text."""
    yield from ("", "## Drawing", "")
    diagram = mermaid.write(source).text
    if len(source.graph.edges) <= _EDGES and len(diagram) <= _CHARACTERS:
        yield from fence(diagram.rstrip("\n").split("\n"), "mermaid")
        return
    try:
        drawn = drawn_text(source, UNICODE)
    except TooLargeToDrawError as error:
        yield f"It is too large to be drawn: {error}."
        return
    yield from fence(drawn.rstrip("\n").split("\n"))


def _single_blanks(lines: Iterable[str]) -> Iterator[str]:
    """Leave out each blank line that follows another one; within a fence all stay."""
    before, until = "", ""
    for line in lines:
        if until:
            until = "" if line == until else until
        elif line.startswith("```"):
            until = "`" * (len(line) - len(line.lstrip("`")))
        elif not line and not before:
            continue
        yield line
        before = line
