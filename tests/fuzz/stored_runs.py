"""A store with runs of every kind as bytes, what can be done with it, and ways to damage it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import apsw
from hypothesis import strategies as st

from stepgraph import END, Decision, Executor, NodeResult, Reviews, RunStatus, SqliteStore, StateGraph
from stepgraph.reviews.model import ReviewRequest
from stepgraph.runs.views import open_run
from stepgraph.stores.base import Damage, Listing
from stepgraph.stores.sqlite import SnapshotPolicy
from stepgraph.stores.sqlite.checking import file_damages
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph.values.errors import RunError, StepgraphError, StoreDamaged, StoreError

PAGE = 4096
TABLES = ("runs", "ledger", "snapshots", "definitions", "audit", "big_values")


def _count(state: Mapping[str, Any]) -> dict[str, Any]:
    return {"n": state["n"] + 1, "log": [f"step {state['n']}"], f"k{state['n'] % 7}": "x" * 40}


def _ask(state: Any) -> Any:
    if state.decision is None:
        return NodeResult.pause(ReviewRequest("Go on?", action="pay", arguments={"amount": 12}, show=("n",)))
    return {"answer": state.decision.verb}


def _graph(name: str = "counting", limit: int = 60) -> StateGraph:
    graph = StateGraph(name, start="count", max_steps=limit)
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("count", _count)
    graph.add_node("ask", _ask)
    graph.add_edge("count", "ask", when="n == 3")
    graph.add_edge("count", "count")
    graph.add_edge("ask", "count")
    graph.add_edge("ask", END)
    return graph


APP = _graph().compile()


def _executor(store: SqliteStore) -> Executor:
    return Executor(APP, store, clock=FakeClock(), ids=sequential_ids())


@cache
def good_store() -> bytes:
    """A store file: a run that reached its step limit, a waiting one, a decided one, a fork and a failure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        with SqliteStore(path, durability="normal", snapshots=SnapshotPolicy(min_rows=10, big=35)) as store:
            executor = _executor(store)
            executor.run(executor.start({"n": 10}, run_id="long"))
            executor.run(executor.start({"n": 0}, run_id="waits"))
            executor.run(executor.start({"n": 1}, run_id="decided"))
            executor.decide("decided", Decision.approve(by="ana", comment="seen"))
            executor.fork("long", at=20, new_run_id="forked")
            failing = executor.start({"n": "no number"}, run_id="failed")
            executor.run(failing)
        return path.read_bytes()


class Told(NamedTuple):
    """What an operation came to: a value, or that the store was refused."""

    value: Any = None
    refused: bool = False


def everything(path: Path) -> dict[str, Told]:
    """Do all that can be done with a store, and tell what each thing came to.

    Anything but an error of ours escapes.
    """
    told: dict[str, Told] = {}

    def note(name: str, work: Callable[[], Any]) -> None:
        try:
            told[name] = Told(work())
        except StoreError as error:
            told[name] = Told(type(error).__name__, refused=type(error) in (StoreError, StoreDamaged))
        except StepgraphError as error:
            told[name] = Told(f"{type(error).__name__}: {error.message}")

    note("doctor", lambda: _is_healthy(path))
    try:
        store = SqliteStore(path, durability="normal")
    except StoreError:
        return told
    with store:
        executor = _executor(store)
        reviews = Reviews(store, now=lambda: 1_800_000_900.0)
        note("list", lambda: store.runs())
        note("waiting", lambda: store.runs(RunStatus.PAUSED))
        note("reviews", lambda: reviews.pending())
        note("other reviews", lambda: store.reviews(pending=False))
        note("audit", lambda: store.audit())
        for run_id in ("long", "waits", "decided", "forked", "failed"):
            note(f"load {run_id}", partial(store.load, run_id))
            note(f"rows {run_id}", partial(store.rows, run_id))
            note(f"look {run_id}", partial(_opened, executor, run_id))
            note(f"plan {run_id}", partial(_definition, store, run_id))
            note(f"last review {run_id}", partial(reviews.last_of, run_id))
        for review_id in ("a-1", "a-2"):
            note(f"review {review_id}", partial(reviews.get, review_id))
        note("fork", lambda: _looked(executor.fork("long", at=31, new_run_id="new")))
        note("fork anew", lambda: _looked(executor.fork("waits", new_run_id="newer")))
        note("edit", lambda: _looked(executor.edit("forked", {"n": 99}, by="ana")))
        note("extend", lambda: executor.extend("long", 3).max_steps)
        note("resume", lambda: _looked(executor.run(executor.load("long"))))
        note("go on", lambda: _looked(executor.run(executor.load("forked"))))
        note("decide", lambda: _looked(executor.resume("waits", Decision.approve(by="ben"), review="a-1")))
        note("decided", lambda: _looked(executor.run(executor.load("decided"))))
        note("retry", lambda: _looked(executor.retry("failed")))
    return told


