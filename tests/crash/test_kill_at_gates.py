"""kill -9 between any two commits of a run with gates: nothing is asked or decided twice, nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    END,
    ApprovalNode,
    Decision,
    Executor,
    RunStatus,
    State,
    StateGraph,
    ToolNode,
)
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.stores.audit import audit_damages, row_hash
from stepgraph.values.errors import UnknownRun
from tests.crash.children import Work, ask
from tests.crash.deadly import DeadlyStore, Moment

pytestmark = [pytest.mark.crash, pytest.mark.slow]

_EDITS = {"pay": Decision.edit({"amount": 90}), "merge": Decision.edit({"context": {"receipt": 2}})}
"""What the person changes, by the action that is proposed."""


def _graph(done: Path) -> CompiledGraph:
    def do(what: str) -> None:
        with done.open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")

    def draft(state: State) -> dict[str, Any]:
        do("draft")
        return {"draft": "tea", "log": "drafted"}

    def pay(amount: int) -> dict[str, Any]:
        do(f"pay {amount}")
        return {"receipt": 1}

    graph = StateGraph("gates", start="draft", review="last")
    graph.add_key("log", reducer="append", default=[])
    graph.add_tool("pay", pay, requires_approval=True)
    graph.add_node("draft", draft, review="after")
    graph.add_node("pay", ToolNode(tool="pay", arguments={"amount": "{{ amount }}"}), review="after")
    graph.add_node("sign", ApprovalNode(prompt="Sign?"), review="before")
    graph.add_node("file", lambda _: {"log": "filed"})
    graph.add_edge("draft", "pay")
    graph.add_edge("pay", "sign")
    graph.add_edge("sign", "file")
    graph.add_edge("file", END)
    return graph.compile()


def _driving(path: Path, done: Path, at: int = 0, moment: Moment = "after") -> Work:
    """Take the run to its end, deciding what is asked, and tell its rows then."""

    def work(tell: Callable[[str], None]) -> None:
        with DeadlyStore(path, at, moment) as store:
            executor = Executor(_graph(done), store)
            try:
                run = executor.load("r-1")
            except UnknownRun:
                run = executor.start({"amount": 240}, "r-1")
            while run.status is not RunStatus.ENDED:
                review = run.pending
                if review is None:
                    executor.step(run)
                    continue
                decision = _EDITS.get(review.request.action, Decision.approve())
                if not set(decision.values) <= set(review.request.editable):
                    decision = Decision.approve()
                executor.decide("r-1", decision, expect_hash=review.hash)
                run = executor.load("r-1")
            tell(" ".join(row.kind for row in store.rows("r-1")))
            assert run.values == store.values("r-1", run.version)
            entries = [link.entry["decision"] for link in store.audit()]
            decided = [row_hash(row) for row in store.rows("r-1", kinds=("decision",))]
            assert (entries, audit_damages(store)) == (decided, [])
            tell(f"{run.outcome} {run.values['amount']} {run.values['context']} {run.values['log']}")

    return work


def _whole(path: Path, done: Path) -> list[str]:
    return ask(_driving(path, done))


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_run_with_gates_survives_a_kill_at_each_commit(tmp_path: Path, moment: Moment) -> None:
    told = _whole(tmp_path / "whole.db", tmp_path / "whole.txt")
    kinds = told[0].split()
    assert (kinds.count("review"), kinds.count("step")) == (6, 4)
    assert (tmp_path / "whole.txt").read_text().split("\n") == ["draft", "pay 90", ""]
    assert "90 {'receipt': 2} ['drafted', 'filed']" in told[1]
    for at in range(1, len(kinds)):  # the start is not a commit of a run that there is
        path, done = tmp_path / f"{at}.db", tmp_path / f"{at}.txt"
        assert ask(_driving(path, done, at, moment)) == []
        assert _whole(path, done) == told, "the same was asked, decided and merged"
        times = Counter(done.read_text().split("\n"))
        # Killed before what it did was kept, a node runs again; kept, it never does.
        again = 1 if moment == "before" else 0
        assert times["draft"] + times["pay 90"] <= 2 + again
        assert times.keys() == {"draft", "pay 90", ""}, "only what was approved was done"


def test_a_run_with_gates_survives_a_process_for_each_commit(tmp_path: Path) -> None:
    told = _whole(tmp_path / "whole.db", tmp_path / "whole.txt")
    path, done = tmp_path / "runs.db", tmp_path / "done.txt"
    for _ in told[0].split()[1:]:
        assert ask(_driving(path, done, 1)) == []
    assert _whole(path, done) == told
    assert done.read_text().split("\n") == ["draft", "pay 90", ""]
