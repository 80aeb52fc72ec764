"""What withdraws a review, as the audit of each store has it; and that no secret stands in an entry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, ApprovalNode, Decision, Executor, Reviews, ReviewTerms, StateGraph
from stepgraph.reviews.inbox import delete_runs
from stepgraph.reviews.secrets import MASK
from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from stepgraph.stores.audit import audit_damages, broken_links, chained, differences
from stepgraph.stores.base import StateStore
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.stores.sqlite.checking import file_damages
from stepgraph.testing import FakeClock
from tests.stores.asking import asking_graph, decide, waiting

NOW = 1_800_000_000.0


def entries(store: StateStore) -> list[dict[str, Any]]:
    return [link.entry for link in store.audit()]


def told(store: StateStore) -> list[str]:
    return [str(damage) for damage in audit_damages(store)]


def delete(store: StateStore, *run_ids: str) -> list[str]:
    versions = {run_id: store.load(run_id).pointer.version for run_id in run_ids}
    return delete_runs(store, versions, by="ana", at=NOW, source="cli")


def test_deleting_runs_enters_those_whose_review_waited(store: StateStore) -> None:
    waiting(store, 3)
    decide(store, "a-2")
    asked = Reviews(store).get("a-1").hash
    assert delete(store, "r-1", "r-2") == ["r-1", "r-2"]
    decided, deleted = entries(store)
    assert decided["what"] == "decision"
    said = {"what": "withdrawn", "verb": "delete", "by": "ana", "source": "cli", "at": NOW}
    of = {"run": "r-1", "review": "a-1", "hash": asked, "node": "ask", "graph": "asking", "row": 3}
    assert said.items() | of.items() <= {key: deleted[key] for key in deleted if key != "edited"}.items()
    assert told(store) == []
    assert store.review("a-1") is None


def test_a_run_that_moved_meanwhile_is_neither_deleted_nor_entered(store: StateStore) -> None:
    waiting(store, 2)
    seen = {"r-1": 2, "r-2": 1, "r-9": 1}
    assert delete_runs(store, seen, by="ana", at=NOW) == ["r-1"]
    assert [entry["run"] for entry in entries(store)] == ["r-1"]
    decide(store, "a-2")
    assert store.delete_runs({"r-2": 2}, {"r-2": {"what": "withdrawn"}}) == []
    assert [entry["what"] for entry in entries(store)] == ["withdrawn", "decision"]
    assert broken_links(store.audit(), store.audit_end()) == []


def test_many_runs_are_deleted_at_once_and_each_is_entered(store: StateStore) -> None:
    waiting(store, 7)
    names = [f"r-{number}" for number in range(1, 8)]
    assert delete(store, *names) == names
    assert [entry["run"] for entry in entries(store)] == names
    assert (told(store), store.audit_end()) == ([], 7)


def test_stopping_and_editing_tell_from_where(store: StateStore) -> None:
    waiting(store, 2)
    operations.stop(open_run(store, "r-1"), "ana", "", NOW, "app")
    operations.edit(open_run(store, "r-2"), {"amount": 5}, "bo", "", NOW)
    assert [(each["what"], each["verb"], each["source"]) for each in entries(store)] == [
        ("withdrawn", "stop", "app"),
        ("withdrawn", "edit", "library"),
    ]
    assert told(store) == []


def test_a_fork_takes_over_edits_that_withdrew_no_review_of_its_own(store: StateStore) -> None:
    waiting(store, 1)
    executor = Executor(asking_graph(), store, clock=FakeClock(), ids=lambda _: "a-new")
    operations.edit(open_run(store, "r-1"), {"amount": 5}, "bo", "", NOW)
    executor.fork("r-1", new_run_id="r-2", by="cy")
    assert [row.kind for row in store.rows("r-2")] == ["start", "edit", "fork"]
    assert told(store) == []


def withdrawn(store: StateStore) -> None:
    waiting(store, 2)
    operations.stop(open_run(store, "r-1"), "ana", "", NOW, "cli")
    operations.edit(open_run(store, "r-2"), {"amount": 5}, "bo", "", NOW, "cli")


def test_a_withdrawal_without_its_entry_is_named() -> None:
    store = MemoryStore()
    withdrawn(store)
    del store._audit[:]
    where = "has no entry in the audit: cut off at the end of it"
    assert sorted(told(store)) == [
        f"run 'r-1', row 3: its stop, which withdrew review a-1, {where}",
        f"run 'r-2', row 3: its edit, which withdrew review a-2, {where}",
    ]


def test_a_withdrawal_whose_row_says_something_else_is_named(store: StateStore) -> None:
    withdrawn(store)
    links = store.audit()
    runs = {run.head.id: run.head.created_at for run in store.runs()}
    heads = {run.head.id: run.head for run in store.runs()}
    rows = [(heads[id_], store.rows(id_)[-1]) for id_ in ("r-1", "r-2")]
    assert differences(links, runs, rows) == []
    forged = replace(rows[1][1], data={**(rows[1][1].data or {}), "by": "eve"})
    (damage,) = differences(links, runs, [rows[0], (rows[1][0], forged)])
    assert str(damage) == "audit entry 2 records another edit than row 3 of run 'r-2'"
    (damage,) = differences(links, runs, rows[:1])
    assert str(damage) == "audit entry 2 records row 3 of run 'r-2', which has no such withdrawal"


def test_a_run_that_is_there_although_it_was_deleted_is_named(store: StateStore) -> None:
    waiting(store, 1)
    (head,) = [run.head for run in store.runs()]
    delete(store, "r-1")
    (link,) = store.audit()
    (damage,) = differences([link], {"r-1": head.created_at}, [])
    assert str(damage) == "audit entry 1 says that run 'r-1' was deleted, and it is there"
    assert differences([chained(None, link.entry)], {"r-1": head.created_at + 1}, []) == []


def test_doctor_reads_the_same_in_a_file(path: Path) -> None:
    with SqliteStore(path) as store:
        withdrawn(store)
        assert told(store) == list(map(str, file_damages(path))) == []
        with store.backend.transaction:
            store.backend.db.execute("DROP TRIGGER audit_keeps_entries")
            store.backend.db.execute("DELETE FROM audit")
        wrong = told(store)
    assert len(wrong) == 3
    assert sorted(line for line in map(str, file_damages(path)) if "entr" in line) == sorted(wrong)


# Secrets


def vault(store: StateStore, **terms: Any) -> Executor:
    graph = StateGraph("vault", start="ask", reviews=ReviewTerms(**terms))
    graph.add_key("pin", secret=True)
    graph.add_key("city")
    verbs: Any = {"allow": ["approve", "reject"]} if terms else {"editable": {"pin": "text"}}
    asks = ApprovalNode(prompt="Open it?", **verbs)
    graph.add_node("ask", asks)
    graph.add_edge("ask", END)
    executor = Executor(graph.compile(), store, clock=FakeClock(NOW))
    executor.run(executor.start({"pin": "4711-x", "city": "Bern"}, "r-1", by="ana"))
    return executor


def waits(executor: Executor) -> str:
    pending = executor.load("r-1").pending
    assert pending is not None
    return pending.id


def told_secret(executor: Executor, verb: str) -> None:
    said = "4711-x is Bern's, new-9"
    match verb:
        case "approve" | "vote":
            executor.decide("r-1", Decision.approve(by="bo", comment=said))
        case "edit":
            executor.decide("r-1", Decision.edit({"pin": "new-9"}, by="bo", comment=said))
        case "stop":
            executor.stop("r-1", by="bo", comment=said)
        case _:
            operations.edit(executor.load("r-1"), {"pin": "new-9"}, "bo", said, NOW)


@pytest.mark.parametrize(
    ("verb", "kept"),
    [
        ("approve", f"{MASK} is Bern's, new-9"),
        ("edit", f"{MASK} is Bern's, {MASK}"),
        ("vote", f"{MASK} is Bern's, new-9"),
        ("stop", f"{MASK} is Bern's, new-9"),
        ("edit the state", f"{MASK} is Bern's, {MASK}"),
    ],
)
def test_no_value_of_a_secret_key_stands_in_an_entry(store: StateStore, verb: str, kept: str) -> None:
    executor = vault(store, **({"approvals": 2} if verb == "vote" else {}))
    told_secret(executor, verb)
    assert [entry["comment"] for entry in entries(store)] == [kept]
    assert told(store) == []
    store.delete_runs(store.versions())
    assert "4711-x" not in str(entries(store))  # hexadecimal hashes have the number by chance


def test_a_secret_that_the_run_had_before_is_hidden_too(store: StateStore) -> None:
    executor = vault(store)
    executor.edit("r-1", {"pin": "other-8"}, by="ana")
    executor.decide("r-1", Decision.approve(by="bo", comment="4711-x, then other-8"))
    assert entries(store)[-1]["comment"] == f"{MASK}, then {MASK}"


def test_the_ledger_keeps_the_comment_as_it_was_said(store: StateStore) -> None:
    executor = vault(store)
    review = waits(executor)
    told_secret(executor, "approve")
    decision = Reviews(store).get(review).decision
    assert decision is not None
    assert decision.comment == "4711-x is Bern's, new-9"
