"""Node failures and routing failures: what is kept, what is not, and how a retry goes on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from stepgraph import (
    END,
    ConditionFailed,
    Executor,
    NodeFailed,
    NodeResult,
    NoEdgeMatched,
    NotReady,
    Outcome,
    ReviewRequest,
    RunStatus,
    State,
    StateError,
    StateGraph,
    StateStore,
)


def two_steps(second: Callable[[State], Any]) -> StateGraph:
    graph = StateGraph("work", start="first")
    graph.add_node("first", lambda state: {"kept": 1})
    graph.add_node("second", second)
    graph.add_edge("first", "second")
    graph.add_edge("second", END)
    return graph


class Flaky:
    """Fails the first time, works from then on, and remembers what it was told."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def __call__(self, state: State) -> dict[str, Any]:
        self.keys.append(state.idempotency_key)
        if len(self.keys) == 1:
            raise ValueError("the line is busy")
        return {"done": True}


# acceptance 70, 118, 125, e9 5, e9 6
def test_a_node_that_raises_changes_nothing_and_keeps_what_went_before(store: StateStore) -> None:
    executor = Executor(two_steps(Flaky()).compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    for handle in (run, executor.load("r-1")):
        assert (handle.status, handle.current, handle.step) == (RunStatus.FAILED, "second", 1)
        assert handle.outcome is None
        assert handle.values == {"kept": 1}
        assert handle.visits == {"first": 1}
        assert [record.node for record in handle.history] == ["first"]
        assert [(r.node, r.step, r.visit, r.status) for r in handle.attempts] == [("second", 2, 1, "failed")]
        with pytest.raises(NodeFailed, match=r"'second' raised ValueError on visit 1: the line is busy"):
            handle.raise_for_status()
    assert isinstance(run.error.__cause__, ValueError)  # type: ignore[union-attr]
    assert "the line is busy" in "".join(executor.load("r-1").error.__notes__)  # type: ignore[union-attr]


# e9 5, e9 18
def test_a_retry_has_the_same_step_number_and_key_and_clears_the_error(store: StateStore) -> None:
    flaky = Flaky()
    executor = Executor(two_steps(flaky).compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    run = executor.retry("r-1")
    assert flaky.keys == ["r-1:2", "r-1:2"]
    assert (run.status, run.error, run.step) == (RunStatus.ENDED, None, 2)
    assert executor.load("r-1").error is None
    assert len(run.attempts) == 1
    assert [(record.step, record.visit) for record in run.history] == [(1, 1), (2, 1)]


def test_only_a_failed_run_can_be_retried(store: StateStore) -> None:
    executor = Executor(two_steps(lambda state: {}).compile(), store)
    executor.start({}, run_id="r-1")
    with pytest.raises(NotReady, match="ready"):
        executor.retry("r-1")


def returns_coroutine(state: State) -> Any:
    async def later() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {}

    return later()


def leave(state: State) -> dict[str, Any]:
    raise SystemExit(3)


def interrupt(state: State) -> dict[str, Any]:
    raise KeyboardInterrupt


def endless(state: State) -> dict[str, Any]:
    return endless(state)


def unconnected(state: State) -> dict[str, Any]:
    try:
        try:
            raise OSError("unknown host")
        except OSError as error:
            raise RuntimeError("no route") from error
    except RuntimeError as error:
        raise ConnectionError("Connection error.") from error


def round_about(state: State) -> dict[str, Any]:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    raise first


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def unprintable(state: State) -> dict[str, Any]:
    raise Unprintable


class Shapeless:
    def __repr__(self) -> str:
        raise RuntimeError("no shape")


# acceptance 56, 94
@pytest.mark.parametrize(
    ("node", "words"),
    [
        (lambda state: None, "returned None on visit 1 .return {} instead"),
        (lambda state: 7, "returned int 7"),
        (lambda state: [1], r"returned list \[1\]"),
        (returns_coroutine, "returned coroutine"),
        (leave, "raised SystemExit on visit 1: 3"),
        (interrupt, "raised KeyboardInterrupt"),
        (endless, "raised RecursionError"),
        (unprintable, "raised Unprintable on visit 1"),
        (unconnected, r"visit 1: Connection error. \(from OSError: unknown host\)"),
        (round_about, r"visit 1: first \(from ValueError: second\)"),
        (lambda state: NodeResult.failed("no order 7"), "failed on visit 1: no order 7"),
        (lambda state: NodeResult(status="paused"), "paused without a review"),
        (lambda state: NodeResult(status="paused", review="Go?"), "paused without a review"),  # type: ignore[arg-type]
        (lambda state: NodeResult([1]), r"the updates are \[1\]"),  # type: ignore[arg-type]
        (lambda state: NodeResult(output=7), "the output is 7"),  # type: ignore[arg-type]
        (lambda state: NodeResult(output="\ud800"), "the output has a lone surrogate"),
        (lambda state: Shapeless(), "returned Shapeless .* cannot be shown"),
        (lambda state: NodeResult(status="odd"), "the status 'odd'"),  # type: ignore[arg-type]
        (lambda state: {"docs": [1, 2, {3}]}, r'state\["docs"\]\[2\] is a set'),
        (lambda state: {"x": float("nan")}, r'state\["x"\] is nan'),
        (lambda state: {"x": b"raw"}, r'state\["x"\] is a bytes'),
        (lambda state: {"x": "\ud800"}, "lone surrogate"),
        (lambda state: {7: "x"}, "the key 7"),
        (lambda state: {"t": {"a": {1: 2}}}, r'state\["t"\]\["a"\] has the key 1'),
        (lambda state: {"x": 10**5000}, "4,000 digits"),
        (lambda state: state["missing"], "raised KeyError on visit 1: the state has no key 'missing'"),
    ],
)
def test_whatever_a_node_does_wrong_is_a_node_failure_that_says_so(
    store: StateStore, node: Callable[[State], Any], words: str
) -> None:
    executor = Executor(two_steps(node).compile(), store)
    run = executor.run(executor.start({}))
    with pytest.raises(NodeFailed, match=words):
        run.raise_for_status()
    assert (run.status, run.step, run.values) == (RunStatus.FAILED, 1, {"kept": 1})


# e9 20
@pytest.mark.parametrize(
    "result", [{}, NodeResult(), NodeResult(None), NodeResult({}), NodeResult(status="success", updates=None)]
)
def test_a_success_without_any_update_is_plain_to_write(store: StateStore, result: Any) -> None:
    executor = Executor(two_steps(lambda state: result).compile(), store)
    run = executor.run(executor.start({}, "r-1"))
    for handle in (run, executor.load("r-1")):
        assert (handle.status, handle.step, handle.values) == (RunStatus.ENDED, 2, {"kept": 1})
        assert handle.history[1].updates == {}


def test_a_dict_of_another_kind_counts_as_a_dict(store: StateStore) -> None:
    executor = Executor(two_steps(lambda state: Counter("aab")).compile(), store)
    assert executor.run(executor.start({})).values == {"kept": 1, "a": 2, "b": 1}


# acceptance 118, e9 5
def test_what_a_failing_node_did_to_the_lists_it_read_is_undone(store: StateStore) -> None:
    def spoil(state: State) -> dict[str, Any]:
        state["docs"].append("half done")
        raise ValueError("and then it broke")

    executor = Executor(two_steps(spoil).compile(), store)
    run = executor.run(executor.start({"docs": ["a"]}, "r-1"))
    for handle in (run, executor.load("r-1")):
        assert handle.values == {"docs": ["a"], "kept": 1}


def test_a_value_that_contains_itself_is_refused() -> None:
    def knot(state: State) -> dict[str, Any]:
        loop: list[Any] = []
        loop.append(loop)
        return {"loop": loop}

    executor = Executor(two_steps(knot).compile())
    run = executor.run(executor.start({}))
    assert isinstance(run.error, NodeFailed)
    assert "deeper than" in str(run.error)


def stuck(value: int = 1) -> StateGraph:
    graph = StateGraph("stuck", start="a")
    graph.add_node("a", lambda state: {"n": value, "text": "x" * 300})
    graph.add_node("b", lambda state: {})
    graph.add_edge("a", "b", when="n > limit", label="over")
    graph.add_edge("a", END, when="n == 99")
    graph.add_edge("b", END)
    return graph


# acceptance 52, e9 8
def test_no_match_lists_the_candidates_and_a_preview_of_the_output(store: StateStore) -> None:
    executor = Executor(stuck().compile(), store)
    run = executor.run(executor.start({"limit": 5}, run_id="r-1"))
    assert (run.status, run.outcome, run.current) == (RunStatus.FAILED, Outcome.NO_MATCH, "a")
    with pytest.raises(NoEdgeMatched, match=r"1\. b \[over\], 2\. END \[n == 99\]") as caught:
        executor.load("r-1").raise_for_status()
    assert "x" * 180 in caught.value.message
    assert "x" * 201 not in caught.value.message


def test_a_routing_failure_keeps_the_step_and_a_retry_does_not_run_the_node_again(store: StateStore) -> None:
    ran: list[int] = []

    def node(state: State) -> dict[str, Any]:
        ran.append(1)
        return {"n": 1}

    graph = StateGraph("stuck", start="a")
    graph.add_node("a", node)
    graph.add_edge("a", END, when="n > limit")
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"limit": 5}, run_id="r-1"))
    assert [(r.step, r.status, r.next, r.updates) for r in run.history] == [(1, "failed", None, {"n": 1})]
    assert run.attempts == []
    still = executor.retry("r-1")
    assert (still.status, len(still.history)) == (RunStatus.FAILED, 1)
    executor.edit("r-1", {"limit": 0}, by="ana", comment="too strict")
    done = executor.retry("r-1")
    assert (done.status, done.outcome, done.error) == (RunStatus.ENDED, Outcome.END, None)
    assert ran == [1]
    for handle in (done, executor.load("r-1")):
        record = handle.history[0]
        assert (record.step, record.status, record.next, record.visit) == (1, "success", END, 1)
        assert record.edges[0].matched is True
        assert "0" in "\n".join(record.edges[0].explanation.lines())
        assert handle.visits == {"a": 1}


