"""The Why pane: how a run got here, and where each answer to a review leads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import thread_time
from typing import TYPE_CHECKING, Any

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.reviews import Review, Reviews, payload_hash, shown_values
from stepgraph.runs import DecisionPreview, preview_decision, preview_verbs, spending_of
from stepgraph.stores import Outcome, RunStatus, stopped_by
from stepgraph.values import NodeFailed, State, StepgraphError, some_of

from ...commands import bindings
from ...commands.hints import UNMAPPED, Hints
from ...run_view import RunSnapshot
from ...text.calls import spent_text
from ...text.plain import place, plural, with_arrows
from ...text.reviews import REASONS, decision_text, path_parts
from ...text.run_list import edge_name, stopped_text
from ...view.errors import StopStory, stopping
from ...view.reviews import masked_decision
from ..chrome.pane import Pane
from ..lines import Role, Way
from ..lines.page import Line, TextPage, blank, heading, paragraph
from .edges import question_lines, tried_lines

if TYPE_CHECKING:
    from stepgraph.graphs import Edge
    from stepgraph.nodes import SourceLines
    from stepgraph.runs import StepRecord

    from ...run_view import RunView


class WhyPane(Pane, inherit_bindings=False):
    """Why the run went where it went, and where the answers to the coming question lead.

    Args:
        hints: Names the keys.
    """

    BINDINGS = bindings("why")
    DEFAULT_CSS = f"WhyPane {{ {TextPage.CSS} }}"

    sources: var[Mapping[str | int, SourceLines]] = var({}, init=False)
    """The lines of the predicates that were imported last; told where the run goes by that graph."""

    @dataclass
    class EdgeChosen(Message):
        """An edge is to be shown in the graph."""

        edge: int
        """Its position among the edges of the run's graph."""

    @dataclass
    class BreakAsked(Message):
        """A breakpoint is to be set on an edge, or taken away."""

        edge: int
        """Its position among the edges of the run's graph."""

    @dataclass
    class Told(Message):
        """A word for the person, about what a key could not do."""

        text: str

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self._hints = hints
        self.cursor = 0
        """Which edge of the step is selected."""
        self.page = TextPage(self, lambda: self.cursor)
        self.lines, self.search = self.page.view, self.page.search

    def show(self, moment: RunSnapshot | None) -> None:
        """Show the story of the moment; another one from its top, with the cursor at the edge taken."""
        about = (moment.view.run_id, moment.step) if moment is not None else None
        if about != self.page.about:
            record = moment.record if moment is not None else None
            self.cursor = (record.row.edge or 0) if record is not None else 0
        self.page.show(lambda: self._story(moment), about)

    def watch_sources(self) -> None:
        """Show other code."""
        self.show_anew()

    def _story(self, moment: RunSnapshot | None) -> Iterable[Line]:

        return story_of(moment, self._hints)

    def copied(self) -> str | None:
        """Return the whole page as text."""
        return self.page.text()

    def copied_path(self) -> str | None:
        """Return the command that explains the step."""
        if self.moment is None:
            return None
        return f"stepgraph runs show {self.moment.view.run_id} --step {self.moment.step}"

    def action_to(self, way: Way) -> None:
        """Move to the next edge or the one before, or on to what stands beyond; or by a page."""
        if way not in ("next", "previous"):
            super().action_to(way)
            return
        self.cursor = self.page.step(self.cursor, 1 if way == "next" else -1)

    def _select(self, edge: int) -> None:
        self.cursor = edge
        self.page.view.repaint()

    def action_show_edge(self) -> None:
        """Ask for the edge to be shown in the graph."""
        chosen = self.chosen_edge
        if chosen is not None:
            self.post_message(self.EdgeChosen(chosen.index))
        elif self.moment is not None:
            self.post_message(self.Told("This edge is not in the graph that the run uses now."))

    def action_break_here(self) -> None:
        """Ask for a breakpoint on the edge."""
        chosen = self.chosen_edge
        if chosen is not None:
            self.post_message(self.BreakAsked(chosen.index))
        elif self.moment is not None:
            self.post_message(self.Told("This edge is not in the graph that the run uses now."))

    @property
    def chosen_edge(self) -> Edge | None:
        """The edge of the run's graph that the cursor is at; the graph may be another than it was."""
        if self.moment is None:
            return None
        view, record = self.moment.view, self.moment.record
        node = view.plan.start if record is None else record.node
        edges = view.plan.edges_from(node) if node in view.plan.nodes else ()
        if self.cursor >= len(edges):
            return None
        edge = edges[self.cursor]
        return edge if record is None or record.edges[self.cursor].is_like(edge) else None

    def on_click(self, event: events.Click) -> None:
        """Select the edge under the pointer; a double click shows it."""
        block = self.page.block_at(event.y)
        if block is not None:
            self._select(block)
            if event.chain == 2:
                self.action_show_edge()


