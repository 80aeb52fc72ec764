"""What a fork takes over of the run that it is forked from, as texts that need not be written anew."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..encoding import place, row_id, table
from ..ledger import FORKED, Row, definitions_named
from . import texts


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
