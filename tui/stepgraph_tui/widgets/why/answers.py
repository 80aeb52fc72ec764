"""What the answers to the coming question would lead to."""

from __future__ import annotations

from collections.abc import Iterator
from time import thread_time
from typing import TYPE_CHECKING, Any

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Review, payload_hash, shown_values
from stepgraph.runs.decision_preview import DecisionPreview, preview_decision, preview_verbs
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StepgraphError
from stepgraph.values.state import State
from stepgraph_tui.text.plain import place, visible
from stepgraph_tui.text.reviews import REASONS, decision_text, path_parts
from stepgraph_tui.text.runs import edge_name
from stepgraph_tui.view.reviews import masked_decision
from stepgraph_tui.widgets.lines import Role
from stepgraph_tui.widgets.lines.page_lines import Line, blank, heading, paragraph

if TYPE_CHECKING:
    from stepgraph_tui.commands.hints import Hints
    from stepgraph_tui.run_view import RunView

_PATIENCE = 0.2  # seconds of processor time; slower templates are not rendered once more for every verb
_VERB = 11  # cells of a verb and its key


def answer_lines(view: RunView, hints: Hints) -> Iterator[Line]:
    """Tell what each answer to the node that comes next leads to; nothing when it asks nobody."""
    run, decision = view.run, view.decision
    node = visible(run.current or "")
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
            yield paragraph(hints("{workbench.approvals} opens the review"), "dim")
    except (StepgraphError, LookupError) as error:  # LookupError: a store that was damaged by hand
        yield paragraph(f"Cannot show where the answers lead: {view.mask.text(visible(str(error)))}", "warn")


def _foreseen(view: RunView) -> Review | None:
    """Make the review that the coming node would make; it is never stored.

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
            told = ", ".join(map(visible, lead.depends_on))
            yield paragraph(f"unless {told} changes that", "dim", _VERB + 1)
    yield blank()
    acting = dict.fromkeys(node for lead in leads for node in lead.side_effects)
    if acting:
        yield Line(
            (("! ", "warn"), (f"has side effects: {', '.join(map(visible, acting))}", "plain")), hang=2
        )


def _way(view: RunView, lead: DecisionPreview) -> Iterator[tuple[str, Role]]:
    edge = lead.edge
    if lead.kind == "runs":
        yield from path_parts(lead)
        return
    if edge is None:
        word = REASONS.get(lead.kind, "fails: ")
        yield word + visible(view.mask.text(lead.reason)), "dim" if lead.kind == "unknown" else "plain"
        return
    count = len(view.plan.edges_from(edge.source))
    name = edge_name(edge.label, edge.condition.describe(), lead.position - 1, count)
    yield f"{view.mask.text(name)} ".lstrip(), "plain"
    if lead.capped:
        yield f"→ the run stops at its step limit before {place(edge.target)}", "warn"
        return
    yield from path_parts(lead)