def _is_healthy(path: Path) -> bool:
    try:
        return not list(file_damages(path))
    except apsw.Error:
        return False


def _opened(executor: Executor, run_id: str) -> Any:
    return _looked(executor.load(run_id))


def _definition(store: SqliteStore, run_id: str) -> str:
    return store.definition(open_run(store, run_id).definition)


def _looked(run: Any) -> Any:
    """What a person can see of a run."""
    steps = range(0, run.step + 1, 7)
    past: list[Any] = []
    for step in steps:
        try:
            past.append(run.values_at(step))
        except RunError as error:
            past.append(str(error))
    return (
        run.head, run.status, run.outcome, run.version, run.step, run.max_steps, run.current, run.values,
        str(run.error), [(record.row, record.output) for record in run.history],
        [record.row for record in run.attempts], run.outputs, run.visits, past, run.pending,
    )  # fmt: skip


@cache
def expected() -> dict[str, Told]:
    """What everything comes to with a good store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        path.write_bytes(good_store())
        return everything(path)


def told_of(content: bytes) -> dict[str, Told]:
    """Do everything with a changed file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        path.write_bytes(content)
        return everything(path)


def silently_different(content: bytes) -> list[str]:
    """Find what came to something else than with the good store, and was not refused, nor told by doctor."""
    told, good = told_of(content), expected()
    healthy = told.pop("doctor").value
    odd = [name for name, result in told.items() if not result.refused and not _is_told(result, good[name])]
    complains = [name for name, result in told.items() if result.refused or _damages(result)]
    refused = [f"{name} (doctor is content)" for name in complains if healthy]
    return odd + refused + ([] if told or not healthy else ["opening (doctor is content)"])


def _damages(told: Told) -> list[Damage]:
    return told.value.damages if isinstance(told.value, Listing) else []


def _is_told(told: Told, good: Told) -> bool:
    """Tell whether something is as it was, or a list that says what it lacks."""
    damages = _damages(told)
    if not damages:
        return told == good
    lacking = len(good.value) - len(told.value)
    return all(item in good.value for item in told.value) and (
        lacking <= len(damages) or any(damage.run is None for damage in damages)
    )


def edited(statement: str) -> bytes:
    """The good store after another program has changed its rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        path.write_bytes(good_store())
        connection = apsw.Connection(str(path))
        try:
            connection.execute(statement)
        except apsw.Error:
            pass  # a column that refuses the value stays as it was
        finally:
            connection.close()
        return path.read_bytes()


class Change(NamedTuple):
    """Something that happens to the bytes of the good store."""

    at: int
    """Where, as a share of its length: 0 to 999,999."""
    content: bytes
    """What is written there: over what was there, or for a single byte, flips in it."""

    def made(self) -> bytes:
        """Make the changed file."""
        whole = good_store()
        at = len(whole) * self.at // 1_000_000
        content = bytes([whole[at] ^ self.content[0]]) if len(self.content) == 1 else self.content
        return whole[:at] + content + whole[at + len(content) :]


PLACES = st.integers(0, 999_999)
FLIPS = st.builds(Change, PLACES, st.integers(1, 255).map(lambda mask: bytes([mask])))
"""One byte is changed."""
SCRIBBLES = st.builds(Change, PLACES, st.binary(min_size=2, max_size=64))
"""A few bytes are written over."""


def cut(share: int) -> bytes:
    """The good store without its end; of no bytes at all a new store is made."""
    return good_store()[: len(good_store()) * share // 1_000_000 or 1]


def paged(to: int, page: int) -> bytes:
    """The good store with one of its pages in the place of another."""
    whole = good_store()
    to, page = to % (len(whole) // PAGE) * PAGE, page % (len(whole) // PAGE) * PAGE
    return whole[:to] + whole[page : page + PAGE] + whole[to + PAGE :]


@cache
def _columns() -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "runs.db")
        path.write_bytes(good_store())
        connection = apsw.Connection(str(path))
        found = [
            (table, name)
            for table in TABLES
            for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        ]
        connection.close()
        return found


def edits() -> st.SearchStrategy[str]:
    """What another program may do to a row: delete it, or change one of its columns."""
    values = st.sampled_from(
        ["NULL", "0", "-1", "7", "1e300", "'{}'", "'x'", "''", "'ready'", "'step'", "x'ff'"]
    )
    rows = st.integers(0, 40).map(lambda row: f"ORDER BY rowid LIMIT 1 OFFSET {row}")
    return st.one_of(
        st.builds(
            "DELETE FROM {0} WHERE rowid = (SELECT rowid FROM {0} {1})".format,
            st.sampled_from(TABLES),
            rows,
        ),
        st.builds(
            "UPDATE {0[0]} SET {0[1]} = {1} WHERE rowid = (SELECT rowid FROM {0[0]} {2})".format,
            st.deferred(lambda: st.sampled_from(_columns())),
            values,
            rows,
        ),
        st.sampled_from(TABLES).map("DELETE FROM {}".format),
    )
