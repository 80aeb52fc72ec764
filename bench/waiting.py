"""A thousand reviews that wait among ten thousand runs: listed and decided, and the audit beside them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from stepgraph import (
    END,
    ApprovalNode,
    CompiledGraph,
    Decision,
    Executor,
    Reviews,
    ReviewTerms,
    SqliteStore,
    StateGraph,
)
from stepgraph.stores.audit import broken_links
from stepgraph.stores.base import StateStore

from .measure import work_folder
from .table import Line

_RUNS, _WAITING = 10_000, 1_000
_ROUNDS = 7
_LIST_GOAL = 0.1


def lines() -> list[Line]:
    """Fill a store, and ask it what waits, what was decided, and whether its audit is whole."""
    with work_folder() as folder, _filled(folder / "runs.db") as store:
        reviews = Reviews(store)
        listed = _median(lambda: reviews.pending())
        decided = _median(lambda: store.reviews(pending=False, limit=200))
        verified = _median(lambda: broken_links(store.audit()))
        waiting = iter(reviews.pending())
        deciding = _median(lambda: reviews.decide(next(waiting).id, Decision.approve(by="bench")))
    return [
        Line(f"{_WAITING:,} pending reviews of {_RUNS:,} runs listed", listed, "s", _LIST_GOAL),
        Line("the last 200 decided ones", decided, "s", _LIST_GOAL),
        Line("a decision, recorded and audited", deciding, "s"),
        Line(f"the audit's {_RUNS - _WAITING:,} entries read and verified", verified, "s"),
    ]


def list_line(store: StateStore, waiting: int = _WAITING) -> Line:
    """Let reviews wait that their own authors may not decide, in an empty store, and list them."""
    executor = Executor(_asking(ReviewTerms(allow_self=False)), store)
    for number in range(waiting):
        executor.run(executor.start({"amount": number}, by="bench"))
    reviews = Reviews(store)
    if [review.authors for review in reviews.pending()] != [("bench",)] * waiting:
        raise SystemExit("not every review was listed")
    goal = _LIST_GOAL * waiting / _WAITING
    return Line(
        f"{waiting:,} pending reviews (allow_self = false) there", _median(reviews.pending), "s", goal
    )


def _median(work: Callable[[], object]) -> float:
    costs = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        work()
        costs.append(time.perf_counter() - began)
    return statistics.median(costs)


def _asking(terms: ReviewTerms | None = None) -> CompiledGraph:
    graph = StateGraph("paying", start="ask", reviews=terms or ReviewTerms())
    graph.add_key("amount", type="number", input=True)
    graph.add_node(
        "ask", ApprovalNode(prompt="Pay {{ amount }}?", show=["amount"], editable={"amount": "number"})
    )
    graph.add_edge("ask", END)
    return graph.compile()


def _filled(path: Path) -> SqliteStore:
    with SqliteStore(path, durability="normal") as store:
        executor = Executor(_asking(), store)
        for number in range(_RUNS):
            run = executor.run(executor.start({"amount": number}, by="bench"))
            if number >= _WAITING:
                executor.resume(run.id, Decision.approve(by="bench", comment="as it should be"))
    return SqliteStore(path)