_PATIENCE = 0.2  # seconds of processor time; slower templates are not rendered once more for every verb
_VERB = 11  # cells of a verb and its key


def answer_lines(view: RunView, hints: Hints) -> Iterator[Line]:
    """Describe what each answer to the node that comes next leads to; nothing when it asks nobody."""
    run, decision = view.run, view.decision
    node = run.current or ""
    try:
        if decision is not None:
            review, _ = Reviews(view.store).read(decision.review)
            yield heading(f"{node} is answered")
            yield blank()
            yield paragraph(decision_text(masked_decision(decision, view.mask)))
            yield from _lead_lines(view, [preview_decision(view.plan, run, review, decision)], hints)
            return
        asked = run.pending if run.status is RunStatus.PAUSED else _foreseen(view)
        if asked is None:
            return
        yield heading(f"If {node} is answered")
        yield blank()
        yield from _lead_lines(view, preview_verbs(view.plan, run, asked), hints)
        if run.status is RunStatus.PAUSED:
            yield paragraph(hints("{debug.go} opens the review"), "dim")
    except (StepgraphError, LookupError) as error:  # LookupError: a store that was damaged by hand
        yield paragraph(f"Cannot show where the answers lead: {view.mask.text(str(error))}", "warn")


def _foreseen(view: RunView) -> Review | None:
    """Build the review that the next node would create; it is never stored.

    Raises:
        StepgraphError: The question cannot be put: its templates fail, or take long.
    """
    run = view.run
    entry = view.plan.nodes.get(run.current or "")
    if entry is None or run.status is not RunStatus.READY or not entry.is_approval:
        return None
    values, step = run.values, run.step + 1
    visit = run.visits.get(entry.name, 0) + 1
    began = thread_time()
    asking: Any = entry.node
    request = asking.execute(State(values, run.id, step, visit)).review
    if request is None:
        return None
    if thread_time() - began > _PATIENCE:
        raise StepgraphError("its question is still being built")
    shown = shown_values(request, values)
    hash_ = payload_hash(entry.name, request.to_json(), shown)
    return Review("", run.id, view.plan.name, entry.name, step, visit, request, shown, hash_, 0.0)


def _lead_lines(view: RunView, leads: list[DecisionPreview], hints: Hints) -> Iterator[Line]:
    for lead in leads:
        verb = f"{hints.key(f'approval.{lead.verb}')} {lead.verb}"
        yield Line(((f"{verb:<{_VERB}} ", "name"), *_way(view, lead)), hang=_VERB + 1)
        if lead.depends_on:
            names = ", ".join(lead.depends_on)
            yield paragraph(f"unless {names} changes that", "dim", _VERB + 1)
    yield blank()
    acting = dict.fromkeys(node for lead in leads for node in lead.side_effects)
    if acting:
        yield Line((("! ", "warn"), (f"has side effects: {', '.join(acting)}", "plain")), hang=2)


def _way(view: RunView, lead: DecisionPreview) -> Iterator[tuple[str, Role]]:
    edge = lead.edge
    if lead.kind == "runs":
        yield from path_parts(lead)
        return
    if edge is None:
        word = REASONS.get(lead.kind, "fails: ")
        yield word + view.mask.text(lead.reason), "dim" if lead.kind == "unknown" else "plain"
        return
    count = len(view.plan.edges_from(edge.source))
    name = edge_name(edge.label, edge.condition.describe(), lead.position - 1, count)
    yield f"{view.mask.text(name)} ".lstrip(), "plain"
    if lead.capped:
        yield f"→ the run stops at its step limit before {place(edge.target)}", "warn"
        return
    yield from path_parts(lead)


_LISTED = 12  # nodes and keys of a loop report


def story_of(moment: RunSnapshot | None, hints: Hints = UNMAPPED) -> Iterator[Line]:
    """Explain why a run is where it is: the edges of the last step, and what comes of it."""
    if moment is None:
        yield from _no_run(hints)
        return
    view, record = moment.view, moment.record
    if record is None:
        yield from _start(view)
    else:
        yield _head(record)
        spent = spent_text(spending_of(record.calls))
        if spent:
            yield paragraph(f"models: {spent}", "dim")
        yield blank()
        yield from tried_lines(view, record)
    if moment.live:
        yield from ending_lines(view, hints)
        yield from answer_lines(view, hints)


def _no_run(hints: Hints) -> Iterator[Line]:
    yield paragraph("No run yet.", "title")
    yield blank()
    yield paragraph(
        "Here you see why a run goes where it goes: every edge of the node that ran, its condition, "
        "the values it looked at and who wrote them, and which edge won."
    )
    yield blank()
    yield Line(((f"{hints.key('debug.go')} ", "name"), ("starts a run", "plain")))


