"""What the stepping thread can be asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph
    from stepgraph.json_values import Json
    from stepgraph.review import Decision


@dataclass(frozen=True, slots=True)
class Start:
    """Create a run, ready at its first node. Nothing runs yet."""

    app: CompiledGraph
    values: Mapping[str, Json]
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Run exactly one node."""

    run_id: str


@dataclass(frozen=True, slots=True)
class Go:
    """Run on until the end, a pause, a failure, a mark, or until somebody asks to stop."""

    run_id: str
    until: str | None = None
    """Stop also when this node comes next."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try the failed part of a run again, once."""

    run_id: str


@dataclass(frozen=True, slots=True)
class Decide:
    """Record a person's decision. Nothing runs."""

    run_id: str
    review: str
    decision: Decision
    expect_hash: str


Work = Start | Step | Go | Retry | Decide
