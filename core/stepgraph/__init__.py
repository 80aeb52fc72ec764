"""Stepgraph: state graphs that orchestrate AI agents, run one node at a time.

Everything a user needs is importable from here. Each name loads its module when it is first used, so
that ``import stepgraph`` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graphs.builder import StateGraph
    from .graphs.parts import END, Edge
    from .graphs.plan import CompiledGraph
    from .graphs.validation import check
    from .nodes.approval import ApprovalNode
    from .nodes.base import BaseNode, Node, NodeResult
    from .nodes.handler import HandlerNode
    from .nodes.llm import LLMNode
    from .nodes.models import LLMClient
    from .nodes.router import RouterNode
    from .nodes.tool import ToolNode
    from .nodes.tools import Tool, ToolRegistry
    from .reviews.inbox import Reviews
    from .reviews.model import Decision, Review, ReviewRequest
    from .runs.events import StepCompleted
    from .runs.executor import Executor
    from .runs.records import StepRecord
    from .runs.run import Run
    from .stores.base import StateStore
    from .stores.ledger import Outcome, RunStatus
    from .stores.memory import MemoryStore
    from .stores.sqlite import SqliteStore
    from .values.errors import (
        AlreadyDecided,
        ConditionFailed,
        Conflict,
        DefinitionChanged,
        ExpressionError,
        GraphError,
        GraphFileError,
        MaxStepsExceeded,
        NodeFailed,
        NoEdgeMatched,
        NotAllowed,
        NotReady,
        PayloadChanged,
        ReviewError,
        RunError,
        RunExists,
        StateError,
        StepgraphError,
        StoreError,
        TrustError,
        UnknownReview,
        UnknownRun,
    )
    from .values.problems import Problem
    from .values.state import State

__version__ = "0.1.0"

_HOMES = {
    "values.errors": (
        "AlreadyDecided ConditionFailed Conflict DefinitionChanged ExpressionError GraphError GraphFileError "
        "MaxStepsExceeded NodeFailed NoEdgeMatched NotAllowed NotReady PayloadChanged ReviewError RunError "
        "RunExists StateError StepgraphError StoreError TrustError UnknownReview UnknownRun"
    ),
    "runs.events": "StepCompleted",
    "runs.executor": "Executor",
    "graphs.builder": "StateGraph",
    "graphs.parts": "END Edge",
    "graphs.plan": "CompiledGraph",
    "nodes.models": "LLMClient",
    "nodes.approval": "ApprovalNode",
    "nodes.base": "BaseNode Node NodeResult",
    "nodes.handler": "HandlerNode",
    "nodes.llm": "LLMNode",
    "nodes.router": "RouterNode",
    "nodes.tool": "ToolNode",
    "values.problems": "Problem",
    "reviews.model": "Decision Review ReviewRequest",
    "reviews.inbox": "Reviews",
    "runs.records": "StepRecord",
    "runs.run": "Run",
    "stores.ledger": "Outcome RunStatus",
    "values.state": "State",
    "stores.base": "StateStore",
    "stores.memory": "MemoryStore",
    "stores.sqlite": "SqliteStore",
    "nodes.tools": "Tool ToolRegistry",
    "graphs.validation": "check",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "END",
    "AlreadyDecided",
    "ApprovalNode",
    "BaseNode",
    "CompiledGraph",
    "ConditionFailed",
    "Conflict",
    "Decision",
    "DefinitionChanged",
    "Edge",
    "Executor",
    "ExpressionError",
    "GraphError",
    "GraphFileError",
    "HandlerNode",
    "LLMClient",
    "LLMNode",
    "MaxStepsExceeded",
    "MemoryStore",
    "NoEdgeMatched",
    "Node",
    "NodeFailed",
    "NodeResult",
    "NotAllowed",
    "NotReady",
    "Outcome",
    "PayloadChanged",
    "Problem",
    "Review",
    "ReviewError",
    "ReviewRequest",
    "Reviews",
    "RouterNode",
    "Run",
    "RunError",
    "RunExists",
    "RunStatus",
    "SqliteStore",
    "State",
    "StateError",
    "StateGraph",
    "StateStore",
    "StepCompleted",
    "StepRecord",
    "StepgraphError",
    "StoreError",
    "Tool",
    "ToolNode",
    "ToolRegistry",
    "TrustError",
    "UnknownReview",
    "UnknownRun",
    "check",
]


if not TYPE_CHECKING:  # type checkers know the names, and are to find misspelt ones

    def __getattr__(name: str) -> Any:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{home}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