# acceptance 53
def test_a_condition_that_raises_reaches_the_caller_with_its_edge(store: StateStore) -> None:
    broken = ZeroDivisionError("by zero")

    def bad(context: object) -> bool:
        raise broken

    graph = StateGraph("bad", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END, when="1 == 2")
    graph.add_edge("a", END, when=bad, label="check")
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    assert isinstance(run.error, ConditionFailed)
    assert run.error.__cause__ is broken
    assert "edge 2 of node 'a' (to END, check)" in run.error.message
    assert run.outcome is None
    assert [(edge.matched, edge.error is not None) for edge in run.history[0].edges] == [
        (False, False),
        (None, True),
    ]


def test_an_expression_that_fails_names_what_is_missing(store: StateStore) -> None:
    graph = StateGraph("typo", start="a")
    graph.add_node("a", lambda state: {"category": "billing"})
    graph.add_edge("a", END, when='categroy == "billing"')
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    with pytest.raises(ConditionFailed, match="category"):
        run.raise_for_status()


def test_on_no_match_end_ends_the_run(store: StateStore) -> None:
    graph = StateGraph("open", start="a", on_no_match="end")
    graph.add_node("a", lambda state: {"n": 1})
    graph.add_edge("a", END, when="n == 2")
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    assert (run.status, run.outcome, run.error, run.current) == (
        RunStatus.ENDED,
        Outcome.NO_MATCH,
        None,
        None,
    )


