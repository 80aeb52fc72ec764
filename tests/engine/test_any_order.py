"""Every operation in every order: both stores tell the same story, and the story hangs together."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Decision, Executor, MemoryStore, NodeResult, ReviewRequest, Run, State, StateGraph
from stepgraph.graphs.parts import NodeReview, ReviewPolicy
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph.values.errors import StepgraphError

OPERATIONS = ("start", "step", "run", "decide", "retry", "extend", "edit", "fork", "adopt")
OFTEN = ("step", "run", "decide", "decide", "decide", "edit")
"""What is done more often where most nodes wait for a person."""
EDITS: tuple[dict[str, Any], ...] = (
    {"n": 3},
    {"list": [9]},
    {"list": None},
    {"table": {"z": 1}},
    {"seed": 5},
    {"big": ["y" * 70]},
)
DECISIONS = (
    Decision.approve(by="ana"),
    Decision.edit({"n": 5}),
    Decision.edit({"table": {"e": 1}}),
    Decision.reject(),
    Decision.respond("perhaps"),
    Decision.edit({"list": [4]}),
    Decision.edit({"past": [[4]]}),
    Decision.approve(by="ben"),
    Decision.edit({"seed": 3}),
)
_STORES = 2
GATES: tuple[tuple[ReviewPolicy, dict[str, NodeReview]], ...] = (
    ("never", {"a": "before", "b": "after"}),
    ("last", {"b": "before"}),
    ("every", {"c": "never", "d": "before"}),
)
"""The gates of each graph."""
done: Counter[str] = Counter()
"""How often a node did its work, by its idempotency key."""


def moody(number: int) -> Any:
    """A node that does, depending on the state and the step, one of all the things a node can do."""

    def node(state: State) -> Any:
        result = work(state)
        asks = isinstance(result, NodeResult) and result.review is not None
        done[state.idempotency_key] += not asks
        return result

    def work(state: State) -> Any:
        mood = (state.get("seed", 0) + state.step * 7 + number) % 9
        asked: dict[str, Any] = {} if state.decision is None else state.decision.apply_to(dict(state))
        n = asked.get("n") or state.get("n") or 0
        if mood == 0:
            raise OSError("not today")
        if mood == 1 and state.decision is None:
            editable: Any = {"n": "number", "table": "table"}
            verbs: Any = ("approve", "edit", "reject", "respond")
            return NodeResult.pause(ReviewRequest(f"n is {n}?", show=("n",), editable=editable, allow=verbs))
        if mood == 2:
            return {"list": None, **asked}
        if mood == 3:
            return {"table": {f"k{state.step}": n}, **asked}
        if mood == 4:
            return {"big": state.get("big"), "n": 0}
        if mood == 5:
            return NodeResult({"n": n + 1}, output=f"after {state.previous_output}")
        return {"n": n + 1, "list": state.step, "past": state.get("list")}

    return node


def graphs(*, gated: bool) -> list[StateGraph]:
    """Three graphs that a run can be moved between."""
    made = []
    settings: Any = (("fail", 6, "abc"), ("return_last", 9, "abc"), ("flag", 4, "abcd"))
    for (policy, cap, nodes), (review, gates) in zip(settings, GATES, strict=True):
        review = review if gated else "never"
        graph = StateGraph("g", start="a", max_steps=cap, on_max_steps=policy, review=review)
        for number, node in enumerate(nodes):
            graph.add_node(node, moody(number), review=gates.get(node) if gated else None)
        if cap == 9:
            graph.add_edge("a", "c", "n == 3")
        graph.add_edge("a", "b", "n != 3")
        graph.add_edge("b", "c", "n > 2 or step > 3")
        graph.add_edge("b", "a")
        graph.add_edge("c", "a", "n < 12")
        graph.add_edge("c", END)
        if "d" in nodes:
            graph.add_edge("a", "d")
            graph.add_edge("d", "a")
        graph.add_key("list", reducer="replace" if cap == 9 else "append")
        graph.add_key("past", reducer="append" if cap == 4 else "replace")
        graph.add_key("table", reducer="merge")
        made.append(graph)
    return made


def perform(executors: list[Executor], operation: str, run_id: str, new_id: str, now: int, pick: int) -> str:
    executor = executors[now]
    try:
        match operation:
            case "start":
                executor.start({"seed": pick, "big": ["x" * 70]}, run_id=new_id)
            case "step":
                executor.step(executor.load(run_id))
            case "run":
                executor.run(executor.load(run_id))
            case "decide":
                executor.decide(run_id, DECISIONS[pick % len(DECISIONS)])
            case "retry":
                executor.retry(run_id)
            case "extend":
                executor.extend(run_id, 2)
            case "edit":
                executor.edit(run_id, EDITS[pick % len(EDITS)], by="ben")
            case "fork":
                executor.fork(run_id, at=[None, 0, 1, 2, 3][pick % 5], new_run_id=new_id)
            case _:
                executors[pick % 3].load(run_id, adopt=True)
    except StepgraphError as error:
        return f"{type(error).__name__}: {error}"
    return "done"


def told(run: Run) -> list[object]:
    """Everything that can be read from a run."""
    steps = [
        (step.step, step.node, step.visit, step.status, step.next, step.output, step.updates, str(step.error))
        for step in run.history
    ]
    edges = [
        [(edge.target, edge.matched, str(edge.explanation)) for edge in step.edges] for step in run.history
    ]
    past = [run.values_at(step) for step in range(run.step + 1)]
    standing = [run.version, run.max_steps, run.attempts, run.error, run.loop_report, run.visits, run.outputs]
    waits = run.pending and run.pending.hash
    return [repr(run), run.values, str(standing), waits, steps, edges, past]


def check_story(run: Run) -> None:
    """What must hold in any run, whatever was done to it."""
    visits: Counter[str] = Counter()
    history = run.history
    for position, step in enumerate(history):
        visits[step.node] += 1
        assert (step.step, step.visit) == (position + 1, visits[step.node])
        for edge in step.edges:
            if edge.matched is not None and edge.error is None:
                assert edge.explanation.result is edge.matched
        assert [edge.target for edge in step.edges if edge.matched] == [step.next] * (step.next is not None)
        if position + 1 < len(history):
            assert step.next == history[position + 1].node
    assert run.visits == visits
    assert run.values == run.store.values(run.id, run.version)


def check_that_no_work_was_done_twice(run: Run) -> None:
    """What a node did is merged or waits, or was refused by the state."""
    refused = Counter(attempt.step for attempt in run.attempts if "not today" not in str(attempt.error))
    for step in range(1, run.step + 2):
        assert done[f"{run.id}:{step}"] <= _STORES * (1 + refused[step])


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_any_order(tmp_path: Path, seed: int, gated: bool) -> None:
    done.clear()
    chance = random.Random(seed)  # noqa: S311  # a repeatable script, no secret
    policy = SnapshotPolicy(min_rows=2, max_rows=4)
    stores = (MemoryStore(), SqliteStore(tmp_path / "runs.db", durability="normal", snapshots=policy))
    apps = [graph.compile() for graph in graphs(gated=gated)]
    pairs = [
        [Executor(app, store, clock=FakeClock(), ids=ids) for app in apps]
        for store, ids in ((stores[0], sequential_ids()), (stores[1], sequential_ids()))
    ]
    goes_by: dict[str, int] = {}
    operations = (*OPERATIONS, *OFTEN * 3) if gated else OPERATIONS
    for number in range(80 if gated else 40):
        operation = chance.choice(operations) if goes_by else "start"
        run_id, new_id = chance.choice([*goes_by, ""]) or next(iter(goes_by), ""), f"r-{number}"
        now, pick = goes_by.get(run_id, 0), chance.randrange(30)
        results = [perform(executors, operation, run_id, new_id, now, pick) for executors in pairs]
        assert results[0] == results[1]
        if results[0] == "done":
            goes_by[new_id if operation in ("start", "fork") else run_id] = (
                pick % 3 if operation == "adopt" else now
            )
        for known in {run_id, new_id} & goes_by.keys():
            runs = [executors[goes_by[known]].load(known) for executors in pairs]
            assert told(runs[0]) == told(runs[1])
            check_story(runs[0])
            check_that_no_work_was_done_twice(runs[0])
    for store in stores:
        store.close()
