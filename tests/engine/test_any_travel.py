"""Travel in time: each step is viewed as it was, and a fork that is answered alike goes the same way."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph import (
    END,
    Breakpoint,
    Decision,
    Executor,
    MemoryStore,
    NodeResult,
    NotReady,
    ReviewRequest,
    Run,
    RunStatus,
    State,
    StateGraph,
    StateStore,
    open_run,
)
from stepgraph.runs.debug.compiled import CompiledBreakpoints
from stepgraph.runs.debug.monitor import BreakpointHistory
from stepgraph.runs.forking import values_to_fork
from stepgraph.runs.run import compare_runs
from stepgraph.runs.session import DebugSession
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore
from tests.examples import ALL, examples

NAMES = ("a", "b", "c")
MOST = 8  # steps of a run; one that goes on longer is left where it stands
BREAKPOINTS = (
    Breakpoint("before", "b"),
    Breakpoint("after", "a", when="n > 1 or step > 4"),
    Breakpoint("changes", path="log"),
    Breakpoint("becomes", path="n", value=2, when="visits.a >= 2"),
    Breakpoint("type", path="n"),
)


@dataclass(frozen=True)
class Turn:
    """What is written down for one step: how often its node fails and asks, what it gives, what people do."""

    updates: dict[str, Any]
    output: str | None = None
    fails: bool = False
    decision: Decision | None = None
    edit: dict[str, Any] = field(default_factory=dict)
    """Before the step, when the run is ready for it."""
    edit_asked: dict[str, Any] = field(default_factory=dict)
    """While its review waits."""


numbers = st.integers(0, 3) | st.just("x")
updates = st.fixed_dictionaries(
    {},
    optional={
        "n": numbers | st.none(),
        "to": st.sampled_from(NAMES),
        "log": st.integers(0, 2),
        "table": st.dictionaries(st.sampled_from("xy"), st.integers(0, 1), max_size=2),
        "big": st.just(["x" * 70]),
    },
)
edits: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.fixed_dictionaries(
    {},
    optional={"n": numbers | st.none(), "log": st.just([0]), "to": st.sampled_from(NAMES)},
)
decisions = st.none() | st.sampled_from(
    [Decision.approve(by="ana"), Decision.edit({"n": 2}), Decision.reject(), Decision.respond("perhaps")]
)
turns = st.builds(
    Turn, updates, st.none() | st.sampled_from(["x", "y"]), st.booleans(), decisions, edits, edits
)
conditions = st.sampled_from(
    ["n > 1", "to == 'b'", "visits.a >= 2", "step > 4", "last_output == 'x'", "log[0] == 0"]
)
ways = st.lists(st.tuples(conditions, st.sampled_from([*NAMES, END])), max_size=2)
graphs = st.tuples(st.tuples(ways, ways, ways), st.integers(3, 12))


class Scripted:
    """A node that does what is written down for the step, and writes down what it sees of the past."""

    feedback = True

    def __init__(self, script: list[Turn]) -> None:
        self.script = script
        self.failed: set[tuple[str, int]] = set()

    def __call__(self, state: State) -> Any:
        turn = self.script[(state.step - 1) % len(self.script)]
        if turn.fails and (state.run_id, state.step) not in self.failed:
            self.failed.add((state.run_id, state.step))
            raise ValueError("as told")
        if turn.decision is not None and state.decision is None:
            verbs: Any = ("approve", "edit", "reject", "respond")
            return NodeResult.pause(
                ReviewRequest("Go on?", show=("n",), editable={"n": "number"}, allow=verbs)
            )
        told = state.decision.apply_to(dict(state)) if state.decision is not None else {}
        text = state.decision.text if state.decision is not None else ""
        past = [(said or "")[-20:] for said in (state.last_output, state.previous_output)]
        seen = [state.visit, *past, dict(state.visits), text]
        return NodeResult({"seen": seen, **told, **turn.updates}, output=turn.output)


def build(graph: tuple[tuple[list[tuple[str, str]], ...], int], script: list[Turn]) -> StateGraph:
    """Three nodes with a few ways between them, of which the last one is open."""
    built = StateGraph("any", start="a", max_steps=graph[1], on_max_steps="fail")
    built.add_key("log", reducer="append", default=[])
    built.add_key("table", reducer="merge")
    node = Scripted(script)
    for number, name in enumerate(NAMES):
        built.add_node(name, node)
        for condition, target in graph[0][number]:
            built.add_edge(name, target, when=condition)
        built.add_edge(name, NAMES[(number + 1) % len(NAMES)])
    return built


@dataclass
class Player:
    """Drives a run as it is written down, and keeps what it saw, step by step."""

    executor: Executor
    script: list[Turn]
    states: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The state that each step left."""
    way: dict[int, tuple[str, str | None]] = field(default_factory=dict)
    """The node of each step, and where its edges led in the end."""
    left: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The state that the edges of each step were tried in, in the end."""
    edits: dict[int, int] = field(default_factory=dict)
    """How often the state was edited behind each step, since its edges were tried."""
    forked: list[tuple[Run, set[tuple[int, str]]]] = field(default_factory=list)
    """Forks of where the run stood just when it was edited, each with the edits that were over then."""

    def play(self, run: Run, edited: Collection[tuple[int, str]] = (), *, forks: bool = False) -> Run:
        """Drive a run to its end, or for so many steps.

        Args:
            run: The run.
            edited: The edits that have been made already, by the step and the run's status.
            forks: Whether it is forked behind each edit.
        """
        edited = set(edited)
        self.states[run.step] = self.left[run.step] = run.values
        while run.status is not RunStatus.ENDED and run.step < MOST:
            turn = self.script[run.step % len(self.script)]
            asked = run.status is RunStatus.PAUSED
            edit = turn.edit_asked if asked else turn.edit
            fresh = (run.step, run.status.value) not in edited
            if edit and fresh and run.status is not RunStatus.FAILED:
                edited.add((run.step, run.status.value))
                run = self.executor.edit(run.id, edit, by="test")
                self.edits[run.step] = self.edits.get(run.step, 0) + 1
                if forks:
                    self.fork(run, edited)
            elif asked:
                assert turn.decision is not None
                self.executor.decide(run.id, turn.decision)
                run = self.executor.load(run.id)
            elif run.status is RunStatus.READY:
                self.seen(run, lambda run=run: self.executor.step(run))
            elif type(run.error).__name__ == "NodeFailed":
                self.seen(run, lambda run=run: self.executor.try_again(run))
            elif type(run.error).__name__ == "MaxStepsExceeded":
                run = self.executor.extend(run.id, 3)
            else:
                run = self.executor.edit(run.id, {"n": 2, "log": [0]}, by="test")
                self.seen(run, lambda run=run: self.executor.try_again(run))
        return run

    def fork(self, run: Run, edited: set[tuple[int, str]]) -> None:
        """Fork a run where it stands."""
        fork = self.executor.fork(run.id)
        assert fork.head.origin == f"{run.id}@{run.step}+{self.edits[run.step]}"
        assert (fork.status, fork.values, fork.current) == (RunStatus.READY, run.values, run.current)
        self.forked.append((fork, set(edited)))

    def seen(self, run: Run, move: Any) -> None:
        """Take a step, and keep what the executor's own handle has then."""
        before = run.step
        record = move()
        if run.step > before:
            self.states[run.step] = run.values
        if run.step > before or record.row.kind == "step":
            self.way[run.step], self.left[run.step] = (record.node, record.next), run.values


