"""What may be given away of a graph file and of the rows of a run: what is secret in them is masked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..runs.masks import MASK, Mask
from ..values.json_values import Json

_WORDS = ("type", "reducer")
"""The keys whose values are words of the format: a secret that is spelt like one is not told by them."""


def masked_document(document: Mapping[str, Json], mask: Mask) -> dict[str, Json]:
    """Write the tables of a graph's own file, without its secrets.

    A secret default that is not text is left out: nothing readable hides it. The graphs
    that a run keeps of its subgraphs are left out too: their own files have them.
    """
    tables: dict[str, Any] = {key: _masked(value, mask) for key, value in document.items()}
    for name, key in _tables(document, "state"):
        if mask.is_secret(name) and "default" in key:
            table = tables["state"][mask.text(name)]
            if isinstance(key["default"], str):
                table["default"] = MASK
            else:
                del table["default"]
    for name, node in _tables(document, "nodes"):
        if node.get("type") == "subgraph" and "graph" in node:
            tables["nodes"][mask.text(name)].pop("definition", None)
    return tables


def _tables(document: Mapping[str, Any], section: str) -> list[tuple[str, Any]]:
    return list(document.get(section, {}).items())


def _masked(value: Any, mask: Mask) -> Any:
    if isinstance(value, list):
        return [_masked(item, mask) for item in value]
    if not isinstance(value, dict):
        return mask.value("", value)
    return {
        mask.text(key): item if key in _WORDS and isinstance(item, str) else _masked(item, mask)
        for key, item in value.items()
    }


def masked(value: Any, mask: Mask) -> Any:
    """Hide secrets in JSON of any shape: what texts quote, and what stands under the name of a secret key."""
    if isinstance(value, dict):
        return {
            mask.text(key): MASK if item is not None and mask.is_secret(key) else masked(item, mask)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item, mask) for item in value]
    return mask.value("", value)
