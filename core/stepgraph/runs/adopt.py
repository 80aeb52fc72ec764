"""Moving a run to another graph than the one it started with."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..graphs.plan import CompiledGraph
from ..stores.ledger import Pointer, Row
from ..values.errors import DefinitionChanged
from ..values.json_values import Json
from ..values.state import Op
from .run import Run

if TYPE_CHECKING:
    from ..stores.base import StateStore


def definition_of(store: StateStore, pointer: Pointer) -> dict[str, Any]:
    """The document of the definition at the pointer."""
    definition: dict[str, Any] = json.loads(store.definition(pointer.definition))
    return definition


def adopt(
    app: CompiledGraph,
    store: StateStore,
    run: Run,
    before: dict[str, Any],
    differences: list[str],
    now: float,
) -> None:
    """Move a run to ``app``.

    Args:
        app: The graph.
        store: Where the run lives.
        run: The run; moved in place.
        before: The document of the definition that it goes by.
        differences: How the two differ.
        now: The time, in seconds since 1970.

    Raises:
        DefinitionChanged: The node at the pointer is not in it.
    """
    pointer, values, error = run._image
    if pointer.current is not None and pointer.current not in app.nodes:
        raise DefinitionChanged(
            f"run {run.id!r} waits at node {pointer.current!r}, which the new graph does not have",
            differences,
            hint="keep the node, or fork the run from an earlier step",
        )
    row = adoption(app, before, pointer, values, differences, now)
    extended = pointer.limit - int(before.get("max_steps", 50))
    moved = replace(
        pointer,
        version=row.seq,
        definition=app.definition_hash,
        limit=app.settings.max_steps + extended,
        updated_at=now,
    )
    store.commit(run.id, row, moved, values, app.append_keys, app.definition)
    run._image = (moved, values, error)


def adoption(
    app: CompiledGraph,
    before: dict[str, Any],
    pointer: Pointer,
    values: dict[str, Json],
    differences: list[str],
    now: float,
) -> Row:
    """The row that says that the run goes by ``app`` from the pointer on."""
    # From here on an append key's items are looked for in rows that say so: tell what they start with.
    was = {name for name, key in before.get("state", {}).items() if key.get("reducer") == "append"}
    now_appending = {name: values[name] for name in sorted(app.append_keys - was) if name in values}
    ops: dict[str, Op] = dict.fromkeys(now_appending, "set")
    data: dict[str, Json] = {
        "from": pointer.definition,
        "to": app.definition_hash,
        "differences": [*differences],
    }
    return Row(
        pointer.version + 1,
        "adopt",
        pointer.step,
        pointer.current,
        at=now,
        updates=now_appending or None,
        ops=ops or None,
        data=data,
    )
