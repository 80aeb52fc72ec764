"""Where a graph and its run stand, and what comes next, in words: the header's status and the NEXT line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from stepgraph.stores import Outcome, RunStatus
from stepgraph_tui.cli_equivalents import Equivalents
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.store_look import is_in_memory
from stepgraph_tui.text.calls import asked_text, wait_text
from stepgraph_tui.text.characters import visible
from stepgraph_tui.text.excerpts import last_rows
from stepgraph_tui.text.plain import place, plural, took
from stepgraph_tui.text.reviews import deadline_text, done_text
from stepgraph_tui.text.run_list import ending

if TYPE_CHECKING:
    from pathlib import Path

    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Run
    from stepgraph_tui.documents import DiskState, OpenedGraph
    from stepgraph_tui.run_view import RunSnapshot, RunView
    from stepgraph_tui.worker import CallNow, VisitCalls

_STATUS = {
    RunStatus.READY: "READY",
    RunStatus.PAUSED: "AWAITING HUMAN",
    RunStatus.FAILED: "FAILED",
    RunStatus.ENDED: "ENDED",
}
_ON_DISK = {"changed": "CHANGED ON DISK", "gone": "NOT ON DISK"}


@dataclass(frozen=True, slots=True)
class FileState:
    """A graph file as it is edited."""

    path: Path | None = None
    """None for a run that has no file."""
    nodes: Collection[str] = ()
    errors: int = 0
    """How many errors keep the graph from running."""
    is_built: bool = True
    """Whether there is a graph of it; building and checking a large one takes a moment."""
    is_readable: bool = True
    is_dirty: bool = False
    """Whether there are edits that are not saved."""
    on_disk: DiskState = "same"
    wrong_line: int | None = None
    """Where a file that cannot be read begins to be wrong."""
    refusal: str = ""
    """Why it cannot be edited, and what to do instead; empty where it can be."""
    is_python: bool = False
    """Whether it is Python code, which is imported rather than read."""

    @classmethod
    def of(cls, file: OpenedGraph, on_disk: DiskState) -> FileState:
        """Read it off a file that is edited."""
        return cls(
            file.path,
            file.design.nodes,
            file.checked.errors,
            is_built=file.checked.graph is not None,
            is_readable=file.readable,
            is_dirty=file.is_dirty,
            on_disk=on_disk,
            wrong_line=file.place_of(())[1] if not file.readable else None,
            refusal=file.refusal,
            is_python=file.is_python,
        )


@dataclass(frozen=True, slots=True)
class RunningNode:
    """A node that runs now."""

    name: str
    seconds: float
    is_trial: bool = False
    """Whether it is tried beside the run."""
    calls: VisitCalls | None = None
    """What it has asked models and tools so far; None where nobody knows."""

    @property
    def call(self) -> CallNow | None:
        """The call that it waits for."""
        return self.calls.now if self.calls is not None else None

    def coming(self, masked: Callable[[str], str], rows: int, width: int) -> list[str]:
        """Name who is asked, and fold the end of what is being answered; nothing while nobody is asked.

        Args:
            masked: Hides secrets.
            rows: How many rows of the answer there are at most.
            width: How many cells a row has.
        """
        if self.call is None:
            return []
        call = visible(masked(call_now_text(self.call)))
        return [call, *last_rows(masked(self.call.text), rows, max(1, width))]


@dataclass(frozen=True, slots=True)
class Situation:
    """All that the header and the NEXT line of a workbench depend on."""

    file: FileState
    graph: str | None = None
    """The name of the graph that is drawn; None where none is."""
    answers: str = "SCRIPTED"
    """Who answers in the run, or in the next one: SCRIPTED, CODE (Python runs), LIVE, REPLAY or MIXED."""
    designing: bool = False
    """Whether the graph is designed, rather than a run of it debugged."""
    node: str | None = None
    """The selected node."""
    edge: int | None = None
    """The position of the selected edge."""
    moment: RunSnapshot | None = None
    """What is shown of a run; None without one."""
    is_older: bool = False
    """Whether the run uses another version than the file, by meaning."""
    running: RunningNode | None = None
    importing: float | None = None
    """For how many seconds the graph's module has been imported; None where it is not."""
    store: str | None = None
    """The store's address where commands must name it."""
    workers: str = ""
    """How workers are at the run; empty where they do not drive it."""
    hints: Hints = UNMAPPED
    """Names the keys."""

    @property
    def is_reading(self) -> bool:
        """Whether the graph of the file is still being built."""
        return self.file.is_readable and not self.file.is_built