def check_views(player: Player, run: Run) -> None:
    """Look at each step through a handle that did not run it, and through a session."""
    read = open_run(player.executor.store, run.id)
    session = DebugSession(player.executor, player.executor.load(run.id))
    assert sorted(player.states) == list(range(min(player.states), run.step + 1))
    for step, values in player.states.items():
        session.view(step)
        assert read.values_at(step) == session.values == values
        assert list(session.values) == list(values)
        record = session.record
        if record is not None and step in player.way:
            assert (record.node, record.next) == player.way[step]
            assert record.context().values == player.left[step]
            assert [edge.matched for edge in record.edges].count(True) == (record.next is not None)
    assert read.values == run.values


def check_forks(player: Player, run: Run) -> None:
    """Fork at each step and where edits were made, answer alike, and find that the same has happened."""
    executor = player.executor
    for step in range(run.step + 1):
        comes = run.plan.start if step == 0 else player.way[step][1]
        if comes is None or comes == END or step >= run.max_steps:
            with pytest.raises(NotReady):
                executor.fork(run.id, at=step)
            continue
        fork = executor.fork(run.id, at=step)
        assert fork.head.origin == f"{run.id}@{step}"
        assert (fork.status, fork.step, fork.current) == (RunStatus.READY, step, comes)
        assert fork.values == values_to_fork(run, step) == player.left[step]
        check_fork(player, run, fork)
    for fork, edited in player.forked:
        check_fork(player, run, fork, edited)


