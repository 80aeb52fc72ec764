"""What the next step of a run is, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.nodes.approval import ApprovalNode
from stepgraph.runs.decision_preview import waypoint
from stepgraph_tui.words.reviews import DONE
from stepgraph_tui.words.text import visible

if TYPE_CHECKING:
    from .run_view import RunView


def coming(view: RunView) -> str:
    """The next step of a run that is ready: ``tool, has side effects (!)``, ``asks a person, risk high``."""
    entry = view.plan.nodes.get(view.run.current or "")
    if entry is None:
        return "is no node of this graph"
    said = decided(view)
    if said is not None:
        return said
    if isinstance(entry.node, ApprovalNode):
        return f"asks a person, risk {entry.node.settings.risk}"
    way = waypoint(view.plan, entry.name)
    asks = ", asks a person" if way.asks else ""
    return f"{visible(entry.type)}{asks}{', has side effects (!)' if way.side_effects else ''}"


def decided(view: RunView) -> str | None:
    """What was decided and no step has used yet: ``rejected by ana; the next step uses it``."""
    decision = view.decision
    if decision is None:
        return None
    by = visible(view.mask.text(decision.by or "somebody"))
    return f"{DONE[decision.verb]} by {by}; the next step uses it"
