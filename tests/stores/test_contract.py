"""What every store promises, method by method."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stepgraph.graphs.parts import definition_hash
from stepgraph.stores.audit import GENESIS, broken_links, chained
from stepgraph.stores.base import StateStore, StoredRun
from stepgraph.stores.ledger import Outcome, Pointer, Row, RunHead, RunStatus
from stepgraph.stores.serving import ServedStore
from stepgraph.values.errors import CommitsLost, Conflict, RunExists, StoreError, UnknownRun
from stepgraph.values.json_values import Json
from tests.stores.building import DEFINITION_HASH, Writer, create, head, paused, pointer, start_row, step_row


# acceptance 111, 112
def test_a_run_comes_back_as_it_was_created(store: StateStore) -> None:
    full = Pointer(
        1,
        DEFINITION_HASH,
        RunStatus.FAILED,
        "work",
        3,
        50,
        1.5,
        Outcome.MAX_STEPS,
        True,
        "a-1",
        {"type": "X"},
        9.25,
    )
    run = StoredRun(RunHead("r-1", "demo", 100.5, "/g.toml", "r-0@3"), full)
    store.create(run, [start_row({"n": 1})], "{}")
    assert store.load("r-1") == run
    assert type(store.load("r-1").pointer.status) is RunStatus
    assert type(store.load("r-1").pointer.outcome) is Outcome
    assert store.load("r-1").pointer.flagged is True


def test_a_run_without_the_optional_parts_comes_back_too(store: StateStore) -> None:
    run = StoredRun(RunHead("r-1", "demo", 1.0), Pointer(1, DEFINITION_HASH, RunStatus.ENDED, None, 0, 1))
    store.create(run, [start_row()], "{}")
    assert store.load("r-1") == run


def test_a_row_comes_back_with_every_part(store: StateStore) -> None:
    create(store)
    row = Row(
        2,
        "step",
        1,
        "work",
        3,
        101.5,
        0.125,
        {"b": [1, 2.5, None, True, {"x": "y"}], "a": "text"},
        {"b": "append"},
        "said",
        "next",
        2,
        {"type": "E"},
        "a-1",
        {"by": "ana"},
    )
    store.commit("r-1", row, pointer(2))
    found = store.rows("r-1")[1]
    assert found == row
    assert list(found.updates or {}) == ["b", "a"], "the order of the updates is the node's"


def test_a_row_without_the_optional_parts_keeps_them_empty(store: StateStore) -> None:
    create(store)
    store.commit("r-1", Row(2, "extend", 0), pointer(2))
    store.commit("r-1", Row(3, "step", 1, "work", updates={}, output="", edge=0), pointer(3))
    assert store.rows("r-1", 1) == [
        Row(2, "extend", 0),
        Row(3, "step", 1, "work", updates={}, output="", edge=0),
    ]


# acceptance 116
def test_a_commit_moves_the_run(store: StateStore) -> None:
    create(store)
    moved = pointer(2, RunStatus.PAUSED, current="ask", review="a-1", seconds=0.5)
    store.commit("r-1", step_row(2), moved)
    assert store.load("r-1") == StoredRun(head(), moved)


# acceptance 122
@pytest.mark.parametrize("seq", [2, 4, 9])
def test_a_conflict_changes_nothing(store: StateStore, seq: int) -> None:
    """A run that is behind its handle is another one, or its server has lost what it had acknowledged."""
    error: type[StoreError] = Conflict
    told, do = "at version 2 and not at 1: another process has advanced it", "load the run again"
    if seq > 2:
        told = "not the one that was loaded"
        if isinstance(store, ServedStore):
            error, told, do = CommitsLost, f"at version 2 and was at {seq - 1}: the store has lost", "S008"
    create(store, values={"n": 1})
    store.commit("r-1", step_row(2, {"n": 2}), pointer(2))
    before = store.load("r-1"), store.rows("r-1"), store.values("r-1", 2)
    with pytest.raises(error, match=f"'r-1' is {told}") as caught:
        store.commit("r-1", step_row(seq, {"n": 99}), pointer(seq), {"n": 99}, definition="{}")
    assert do in caught.value.hint
    assert (store.load("r-1"), store.rows("r-1"), store.values("r-1", 2)) == before
    store.commit("r-1", step_row(3, {"n": 3}), pointer(3), {"n": 3})
    assert store.values("r-1", 3) == {"n": 3}


def test_a_second_run_of_the_same_id_is_refused_and_changes_nothing(store: StateStore) -> None:
    create(store, values={"n": 1})
    with pytest.raises(RunExists, match="'r-1' already"):
        create(store, values={"n": 2})
    assert store.values("r-1", 1) == {"n": 1}
    assert len(store.runs()) == 1


# acceptance 126
def test_an_unknown_run_is_refused_without_a_word_of_others(store: StateStore) -> None:
    create(store, "refund-1")
    for call in (
        lambda: store.load("refund-2"),
        lambda: store.values("refund-2", 1),
        lambda: store.rows("refund-2"),
        lambda: store.visits("refund-2"),
    ):
        with pytest.raises(UnknownRun, match="no run 'refund-2'") as caught:
            call()
        assert "refund-1" not in str(caught.value)
        assert caught.value.run_id == "refund-2"


def test_rows_are_read_in_part(store: StateStore) -> None:
    create(store)
    store.commit("r-1", Row(2, "review", 1, review="a-1"), pointer(2))
    store.commit("r-1", Row(3, "decision", 1, review="a-1"), pointer(3))
    store.commit("r-1", step_row(4), pointer(4))

    def seqs(*args: int, **named: object) -> list[int]:
        return [row.seq for row in store.rows("r-1", *args, **named)]  # type: ignore[arg-type]  # kinds or upto

    assert seqs() == [1, 2, 3, 4]
    assert seqs(2) == [3, 4]
    assert seqs(1, 3) == [2, 3]
    assert seqs(upto=1) == [1]
    assert seqs(kinds=("step", "decision")) == [3, 4]
    assert seqs(3, kinds=("decision",)) == []
    assert seqs(kinds=()) == []
    assert seqs(kinds=iter(("start",))) == [1]
    assert seqs(9) == []
    store.commit("r-1", replace(step_row(5), data={"calls": []}), pointer(5))
    assert seqs(with_data=True) == seqs(kinds=("step", "start"), with_data=True) == [5]
    assert seqs(upto=4, with_data=True) == seqs(kinds=("decision",), with_data=True) == []


def test_visits_are_the_step_rows_of_each_node(store: StateStore) -> None:
    create(store)
    assert store.visits("r-1") == {}
    for seq, (kind, node) in enumerate(
        [("step", "a"), ("attempt", "b"), ("step", "b"), ("step", "a"), ("route", "a")], 2
    ):
        store.commit("r-1", Row(seq, kind, seq, node), pointer(seq))  # type: ignore[arg-type]  # a row kind
    visits = store.visits("r-1")
    assert visits == {"a": [2, 5], "b": [4]}
    assert list(visits) == ["a", "b"]


def test_runs_come_with_the_last_changed_first(store: StateStore) -> None:
    for run_id in ("r-1", "r-2", "r-3"):
        create(store, run_id)
    store.commit("r-2", step_row(2), pointer(2, RunStatus.PAUSED))
    store.commit("r-1", step_row(2), pointer(2, updated_at=999.0))
    assert [run.head.id for run in store.runs()] == ["r-1", "r-2", "r-3"]
    assert [run.head.id for run in store.runs(limit=2)] == ["r-1", "r-2"]
    assert [run.head.id for run in store.runs(RunStatus.PAUSED)] == ["r-2"]
    assert [run.head.id for run in store.runs(RunStatus.READY, 1)] == ["r-1"]
    assert store.runs(RunStatus.ENDED) == []


def test_of_runs_changed_at_the_same_moment_the_younger_comes_first(store: StateStore) -> None:
    for run_id in ("r-1", "r-2", "r-3"):
        create(store, run_id)
    assert [run.head.id for run in store.runs()] == ["r-3", "r-2", "r-1"]


def test_a_review_is_found_by_its_id_with_its_run_as_it_stands(store: StateStore) -> None:
    create(store, "r-1")
    create(store, "r-2")
    asked = Row(2, "review", 1, "ask", review="a-1", data={"hash": "x"})
    store.commit("r-2", asked, pointer(2))
    found = store.review("a-1")
    assert found is not None
    assert found == (store.load("r-2"), [asked])
    decided = Row(3, "decision", 1, "ask", review="a-1", data={"by": "ana"})
    store.commit("r-2", decided, pointer(3))
    store.commit("r-1", Row(2, "review", 1, "ask", review="a-2"), pointer(2))
    assert store.review("a-1") == (store.load("r-2"), [asked, decided])
    assert found.run.pointer.version == 2  # what was read is of one moment
    assert store.review("a-9") is None


def test_the_reviews_that_paused_runs_wait_for_are_listed_with_the_oldest_first(store: StateStore) -> None:
    assert (store.reviews(), store.reviews(pending=False)) == ([], [])
    for run_id, at in (("r-1", 9.0), ("r-2", 7.0), ("r-3", 8.0), ("r-4", 6.0)):
        create(store, run_id)
        asked = Row(2, "review", 1, "ask", at=at, review=f"a-{run_id}", data={"hash": "x"})
        store.commit(run_id, asked, pointer(2, RunStatus.PAUSED, review=f"a-{run_id}"))
    decided = Row(3, "decision", 1, "ask", at=20.0, review="a-r-3", data={"by": "ana"})
    store.commit("r-3", decided, pointer(3, review="a-r-3"))
    store.commit("r-4", Row(3, "edit", 1, "ask", at=30.0), pointer(3, review="a-r-4"))  # withdrawn by that
    assert store.reviews() == [store.review("a-r-2"), store.review("a-r-1")]
    assert store.reviews(limit=1) == [store.review("a-r-2")]
    assert store.reviews(pending=False) == [store.review("a-r-3"), store.review("a-r-4")]
    assert store.reviews(pending=False, limit=1) == [store.review("a-r-3")]
    assert store.reviews().damages == store.reviews(pending=False).damages == []
    store.commit("r-4", Row(4, "review", 1, "ask", at=31.0, review="a-5"), paused("a-5", 4))
    assert [found.rows[0].review for found in store.reviews()] == ["a-r-2", "a-r-1", "a-5"]
    store.commit("r-1", Row(3, "stop", 1, "ask", at=32.0), pointer(3, RunStatus.ENDED, review="a-r-1"))
    assert [found.rows[0].review for found in store.reviews()] == ["a-r-2", "a-5"]
    assert [found.rows[0].review for found in store.reviews(pending=False)] == ["a-r-3", "a-r-1", "a-r-4"]
    store.delete_runs({"r-2": 2, "r-3": 3})
    assert [found.rows[0].review for found in store.reviews()] == ["a-5"]
    assert [found.rows[0].review for found in store.reviews(pending=False)] == ["a-r-1", "a-r-4"]


def test_the_votes_about_a_review_are_listed_with_it(store: StateStore) -> None:
    create(store)
    rows = [Row(seq, "decision", 1, "ask", at=float(seq), review="a-1", data={"seq": seq}) for seq in (3, 4)]
    store.commit("r-1", Row(2, "review", 1, "ask", at=2.0, review="a-1"), paused("a-1", 2))
    store.commit("r-1", rows[0], paused("a-1", 3))
    assert [found.rows[1:] for found in store.reviews()] == [rows[:1]]
    assert store.reviews(pending=False) == []
    store.commit("r-1", rows[1], pointer(4, review="a-1"))
    assert [found.rows[1:] for found in store.reviews(pending=False)] == [rows]
    assert store.reviews() == []


def test_a_run_that_waits_for_a_review_that_is_not_there_is_told_beside_the_others(store: StateStore) -> None:
    for run_id in ("r-1", "r-2"):
        create(store, run_id)
    store.commit("r-1", Row(2, "review", 1, "ask", review="a-1"), paused("a-1", 2))
    store.commit("r-2", step_row(2), paused("a-2", 2))
    listed = store.reviews()
    assert listed == [store.review("a-1")]
    assert [str(damage) for damage in listed.damages] == ["run 'r-2': there is no review 'a-2' in this store"]


def test_the_audit_has_an_entry_for_each_commit_that_brings_one(store: StateStore) -> None:
    assert (store.audit(), store.audit_end()) == ([], 0)
    create(store)
    entries: list[dict[str, Json]] = [
        {"by": "ana", "edited": ["b", "a"], "n": 1.5},
        {"by": "\x1b[31m bo"},
        {"by": None},
    ]
    for seq, entry in enumerate(entries, 2):
        store.commit("r-1", Row(seq, "decision", 1, review="a-1"), pointer(seq), audit=entry)
    store.commit("r-1", step_row(5), pointer(5), {})
    links = store.audit()
    assert [(link.number, link.entry) for link in links] == list(enumerate(entries, 1))
    assert [link.previous for link in links] == [GENESIS, links[0].hash, links[1].hash]
    assert broken_links(links) == []
    assert links[0] == chained(None, entries[0])
    assert store.audit(1) == links[1:]
    assert store.audit(limit=2) == links[:2]
    assert store.audit(1, 1) == [links[1]]
    assert store.audit(3) == []
    assert store.audit_end() == 3
    links[0].entry["edited"] = []
    entries[1]["by"] = "somebody else"
    assert broken_links(store.audit()) == []
    assert store.audit()[1].entry == {"by": "\x1b[31m bo"}


def test_a_commit_that_changes_nothing_leaves_the_audit_alone(store: StateStore) -> None:
    create(store)
    store.commit("r-1", step_row(2), pointer(2), audit={"by": "ana"})
    for run_id, seq, error in (
        ("r-1", 2, Conflict),
        ("r-1", 4, (Conflict, CommitsLost)),
        ("r-9", 2, UnknownRun),
    ):
        with pytest.raises(error):
            store.commit(run_id, step_row(seq), pointer(seq), audit={"by": "bo"})
    assert [link.entry for link in store.audit()] == [{"by": "ana"}]


def test_deleting_runs_keeps_their_entries_in_the_audit(store: StateStore) -> None:
    for run_id in ("r-1", "r-2"):
        create(store, run_id)
        store.commit(run_id, step_row(2), pointer(2), audit={"run": run_id})
    before = store.audit()
    store.delete_runs({"r-1": 2, "r-2": 2})
    assert store.audit() == before
    create(store)
    store.commit("r-1", step_row(2), pointer(2), audit={"run": "r-1, anew"})
    assert store.audit()[:2] == before
    assert broken_links(store.audit()) == []


def test_a_fork_takes_rows_over_and_numbers_them_anew(store: StateStore) -> None:
    writer = Writer(store, {"n": 0})
    writer.step({"n": 1})
    for row in (
        Row(3, "attempt", 2, "work", duration=9.0),
        Row(4, "review", 2, "work", review="a-1", data={}),
    ):
        store.commit("r-1", row, pointer(row.seq))
    writer.seq = 4
    writer.edit({"n": 7})
    writer.step({"n": 8})
    writer.step({"n": 9})
    assert store.measure_fork("r-1", 6) == (4, 2 * step_row(2).duration)
    row = Row(5, "edit", 2, "work", updates={"m": 1})
    store.create(StoredRun(head("r-2"), pointer(5)), [row], "{}", ("r-1", 6))
    rows = store.rows("r-2")
    assert [(row.seq, row.kind) for row in rows] == [*enumerate(["start", "step", "edit", "step", "edit"], 1)]
    assert [store.values("r-2", seq) for seq in range(1, 6)] == [
        {"n": 0},
        {"n": 1},
        {"n": 7},
        {"n": 8},
        {"n": 8, "m": 1},
    ]
    assert store.visits("r-2") == {"work": [2, 4]}
    store.commit("r-2", step_row(6, {"n": 3}), pointer(6), {"n": 3, "m": 1})
    assert store.values("r-2", 6) == {"n": 3, "m": 1}
    assert [row.seq for row in store.rows("r-1")] == [*range(1, 8)]
    with pytest.raises(UnknownRun):
        store.measure_fork("r-9", 1)
    with pytest.raises(UnknownRun):
        store.create(StoredRun(head("r-3"), pointer(1)), [], "{}", ("r-9", 1))


def test_a_definition_is_kept_by_its_hash(store: StateStore) -> None:
    create(store)
    assert store.definition(DEFINITION_HASH) == '{"name":"demo"}'
    other = definition_hash({"name": "neu"})
    moved = pointer(2, definition=other)
    store.commit("r-1", Row(2, "adopt", 0), moved, {}, definition='{"name":"neu"}')
    assert store.definition(other) == '{"name":"neu"}'
    assert store.definition(DEFINITION_HASH) == '{"name":"demo"}'
    with pytest.raises(StoreError, match="no definition 'hash-9'"):
        store.definition("hash-9")


def test_a_commit_may_name_a_definition_that_is_there_already(store: StateStore) -> None:
    create(store)
    store.commit("r-1", Row(2, "adopt", 0), pointer(2), {}, definition='{"name":"demo"}')
    assert store.definition(DEFINITION_HASH) == '{"name":"demo"}'


def test_two_runs_do_not_see_each_other(store: StateStore) -> None:
    one = Writer(store, {"n": 0}, run_id="r-1")
    two = Writer(store, {"n": 100}, run_id="r-2")
    for number in range(1, 4):
        one.step({"n": number})
        two.step({"n": 100 + number})
    assert [store.values("r-1", seq)["n"] for seq in range(1, 5)] == [0, 1, 2, 3]
    assert [store.values("r-2", seq)["n"] for seq in range(1, 5)] == [100, 101, 102, 103]
    assert store.visits("r-2") == {"work": [2, 3, 4]}
    assert [row.seq for row in store.rows("r-1")] == [1, 2, 3, 4]


def test_a_closed_store_says_so(store: StateStore) -> None:
    create(store)
    store.close()
    store.close()
    for call in (
        lambda: store.load("r-1"),
        lambda: store.values("r-1", 1),
        lambda: store.rows("r-1"),
        lambda: store.visits("r-1"),
        lambda: store.runs(),
        lambda: store.review("a-1"),
        lambda: store.reviews(),
        lambda: store.audit(),
        lambda: store.audit_end(),
        lambda: store.definition(DEFINITION_HASH),
        lambda: store.commit("r-1", step_row(2), pointer(2)),
        lambda: create(store, "r-2"),
    ):
        with pytest.raises(StoreError, match="is closed") as caught:
            call()
        assert caught.value.hint == "open it again"


def test_leaving_the_block_closes_the_store(store: StateStore) -> None:
    with store as same:
        assert same is store
    with pytest.raises(StoreError, match="is closed"):
        store.runs()
