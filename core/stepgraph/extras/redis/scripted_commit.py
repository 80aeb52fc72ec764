"""A commit as the words of its script: where a run is placed, and what is written with it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...stores.base import AuditEntry
from ...stores.big_values import Bodies
from ...stores.encoding import Columns, place, row_id, table
from ...stores.ledger import FORKED, Pointer, Row, RunHead, definitions_named
from ...stores.snapshots import Snapshot
from ...values.json_values import dumps
from . import commits as texts


@dataclass(slots=True)
class TakenOver:
    """The fork's first rows, and its snapshots at them."""

    rows: list[str] = field(default_factory=list)
    kinds: list[tuple[int, str, str | None]] = field(default_factory=list)
    """Of each row its number, its kind and its node."""
    bodies: dict[int, str] = field(default_factory=dict)
    lists: dict[int, str] = field(default_factory=dict)
    definitions: set[str] = field(default_factory=set)
    """Those that its rows name."""
    hashes: set[str] = field(default_factory=set)
    """The big values that its rows refer to."""
    big_values: dict[str, str] = field(default_factory=dict)
    """Their texts by their hashes, once they are read."""


def take_over(
    no: int, origin: int, rows: Sequence[str], bodies: Mapping[int, str], lists: Mapping[int, str]
) -> TakenOver:
    """Number rows and snapshots anew.

    Each checksum is moved with its text (see ``encoding.place``), so what is damaged is so in the fork too.
    What is left out is read, and is as it was written.

    Args:
        no: The number of the fork.
        origin: The number of the run that it is forked from.
        rows: That run's first rows.
        bodies: The bodies of its snapshots at them.
        lists: The lists of those that have any.

    Raises:
        Damaged: A row that is left out is not as it was written: it may be one to take over.
    """
    taken, left = TakenOver(), []
    for seq, stored in enumerate(rows, 1):
        kind, node = texts.kind_and_node(origin, seq, stored)
        if kind not in FORKED:
            texts.row_columns(origin, seq, stored)
            left.append(seq)
            continue
        new = seq - len(left)
        taken.rows.append(texts.moved(stored, place(row_id(no, new)) - place(row_id(origin, seq))))
        taken.kinds.append((new, kind, node))
        taken.hashes.update(texts.references(stored))
        if kind == "adopt":
            data = table(texts.row_columns(origin, seq, stored)[-1])
            taken.definitions.update(definitions_named(Row(seq, "adopt", 0, data=data)))

    def move(seq: int) -> int:
        return seq - bisect_right(left, seq)

    for parts, new_parts in ((bodies, taken.bodies), (lists, taken.lists)):
        for seq, stored in parts.items():
            new_parts[move(seq)] = texts.moved_part(stored, (origin, seq), (no, move(seq)), move)
    return taken


FORMAT = "2"
"""The version of the layout of the keys."""
READABLE = ("1", FORMAT)
"""The layouts that this version can go on with; in the first one there are no big values."""

_AT_ONCE = 1_000
"""Words of a command at most: Lua's stack has room for some thousands."""


