"""Reviews at gates that something else than Stepgraph has written: said to be damaged, never used."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from stepgraph import (
    END,
    ApprovalNode,
    Decision,
    Executor,
    MemoryStore,
    Reviews,
    StateGraph,
    StoreDamaged,
)
from stepgraph.graphs.parts import NodeReview
from stepgraph.reviews.model import Gate, ReviewRequest, payload_hash
from stepgraph.stores import Listing
from stepgraph.values.errors import StepgraphError

NO_DURATIONS: list[Any] = [10**400, float("nan"), float("inf"), True, "1", None]
NO_EDITS: list[Any] = [None, [], {"hidden": 1}, {"draft": None}]
AFTER: dict[str, Any] = {"side": "after", "output": "x", "edits": {}, "duration": 1.0}


def waiting(side: NodeReview, node: Any = None) -> Executor:
    """A run that waits at its gate."""
    graph = StateGraph("forged", start="work")
    graph.add_node("work", node or (lambda _: {"draft": "x"}), review=side)
    graph.add_edge("work", END)
    executor = Executor(graph.compile(), MemoryStore())
    executor.run(executor.start({"topic": "tea"}, run_id="r-1"))
    return executor


def forge(executor: Executor, monkeypatch: pytest.MonkeyPatch, change: Callable[[Any], object]) -> None:
    """Change the data of the review that waits, with the hash of what it then is."""
    store, read = executor.store, executor.store.review
    review = store.load("r-1").pointer.review or ""

    def forged(review_id: str) -> Any:
        found = read(review_id)
        if found is None or review_id != review:
            return found
        rows = copy.deepcopy(found.rows)
        data: Any = rows[0].data
        change(data)
        try:
            asked = ReviewRequest.from_json(data["request"])
            gate = Gate.from_json(data["gate"], asked) if "gate" in data else None
            data["hash"] = payload_hash("work", data["request"], data["values"], gate)
        except (ValueError, KeyError, TypeError):  # nothing has a hash that is not even one
            data["hash"] = "0" * 16
        return found._replace(rows=rows)

    monkeypatch.setattr(store, "review", forged)
    monkeypatch.setattr(store, "reviews", lambda: Listing([forged(review)]))


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize(
    "gate",
    [
        *(None, [], "before", 5, {}, {"side": None}, {"side": []}, {"side": "aside"}, {"side": "after"}),
        *({**AFTER, "duration": wrong} for wrong in NO_DURATIONS),
        *({**AFTER, "edits": wrong} for wrong in NO_EDITS),
        *({**AFTER, "output": wrong} for wrong in [5, [], "\ud800"]),
    ],
)
def test_a_gate_that_is_none_is_damage(monkeypatch: pytest.MonkeyPatch, side: NodeReview, gate: Any) -> None:
    executor = waiting(side)
    forge(executor, monkeypatch, lambda data: data.update(gate=gate))
    reviews = Reviews(executor.store)
    with pytest.raises(StoreDamaged):
        executor.decide("r-1", Decision.approve())
    assert (len(reviews.pending()), len(reviews.pending().damages)) == (0, 1)


@pytest.mark.parametrize("path", ["other", "draft.part"])
def test_what_can_be_edited_is_what_the_node_did(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    executor = waiting("after")
    forge(executor, monkeypatch, lambda data: data["request"]["editable"].update({path: "text"}))
    with pytest.raises(StoreDamaged):
        executor.decide("r-1", Decision.edit({path: "x"}))


@pytest.mark.parametrize("passed", ["nowhere", "", 5, [], "another"])
def test_a_gate_that_was_passed_on_another_visit_is_damage(
    monkeypatch: pytest.MonkeyPatch, passed: Any
) -> None:
    executor = waiting("before", ApprovalNode(prompt="Go on?"))
    other = executor.run(executor.start({"topic": "tea"}, run_id="r-2"))
    assert other.pending is not None
    executor.decide("r-2", Decision.approve())
    run = executor.resume("r-1", Decision.approve())
    assert run.pending is not None
    assert (run.pending.gate, run.pending.passed is None) == (None, False)
    names = other.pending.id if passed == "another" else passed
    forge(executor, monkeypatch, lambda data: data.update(passed=names))
    with pytest.raises(StepgraphError, match="which is no gate of its visit") as refused:
        executor.resume("r-1", Decision.approve())
    assert isinstance(refused.value, StoreDamaged)
