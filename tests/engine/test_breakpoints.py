"""Breakpoints: what each sort waits for, conditions, counts, log points; the ledger tells the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stepgraph import (
    END,
    Breakpoint,
    BreakpointError,
    CompiledGraph,
    Decision,
    Executor,
    MemoryStore,
    NodeResult,
    ReviewRequest,
    RunStatus,
    State,
    StateGraph,
    open_run,
)
from stepgraph.runs.debug.breakpoint import KINDS
from stepgraph.runs.debug.compiled import BreakpointHit, CompiledBreakpoints
from stepgraph.runs.debug.monitor import BreakpointHistory
from stepgraph.runs.session import DebugSession


class Scripted:
    """Nodes that do what is written down for them, a visit of the run after the other."""

    def __init__(self, script: list[tuple[str, Any]]) -> None:
        self.script = script
        self.failed = -1

    def __call__(self, state: State) -> Any:
        at = state.step - 1
        what, updates = self.script[at] if at < len(self.script) else ("go", {})
        if what == "fail" and self.failed != at:
            self.failed = at
            raise ValueError("as told")
        if what == "ask" and state.decision is None:
            return NodeResult.pause(ReviewRequest("Go on?"))
        return updates


def scripted(script: list[tuple[str, Any]], **settings: Any) -> CompiledGraph:
    """Two nodes in a ring with a way out; routing after ``b`` fails where ``n`` is not a number."""
    graph = StateGraph("any", start="a", **{"max_steps": 12, "on_max_steps": "fail", **settings})
    graph.add_key("log", reducer="append", default=[])
    node = Scripted(script)
    for name in "ab":
        graph.add_node(name, node)
    graph.add_edge("a", "b", when="to != 'stay'", label="on")
    graph.add_edge("a", "b", when="to == 'over'")
    graph.add_edge("a", "a", when="step < 3")
    graph.add_edge("b", END, when="n >= 3")
    graph.add_edge("b", "a")
    return graph.compile()


def driven_through(session: DebugSession) -> Iterator[tuple[BreakpointHit, ...]]:
    """Drive a run to its end or its cap, mend what fails, decide what waits; give each step's hits."""
    executor = session.executor
    while session.run.status is not RunStatus.ENDED:
        if session.run.status is RunStatus.FAILED:
            error = type(session.run.error).__name__
            if error == "MaxStepsExceeded":
                return
            if error != "NodeFailed":
                session.run = executor.edit(session.run.id, {"to": "over", "n": 2}, by="test")
            session.retry()
            yield session.hits
        elif session.run.status is RunStatus.PAUSED:
            executor.decide(session.run.id, Decision.approve(by="test"))
            session.run = executor.load(session.run.id)
        else:
            for _ in session.go():
                yield session.hits


def hits_of(app: CompiledGraph, breakpoints: list[Breakpoint], **inputs: Any) -> list[BreakpointHit]:
    """All hits of a run while it is driven; those that its ledger tells of afterwards are the same."""
    executor = Executor(app, MemoryStore())
    session = DebugSession(executor, executor.start({"to": "b", "n": 0, **inputs}, "r"), breakpoints)
    session.arrive()
    live = [*session.hits, *(hit for hits in driven_through(session) for hit in hits)]
    read = BreakpointHistory(CompiledBreakpoints(breakpoints, app)).read(open_run(executor.store, "r"))
    assert read.hits == live
    assert [told(hit) for hit in read.hits] == [told(hit) for hit in live]
    assert list(read.positions) == [hit.position for hit in live]
    return live


def told(hit: BreakpointHit) -> tuple[Any, ...]:
    explanation = hit.explanation
    return hit.describe(), hit.error, explanation and explanation.to_json(), hit.change(), hit.line()


def where(hits: list[BreakpointHit]) -> list[tuple[int, str]]:
    return [(hit.step, hit.node) for hit in hits]


texts = st.sampled_from(["b", "over", "stay"])
updates = st.fixed_dictionaries(
    {},
    optional={"n": st.integers(0, 3) | st.just("x"), "to": texts, "log": st.integers(0, 2), "t": st.none()},
)
scripts = st.lists(st.tuples(st.sampled_from(["go", "go", "fail", "ask"]), updates), max_size=14)
conditions = st.none() | st.sampled_from(
    [
        "n > 1",
        "step > 3",
        "visits.a >= 2",
        "last_output == '{}'",
        "to == 'b' or n == 2",
        "gone is None",
        "t < 1",
    ]
)
breakpoints = st.lists(
    st.builds(
        Breakpoint,
        kind=st.sampled_from(KINDS),
        node=st.just("a"),
        target=st.sampled_from(["b", "a"]),
        label=st.sampled_from([None, "on"]),
        path=st.sampled_from(["n", "log", "log[0]", "to"]),
        value=st.sampled_from([2, 3, "over", [1]]),
        when=conditions,
        skip=st.integers(0, 2),
        every=st.integers(1, 2),
        log=st.sampled_from([None, "n is {{ n }} at {{ step }}", "{{ gone }}"]),
    ).map(lambda each: replace(each, path=each.path if each.kind in ("changes", "becomes", "type") else "")),
    max_size=6,
)


@given(scripts, breakpoints)
@example([("go", {"n": 3}), ("go", {})], [Breakpoint("becomes", path="n", value=3)])
def test_what_is_met_while_a_run_is_driven_is_what_its_ledger_tells_afterwards(
    script: list[tuple[str, Any]], found: list[Breakpoint]
) -> None:
    hits_of(scripted(script), found)