# acceptance 118
def test_a_refused_update_leaves_none_of_the_others(store: StateStore) -> None:
    executor = Executor(two_steps(lambda state: {"good": 1, "bad": {1, 2}}).compile(), store)
    run = executor.run(executor.start({}))
    assert run.values == {"kept": 1}
    assert isinstance(run.error.__cause__, StateError)  # type: ignore[union-attr]


# e9 8
def test_done_paused_failed_stuck_capped_and_stopped_are_told_apart(store: StateStore) -> None:
    def broken(state: State) -> dict[str, Any]:
        raise ValueError

    def stands(
        node: Callable[[State], Any], when: str | None = None, **settings: Any
    ) -> tuple[str, str | None]:
        graph = StateGraph("one", start="a", **settings)
        graph.add_node("a", node)
        graph.add_edge("a", "a" if settings.get("max_steps") else END, when=when)
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.start({"n": 1}))
        pointer = store.load(run.id).pointer
        return pointer.status.value, pointer.outcome.value if pointer.outcome else None

    assert stands(lambda state: {}) == ("ended", "end")
    assert stands(lambda state: NodeResult.pause(ReviewRequest("Go?"))) == ("paused", None)
    assert stands(broken) == ("failed", None)
    assert stands(lambda state: {}, "n > 1") == ("failed", "no_match")
    assert stands(lambda state: {}, "n > 1", on_no_match="end") == ("ended", "no_match")
    assert stands(lambda state: {}, max_steps=1) == ("ended", "max_steps")
    assert stands(lambda state: {}, max_steps=1, on_max_steps="fail") == ("failed", "max_steps")
