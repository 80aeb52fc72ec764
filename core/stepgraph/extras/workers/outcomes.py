"""What a worker is told to do, what came of it, and the words in which its two processes speak."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from ...values.json_values import Json

_LONGEST_DELAY = 60.0  # seconds

Ending = Literal["advanced", "left", "gone", "overtaken", "lost", "refused", "broken", "died", "killed"]
"""How a job ended: the run went on until it ended, failed or paused; was left ready because the worker stops;
is not there any more; was moved by somebody else; was given to another worker; cannot be run on this machine;
cannot be read; its process ended by itself; its process was ended by the worker."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker works."""

    url: str
    """The store's address, with its password."""
    name: str
    """What people know the worker by."""
    processes: int = 1
    """How many runs it advances at once."""
    trust: bool = False
    """Whether the Python code may run that the graphs of the store name."""
    folders: tuple[str, ...] = ()
    """Where graph files are looked for that are not at the path of the machine that started a run."""
    lease: float = 30.0
    """After how many seconds without a word of this worker others take its runs over."""
    live: bool = False
    """Whether it drives live runs, whoever has made them so: they ask the models of its user."""
    answering: str = ""
    """What makes the ``Answering`` of a process that runs nodes, as ``module:function``; empty for none."""


@dataclass(frozen=True, slots=True)
class JobOrder:
    """What a process that runs nodes is to advance, until it pauses, fails or ends."""

    run: str
    failed_at: int | None = None
    """The version at which it has failed, and is to be retried; None for one that is ready."""
    step_from: int | None = None
    """The version from which it is to make one step, and none where it has moved on; None for all steps."""
    claim: tuple[int, int] | None = None
    """The job and the number of the worker to whom alone the run belongs; None where nobody has it alone."""


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What came of a job."""

    ending: Ending
    run: str
    status: str | None = None
    """The run's status then."""
    steps: int = 0
    """How many steps were taken."""
    what: str = ""
    """What went wrong, and what to do about it, for people."""
    overran: bool = False
    """Whether its last node took longer than its timeout: something that it has started may go on."""


@dataclass(frozen=True, slots=True)
class RunBegins:
    """The code of a run's graph was imported; the message of the process that goes on with its nodes now."""

    version: int
    """The run's version as it begins."""
    step: int
    """How many steps it has made by then."""


@dataclass(frozen=True, slots=True)
class NodeBegins:
    """A node with a timeout begins; the message of the process that runs it."""

    run: str
    node: str
    version: int
    """The run's version as it begins."""
    timeout: float


@dataclass(frozen=True, slots=True)
class Ready:
    """A process that runs nodes has its store, and waits for a job."""


def outcome_text(outcome: JobOutcome) -> str:
    """Describe the outcome of a job."""
    steps = f"after {outcome.steps} step{'' if outcome.steps == 1 else 's'}"
    words = {
        "advanced": f"{outcome.status or ''} {steps}",
        "left": f"left ready {steps}",
        "gone": "is not there any more",
        "overtaken": f"was moved by somebody else: {outcome.what}",
        "lost": "was taken over by another worker: what its node has done here is not recorded",
        "refused": f"cannot run here, and waits for a worker that can run it: {outcome.what}",
        "broken": f"cannot be read: {outcome.what}",
        "died": outcome.what,
        "killed": f"was dropped, {outcome.what or 'and is run again'}",
    }
    more = f": {outcome.what}" if outcome.ending in ("advanced", "left") and outcome.what else ""
    return f"run {outcome.run} {words[outcome.ending]}{more}"


def delay_after(attempts: int) -> float:
    """Find after how many seconds a job is tried again that could not be done so often."""
    return min(2.0**attempts, _LONGEST_DELAY)


def leaving_text(nodes: int, *, at_once: bool) -> str:
    """Describe a worker that shuts down while it runs this many nodes."""
    if at_once:
        return "leaving at once: the current nodes are executed again by other workers"
    return f"leaving after the current node{'' if nodes == 1 else 's'}; ask again to leave at once"


Message = JobOutcome | RunBegins | NodeBegins | Ready

_KINDS: dict[str, type[JobOutcome] | type[RunBegins] | type[NodeBegins] | type[Ready]] = {
    "outcome": JobOutcome,
    "run": RunBegins,
    "node": NodeBegins,
    "ready": Ready,
}


def to_json(message: Message) -> dict[str, Json]:
    """Write a message."""
    kind = next(name for name, known in _KINDS.items() if isinstance(message, known))
    return {"kind": kind, **asdict(message)}


def from_json(data: dict[str, Any]) -> Message:
    """Read a message."""
    return _KINDS[data.pop("kind")](**data)