def _start(view: RunView) -> Iterator[Line]:
    start = view.plan.start
    edges = view.plan.edges_from(start) if start in view.plan.nodes else ()
    yield Line(((f"at the start → {start}", "title"),), _rule(len(edges)), hang=2)
    yield blank()
    yield paragraph(f"Once {start} has run, its edges are tried in this order:", "dim")
    yield blank()
    yield from question_lines(view, edges)


def _head(record: StepRecord) -> Line:
    way = f"{record.node} → {place(record.next)}" if record.next else record.node
    right = _rule(len(record.edges))
    if stopped_by(record.row) is not None:
        right = ("stopped: no edge was tried", "dim")
    elif record.next is None:
        broken = any(edge.error is not None for edge in record.edges)
        right = ("a condition failed", "bad") if broken else ("no edge matched", "bad")
    return Line(((f"step {record.step}  ", "title"), (way, "title")), right, hang=2)


def _rule(edges: int) -> tuple[str, Role]:
    return ("first match wins", "dim") if edges != 1 else ("the only edge", "dim")


def ending_lines(view: RunView, hints: Hints) -> Iterator[Line]:
    """Explain why the run does not go on; nothing for one that does."""
    run = view.run
    if run.status is RunStatus.ENDED:
        yield heading("The run ended")
        yield blank()
        yield paragraph(_end(view))
    elif run.status is RunStatus.FAILED:
        yield from _failed(view, hints)
    if run.outcome is Outcome.MAX_STEPS:
        yield from _loop(view, hints)


def _end(view: RunView) -> str:
    run = view.run
    after = f"after {plural(run.step, 'step')}"
    last = view.steps[-1].node if run.step else ""
    match run.outcome:
        case Outcome.MAX_STEPS:
            flag = ", and is flagged" if run.flagged else ""
            return f"It stopped at its limit of {plural(run.max_steps, 'step')}{flag}."
        case Outcome.NO_MATCH:
            return f'No edge of {last} matched {after}, and on_no_match is "end".'
        case Outcome.STOPPED:
            by_hand = stopping(run)
            if by_hand is not None:
                return f"It was {stopped_text(StopStory.of(view.mask.row(by_hand)))} ({after})."
            limit = run.plan.settings.max_seconds
            why = f": its nodes have run for {limit:g} seconds or more" if limit is not None else ""
            return f"It stopped {after}{why}."
    return f"It reached END {after}."


def _failed(view: RunView, hints: Hints) -> Iterator[Line]:
    run = view.run
    if run.outcome is Outcome.MAX_STEPS:
        yield heading("The run failed")
        yield blank()
        yield paragraph(f"It stopped at its limit of {plural(run.max_steps, 'step')}.", "bad")
        return
    node, error = run.current or "", run.error
    routing = not isinstance(error, NodeFailed)
    yield heading(f"The routing of {node} failed" if routing else f"{node} failed")
    yield blank()
    if error is not None:
        if not routing:  # of a routing the edges above say it all
            first, *others = view.mask.text(error.message).split("\n")
            yield paragraph(first, "bad")
            yield from (Line(((line, "bad"),), quoted=True) for line in others)
        yield paragraph(view.mask.text(error.hint))
        yield blank()
    again = "tries the edges again; the node does not run again" if routing else "retries it"
    yield Line(((f"{hints.key('debug.retry')} ", "name"), (again, "plain")), hang=2)
    where = "shows the output of the node" if routing else "shows where in the code it failed"
    yield Line(((f"{hints.key('workbench.node')} ", "name"), (where, "plain")), hang=2)


def _loop(view: RunView, hints: Hints) -> Iterator[Line]:
    report, steps = view.run.loop_report, view.steps
    if report is None:
        return
    rows = [("came next", place(steps[-1].next) if steps else "")]
    if report.cycle:
        rows.append(("went round", " → ".join([*report.cycle, report.cycle[0]])))
    rows.append(("kept matching", with_arrows(report.edge or "")))
    visits = [f"{node} {count:,}" for node, count in report.visits.items()]
    rows.append(("visits", some_of(visits, _LISTED)))
    rows.append(("never changed", some_of(list(report.unchanged), _LISTED)))
    yield blank()
    for name, text in rows:
        if text:
            yield Line(((f"{name:<14}", "dim"), (text, "plain")), hang=14)
    yield blank()
    yield Line(((f"{hints.key('debug.extend')} ", "name"), ("allows it more steps", "plain")), hang=2)
    asked = "shows what its edges asked on the last rounds"
    yield Line(((f"{hints.key('debug.loop')} ", "name"), (asked, "plain")), hang=2)
