"""Runs for the store tests: rows as the engine makes them, without the engine."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from stepgraph.graphs.parts import definition_hash
from stepgraph.stores.base import StateStore, StoredRun
from stepgraph.stores.ledger import Pointer, Row, RowKind, RunHead, RunStatus
from stepgraph.values.json_values import Json, copy_json
from stepgraph.values.state import Op, Reducer, StateKey, merge_updates

DEFINITION = '{"name":"demo"}'
DEFINITION_HASH = definition_hash({"name": "demo"})


def head(run_id: str = "r-1") -> RunHead:
    return RunHead(run_id, "demo", 100.0, "/somewhere/demo.toml")


def pointer(version: int, status: RunStatus = RunStatus.READY, **fields: object) -> Pointer:
    moved = Pointer(version, DEFINITION_HASH, status, "work", version - 1, 50, updated_at=100.0 + version)
    for name, value in fields.items():
        setattr(moved, name, value)
    return moved


def paused(review: str, version: int) -> Pointer:
    return pointer(version, RunStatus.PAUSED, review=review)


def start_row(values: Mapping[str, Json] | None = None) -> Row:
    return Row(1, "start", 0, at=100.0, updates=dict(values or {}))


def step_row(seq: int, updates: dict[str, Json] | None = None, node: str = "work", **fields: object) -> Row:
    row = Row(seq, "step", seq - 1, node, 1, 100.0 + seq, 0.25, updates or {}, next="work", edge=0)
    for name, value in fields.items():
        setattr(row, name, value)
    return row


def create(store: StateStore, run_id: str = "r-1", values: Mapping[str, Json] | None = None) -> None:
    store.create(StoredRun(head(run_id), pointer(1)), [start_row(values)], DEFINITION)


class Writer:
    """One run that is written as the engine would, with its expected states beside it."""

    def __init__(
        self,
        store: StateStore,
        values: Mapping[str, Json],
        reducers: Mapping[str, Reducer] | None = None,
        run_id: str = "r-1",
    ) -> None:
        self.store = store
        self.run_id = run_id
        self.keys = {name: StateKey(name, reducer) for name, reducer in (reducers or {}).items()}
        self.state = dict(values)
        self.seq = 1
        self.expected: dict[int, Json] = {1: copy_json(self.state)}
        run = StoredRun(head(run_id), pointer(1))
        store.create(run, [start_row(values)], DEFINITION)

    @classmethod
    def of(cls, store: StateStore, run_id: str, writer: Writer, seq: int) -> Writer:
        """Go on with a run whose state is another one's."""
        made = copy.copy(writer)
        made.store, made.run_id, made.seq = store, run_id, seq
        made.state, made.expected = dict(writer.state), {}
        return made

    @property
    def append_keys(self) -> frozenset[str]:
        return frozenset(name for name, key in self.keys.items() if key.reducer == "append")

    def step(self, updates: Mapping[str, object]) -> None:
        """A step that returned ``updates``."""
        self.state, checked, ops = merge_updates(self.state, updates, self.keys)
        self._commit(step_row(self.seq + 1, checked, ops=ops))

    def edit(self, values: Mapping[str, Json]) -> None:
        """What a person sets; None removes a key."""
        ops: dict[str, Op] = {
            name: "remove" if value is None else "set"
            for name, value in values.items()
            if name in self.append_keys
        }
        self.state = {name: value for name, value in {**self.state, **values}.items() if value is not None}
        self._commit(Row(self.seq + 1, "edit", self.seq, "work", updates=dict(values), ops=ops or None))

    def adopt(self, reducers: Mapping[str, Reducer]) -> None:
        """Go on with a graph that has other reducers."""
        before = self.append_keys
        self.keys = {name: StateKey(name, reducer) for name, reducer in reducers.items()}
        new = {name: self.state[name] for name in self.append_keys - before if name in self.state}
        ops: dict[str, Op] = dict.fromkeys(new, "set")
        self._commit(Row(self.seq + 1, "adopt", self.seq, "work", updates=new or None, ops=ops or None))

    def note(self, kind: RowKind) -> None:
        """A row that changes no state."""
        self.seq += 1
        self.store.commit(self.run_id, Row(self.seq, kind, self.seq, "work"), pointer(self.seq))
        self.expected[self.seq] = copy_json(self.state)

    def fork(self, run_id: str, store: StateStore) -> None:
        """A run with the same rows, in any store."""
        rows = self.store.rows(self.run_id)
        run = StoredRun(head(run_id), pointer(len(rows)))
        store.create(run, rows, DEFINITION)

    def _commit(self, row: Row) -> None:
        self.seq = row.seq
        self.store.commit(self.run_id, row, pointer(row.seq), self.state, self.append_keys)
        self.expected[row.seq] = copy_json(self.state)
