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
from stepgraph.stores.ledger import Row
from stepgraph.values.errors import StepgraphError

NO_DURATIONS: list[Any] = [10**400, float("nan"), float("inf"), True, "1", None]
NO_LENGTHS: list[Any] = [*NO_DURATIONS[:-1], [], {}, -(10**400)]
NO_EDITS: list[Any] = [None, [], {"hidden": 1}, {"draft": None}]
NO_TIMES: list[Any] = [None, [], 10**400, float("nan"), float("-inf"), "1"]
NO_TABLES: list[Any] = [None, [], 5, "text"]
NO_TEXTS: list[Any] = [None, [], {}, 10**400, True, "\ud800"]
TEXTS = ["verb", "by", "comment", "source", "review", "hash", "text"]
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


@pytest.mark.parametrize(
    "terms",
    [
        *(None, [], "late", 5, {"unknown": 1}, {"deadline": 60.0}),
        *({"deadline": wrong, "on_timeout": "reject"} for wrong in [*NO_LENGTHS, -1, 1e300]),
        *({"escalate_after": wrong, "escalate_to": ["ana"], "approvers": ["ben"]} for wrong in NO_LENGTHS),
        *(
            {"approvers": wrong}
            for wrong in ["ana", 5, {}, [5], [None], [""], ["\u200b"], ["ana", "Ana"], ["timeout"]]
        ),
        *({"approvals": wrong} for wrong in [0, -1, True, 1.5, 10**400, "2", [], float("nan")]),
        *({"allow_self": wrong} for wrong in ["no", 0, [], {}]),
        *({"deadline": 60.0, "on_timeout": wrong} for wrong in ["", "approve", [], {}, 5]),
    ],
)
def test_terms_that_are_none_are_damage_and_hide_no_other_review(
    monkeypatch: pytest.MonkeyPatch, terms: Any
) -> None:
    executor = waiting("before")
    store, read = executor.store, executor.store.reviews
    executor.run(executor.start({"topic": "tea"}, run_id="r-2"))
    forge(executor, monkeypatch, lambda data: data.update(terms=terms))
    forged = store.review(store.load("r-1").pointer.review or "")
    monkeypatch.setattr(
        store,
        "reviews",
        lambda: Listing([forged if found.run.head.id == "r-1" else found for found in read()]),
    )
    with pytest.raises(StoreDamaged):
        executor.decide("r-1", Decision.approve())
    listed = Reviews(store).pending()
    assert [review.run_id for review in listed] == ["r-2"]
    assert [damage.run for damage in listed.damages] == ["r-1"]


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        *(("at", wrong) for wrong in NO_TIMES),
        *(("values", wrong) for wrong in NO_TABLES),
        *((text, wrong) for text in TEXTS for wrong in NO_TEXTS),
    ],
)
def test_a_vote_that_is_none_is_damage(monkeypatch: pytest.MonkeyPatch, part: str, wrong: Any) -> None:
    executor = waiting("before")
    read = executor.store.review

    def forged(review_id: str) -> Any:
        found = read(review_id)
        assert found is not None
        (asked,) = found.rows
        data = Decision.approve(by="ana").to_json() | {"review": review_id, "hash": asked.data["hash"]}  # type: ignore[index]
        data[part] = wrong
        vote = Row(
            asked.seq + 1, "vote", asked.step, asked.node, asked.visit, 1.0, review=review_id, data=data
        )
        return found._replace(rows=[asked, vote])

    monkeypatch.setattr(executor.store, "review", forged)
    with pytest.raises(StoreDamaged):
        executor.decide("r-1", Decision.approve(by="ben"))


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
    with pytest.raises(StepgraphError, match="which is not a gate of its visit") as refused:
        executor.resume("r-1", Decision.approve())
    assert isinstance(refused.value, StoreDamaged)
