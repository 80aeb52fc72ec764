"""What is looked at, and what there is to say of a key of it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.versions import writer

from .preview import name_of

if TYPE_CHECKING:
    from stepgraph.stores.ledger import Row as LedgerRow
    from stepgraph.values.state import StateKey
    from stepgraph_tui.run_view import RunSnapshot


def heading(moment: RunSnapshot | None, before: bool) -> tuple[str, str]:
    """Say which state it is, and the name of the step's node: ``after step 4``, ``amount_check``."""
    if moment is None:
        return "no run yet: the state will hold", ""
    record = moment.record
    if record is None:
        return ("before the start" if before else "at the start"), ""
    edited = not before and moment.live and any(row.updates for row in moment.view.rows[record.row.seq :])
    name = f"{visible(record.node)}{', then an edit' if edited else ''}"
    return f"{'before' if before else 'after'} step {moment.step}", name


def last_written(moment: RunSnapshot, key: str, before: bool) -> LedgerRow | None:
    """Find the ledger's row that last changed a top-level key; None when none did, as far as it can be told.

    Args:
        moment: What is looked at.
        key: A key of the state.
        before: Whether the state before the moment's step is meant.
    """
    return moment.view.last_written(key, rows_until(moment, before))


def rows_until(moment: RunSnapshot, before: bool) -> int:
    """Count how many rows of the ledger make up the state that is looked at."""
    view = moment.view
    if not before and moment.live:
        return len(view.rows)
    if before and moment.step == 0:
        return 0
    record = view.record(moment.step)
    return record.row.seq - before if record is not None else 1


def writer_text(row: LedgerRow | None, key: str) -> str:
    """Say who wrote a key, in a sentence; ``row`` is what ``last_written`` found."""
    name = name_of(key)
    if row is None:
        return f"{name} has no value yet"
    removed = (row.updates or {}).get(key) is None and (row.ops or {}).get(key) in (None, "remove")
    said = writer(row, "removed" if removed else "written")
    return f"{name} was {said}"


def key_texts(key: str, declared: StateKey | None, moment: RunSnapshot | None, before: bool) -> list[str]:
    """Say who wrote a key last, and what the graph says of it, each in a sentence."""
    said = []
    if moment is not None:
        said.append(writer_text(last_written(moment, key, before), key))
    if declared is not None and declared.note:
        said.append(visible(declared.note))
    return said