def check_fork(player: Player, run: Run, fork: Run, edited: Collection[tuple[int, str]] = ()) -> None:
    """Drive a fork as its parent was, and find that the same has happened."""
    executor, step = player.executor, fork.step
    again = Player(executor, player.script)
    fork = again.play(fork, edited)
    later = {at: values for at, values in player.states.items() if at > step}
    assert {at: values for at, values in again.states.items() if at > step} == later
    assert again.way == {at: way for at, way in player.way.items() if at > step}
    assert (fork.status, fork.outcome, fork.current) == (run.status, run.outcome, run.current)
    assert fork.values == run.values
    ours, theirs = open_run(executor.store, run.id), open_run(executor.store, fork.id)
    assert compare_runs(ours, theirs).is_same
    for at in range(run.step + 1):
        assert ours.values_at(at) == theirs.values_at(at)
    capped = [row.step for row in executor.store.rows(run.id, kinds=("extend",))]
    assert hits(theirs, capped) == hits(ours, capped)


def hits(run: Run, capped: Collection[int]) -> list[tuple[Any, ...]]:
    """Read where a run met the breakpoints, and with which values.

    Nothing was hit before a node that the step limit kept from running: a fork may take more
    steps from the start.
    """
    found = BreakpointHistory(CompiledBreakpoints(BREAKPOINTS, run.plan)).read(run).hits
    return [
        (hit.breakpoint, hit.step, hit.position, hit.node, hit.failed, hit.change())
        for hit in found
        if hit.breakpoint.kind != "before" or hit.position not in capped
    ]


def travel(store: StateStore, graph: Any, script: list[Turn]) -> None:
    player = Player(Executor(build(graph, script).compile(), store), script)
    run = player.play(player.executor.start({"n": 0, "to": "b"}, "r-1"), forks=True)
    check_views(player, run)
    check_forks(player, run)


@settings(max_examples=200 if ALL else 25)
@given(graphs, st.lists(turns, min_size=1, max_size=6))
def test_in_memory(graph: Any, script: list[Turn]) -> None:
    with MemoryStore() as store:
        travel(store, graph, script)


@examples(40)
@given(graphs, st.lists(turns, min_size=1, max_size=6))
def test_in_a_file_with_a_snapshot_every_few_rows(
    tmp_path_factory: pytest.TempPathFactory, graph: Any, script: list[Turn]
) -> None:
    path = tmp_path_factory.mktemp("runs") / "runs.db"
    policy = SnapshotPolicy(min_rows=2, max_rows=3)
    with SqliteStore(path, durability="normal", snapshots=policy) as store:
        travel(store, graph, script)
