"""The audit of a store: an entry for each decision, in which each carries the hash of the one before.

The chain shows what was changed, moved or taken out of it. It is not a lock: whoever can write to the store
can also recompute it from some entry on. Then the hash of a later entry, noted down elsewhere, tells.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..values.errors import StoreDamaged, UnknownRun
from ..values.json_values import Json, canonical
from .base import AuditEntry, Damage
from .encoding import Columns, Damaged, table
from .ledger import Row, RowKind, RunHead, RunStatus

if TYPE_CHECKING:
    from .base import StateStore, StoredReview

GENESIS = "0" * 64
"""What the first entry carries as the hash of the one before."""

WITHDRAWING: tuple[RowKind, ...] = ("edit", "stop")
"""The kinds of rows that may withdraw a review."""

_SEARCHES = 10
"""How many entries that do not fit their hash are searched for at other places."""


def chained(previous: AuditEntry | None, entry: Mapping[str, Json]) -> AuditEntry:
    """Build the next link of the chain.

    Args:
        previous: The last one; None where there is none yet.
        entry: What happened.
    """
    number, before = (1, GENESIS) if previous is None else (previous.number + 1, previous.hash)
    return AuditEntry(number, dict(entry), before, _hash(number, _text(before, entry)))


def entry_of(head: RunHead, row: Row) -> dict[str, Json]:
    """Build the entry for a row of the ledger that decides something about a review, or withdraws it.

    It has the paths that an edit changed and not their values, which may be secret: the hash of the row binds
    it to them.

    Args:
        head: The row's run. Its start is kept beside its id, for an id can be given to another run later.
        row: The row, with the review's id: a vote, an escalation, a decision, or the failure of a review that
            nobody decided in time. What a deadline decides is its ``timeout``. Or the edit or stop of a run
            whose review waited, which is ``withdrawn`` by it; for a run that is deleted, the row that would
            have come next.
    """
    data = row.data or {}
    is_timeout = row.kind == "attempt" or (row.kind == "decision" and data.get("source") == "timeout")
    what = "timeout" if is_timeout else "withdrawn" if "withdraws" in data else row.kind
    values = data.get("values", row.updates)
    return {
        "at": row.at + 0.0,
        "what": what,
        "run": head.id,
        "started_at": head.created_at + 0.0,
        "row": row.seq,
        "graph": head.graph,
        "node": row.node,
        "review": row.review or data.get("withdraws"),
        "hash": data.get("hash", ""),
        "verb": data.get("verb", row.kind),
        "by": data.get("by", ""),
        "source": data.get("source", ""),
        "comment": data.get("comment", ""),
        "edited": [*values] if isinstance(values, dict) else [],
        "decision": row_hash(row),
    }


def entries_of(
    run_ids: Iterable[str], entries: Mapping[str, Mapping[str, Json]] | None
) -> list[Mapping[str, Json]]:
    """Find the entries for some runs, where there are any."""
    return [entries[run_id] for run_id in run_ids if run_id in entries] if entries else []


def is_entered(row: Row, asked: Container[str | None]) -> bool:
    """Check whether a row of a ledger has an entry in the audit.

    Args:
        row: The row.
        asked: The reviews of the row's own run: a fork takes over edits that withdrew one of another run.
    """
    if row.review is not None:
        return row.kind != "review"
    withdraws = (row.data or {}).get("withdraws") if row.kind in WITHDRAWING else None
    return isinstance(withdraws, str) and withdraws in asked


def row_hash(row: Row) -> str:
    """Compute the hash of all that a row says which decides about a review, or withdraws one."""
    place: list[Json] = [row.seq, row.kind, row.step, row.node, row.visit, row.at + 0.0]
    content: list[Json] = [*place, row.review, row.data, row.updates]
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def link_from(columns: Columns) -> AuditEntry:
    """Build a link from its columns; where no entry can be read it has only its text."""
    number, text, previous, hash_ = columns
    try:
        entry = table(text) or {}
    except Damaged:
        entry = {"unreadable": text}
    return AuditEntry(number, entry, previous, hash_)


def broken_links(entries: Iterable[AuditEntry], written: int | None = None) -> list[Damage]:
    """Find where the chain is broken, in order: what was changed, moved, taken out, or cut off at the end.

    Args:
        entries: The whole chain, as the store has it.
        written: The number of the last entry that was ever written, where the store keeps that apart.
    """
    links = list(entries)
    damages: list[Damage] = []
    searched = 0
    last, before = 0, GENESIS
    for link in links:
        damages += _gap(last + 1, link.number - 1)
        if link.hash != _hash(link.number, _text(link.previous, link.entry)):
            searched += 1
            stood = _stood(link, links) if searched <= _SEARCHES else None
            damages.append(_odd(link, "was changed" if stood is None else f"was written as entry {stood}"))
        elif link.number <= last:
            damages.append(_odd(link, f"stands behind entry {last}"))
        elif link.number == last + 1 and link.previous != before:
            damages.append(_odd(link, f"does not follow entry {last}: one of the two was rewritten"))
        last, before = link.number, link.hash
    if written is not None and written > last:
        damages.append(_broken(_entry_words(last + 1, written) + " cut off at the end of the audit"))
    elif written is not None and written < last:
        damages.append(_broken(f"the audit goes up to entry {last}, and its store counts {written}"))
    return damages


def audit_damages(store: StateStore) -> list[Damage]:
    """Check the audit of a store: its chain, and that it and the ledgers of the runs tell the same.

    Others may write meanwhile: what they add is no damage.
    """
    end = store.audit_end()
    links = store.audit()
    pending, others = store.reviews(), store.reviews(pending=False)
    rows = [(run.head, row) for run, (_, *rest) in (*pending, *others) for row in rest]
    withdrawals, unreadable = _withdrawals(store, links, [*pending, *others])
    unreadable |= {damage.run for damage in (*pending.damages, *others.damages) if damage.run is not None}
    later = store.audit(links[-1].number if links else 0)
    runs = {run.head.id: run.head.created_at for run in store.runs() if run.head.id not in unreadable}
    whole = [*links, *later]
    last = whole[-1].number if whole else 0
    written = min(max(end, last), store.audit_end())  # it grows as well, unless somebody has set it back
    return broken_links(whole, written) + differences(links, runs, rows + withdrawals, later)


def _withdrawals(
    store: StateStore, links: Iterable[AuditEntry], reviews: Iterable[StoredReview]
) -> tuple[list[tuple[RunHead, Row]], set[str]]:
    """Read the rows that have withdrawn a review, each with the head of its run.

    Only runs are read of which the audit tells so, or that have a review of which nothing became.

    Returns:
        The rows, and the runs whose rows cannot be read.
    """
    withdrawn = {link.entry.get("run") for link in links if link.entry.get("what") == "withdrawn"}
    asked: dict[str, set[str | None]] = {}
    heads: dict[str, RunHead] = {}
    for run, (question, *rest) in reviews:
        asked.setdefault(run.head.id, set()).add(question.review)
        waits = run.pointer.status is RunStatus.PAUSED and run.pointer.review == question.review
        is_over = any(row.kind in ("decision", "attempt") for row in rest)
        if run.head.id in withdrawn or not (waits or is_over):
            heads[run.head.id] = run.head
    found: list[tuple[RunHead, Row]] = []
    unreadable: set[str] = set()
    for run_id, head in heads.items():
        try:
            rows = store.rows(run_id, kinds=WITHDRAWING)
        except (StoreDamaged, UnknownRun):  # damage is reported elsewhere; a run that is gone, nowhere
            unreadable.add(run_id)
        else:
            found += [(head, row) for row in rows if is_entered(row, asked[run_id])]
    return found, unreadable


def differences(
    links: Sequence[AuditEntry],
    runs: Mapping[str, float],
    rows: Iterable[tuple[RunHead, Row]],
    later: Sequence[AuditEntry] = (),
) -> list[Damage]:
    """Find where the audit and the ledgers of the runs do not tell the same.

    Args:
        links: The audit.
        runs: The runs that there still are, with the time at which each was created.
        rows: All rows that have an entry (see ``is_entered``), each with the head of its run.
        later: What came to the audit while the rows were read.
    """
    damages: list[Damage] = []
    last: dict[tuple[Json, Json, Json], AuditEntry] = {}
    repaired: dict[Json, int] = {}
    for link in (*links, *later):
        if link.entry.get("what") == "repair":
            repaired |= dict.fromkeys(_texts(link.entry.get("runs")), link.number)
        else:
            key = _key(link)
            known = last.get(key)
            if known is not None and known.number > repaired.get(key[0], 0):
                damages.append(_odd(link, f"records the same decision as entry {known.number}"))
            else:  # a run that was cut by a repair is decided again
                last[key] = link
    newest = max((at for link in links if isinstance(at := link.entry.get("at"), float)), default=0.0)
    for head, row in rows:
        found = last.pop((head.id, head.created_at, row.seq), None)
        if found is None:
            where = "cut off at the end of it" if row.at > newest else "missing from it"
            what = f"its {_named_row(row)} has no entry in the audit: {where}"
            damages.append(Damage(what, head.id, row.seq, in_audit=True))
        elif found.entry.get("decision") != row_hash(row):
            damages.append(_odd(found, f"records another {row.kind} than row {row.seq} of run {head.id!r}"))
    seen = links[-1].number if links else 0
    for (run, started_at, seq), link in last.items():
        whole = isinstance(run, str) and runs.get(run) == started_at and link.number > repaired.get(run, 0)
        if whole and link.number <= seen:
            damages.append(_odd(link, _untrue(link, run, seq)))
    return damages


def _untrue(link: AuditEntry, run: Json, seq: Json) -> str:
    """Describe an entry that does not match its run."""
    is_withdrawn = link.entry.get("what") == "withdrawn"
    if is_withdrawn and link.entry.get("verb") == "delete":
        return f"says that run {run!r} was deleted, and it is there"
    what = "withdrawal" if is_withdrawn else "decision"
    return f"records row {seq} of run {run!r}, which has no such {what}"


def _named_row(row: Row) -> str:
    if row.review is not None:
        return f"{row.kind} about review {row.review}"
    return f"{row.kind}, which withdrew review {(row.data or {}).get('withdraws')},"


def _hash(number: int, text: str) -> str:
    return hashlib.sha256(f"[{number},{text}".encode()).hexdigest()


def _text(previous: str, entry: Mapping[str, Json]) -> str:
    """Write a link as canonical JSON, but for its number and the bracket before it."""
    return canonical([previous, entry])[1:]


def _stood(link: AuditEntry, links: Sequence[AuditEntry]) -> int | None:
    """Find the number that a link was written with; None when more than that was changed."""
    text, most = _text(link.previous, link.entry), max(found.number for found in links)
    numbers = range(1, min(most, 2 * len(links)) + 2)
    return next((number for number in numbers if _hash(number, text) == link.hash), None)


def _key(link: AuditEntry) -> tuple[Json, Json, Json]:
    """Name the row that an entry is about."""
    run, started_at, row = (link.entry.get(part) for part in ("run", "started_at", "row"))
    named = isinstance(run, str) and isinstance(started_at, float) and isinstance(row, int)
    return (run, started_at, row) if named else (None, None, link.number)


def _texts(value: Json) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _gap(first: int, last: int) -> list[Damage]:
    return [_broken(_entry_words(first, last) + " missing")] if first <= last else []


def _entry_words(first: int, last: int) -> str:
    return f"audit entry {first} is" if first == last else f"audit entries {first} to {last} are"


def _odd(link: AuditEntry, what: str) -> Damage:
    return _broken(f"audit entry {link.number} {what}")


def _broken(what: str) -> Damage:
    return Damage(what, in_audit=True)
