"""What the audit is told of a review: it outlives the run, so that no secret of the run may stand in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from ..stores.audit import entry_of
from ..stores.reading import each_row
from ..values.errors import StoreDamaged, UnknownRun
from ..values.scopes import Scope
from .secrets import MASK, Spellings, secrets_in, written

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
        found = secrets_in(names, written(rows))
    except (StoreDamaged, UnknownRun):  # nobody can tell what is secret in it
        return MASK
    return Spellings(found).hide(comment)


def _secret_keys(definition: str) -> list[str]:
    """Name the secret keys that a definition declares, those inside of its subgraphs too."""
    return list(_declared_secret(json.loads(definition)))


def _declared_secret(document: Json) -> Iterator[str]:
    tables = document if isinstance(document, dict) else {}
    state, nodes = tables.get("state"), tables.get("nodes")
    for name, key in state.items() if isinstance(state, dict) else ():
        if isinstance(key, dict) and key.get("secret"):
            yield name
    for name, node in nodes.items() if isinstance(nodes, dict) else ():
        if isinstance(node, dict) and "definition" in node:
            yield from map(Scope(name).outer, _declared_secret(node["definition"]))
