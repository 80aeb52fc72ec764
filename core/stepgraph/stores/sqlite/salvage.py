"""Copying what is whole of a store to a new one; the old one stays as it is."""

from __future__ import annotations

import json
import time
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

import apsw

from ...values.errors import StoreError
from ..audit import repair_entry
from ..base import StoredRun
from ..ledger import WAITING, Outcome, Pointer, Row, RunStatus
from ..opening import BACKUP, Salvage
from . import recovery as last_commit
from .checking import ExaminedRun, Examiner, Progress, opened_to_read
from .recovery import lost_commits

_SUFFIXES = ("", "-wal", "-shm", last_commit.SUFFIX)


def salvage(source: apsw.Connection, path: Path, progress: Progress | None = None) -> Salvage:
    """Copy each run, or as much of it as is whole from its start on, to a new store.

    Args:
        source: A connection that does not check pages: each row is checked by itself.
        path: The new store's file.
        progress: Hears how many rows were read; what it raises stops the work, and the new file goes.

    Raises:
        StoreError: There is a file of that name already, or it cannot be written.
    """
    from .store import SqliteStore

    if path.exists():
        raise StoreError(f"there is a file {path} already", hint="name another one; nothing is written over")
    done = Salvage(path)
    examiner = Examiner(source, progress)
    cut: list[str] = []
    try:
        with SqliteStore(path, durability="normal") as target:
            for run in examiner.runs():
                rows = list(examiner.rows(run))
                stored, reason = _kept(run, rows)
                if stored is None or run.definition is None:
                    done.left.append(f"{run.name}: {reason}")
                    continue
                target.create(stored, rows, run.definition)
                if run.damages:
                    standing = f"{stored.pointer.status.value} after step {stored.pointer.step}"
                    cut.append(stored.head.id)
                    done.cut.append(f"{run.name}, {standing} now: {reason}")
                else:
                    done.whole.append(stored.head.id)
            links, last = examiner.links()
            done.entries = len(links)
            target.take_audit(links, last, repair_entry(time.time(), cut) if cut else None)
    except BaseException:
        with suppress(OSError):  # a folder where nothing can be written has nothing to be taken away
            for suffix in _SUFFIXES:
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        raise
    if not done.is_made:
        path.unlink()
    done.left += [str(damage) for damage in examiner.damages]
    return done


def repair(path: Path, new: Path, progress: Progress | None = None) -> Salvage:
    """Copy what is whole of a store's file to a new one; nothing in the old one is changed.

    Where its write-ahead log is gone or damaged, what that had is told among what was left out.

    Args:
        path: The damaged file.
        new: The new file.
        progress: Hears how many rows were read; what it raises stops the work, and the new file goes.

    Raises:
        StoreError: The new file is there already or cannot be written, or the old one cannot be read at all.
    """
    try:
        with closing(opened_to_read(path)) as source:
            lost = lost_commits(source, path)
            done = salvage(source, new, progress)
            done.left += [f"what was committed last: {what}" for what in lost]
            return done
    except apsw.Error as error:
        raise StoreError(f"nothing of the store {path} can be read ({error})", hint=BACKUP) from error


def free_name(path: Path, word: str) -> Path:
    """Find a name beside a store that no file has: ``runs.rescued.db``, ``runs.rescued-2.db``, ..."""
    stem = path.with_suffix("").name
    names = chain([f"{stem}.{word}.db"], (f"{stem}.{word}-{number}.db" for number in count(2)))
    return next(found for name in names if not (found := path.with_name(name)).exists())


def _kept(run: ExaminedRun, rows: list[Row]) -> tuple[StoredRun | None, str]:
    """Say what of a run can be kept, and what is wrong with the rest; rows that go with it are taken off."""
    if not run.damages:
        return run.stored, ""
    first = run.damages[0]
    reason = first.what if first.row is None else f"row {first.row}: {first.what}"
    if run.stored is None or run.definition is None or not rows:
        return None, reason
    pointer = _standing(run.stored.pointer, rows, str(json.loads(run.definition).get("start")))
    return StoredRun(run.stored.head, pointer), reason


def _standing(last: Pointer, rows: list[Row], start: str) -> Pointer:
    """Place the pointer of a run behind its first rows; those that lead nowhere are taken off their end."""
    while rows[-1].kind == "attempt" or (_leads_nowhere(rows) and len(rows) > 1):
        rows.pop()
    row = rows[-1]
    routed = next((row for row in reversed(rows) if row.kind in ("step", "route")), None)
    current = start if routed is None else routed.next
    adopted = next((row for row in reversed(rows) if row.kind == "adopt"), None)
    definition = str((adopted.data or {}).get("to")) if adopted is not None else last.definition
    stopped = row.kind == "stop"
    ended = current == "END" or stopped
    waits = row.kind in WAITING
    withdraws = (row.data or {}).get("withdraws") if row.kind == "edit" else None
    withdrawn = withdraws if isinstance(withdraws, str) else None
    return replace(
        last,
        version=row.seq,
        definition=definition,
        status=RunStatus.PAUSED if waits else RunStatus.ENDED if ended else RunStatus.READY,
        current=None if ended else current,
        step=0 if routed is None else routed.step,
        seconds=sum(row.duration for row in rows),
        outcome=Outcome.STOPPED if stopped else Outcome.END if ended else None,
        flagged=False,
        review=row.review if waits or row.kind == "decision" else withdrawn,
        error=None,
        updated_at=row.at,
    )


def _leads_nowhere(rows: list[Row]) -> bool:
    """Check whether the last routing among some rows chose no node."""
    routed = next((row for row in reversed(rows) if row.kind in ("step", "route")), None)
    return routed is not None and routed.next is None