@dataclass(frozen=True, slots=True)
class Status:
    """What the header says."""

    graph: str
    """The graph's name, with a star while it has unsaved edits."""
    word: str
    """How the run, or in Design the file, stands, in a word or two."""
    answers: str = "SCRIPTED"
    """Who answers where a node asks a model: SCRIPTED, CODE (Python runs), LIVE, REPLAY or MIXED."""
    run_id: str = ""
    step: int = 0
    max_steps: int = 0


@dataclass(frozen=True, slots=True)
class NextStep:
    """What the NEXT line says."""

    word: str
    """Its first word, in capitals."""
    text: str
    command: str = ""
    """The command that does the same as the next key."""


def status_text(now: Situation) -> Status:
    """Describe where the graph and its run stand."""
    file, run = now.file, now.moment.view.run if now.moment is not None else None
    name = now.graph if now.graph is not None else file.path.name if file.path is not None else ""
    graph = f"{name} *" if file.is_dirty else name
    trying = now.running is not None and now.running.is_trial
    if now.designing and not now.is_reading and now.importing is None:
        return Status(graph, "TRYING" if trying else _file_status(file), now.answers)
    word = "TRYING" if trying else _run_status(now)
    if now.importing is not None:
        word = "IMPORTING"
    if run is None:
        return Status(graph, word, now.answers)
    if now.is_older:
        graph = f"{graph} (older)"
    return Status(graph, word, now.answers, run.id, run.step, run.max_steps)


def _run_status(now: Situation) -> str:
    moment = now.moment
    if moment is None:
        return "NO RUN"
    if now.running is not None:
        return "RUNNING"
    if not moment.live:
        return f"VIEWING {moment.step}"
    pending = moment.view.pending
    if pending is not None and pending.is_wait:
        return "WAITS FOR ITS TIME"
    status = moment.view.run.status
    with_workers = now.workers and status is RunStatus.READY
    return f"READY, {now.workers}" if with_workers else _STATUS[status]


def _file_status(file: FileState) -> str:
    if file.path is None:
        return "PYTHON" if file.is_python else "NO FILE"
    if not file.is_readable:
        return "NOT IMPORTED" if file.is_python else "CANNOT BE READ"
    as_it_is = "PYTHON" if file.is_python else "SAVED"
    return _ON_DISK.get(file.on_disk, "MODIFIED" if file.is_dirty else as_it_is)


def next_step_text(now: Situation) -> NextStep:
    """Find what the next key will do, or why there is no next step."""
    file, running, hints = now.file, now.running, now.hints
    if running is not None and running.is_trial:
        stops = hints("{debug.stop} stops it") if running.call is not None else "it cannot be stopped"
        return NextStep("TRIES", f"{_at_work(running)}: nothing is recorded, and {stops}")
    if now.importing is not None:
        name = _module(file)
        length = f", {took(now.importing)}" if now.importing >= 1 else ""
        return NextStep("IMPORTS", f"{name}{length}: {hints('{debug.stop} stops waiting for it')}")
    if now.is_reading:
        return NextStep("READS", f"building and checking {plural(len(file.nodes), 'node')}")
    if now.designing:
        return _of_design(file, now.node, now.edge, hints) if file.is_readable else _of_no_design(file, hints)
    if running is not None:
        stops = "{debug.stop} stops it now" if running.call is not None else "{debug.stop} stops after it"
        return NextStep("RUNS", f"{_at_work(running)}: {hints(stops)}")
    if now.moment is None:
        return _without_a_run(file, hints)
    step = _of_run(now.moment, now.store, hints)
    older = f"; {hints('{debug.version} shows how the file differs')}" if now.is_older else ""
    return replace(step, text=f"{step.text}{older}")


def _at_work(running: RunningNode) -> str:
    length = f", {took(running.seconds)}" if running.seconds >= 1 else ""
    asks = f" {call_now_text(running.call)}" if running.call is not None else ""
    return f"{running.name}{asks or length}"


