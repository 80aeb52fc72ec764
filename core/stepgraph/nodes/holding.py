"""The kinds of values that settings of nodes hold, and what the texts in them name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_args

from ..values.declared import Converted, Declared, model_of
from ..values.errors import StateError
from ..values.json_values import Json, plain

if TYPE_CHECKING:
    from pydantic import BaseModel

Holds = Literal["key", "path", "template", "reply", "tool", "node"]
"""What the texts of a setting name: a state key; a dotted path into the state (in a table, by its keys); the
names in a template; the tools in what a model says; a tool; a node. Renaming follows them."""


def _json(value: dict[str, Any]) -> dict[str, Json]:
    try:
        return {key: plain(item, key) for key, item in value.items()}
    except StateError as error:
        raise ValueError(str(error)) from None


JsonTable = Annotated[dict[str, Any], Converted(_json)]
"""A table of JSON with any keys."""


def holding(what: Holds) -> dict[str, Any]:
    """Say what a field's texts name: a field of a settings model passes it as ``json_schema_extra``."""
    return {"holds": what}


def held(settings: type[Declared] | type[BaseModel]) -> dict[str, Holds]:
    """Find the settings that say what they name, by their keys in a file."""
    found: dict[str, Holds] = {}
    for name, field in model_of(settings).model_fields.items():
        extra = field.json_schema_extra
        what = extra.get("holds") if isinstance(extra, dict) else None
        if what in get_args(Holds):
            found[field.alias or name] = cast("Holds", what)
    return found
