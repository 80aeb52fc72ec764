"""Where a key usually stands among the keys of its table: in the order of the schema."""

from __future__ import annotations

from functools import cache

from ..toml.adding import Rank
from .schema import EdgePart, GraphPart, KeyPart, NodePart, Part, ToolPart

_PARTS: dict[str, type[Part]] = {"state": KeyPart, "tools": ToolPart, "nodes": NodePart, "edges": EdgePart}


def rank_of(kind: str) -> Rank:
    """Rank the keys of a kind of table; the kind of the settings is empty."""
    known = _ranks(kind)
    others = known["note"] + 1 if kind == "nodes" else len(known) * 2  # the settings of a node's type
    return lambda key: known.get(key, others)


@cache
def _ranks(kind: str) -> dict[str, int]:
    fields = _PARTS.get(kind, GraphPart).model_fields
    return {field.alias or name: 2 * place for place, (name, field) in enumerate(fields.items())}