def call_now_text(call: CallNow) -> str:
    """Describe what a call that lasts is at: ``asks default, 3.2 s, 512 characters``, ``waits 4 s: ...``."""
    now = monotonic()
    if call.again is not None:
        return wait_text(max(0.0, call.again - now), call.why)
    parts = [asked_text(call.place.kind, call.place.name)]
    if now - call.began >= 1:
        parts.append(took(now - call.began))
    if call.thinks:
        parts.append("thinking")
    if call.characters:
        parts.append(plural(call.characters, "character"))
    return ", ".join(parts)


def _without_a_run(file: FileState, hints: Hints) -> NextStep:
    if file.is_python and not file.is_readable:
        return _not_imported(file, hints)
    if file.errors:
        errors = plural(file.errors, "error")
        return NextStep(
            "HINT", hints(f"{errors} to fix before it can run: {{workbench.problems}} shows them")
        )
    if not file.is_built:
        return NextStep("HINT", hints("{home.open} on the home screen opens a graph"))
    does = "goes through" if file.refusal else "edits"
    return NextStep(
        "HINT", hints(f"no run yet: {{debug.go}} starts one, {{workbench.mode}} {does} the graph")
    )


def _of_design(file: FileState, node: str | None, edge: int | None, hints: Hints) -> NextStep:
    """Find what there is to do with what is selected."""
    if file.refusal:
        return NextStep("PYTHON" if file.is_python else "DESIGN", file.refusal)
    if not file.nodes:
        return NextStep("DESIGN", hints("{edit.add} adds the first node"))
    mend = hints("{design.next_problem} goes there, {design.fix} offers fixes")
    left = f"; {plural(file.errors, 'error')} left: {mend}" if file.errors else ""
    if edge is not None:
        text = (
            "{graph.enter} edits it, {edit.earlier} {edit.later} move it, "
            "{edit.add} adds a node on it, {edit.delete} deletes it"
        )
        return NextStep("EDGE", f"{hints(text)}{left}")
    if node is None or node not in file.nodes:
        ways = hints.together("graph.left", "graph.down", "graph.up", "graph.right")
        return NextStep("DESIGN", f"{ways} select a node{left}")
    text = hints("{graph.enter} edits it, {edit.add} adds one after it, {edit.connect} connects it")
    return NextStep("NODE", f"{node}: {text}{left}")


def _of_no_design(file: FileState, hints: Hints) -> NextStep:
    """Explain why a graph cannot be designed, and what there is to do about it."""
    if file.is_python:
        return _not_imported(file, hints)
    if file.path is None:
        return NextStep("DESIGN", "this run has no graph file: you can view it, not edit it")
    where = f" at line {file.wrong_line}" if file.wrong_line is not None else ""
    text = (
        f"the file cannot be read{where}: {{workbench.editor}} opens it there; this is the last good version"
    )
    return NextStep("BROKEN", hints(text))


def _not_imported(file: FileState, hints: Hints) -> NextStep:
    """Explain why a graph is not there that is Python, or is not the newest one, and what to do."""
    name = _module(file)
    if not file.errors:
        return NextStep("HINT", f"{name} is not imported: {hints('{debug.go} imports it, if you trust it')}")
    old = "; this is the last good version" if file.is_built else ""
    where = f" at line {file.wrong_line}" if file.wrong_line is not None else ""
    does = hints("{workbench.problems} shows why, {workbench.editor} opens it there, {debug.go} tries again")
    return NextStep("BROKEN", f"{name} cannot be imported{where}: {does}{old}")


def no_graph_text(now: Situation) -> str:
    """Explain why a module has no graph here, and which key imports it; empty if there is nothing to say."""
    file, hints = now.file, now.hints
    if file.is_built or not file.is_python:
        return ""
    if now.importing is not None:
        return f"{_module(file)} is being imported."
    if file.errors:
        return hints(f"{_module(file)} cannot be imported: {{workbench.problems}} tells why.")
    asks = "{design.run}" if now.designing else "{debug.go}"
    text = f"{_module(file)} is not imported: its code is not trusted yet."
    return f"{text} {hints(f'{asks} asks again.')}"


def _module(file: FileState) -> str:
    """Name the module of a Python graph."""
    return file.path.name.rpartition(":")[0] if file.path is not None else "the module"


