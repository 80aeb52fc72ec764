"""What the fields of a node's settings hold, said beside each: renaming, forms and checks follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_origin

from ..values.declared import Converted, Declared, model_of
from ..values.errors import StateError
from ..values.json_values import Json, plain

if TYPE_CHECKING:
    from pydantic import BaseModel


Holds = Literal["key", "path", "template", "condition", "reply", "tool", "node"]
"""What the texts of a setting name: a state key; a dotted path into the state (in a table, by its keys); the
names in a template, or in a condition; the tools in what a model says; a tool; a node. Renaming follows."""


class Held(NamedTuple):
    """What the texts in a setting name."""

    texts: Holds | None
    """The text itself, or the texts in its list or its table."""
    keys: Holds | None
    """The keys of its table."""


def _json(value: dict[str, Any]) -> dict[str, Json]:
    try:
        return {key: plain(item, key) for key, item in value.items()}
    except StateError as error:
        raise ValueError(str(error)) from None


JsonTable = Annotated[dict[str, Any], Converted(_json)]
"""A table of JSON with any keys."""


def in_tables_too(schema: dict[str, Any]) -> dict[str, Any]:
    """Allow nested tables for a table of paths in its JSON Schema: paths then need no quotes."""
    kind = schema.get("additionalProperties")
    return {**schema, "additionalProperties": {"anyOf": [kind, {"type": "object"}]}} if kind else schema


def holding(what: Holds | None, keys: Holds | None = None) -> dict[str, Any]:
    """Declare what a field's texts name: a field of a settings model passes it as ``json_schema_extra``.

    Args:
        what: What its text names, or the texts in its list or its table.
        keys: What the keys of its table name; only those of a table of paths do, where it is left out.
    """
    return {"holds": what} if keys is None else {"holds": what, "keys": keys}


def names_held(settings: type[Declared] | type[BaseModel]) -> dict[str, Held]:
    """Find the settings that say what they name, by their keys in a file."""
    found: dict[str, Held] = {}
    for name, info in model_of(settings).model_fields.items():
        extra = info.json_schema_extra
        said = (extra.get(each) for each in ("holds", "keys")) if isinstance(extra, dict) else (None, None)
        texts, keys = (each if each in get_args(Holds) else None for each in said)
        if (texts, keys) == ("path", None) and get_origin(info.annotation) is dict:
            texts, keys = None, "path"
        if texts is not None or keys is not None:
            found[info.alias or name] = Held(texts, keys)  # type: ignore[arg-type]  # it is one of them
    return found
