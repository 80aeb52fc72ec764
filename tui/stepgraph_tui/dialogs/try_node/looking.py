"""What can be known of a node before it runs: the keys that it reads, and what it does to the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.nodes.approval import ApprovalNode
from stepgraph.nodes.base import BaseNode
from stepgraph.nodes.tool import ToolNode
from stepgraph.reviews.model import ReviewRequest
from stepgraph.runs.decision_preview import waypoint
from stepgraph_tui.words.text import visible

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.reviews.model import Verb


def keys_read(app: CompiledGraph, node: str) -> frozenset[str] | None:
    """The keys that a node and the conditions behind it are known to read; None when it may be any."""
    work = app.nodes[node].node
    if not isinstance(work, BaseNode) or type(work).reads is BaseNode.reads:
        return None
    asked = {key for edge in app.edges_from(node) for key in edge.condition.reads}
    return work.reads() | (asked - (work.writes() or frozenset()))


def verbs_offered(app: CompiledGraph, node: str) -> tuple[Verb, ...]:
    """The verbs that can answer what a node will ask; none when it is not known to ask."""
    work = app.nodes[node].node
    if not isinstance(work, ApprovalNode):
        return ()
    settings = work.settings
    return ReviewRequest("", editable=settings.editable, allow=settings.allow).verbs


def effects(app: CompiledGraph, node: str) -> str:
    """What running a node does to the world outside the state, in words; empty when nothing is known."""
    if waypoint(app, node).side_effects:
        return "This node has side effects: they will really happen"
    work = app.nodes[node].node
    acting = [visible(tool.name) for tool in app.tools.values() if tool.side_effects]
    if acting and isinstance(work, ToolNode) and not work.tools():  # the state says which tool it calls
        return f"This node may call {', '.join(acting)}: side effects will really happen"
    return ""
