"""What the audit is told of a review: it outlives the run, so that no secret of the run may stand in it."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING

from ..stores.audit import entry_of
from ..stores.reading import each_row
from ..values.errors import StoreDamaged, UnknownRun
from .secrets import MASK, hidden, secrets_in, spelt, written

if TYPE_CHECKING:
    from ..stores.base import StateStore, StoredRun
    from ..stores.ledger import Row
    from ..values.json_values import Json


def entry_for(store: StateStore, run: StoredRun, row: Row) -> dict[str, Json]:
    """Make the entry for a row which decides something about a review, or withdraws it.

    The values of the run's secret keys are hidden in its comment before it is written: afterwards nothing can
    be changed in it, and once the run is deleted nobody knows them any more.

    Args:
        store: Where the run lives.
        run: The run, as it stands before the row.
        row: The row.
    """
    entry = entry_of(run.head, row)
    comment = entry["comment"]
    if isinstance(comment, str) and comment:
        entry["comment"] = _without_secrets(comment, store, run, row)
    return entry


def _without_secrets(comment: str, store: StateStore, run: StoredRun, row: Row) -> str:
    try:
        names = _secret_keys(store.definition(run.pointer.definition))
        if not names:
            return comment
        rows = chain(each_row(store, run.head.id, upto=run.pointer.version), [row])
        found = spelt(secrets_in(names, written(rows)))
    except (StoreDamaged, UnknownRun):  # nobody can tell what is secret in it
        return MASK
    return hidden(comment, sorted(found, key=len, reverse=True))


def _secret_keys(definition: str) -> list[str]:
    """Name the secret keys that a definition declares."""
    declared = json.loads(definition).get("state")
    keys = declared.items() if isinstance(declared, dict) else ()
    return [name for name, key in keys if isinstance(key, dict) and key.get("secret")]
