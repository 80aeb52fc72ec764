"""What goes in comes out: every kind of value, any past state, and nothing that is shared."""

from __future__ import annotations

from contextlib import suppress

import pytest

from stepgraph.stores.base import StateStore, StoredRun
from stepgraph.stores.ledger import Row, RunHead
from stepgraph.values.errors import StoreError
from stepgraph.values.json_values import Json
from tests.stores.building import DEFINITION, Writer, create, head, pointer, start_row, step_row

ODD: dict[str, Json] = {
    "nul": "a\x00b",
    "emoji": "🦀 zażółć 漢字",
    "separators": "\u2028\u2029\x7f\x1b[31m",
    "ключ": {"": "", '"': "\\"},
    "numbers": [0, -0.0, 1.0, 1e300, 5e-324, 2**63, -(10**100), True, False, None],
    "deep": [[[[{"x": [[]]}]]]],
}


def test_odd_values_come_back_as_they_were(store: StateStore) -> None:
    create(store, values=ODD)
    store.commit("r-1", step_row(2, {"again": ODD}, output="\x00 out", node="kn\x00ten"), pointer(2), {})
    assert repr(store.values("r-1", 1)) == repr(ODD)
    assert repr(store.values("r-1", 2)["again"]) == repr(ODD)
    assert store.rows("r-1")[1].output == "\x00 out"
    assert store.visits("r-1") == {"kn\x00ten": [2]}


@pytest.mark.parametrize(
    "text", ["\x00", "\x10", "\x100", "\x101\x00\x10", "a\x10b\x00\x00", "\x01\x7f\u2028"]
)
def test_any_character_may_be_in_any_text(store: StateStore, text: str) -> None:
    row = step_row(2, {text: text}, output=text, node=text, next=text)
    run = StoredRun(RunHead("r-1", text, 1.0, text), pointer(1, current=text))
    store.create(run, [start_row({text: [text]})], DEFINITION)
    assert store.load("r-1") == store.runs()[0] == run
    store.commit("r-1", row, pointer(2, current=text))
    assert store.rows("r-1", 1) == [row]
    assert store.visits("r-1") == {text: [2]}
    assert store.values("r-1", 2) == {text: text}
    store.create(StoredRun(head("r-2"), pointer(2)), [], DEFINITION, ("r-1", 2))
    assert store.rows("r-2", 1) == [row]


def test_an_odd_run_id_works(store: StateStore) -> None:
    create(store, "läuft 'auch' 🦀")
    assert store.load("läuft 'auch' 🦀").head.id == "läuft 'auch' 🦀"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**70])
def test_a_number_that_no_database_holds_is_refused_or_finds_nothing(store: StateStore, number: int) -> None:
    create(store)
    for ask in (
        lambda: store.values("r-1", number),
        lambda: store.rows("r-1", number),
        lambda: store.rows("r-1", 0, number),
        lambda: store.measure_fork("r-1", number),
        lambda: store.runs(limit=number),
        lambda: store.reviews(limit=number),
        lambda: store.audit(number),
        lambda: store.audit(0, number),
        lambda: store.delete_runs({"r-1": number}),
        lambda: store.commit("r-1", step_row(number), pointer(number)),
    ):
        with suppress(StoreError):
            ask()
        store.commit("r-1", step_row(version := store.load("r-1").pointer.version + 1), pointer(version))
    assert len(store.rows("r-1")) == 11


def test_the_order_of_the_keys_is_kept(store: StateStore) -> None:
    writer = Writer(store, {"z": 1, "list": [], "a": 2}, {"list": "append"})
    for number in range(120):
        writer.step({"list": number, "m": number})
    assert list(store.values("r-1", 121)) == ["z", "list", "a", "m"]


# e9 11
def test_what_was_read_can_be_changed_without_changing_the_store(store: StateStore) -> None:
    create(store, values={"list": [{"x": 1}], "table": {"a": [1]}})
    failed: dict[str, Json] = {"type": "E", "cause": {"lines": [1]}}
    store.commit(
        "r-1",
        Row(
            2,
            "step",
            1,
            "work",
            updates={"list": [[2]]},
            ops={"list": "append"},
            review="a-1",
            data={"d": [1]},
        ),
        pointer(2, error=failed),
    )
    for _ in range(2):
        values = store.values("r-1", 2)
        assert values == {"list": [{"x": 1}, [2]], "table": {"a": [1]}}
        row = store.rows("r-1")[1]
        assert (row.updates, row.ops, row.data) == ({"list": [[2]]}, {"list": "append"}, {"d": [1]})
        run = store.load("r-1")
        assert run.pointer.error == failed
        _spoil(values, row, run)
        review = store.review("a-1")
        assert review is not None
        _spoil({}, review.rows[0], store.runs()[0])
        if review.run.pointer.error is not None:
            review.run.pointer.error["cause"] = "spoilt"
        store.visits("r-1")["work"].append(99)
        assert store.visits("r-1") == {"work": [2]}


def _spoil(values: dict[str, Json], row: Row, run: StoredRun) -> None:
    for container in (values, row.updates, row.ops, row.data, run.pointer.error):
        assert container is not None
        for inner in container.values():
            if isinstance(inner, list):
                inner.append("spoilt")
            elif isinstance(inner, dict):
                inner["spoilt"] = True
        container["spoilt"] = "append"
    row.kind, row.updates = "edit", None
    run.pointer.version, run.pointer.error = 99, None


@pytest.mark.parametrize("seq", [3, 1000])
def test_the_state_after_the_last_row_is_the_last_state(store: StateStore, seq: int) -> None:
    create(store, values={"n": 1})
    assert store.values("r-1", seq) == {"n": 1}
