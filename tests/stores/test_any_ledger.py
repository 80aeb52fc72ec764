"""Whatever happens to a run, every one of its past states is what plain Python says it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.base import StateStore
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.json_values import copy_json
from tests.examples import examples
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer
from tests.stores.building import Writer

POLICIES = {
    "always": SnapshotPolicy(1, 1, 10**9),
    "when it pays": SnapshotPolicy(2, 10**9, 0),
    "often": SnapshotPolicy(3, 7, 60),
    "as usual": SnapshotPolicy(),
    "big": SnapshotPolicy(big=20),
    "big, always": SnapshotPolicy(1, 1, 10**9, big=20),
    "big, when it pays": SnapshotPolicy(2, 10**9, 0, big=10),
}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
scalars = st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
tables = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
long_texts = st.sampled_from(["x" * 80, "y" * 80])  # the same one twice is not stored twice

appending = st.tuples(st.sampled_from(["log", "tags"]), values)
merging = st.tuples(st.just("table"), tables | st.none())
replacing = st.tuples(st.sampled_from(["n", "other"]), values | long_texts | st.none())
steps = st.lists(appending | merging | replacing, max_size=4).map(dict)
edits = st.dictionaries(st.sampled_from(["log", "n"]), st.lists(values, max_size=3) | st.none(), max_size=2)
actions = st.lists(
    st.tuples(st.just("step"), steps)
    | st.tuples(st.just("edit"), edits)
    | st.tuples(st.just("note"), st.none())
    | st.tuples(st.just("reopen"), st.none())
    | st.tuples(st.just("adopt"), st.booleans()),
    max_size=25,
)


class Model:
    """The state as plain Python keeps it."""

    def __init__(self) -> None:
        self.now: dict[str, Any] = {"log": [], "n": 0}
        self.appending = {"log", "tags"}

    def step(self, updates: dict[str, Any]) -> None:
        for name, value in updates.items():
            if value is None:
                self.now.pop(name, None)
            elif name in self.appending:
                items = value if isinstance(value, list) else [value]
                self.now[name] = self.now.get(name, []) + items
            elif name == "table":
                self.now[name] = {**self.now.get(name, {}), **value}
            else:
                self.now[name] = value

    def edit(self, updates: dict[str, Any]) -> None:
        self.now.update(updates)
        self.now = {name: value for name, value in self.now.items() if value is not None}


def drive(
    open_store: Callable[[], StateStore], script: list[tuple[str, Any]]
) -> tuple[StateStore, Writer, list[Any]]:
    """Write the script, and tell what plain Python makes of it."""
    model = Model()
    past: list[Any] = [None, copy_json(model.now)]
    store = open_store()
    writer = Writer(store, model.now, {"log": "append", "tags": "append", "table": "merge"})
    for action, given_ in script:
        if action == "reopen":
            writer.store = store = open_store()
            continue
        if action == "note":
            writer.note("decision")
        elif action == "adopt":
            if not all(isinstance(model.now.get(name, []), list) for name in ("log", "tags")):
                continue  # the engine refuses to append to anything but a list
            model.appending = {"log", "tags"} if given_ else {"tags"}
            writer.adopt({**dict.fromkeys(model.appending, "append"), "table": "merge"})
        else:
            getattr(model, action)(given_)
            getattr(writer, action)(given_)
        past.append(copy_json(model.now))
    return store, writer, past


@examples(150)
@given(script=actions)
def test_in_memory(script: list[tuple[str, Any]]) -> None:
    kept = MemoryStore()
    store, writer, past = drive(lambda: kept, script)
    assert [store.values("r-1", seq) for seq in range(1, writer.seq + 1)] == past[1:]


@pytest.mark.parametrize("policy", POLICIES)
@examples(80)
@given(script=actions)
def test_in_sqlite(
    tmp_path_factory: pytest.TempPathFactory, policy: str, script: list[tuple[str, Any]]
) -> None:
    path: Path = tmp_path_factory.mktemp("store") / "runs.db"
    check(lambda: SqliteStore(path, durability="normal", snapshots=POLICIES[policy]), script)


# acceptance 114
@pytest.mark.parametrize("policy", POLICIES)
@examples(20)
@given(script=actions)
def test_in_postgres(postgres_server: PostgresServer, policy: str, script: list[tuple[str, Any]]) -> None:
    url = postgres_server.fresh_url()
    check(lambda: PostgresStore(url, snapshots=POLICIES[policy]), script)


# acceptance 113
@pytest.mark.parametrize("policy", POLICIES)
@examples(60)
@given(script=actions)
def test_in_redis(shared_redis: RedisServer, policy: str, script: list[tuple[str, Any]]) -> None:
    url = shared_redis.fresh_url()
    check(lambda: RedisStore(url, snapshots=POLICIES[policy]), script)


def check(opener: Callable[[], StateStore], script: list[tuple[str, Any]]) -> None:
    """Write the script to a store that is closed and opened now and then, and look at every past state."""
    opened: list[StateStore] = []

    def open_store() -> StateStore:
        if opened:
            opened[-1].close()
        opened.append(opener())
        return opened[-1]

    store, writer, past = drive(open_store, script)
    kept = MemoryStore()
    drive(lambda: kept, script)
    assert store.rows("r-1") == kept.rows("r-1")
    writer.fork("r-2", store)
    for run_id in ("r-1", "r-2"):
        states = [store.values(run_id, seq) for seq in range(1, writer.seq + 1)]
        assert states == past[1:]
        assert [list(state) for state in states] == [list(state) for state in past[1:]]
    store.close()
