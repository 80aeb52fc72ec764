"""What is big is kept once beside its run; whoever reads the run sees it whole."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.base import BigValue, StateStore, StoredRun
from stepgraph.stores.big_values import LIMIT, hash_of
from stepgraph.stores.checking import store_damages
from stepgraph.stores.ledger import Row
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import StoreDamaged, UnknownRun
from stepgraph.values.json_values import Json, dumps
from tests.stores.building import DEFINITION, Writer, create, head, pointer, start_row, step_row

DOC = "d" * 60
TABLE: dict[str, Json] = {"rows": ["e" * 60], "count": 1}


def number_of(store: StateStore, run_id: str = "r-1") -> int:
    """The number of a run: a server that is asked twice, as a slow one is, has left one out."""
    if isinstance(store, MemoryStore):
        return 0
    if isinstance(store, RedisStore):
        number = store._tracks.number(run_id)
    elif isinstance(store, SqliteStore):
        number = store.backend.db.execute("SELECT no FROM runs WHERE id = ?", (run_id,)).get
    else:
        assert isinstance(store, PostgresStore)
        [[number]] = store.backend.link.connection().execute("SELECT no FROM runs WHERE id = $1", (run_id,))
    assert isinstance(number, int)
    return number


def bodies(store: StateStore, no: int) -> dict[str, str]:
    """What a store keeps beside run number ``no``; the one in memory keeps every value once anyway."""
    if isinstance(store, SqliteStore):
        return dict(store.backend.db.execute("SELECT hash, body FROM big_values WHERE run = ?", (no,)))
    if isinstance(store, PostgresStore):
        query = "SELECT hash, body FROM big_values WHERE run = $1::bigint"
        return dict(store.backend.link.connection().execute(query, (no,)).fetchall())
    assert isinstance(store, RedisStore)
    kept: list[str] = store.backend.server.command("HGETALL", f"big:{no}")
    return dict(zip(kept[::2], kept[1::2], strict=True))


def change(store: StateStore, hash_: str, text: str | None) -> None:
    """Put another text in the place of a big value of the run r-1; None takes it out."""
    if isinstance(store, RedisStore):
        key = f"big:{number_of(store)}"
        if text is None:
            store.backend.server.command("HDEL", key, hash_)
        else:
            store.backend.server.command("HSET", key, hash_, text)
        return
    database: Any = store.backend.db if isinstance(store, SqliteStore) else store.backend.link.connection()  # type: ignore[attr-defined]  # PostgreSQL's
    statement = "DELETE FROM big_values" if text is None else "UPDATE big_values SET body = $2"
    if isinstance(store, SqliteStore):
        statement = statement.replace("$", "?")
    where = " WHERE hash = ?1" if isinstance(store, SqliteStore) else " WHERE hash = $1"
    database.execute(statement + where, (hash_,) if text is None else (hash_, text))


def check_kept(store: StateStore, *values: object, run_id: str = "r-1", no: int | None = None) -> None:
    """Check that a store keeps just these beside a run; beside its number where it was deleted."""
    if not isinstance(store, MemoryStore):
        kept = bodies(store, number_of(store, run_id) if no is None else no)
        assert kept == {hash_of(text): text for text in map(dumps, values)}


# acceptance 108
def test_a_value_that_is_put_twice_is_kept_once(frugal: StateStore) -> None:
    writer = Writer(frugal, {"doc": DOC, "n": 0})
    writer.step({"copy": DOC, "n": 1, "table": TABLE})
    writer.step({"doc": "short"})
    writer.step({"doc": DOC, "table": None})
    check_kept(frugal, DOC, TABLE)
    assert {seq: frugal.values("r-1", seq) for seq in writer.expected} == writer.expected
    updates = [row.updates for row in frugal.rows("r-1")]
    assert updates[1] == {"copy": DOC, "n": 1, "table": TABLE}
    assert [*(updates[1] or {})] == ["copy", "n", "table"]


# acceptance 108
def test_a_value_at_the_limit_stays_in_its_row(frugal: StateStore) -> None:
    at_limit = "x" * 48  # fifty with its quotes
    create(frugal, values={"at": at_limit, "over": at_limit + "x"})
    check_kept(frugal, at_limit + "x")
    assert frugal.values("r-1", 1) == {"at": at_limit, "over": at_limit + "x"}


def test_the_usual_limit_is_that_of_a_document(store: StateStore) -> None:
    page, document = "p" * (LIMIT - 2), "d" * (LIMIT - 1)
    create(store, values={"page": page, "document": document, "n": 1})
    check_kept(store, document)
    assert store.values("r-1", 1) == {"page": page, "document": document, "n": 1}


@pytest.mark.parametrize(
    ("updates", "output", "kept"),
    [
        ({"found": TABLE}, dumps(TABLE), [TABLE]),
        ({"found": DOC}, DOC, [DOC]),
        ({"n": 1}, f'"{DOC}"', [DOC]),
        ({"found": DOC}, "short", [DOC]),
        ({"n": 1}, "", []),
        (None, f'"{DOC}"', [DOC]),
    ],
)
def test_an_output_that_is_the_value_is_kept_once(
    frugal: StateStore, updates: dict[str, Any] | None, output: str, kept: list[Any]
) -> None:
    create(frugal)
    row = step_row(2, output=output)
    row.updates = updates
    frugal.commit("r-1", row, pointer(2))
    check_kept(frugal, *kept)
    assert frugal.rows("r-1", 1) == [row]


def test_a_long_output_of_no_json_comes_back_as_it_was(frugal: StateStore) -> None:
    create(frugal)
    rows = [
        step_row(2, output="a\x00b\n" * 20, ops={}),
        step_row(3, {"doc": DOC}, output="é" * 60, ops={}),
    ]
    for row in rows:
        frugal.commit("r-1", row, pointer(row.seq))
    assert frugal.rows("r-1", 1) == rows


def test_a_row_about_a_review_is_whole_in_the_lists_of_reviews(frugal: StateStore) -> None:
    create(frugal)
    asked = Row(2, "review", 0, "work", review="a-1", data={"request": {}})
    frugal.commit("r-1", asked, pointer(2))
    edited = Row(3, "edit", 0, "work", updates={"doc": DOC}, review="a-1", data={"withdraws": "a-1"})
    frugal.commit("r-1", edited, pointer(3))
    review = frugal.review("a-1")
    assert review is not None
    assert review.rows == [asked, edited]
    assert [found.rows for found in frugal.reviews(pending=False)] == [[asked, edited]]


def test_a_fork_of_an_adopted_run_whose_list_is_big_has_it(frugal: StateStore) -> None:
    writer = Writer(frugal, {"log": [DOC]})
    writer.adopt({"log": "append"})
    writer.step({"log": "more"})
    frugal.create(StoredRun(head("r-2"), pointer(3)), [], DEFINITION, ("r-1", 3))
    assert frugal.values("r-2", 3) == {"log": [DOC, "more"]}
    assert frugal.rows("r-2") == frugal.rows("r-1")


def test_a_run_that_comes_with_many_rows_has_them_whole(frugal: StateStore) -> None:
    rows = [start_row({"doc": DOC}), *(step_row(seq, {"doc": f"{DOC}{seq % 3}"}) for seq in range(2, 30))]
    frugal.create(StoredRun(head(), pointer(29)), rows, DEFINITION)
    check_kept(frugal, DOC, *(f"{DOC}{number}" for number in range(3)))
    assert frugal.rows("r-1") == rows
    assert [frugal.values("r-1", seq)["doc"] for seq in (1, 4, 29)] == [DOC, f"{DOC}1", f"{DOC}2"]


# acceptance 108
def test_an_outline_leaves_big_values_where_they_are(frugal: StateStore) -> None:
    writer = Writer(frugal, {"doc": DOC, "table": TABLE, "n": 0}, {"table": "merge"})
    writer.step({"n": 1, "doc": DOC + "é"})
    writer.step({"table": {"count": 2}})
    for number in range(5):
        writer.step({"n": number})
    if isinstance(frugal, MemoryStore):
        assert frugal.outline("r-1", 3) == writer.expected[3]
        return
    doc, table = dumps(DOC), dumps(TABLE)
    assert frugal.outline("r-1", 1) == {
        "doc": BigValue(hash_of(doc), len(doc)),
        "table": BigValue(hash_of(table), len(table)),
        "n": 0,
    }
    accented = frugal.outline("r-1", 8)["doc"]
    assert accented == BigValue(hash_of(dumps(DOC + "é")), len(dumps(DOC + "é").encode()))
    assert frugal.outline("r-1", 8)["table"] == {**TABLE, "count": 2}, (
        "what was merged is not a big value any more"
    )
    assert frugal.big_value("r-1", hash_of(table)) == TABLE
    change(frugal, hash_of(doc), dumps("another"))
    assert frugal.outline("r-1", 1)["n"] == 0
    with pytest.raises(StoreDamaged, match="is not as it was written"):
        frugal.big_value("r-1", hash_of(doc))
    change(frugal, hash_of(doc), None)
    for ask in (lambda: frugal.outline("r-1", 1), lambda: frugal.big_value("r-1", hash_of(doc))):
        with pytest.raises(StoreDamaged, match="of run 'r-1' is missing"):
            ask()
    for call in (lambda: frugal.outline("r-9", 1), lambda: frugal.big_value("r-9", hash_of(doc))):
        with pytest.raises(UnknownRun):
            call()


def test_who_asks_a_store_in_memory_for_a_big_value_is_told_that_there_is_none() -> None:
    with MemoryStore() as store, pytest.raises(StoreDamaged, match="is missing"):
        store.big_value("r-1", hash_of("x"))


DAMAGES = [
    (None, "is missing"),
    (dumps("e" * 60), "is not as it was written"),
    ("no JSON", "is not as it was"),
]


# acceptance 108
@pytest.mark.parametrize(("text", "what"), DAMAGES)
def test_a_big_value_that_is_lost_is_told_with_its_run_and_nothing_else_is_lost(
    frugal: StateStore, text: str | None, what: str
) -> None:
    if isinstance(frugal, MemoryStore):
        return
    writer = Writer(frugal, {"doc": "short"})
    writer.step({"doc": DOC})
    writer.step({"doc": "short again"})
    writer.step({"doc": TABLE})
    create(frugal, "r-2", {"doc": TABLE})
    change(frugal, hash_of(dumps(DOC)), text)
    for ask in (lambda: frugal.values("r-1", 2), lambda: frugal.rows("r-1")):
        with pytest.raises(StoreDamaged, match=f"the big value [0-9a-f]* of run 'r-1' {what}"):
            ask()
    assert [frugal.values("r-1", seq) for seq in (1, 3, 4)] == [
        {"doc": "short"},
        {"doc": "short again"},
        {"doc": TABLE},
    ]
    assert [row.updates for row in frugal.rows("r-1", 2)] == [{"doc": "short again"}, {"doc": TABLE}]
    assert [damage.run for damage in store_damages(frugal)] == ["r-1"]
    assert frugal.values("r-2", 1) == {"doc": TABLE}
