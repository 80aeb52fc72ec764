"""Deleting runs with all that is theirs, and the definitions that nobody needs any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg

from ..ledger import hashes_in
from . import statements


def delete_runs(db: psycopg.Connection[Any], versions: Mapping[str, int]) -> list[str]:
    """Delete the runs that are still at these versions; to be called in a transaction.

    What is deleted is not read as rows, so that damaged runs can be deleted too.

    Returns:
        Those that were deleted.
    """
    asked = (list(versions), list(versions.values()))
    found = db.execute(statements.DELETE_RUNS, asked).fetchall()
    numbers = ([no for _, no, _ in found],)
    let_go = {definition for _, _, definition in found}
    for (data,) in db.execute(statements.DELETE_ROWS, numbers):
        let_go.update(hashes_in(data))
    db.execute(statements.DELETE_SNAPSHOTS, numbers)
    db.execute(statements.DELETE_BIG, numbers)
    db.execute(statements.DELETE_DEFINITIONS)  # behind the runs: who makes one takes them in this order too
    db.execute(statements.DELETE_UNUSED, (list(let_go),))
    gone = {run_id for run_id, _, _ in found}
    return [run_id for run_id in versions if run_id in gone]
