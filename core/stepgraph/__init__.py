"""Stepgraph: state graphs that orchestrate AI agents, run one node at a time.

Everything a user needs is importable from here. Each name loads its module when it is first used, so
that ``import stepgraph`` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import (
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
    from .events import StepCompleted
    from .executor import Executor
    from .graph import END, CompiledGraph, Edge, StateGraph
    from .llm import LLMClient
    from .nodes.approval import ApprovalNode
    from .nodes.base import BaseNode, Node, NodeResult
    from .nodes.handler import HandlerNode
    from .nodes.llm import LLMNode
    from .nodes.router import RouterNode
    from .nodes.tool import ToolNode
    from .problems import Problem
    from .review import Decision, Review, ReviewRequest
    from .reviews import Reviews
    from .run import Outcome, Run, RunStatus, StepRecord
    from .state import State
    from .stores.base import StateStore
    from .stores.memory import MemoryStore
    from .stores.sqlite import SqliteStore
    from .tools import Tool, ToolRegistry
    from .validation import check

__version__ = "0.1.0"

_HOMES = {
    "errors": (
        "AlreadyDecided ConditionFailed Conflict DefinitionChanged ExpressionError GraphError GraphFileError "
        "MaxStepsExceeded NodeFailed NoEdgeMatched NotAllowed NotReady PayloadChanged ReviewError RunError "
        "RunExists StateError StepgraphError StoreError TrustError UnknownReview UnknownRun"
    ),
    "events": "StepCompleted",
    "executor": "Executor",
    "graph": "END CompiledGraph Edge StateGraph",
    "llm": "LLMClient",
    "nodes.approval": "ApprovalNode",
    "nodes.base": "BaseNode Node NodeResult",
    "nodes.handler": "HandlerNode",
    "nodes.llm": "LLMNode",
    "nodes.router": "RouterNode",
    "nodes.tool": "ToolNode",
    "problems": "Problem",
    "review": "Decision Review ReviewRequest",
    "reviews": "Reviews",
    "run": "Outcome Run RunStatus StepRecord",
    "state": "State",
    "stores.base": "StateStore",
    "stores.memory": "MemoryStore",
    "stores.sqlite": "SqliteStore",
    "tools": "Tool ToolRegistry",
    "validation": "check",
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
