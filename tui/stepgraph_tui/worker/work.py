"""What the stepping thread can be asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepgraph.runs import NO_LIMITS, SCRIPTED, RunMode, SpendingLimits

if TYPE_CHECKING:
    from stepgraph.expressions import Changes
    from stepgraph.files import GraphRef
    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Decision
    from stepgraph.values import Json


@dataclass(frozen=True, slots=True)
class Start:
    """Create a run, ready at its first node. Nothing runs yet."""

    app: CompiledGraph
    values: Mapping[str, Json]
    run_id: str | None = None
    by: str = ""
    """Who starts it."""
    mode: RunMode = SCRIPTED
    """Who answers in it."""
    limits: SpendingLimits = NO_LIMITS
    """How much it may spend, where that is not what its graph says."""


@dataclass(frozen=True, slots=True)
class Step:
    """Run exactly one node."""

    run_id: str
    into: bool = False
    """Whether its Python function is opened in the debugger, at the terminal."""


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
    into: bool = False
    """Whether the Python function of the failed node is opened in the debugger, at the terminal."""


@dataclass(frozen=True, slots=True)
class Abandon:
    """Fail the visit of a node that does not come back. What it still returns finds the run moved on."""

    run_id: str
    version: int
    """The version of the run at which the node began; one that was moved on since is left as it is."""
    seconds: float
    """For how long the node had run."""


@dataclass(frozen=True, slots=True)
class Extend:
    """Allow a run more steps. Nothing runs."""

    run_id: str
    steps: int


@dataclass(frozen=True, slots=True)
class Adopt:
    """Move a run to another version of its graph. Nothing runs."""

    run_id: str
    app: CompiledGraph


@dataclass(frozen=True, slots=True)
class EditState:
    """Change the state of a run between two steps. A review that waits is withdrawn, and asked anew."""

    run_id: str
    version: int
    """The version of the run that the person looked at; a run that was moved on since is left as it is."""
    changes: Changes
    by: str
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SetMode:
    """Change a run's mode. Nothing runs."""

    run_id: str
    mode: RunMode
    by: str
    limits: SpendingLimits = NO_LIMITS
    """How much it may spend; what is None stays as it was."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Fork a past step into a new run. Nothing runs."""

    run_id: str
    at: int | None
    """The step; None where the run stands."""
    values: Mapping[str, Json]
    """Keys to set at once; None takes one away."""
    by: str = ""
    new_id: str | None = None


@dataclass(frozen=True, slots=True)
class Decide:
    """Record a person's decision. Nothing runs."""

    run_id: str
    review: str
    decision: Decision
    expect_hash: str
    goes_on: bool = False
    """Whether the run is to continue once it is decided."""


@dataclass(frozen=True, slots=True)
class Try:
    """Run one node with a state of one's choice. There is no run of it, and nothing is recorded."""

    app: CompiledGraph
    node: str
    values: Mapping[str, Json]
    """The state, over the declared defaults; None takes a default away."""
    step: int = 1
    """The number of the step that it is taken for."""
    visit: int = 1
    visits: Mapping[str, int] = field(default_factory=dict)
    """How often each other node was visited before."""
    previous_output: str | None = None
    """What the node put out on the visit before."""
    last_output: str = ""
    """What the node before it put out."""
    decision: Decision | None = None
    """What a person decides where the node asks."""
    live: bool = False
    """Whether models are asked, also by a node that has scripted replies."""


@dataclass(frozen=True, slots=True)
class Load:
    """Import a Python module and take the graph that it has under a name. No node runs."""

    ref: GraphRef


Work = Load | Start | Step | Go | Retry | Abandon | Extend | Adopt | EditState | SetMode | Fork | Decide | Try