def _of_run(moment: RunSnapshot, store: str | None, hints: Hints) -> NextStep:
    view = moment.view
    run = view.run
    can_be_reached = not is_in_memory(store or view.store.url)
    has_next = run.status is RunStatus.READY and can_be_reached
    command = Equivalents(store).step(run.id) if has_next else ""
    if not moment.live:
        where = "the start" if moment.step == 0 else f"step {moment.step:,} of {run.step:,}"
        back = hints("{debug.fork} forks here, {workbench.back} goes back to the latest step")
        return NextStep("VIEWING", f"{where}; {back}", command)
    if run.status is RunStatus.ENDED:
        way = (
            _past_limit(run)
            if run.outcome is Outcome.MAX_STEPS
            else "{debug.earlier} looks back, {debug.start_over} starts over"
        )
        return NextStep("ENDED", f"{ending(run)} after {plural(run.step, 'step')}; {hints(way)}")
    node = run.current or ""
    if view.pending is not None and view.pending.is_wait:
        from stepgraph_tui.text.reviews import wait_text

        goes_on = hints("{workbench.approvals} lets it continue sooner")
        return NextStep("WAITS", f"{node} {wait_text(view.pending)}; {goes_on}")
    if run.status is RunStatus.PAUSED:
        text = f"{node} asks a person: {hints('{debug.go} opens the review')}"
        return NextStep("WAITS", "; ".join(filter(None, (text, _deadline(view)))))
    if run.status is RunStatus.FAILED and run.outcome is Outcome.MAX_STEPS:
        limit = plural(run.max_steps, "step")
        return NextStep("FAILED", f"at its limit of {limit}, before {node}; {hints(_past_limit(run))}")
    if run.status is RunStatus.FAILED:
        reason = view.mask.text(run.error.message) if run.error is not None else "failed"
        return NextStep("FAILED", f"{hints('{debug.retry} retries')}: {reason}")
    decided = _decided_text(view)
    if decided is not None:
        goes_on = hints("{debug.step} takes the next step, {debug.go} continues")
        return NextStep("NEXT", f"{node}  {decided}: {goes_on}", command)
    return NextStep("NEXT", f"{node}  {upcoming(view)}{_then(view, hints)}", command)


def _deadline(view: RunView) -> str:
    return deadline_text(view.pending) if view.pending is not None else ""


def _then(view: RunView, hints: Hints) -> str:
    """Describe what a step does to the next node."""
    from stepgraph.runs import asks_before, asks_behind

    entry = view.plan.nodes.get(view.run.current or "")
    if entry is None:
        return ""
    if entry.is_approval:
        return ": the run stops here for a decision"
    if asks_before(view.plan, entry.name):
        return ": the run stops here for a decision, and runs it then"
    if asks_behind(view.plan, entry.name):
        return f": {hints('{debug.step} runs it')}, and the run stops there for a decision"
    return f": {hints('{debug.step} runs it')}, {_ways(view.plan, entry.name)}"


def _ways(plan: CompiledGraph, node: str) -> str:
    edges = plan.edges_from(node)
    if len(edges) == 1:
        then = "then" if edges[0].unconditional else "then, if it matches,"
        return f"{then} → {place(edges[0].target)}"
    return f"then one of {len(edges)} edges"


def upcoming(view: RunView) -> str:
    """Describe the next node of a run: ``tool, has side effects (!)``, ``asks a person, risk high``."""
    from stepgraph.runs import waypoint

    entry = view.plan.nodes.get(view.run.current or "")
    if entry is None:
        return "is not a node of this graph"
    decided = unused_decision(view)
    if decided is not None:
        return decided
    if entry.is_approval:
        settings: Any = getattr(entry.node, "settings", None)
        return f"asks a person, risk {settings.risk}"
    way = waypoint(view.plan, entry.name)
    asks = ", asks a person" if way.asks else ""
    return f"{entry.type}{asks}{', has side effects (!)' if way.side_effects else ''}"


def unused_decision(view: RunView) -> str | None:
    """Describe what was decided and no step has used yet: ``rejected by ana; the next step uses it``."""
    decided = _decided_text(view)
    return f"{decided}; the next step uses it" if decided is not None else None


def _decided_text(view: RunView) -> str | None:
    decision = view.decision
    if decision is None:
        return None
    return view.mask.text(done_text(decision))


def _past_limit(run: Run) -> str:
    """Name the keys for a run at its step limit: where a node came back, what tells why comes first."""
    came_back = any(count > 1 for count in run.visits.values())
    return f"{'{debug.loop} shows why, ' if came_back else ''}{{debug.extend}} allows more steps"
