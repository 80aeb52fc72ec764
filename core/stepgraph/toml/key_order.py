"""Where a key usually stands among the keys of its table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

Rank = Callable[[str], int]
"""Gives a key its rank: keys with lower ranks stand above it."""


def rank_of(kind: str) -> Rank:
    """The ranks of the keys of a kind of table; the kind of the settings is empty."""
    known = _ranks(kind)
    others = known["note"] + 1 if kind == "nodes" else len(known) * 2  # the settings of a node's type
    return lambda key: known.get(key, others)


@cache
def _ranks(kind: str) -> dict[str, int]:
    from ..documents.schema import (  # pydantic loads with them
        EdgePart,
        GraphPart,
        KeyPart,
        NodePart,
        Part,
        ToolPart,
    )

    models: dict[str, type[Part]] = {
        "state": KeyPart,
        "tools": ToolPart,
        "nodes": NodePart,
        "edges": EdgePart,
    }
    fields = models.get(kind, GraphPart).model_fields
    return {field.alias or name: 2 * place for place, (name, field) in enumerate(fields.items())}