class ScriptedCommit:
    """A run that is placed somewhere, and what is written with it: all of it, or nothing.

    Args:
        prefix: What every key begins with.
        no: The run's number.
        run_id: Its id.
        before: The version that it must be at; None for a run that there must not be yet.
        pointer: Where it is placed.
    """

    def __init__(self, prefix: str, no: int, run_id: str, before: int | None, pointer: Pointer) -> None:
        self._prefix = prefix
        self._no = no
        self._run_id = run_id
        self._placed = [
            *(prefix, run_id, no, "" if before is None else before, pointer.version, pointer.status.value),
            *(pointer.review or "", texts.pointer_text(no, pointer), pointer.updated_at + 0.0),
        ]
        self._row: list[Any] = []
        self._audited = ""
        self._more: list[Any] = []
        self.hashes: set[str] = set()
        """The big values that are written with it."""

    def words(self) -> list[Any]:
        """Give the arguments of the script."""
        return [*self._placed, *(self._row or ("", "", "")), self._audited, *self._more]

    def begin(self, head: RunHead) -> None:
        """Write what a new run has for ever."""
        self._write("HSET", "heads", head.id, texts.head_text(self._no, head))
        self._write("SET", "format", FORMAT)

    def add_row(self, row: Row, columns: Columns, bodies: Bodies) -> None:
        """Append one row to the ledger, and to what finds it again; and the big values that it refers to."""
        text = texts.row_text(columns)
        index = ("nodes", _node(row.node)) if row.kind == "step" else ("others", _other(row.seq, row.kind))
        if not self._row:
            self._row = [text, *index]
        else:
            self._write("RPUSH", f"rows:{self._no}", text)
            self._write("APPEND" if row.kind == "step" else "RPUSH", f"{index[0]}:{self._no}", index[1])
        if row.review is not None:
            self._note_review(columns[13], row)
        if row.kind == "adopt":
            self.need(definitions_named(row))
        self._keep(bodies)

    def take_over(self, taken: TakenOver) -> None:
        """Write what a fork takes over, before any other row; no review is among it."""
        self._row = ["", "", ""]
        self._write("RPUSH", f"rows:{self._no}", *taken.rows)
        for seq, kind, _ in taken.kinds:
            if kind != "step":
                self._write("RPUSH", f"others:{self._no}", _other(seq, kind))
        if nodes := "".join(_node(node) for _, kind, node in taken.kinds if kind == "step"):
            self._write("APPEND", f"nodes:{self._no}", nodes)
        for name, parts in (("bodies", taken.bodies), ("lists", taken.lists)):
            for seq, text in parts.items():
                self._write("HSET", f"{name}:{self._no}", seq, text)
        self.need(taken.definitions)
        self._keep(taken.big_values)

    def define(self, hash_: str, definition: str) -> None:
        """Keep a definition that the run goes by."""
        self._write("HSETNX", "definitions", hash_, texts.sealed(definition))
        self.need([hash_])

    def need(self, hashes: Iterable[str]) -> None:
        """Note which definitions the run may need: they stay as long as it does."""
        for hash_ in hashes:
            self._write("SADD", f"needs:{self._no}", hash_)
            self._write("SADD", f"users:{hash_}", self._no)

    def add_snapshot(self, seq: int, taken: Snapshot) -> None:
        """Write a snapshot."""
        body, lists = texts.snapshot_texts(self._no, seq, taken)
        self._write("HSET", f"bodies:{self._no}", seq, body)
        if lists is not None:
            self._write("HSET", f"lists:{self._no}", seq, lists)

    def add_entry(self, link: AuditEntry) -> None:
        """Append an entry to the audit, unless another one has been appended since it was made."""
        self._audited = str(link.number - 1)
        self._write("ZADD", "audit", link.number, texts.entry_text(link))
        self._write("SET", "audited", link.number)

    def without_entry(self) -> ScriptedCommit:
        """Give a copy to which an entry can be added."""
        made = ScriptedCommit.__new__(ScriptedCommit)
        made._prefix, made._no, made._run_id = self._prefix, self._no, self._run_id
        made._placed, made._row, made._audited = self._placed, self._row, ""
        made._more, made.hashes = [*self._more], self.hashes
        return made

    def _keep(self, bodies: Bodies) -> None:
        if bodies:
            self._write("SET", "format", FORMAT)
        for hash_, text in bodies.items():
            self._write("HSETNX", f"big:{self._no}", hash_, text)
        self.hashes.update(bodies)

    def _note_review(self, review_id: str, row: Row) -> None:
        self._write("RPUSH", f"review:{review_id}", f"{row.seq}:{self._run_id}")
        self._write("SADD", f"reviews:{self._no}", review_id)
        self._write("ZADD", "reviewed", row.at + 0.0, f"{self._no:010d}:{review_id}")

    def _write(self, name: str, key: str, *words: Any) -> None:
        """Add a command; of very many words it becomes several."""
        for first in range(0, len(words), _AT_ONCE):
            some = words[first : first + _AT_ONCE]
            self._more += (len(some) + 2, name, self._prefix + key, *some)


def _node(node: str | None) -> str:
    """Write a step's node as ``nodes`` has it: JSON, a comma behind it."""
    return f"{dumps(node)},"


def _other(seq: int, kind: str) -> str:
    """Write a row that is not a step as ``others`` has it."""
    return f"{seq} {kind}"