@given(scripts, breakpoints, st.integers(0, 8))
def test_hits_are_counted_over_the_whole_run_whoever_drives_it(
    script: list[tuple[str, Any]], found: list[Breakpoint], first: int
) -> None:
    """Some steps are driven by a session without breakpoints, the rest by another one with them."""
    app = scripted([("go", data) for _, data in script])
    whole = hits_of(app, found)
    executor = Executor(app, MemoryStore())
    run = executor.start({"to": "b", "n": 0}, "r")
    for _ in executor.iterate(run, stop=lambda: run.step >= first):
        pass
    session = DebugSession(executor, executor.load("r"), found)
    seq = run.version
    met = [hit for hits in driven_through(session) for hit in hits]
    assert met == [
        hit for hit in whole if hit.seq > seq or (hit.seq == seq and hit.breakpoint.kind != "before")
    ]


def test_each_sort_waits_for_what_it_says() -> None:
    script = [
        ("go", {"n": 1}),  # a
        ("go", {"n": "1"}),  # b: its routing fails, until n is 2
        ("ask", {"to": "stay", "n": 2}),  # a
        ("fail", {"log": [1]}),  # b at first: nothing matched after a, until to is "over"
        ("go", {"n": 3, "to": "b"}),
        ("go", {}),
    ]

    def at(kind: Any, **named: Any) -> list[tuple[int, str]]:
        return where(hits_of(scripted(script), [Breakpoint(kind, **named)]))

    assert at("before", node="a") == [(1, "a"), (3, "a"), (5, "a")]
    assert at("after", node="a") == [(1, "a"), (3, "a"), (5, "a")]
    assert at("edge", node="a", target="b") == [(1, "a"), (3, "a"), (5, "a")]
    assert at("edge", node="a", target="b", label="on") == [(1, "a"), (3, "a"), (5, "a")]
    assert at("edge", node="a", target="b", label="to == 'over'") == []
    assert at("edge", node="b", target=END) == [(6, "b")]
    assert at("changes", path="n") == [(1, "a"), (2, "b"), (5, "a")]
    assert at("becomes", path="n", value=3.0) == [(5, "a")]
    assert at("becomes", path="n", value="3") == []
    assert at("type", path="n") == [(2, "b")]
    assert at("changes", path="log[0]") == at("becomes", path="log", value=[1]) == [(4, "b")]
    assert at("fail") == [(2, "b"), (3, "a"), (4, "b")]
    assert at("pause") == [(3, "a")]
    assert at("no_match") == [(3, "a")]


def test_what_the_graph_does_not_have_is_kept_told_and_never_met() -> None:
    app = scripted([])
    wrong = [
        Breakpoint("before", "aa"),
        Breakpoint("edge", "a", END),
        Breakpoint("edge", "a", "b", label="off"),
        Breakpoint("changes", path="n +"),
        Breakpoint("fail", when="n >"),
        Breakpoint("after", "a", when="visits.c > 1"),
        Breakpoint("after", "a", log="{{ n"),
        Breakpoint("after", "a", log="{{ visits.nowhere }}"),
        Breakpoint("changes", path="step"),
    ]
    right = Breakpoint("after", "a")
    compiled = CompiledBreakpoints([*wrong, right, replace(wrong[0], enabled=False)], app)
    assert [each.breakpoint for each in compiled.broken] == [*wrong, replace(wrong[0], enabled=False)]
    reasons = [each.reason for each in compiled.broken]
    assert reasons[0] == "graph 'any' has no node 'aa' (did you mean 'a'?)"
    assert reasons[1] == "no edge leads from 'a' to 'END' (it leads to: b, a)"
    assert "is 'off' (there is: on, " in reasons[2]
    assert "'c', which is not a node" in reasons[5]
    assert all(reasons)
    assert where(hits_of(app, [*wrong, right], n=3)) == [(1, "a")]


def test_a_condition_that_fails_on_a_state_halts_there_and_says_why() -> None:
    [hit] = hits_of(scripted([]), [Breakpoint("before", "b", when="missing > 3", log="never {{ n }}")], n=3)
    assert (hit.halts, hit.failed) == (True, True)
    assert "the state has no key" in str(hit.error)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "a breakpoint is a table"),
        ({}, "lacks its kind"),
        ({"kind": "sometimes"}, "kind of a breakpoint is 'sometimes'"),
        ({"kind": "before"}, "lacks its node"),
        ({"kind": "edge", "node": "a"}, "lacks its target"),
        ({"kind": "changes"}, "lacks its path"),
        ({"kind": "fail", "every": 0}, "every of a breakpoint is 0"),
        ({"kind": "fail", "skip": True}, "skip of a breakpoint is True"),
        ({"kind": "fail", "enabled": 1}, "enabled of a breakpoint is 1"),
        ({"kind": "fail", "log": 3}, "log of a breakpoint is 3"),
        ({"kind": "fail", "often": 3}, "a breakpoint has no 'often'"),
    ],
)
def test_what_is_no_breakpoint_is_refused_by_its_part(data: object, said: str) -> None:
    with pytest.raises(BreakpointError, match=said):
        Breakpoint.from_json(data)


def test_breakpoints_follow_new_names() -> None:
    bound = Breakpoint("edge", "a", "b", when="visits.a > 1 and order.a == 2")
    assert bound.with_node_renamed("a", "start") == Breakpoint(
        "edge", "start", "b", when="visits.start > 1 and order.a == 2"
    )
    assert Breakpoint("changes", path="order.sum", when="order.sum > 1").with_key_renamed(
        "order", "bill"
    ) == Breakpoint("changes", path="bill.sum", when="bill.sum > 1")
