"""A process that runs nodes, as its worker sees it: started, told what to do, ended; and their messages."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ...runs import operations
from ...runs.run import timed_out
from ...runs.views import open_run
from ...stores.ledger import READY
from ...stores.serving import Claim, ClaimLost
from ...values.errors import Conflict, NodeFailed, StepgraphError, UnknownRun
from ...values.json_values import Json

if TYPE_CHECKING:
    from ...runs.run import Run
    from ...stores.base import StateStore
    from ..postgres.store import PostgresStore


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


_HELD = "procrastinate_jobs WHERE id = {0} AND worker_id = {1} AND status = 'doing'"


@contextmanager
def moves_by_claim(store: StateStore, order: JobOrder) -> Iterator[None]:
    """Move a run by the worker's claim alone, where it has one: its job, until somebody puts that back."""
    if order.claim is None:
        yield
        return
    job, worker = order.claim
    claims: dict[str, Claim] = cast("PostgresStore", store).claims
    claims[order.run] = Claim(_HELD, (job, worker))
    try:
        yield
    finally:
        del claims[order.run]


class _Process(NamedTuple):
    pid: int
    state: str
    parent: int
    session: int


def descendants_of(leader: int, known: frozenset[int] = frozenset()) -> set[int]:
    """Find the running descendants of a session leader, whatever session they are in by now.

    A daemon, in a session of its own whose starter has ended, is not found; nor is anything on a system
    without ``/proc``.

    Args:
        leader: The leader; it may have ended.
        known: Descendants that were found before and may have ended since: their children are found, too.
    """
    processes = _all_processes()
    found = {leader, *known}  # a session has the number of its leader
    before = 0
    while len(found) > before:
        before = len(found)
        found |= {each.pid for each in processes if each.parent in found or each.session in found}
    return {each.pid for each in processes if each.pid in found and each.state != "Z"} - {leader}


def kill_descendants(leader: int) -> None:
    """Kill all descendants of a session leader, those that are started meanwhile included."""
    killed: frozenset[int] = frozenset()
    while new := descendants_of(leader, killed) - killed:
        for pid in new:
            _signal(pid, signal.SIGKILL)
        killed |= new


def kill_tree(leader: int) -> None:
    """Kill a session leader, its descendants and its process group.

    The leader may have ended. Without ``/proc`` its process group is all that is found.
    """
    _signal(leader, signal.SIGSTOP)  # it starts nothing more
    kill_descendants(leader)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def terminate_descendants(leader: int) -> None:
    """Send SIGTERM to the descendants of a session leader."""
    for pid in descendants_of(leader):
        _signal(pid, signal.SIGTERM)


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _all_processes() -> list[_Process]:
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            state, parent, _, session = file.read_text("utf-8", "replace").rpartition(")")[2].split()[:4]
            found.append(_Process(int(file.parent.name), state, int(parent), int(session)))
    return found


GRACE = 1.0
"""How many seconds after its timeout a node's process is ended: at first it is only interrupted.

So long, too, has what a node has started to end by itself after a SIGTERM.
"""
ABORT = 0.5
"""How many seconds a run that was stopped has to end by itself, before its node's process is ended."""
_POLL = 0.02
_LONGEST_LINE = 1 << 22

_Why = Literal["", "dropped", "stopped", "timeout"]
"""Why the process was ended; empty where it has ended by itself."""


