"""The versions of a value through a run: the rows of the ledger that changed it, and who wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from stepgraph.expressions import Missing, Path, value_at
from stepgraph.stores import replay
from stepgraph.values import Json, json_equal

from .plain import clock
from .run_list import after_step

if TYPE_CHECKING:
    from stepgraph.stores import Row


def versions_of(rows: Iterable[Row], path: Path) -> list[Row]:
    """Find the rows that changed a value, by the changed keys that they hold: no state is rebuilt.

    Args:
        rows: The ledger from its beginning.
        path: Where the value is.
    """
    key, found = str(path[0]), []
    values: dict[str, Json] = {}

    def touching() -> Iterator[Row]:
        """Yield each row that names the key, with what applying it has changed."""
        for row in rows:
            if not row.updates or key not in row.updates:
                continue
            before = _value_and_length(values, path)
            yield row
            if not _same(before, _value_and_length(values, path)):
                found.append(row)

    replay(values, touching(), frozenset({key}))
    return found


def _value_and_length(values: Mapping[str, Json], path: Path) -> tuple[Json | Missing, int]:
    """Look at a value, and how long it is: a list may grow in place."""
    value = value_at(values, path)
    return value, len(value) if isinstance(value, list) else 0


def _same(before: tuple[Json | Missing, int], after: tuple[Json | Missing, int]) -> bool:
    (old, length), (new, grown) = before, after
    if isinstance(old, Missing) or isinstance(new, Missing):
        return old is new
    return length == grown and (old is new or json_equal(old, new))


def written_at(row: Row) -> str:
    """Describe where and when a row was written: ``draft, step 5, visit 3, 2026-07-01 10:00:00``."""
    if row.kind == "start":
        return f"the start, {clock(row.at)}"
    if row.kind == "step" and row.node is not None:
        return f"{row.node}, step {row.step}, visit {row.visit}, {clock(row.at)}"
    return f"{_person(row)}, {after_step(row.step)}, {clock(row.at)}"


def writer(row: Row, done: str = "written") -> str:
    """Describe who wrote or removed something: ``written by draft at step 5, visit 3``."""
    if row.kind == "start":
        return "there at the start"
    if row.kind == "step" and row.node is not None:
        visit = f", visit {row.visit}" if row.visit > 1 else ""
        return f"{done} by {row.node} at step {row.step}{visit}"
    return f"{done} by {_person(row)} {after_step(row.step)}"


def _person(row: Row) -> str:
    by = (row.data or {}).get("by")
    return by if isinstance(by, str) and by else "a person"