class SupervisedHand:
    """Starts a process that runs nodes, and starts another when that one is gone.

    Args:
        options: How the worker works.
        store: Where the failures of nodes are recorded whose process had to be ended.
    """

    def __init__(self, options: WorkerOptions, store: StateStore) -> None:
        self._options, self._store = options, store
        self._process: Process | None = None
        self._why: _Why = ""
        self._run: RunBegins | None = None  # None until the code of its graph was imported
        self._node: NodeBegins | None = None
        self._began = time.monotonic()

    @property
    def pid(self) -> int | None:
        """The process; None before the first job."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start the process where there is none, so that it is ready when a job comes."""
        if self._process is not None and self._process.returncode is None:
            return
        command = (
            sys.executable,
            "-P",
            "-m",
            "stepgraph.extras.workers.hand",
        )  # -P: nothing of the current folder
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=_LONGEST_LINE
        )
        self._why = ""
        self._tell(asdict(self._options))
        message = await self._receive(self._process)
        if not isinstance(message, Ready):
            what = message.what if isinstance(message, JobOutcome) else ""
            raise StepgraphError(f"a process to run nodes in cannot be started: {what or 'it ended at once'}")

    @staticmethod
    async def _receive(process: Process) -> Message | None:
        """Wait for a message; None when the process is gone."""
        line = await process.stdout.readline() if process.stdout is not None else b""
        return from_json(json.loads(line)) if line else None

    async def advance(self, order: JobOrder, until: float) -> JobOutcome:
        """Advance a run, and end the process when a node takes longer than its timeout.

        Args:
            order: The run, and how far.
            until: When others may take it over, unless ``prolong`` says otherwise by then.
        """
        await self.start()
        process, self._run, self._node, self._began = self._process, None, None, time.monotonic()
        assert process is not None  # noqa: S101  # it was started
        self._tell({"do": "advance", "job": asdict(order), "until": until})
        ends: asyncio.TimerHandle | None = None
        try:
            while (message := await self._receive(process)) is not None:
                if ends is not None:
                    ends.cancel()
                if isinstance(message, JobOutcome):
                    if message.ending != "killed":
                        if message.overran:
                            await self._replace(process)
                        return message
                    self._why = "dropped"
                elif isinstance(message, RunBegins):
                    self._run = message
                elif isinstance(message, NodeBegins):
                    self._node, self._began = message, time.monotonic()
                    loop = asyncio.get_running_loop()
                    ends = loop.call_later(message.timeout + GRACE, self.end, "timeout")
        finally:
            if ends is not None:
                ends.cancel()
        return await self._ended(process, order)

    def leave(self) -> None:
        """Stop it after the current node."""
        self._tell({"do": "leave"})

    def prolong(self, until: float) -> None:
        """Prolong its lease until another moment by ``uptime``."""
        self._tell({"do": "prolong", "until": until})

    def end(self, why: _Why = "dropped") -> None:
        """End the process at once, with all that its nodes have started."""
        if self._process is not None and self._process.returncode is None:
            self._why = why
            kill_tree(self._process.pid)

    async def _replace(self, process: Process) -> None:
        """End a process whose node took too long, with what that has left behind."""
        ends = time.monotonic() + GRACE
        terminate_descendants(process.pid)
        while descendants_of(process.pid) and time.monotonic() < ends:  # noqa: ASYNC110  # no event tells
            await asyncio.sleep(_POLL)
        self.end("timeout")
        await process.wait()

    async def close(self) -> None:
        """End the process, and wait until it is gone."""
        self.end()
        if self._process is not None:
            await self._process.wait()

    def _tell(self, order: object) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # it is gone, as is seen by its answer
                self._process.stdin.write(json.dumps(order).encode() + b"\n")

    async def _ended(self, process: Process, order: JobOrder) -> JobOutcome:
        """Find out what became of a job whose process is gone; record it where the node was the cause."""
        run_id = order.run
        code = await process.wait()
        kill_tree(process.pid)
        if self._why == "stopped":
            return JobOutcome("killed", run_id, what="because the run was stopped")
        if self._why == "dropped":
            return JobOutcome("killed", run_id)
        begun, node, at = self._run, self._node, order.step_from
        how = f"signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"exit code {code}"
        if begun is None:  # no node has run: the run stays as it is, as where code is missing
            return JobOutcome("refused", run_id, what=f"importing its graph's code ended the process: {how}")
        if self._why == "timeout" and node is not None:
            reason, at = timed_out(node.timeout, "its process was ended"), node.version
        else:
            reason = NodeFailed(
                f"its process ended while it ran: {how}",
                hint="was there too little memory? Retry the run to execute the node again",
            )
        took = time.monotonic() - self._began
        try:
            run, is_recorded = await asyncio.to_thread(self._record, order, begun, at, reason, took)
        except ClaimLost:
            return JobOutcome("lost", run_id)
        except UnknownRun:
            return JobOutcome("gone", run_id)
        except StepgraphError as error:
            return JobOutcome(
                "died", run_id, what=f"{reason.message}; it could not be recorded: {error.message}"
            )
        what = reason.message if is_recorded else f"its process ended before it said so: {how}"
        ending: Ending = "left" if run.status is READY else "advanced"
        return JobOutcome(ending, run_id, run.status.value, run.step - begun.step, what)

    def _record(
        self, order: JobOrder, begun: RunBegins, at: int | None, reason: NodeFailed, took: float
    ) -> tuple[Run, bool]:
        """Record that a node has failed, unless the run has moved on before its process ended.

        Args:
            order: The run, and what allows this worker to move it.
            begun: As the process found it.
            at: The version at which the node began; None where nobody has told.
            reason: Why the node has failed.
            took: How long it took, in seconds.

        Returns:
            The run as it is then, and whether that was recorded.

        Raises:
            ClaimLost: Another worker was given the run.
            UnknownRun: It was deleted.
        """
        with moves_by_claim(self._store, order):
            while True:
                run = open_run(self._store, order.run)
                if not (_is_at_node(run, begun) if at is None else run.version == at):
                    return run, False
                try:
                    operations.fail_visit(run, reason, time.time() - took, took)
                except ClaimLost:
                    raise
                except Conflict:  # somebody has moved it on meanwhile
                    continue
                return run, True


def _is_at_node(run: Run, begun: RunBegins) -> bool:
    """Return True if a run is still at the node that its process was at when it ended.

    That is where the process found it, or where a step has left it, since nobody else makes steps. Where a
    person has made it ready again meanwhile, as by a decision, its process had nothing to do any more.
    """
    if run.version == begun.version:
        return True
    return run.status is READY and run.store.rows(run.id, run.version - 1)[-1].kind in ("step", "route")
