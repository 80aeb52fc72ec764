"""Node types as an editor needs them: a table that validates, and what another type can keep of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..documents.schema import COMMON
from ..nodes.registry import node_type
from ..values.declared import model_of
from ..values.errors import GraphError, StateError
from ..values.json_values import Json, plain
from .edit import EditError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_EMPTY: dict[str, Json] = {
    "array": [],
    "boolean": False,
    "integer": 1,
    "number": 1,
    "object": {},
    "string": "text",
}


def filled(type_: str) -> dict[str, Json]:
    """Fill the table of a new node: its type, and what the type cannot do without.

    Each required setting gets the first of its field's ``examples``, else a value by its type.

    Raises:
        EditError: There is no such type, or its package is broken.
    """
    return {"type": type_} | _required(settings_model(type_))


def retyped(table: Mapping[str, Any], type_: str) -> tuple[dict[str, Any], list[str]]:
    """Give a node's table another type, and tell the settings that this type cannot keep.

    Raises:
        EditError: There is no such type, or its package is broken.
    """
    model = settings_model(type_)
    required, known = _required(model), set(fields_of(model))
    own = {key: value for key, value in table.items() if key not in COMMON}
    kept = {key: value for key, value in own.items() if key in known}
    wrong = _wrong(model, {**required, **kept})
    kept = {key: value for key, value in kept.items() if key not in wrong}
    found = {"type": type_} | {key: value for key, value in table.items() if key in COMMON or key in kept}
    found["type"] = type_
    missing = {key: value for key, value in required.items() if key not in kept}
    return found | missing, [key for key in own if key not in kept]


def settings_model(type_: object) -> type[BaseModel]:
    """Find the settings model of a node type.

    Raises:
        EditError: There is no such type, or its package is broken.
    """
    try:
        return model_of(node_type(type_ if isinstance(type_, str) else "").Settings)
    except GraphError as error:
        hint = error.problems[0].hint if error.problems else error.hint
        raise EditError(error.message, hint=hint) from None


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """List the fields of a settings model, by the keys that they have in a file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _required(model: type[BaseModel]) -> dict[str, Json]:
    return {
        key: _example(key, field, model) for key, field in fields_of(model).items() if field.is_required()
    }


def _example(key: str, field: FieldInfo, model: type[BaseModel]) -> Json:
    for example in field.examples or ():
        try:
            found = plain(example, key)
        except StateError:
            continue
        if found is not None:
            return found
    try:
        schema = model.model_json_schema()
        return _by_schema(schema["properties"][key], schema.get("$defs", {}))
    except Exception:  # a model of somebody else's may have types that no schema can tell
        return "text"


def _by_schema(schema: Mapping[str, Any], shared: Mapping[str, Any]) -> Json:
    """Make a value of the kind that a JSON schema asks for; validation says whether it fits in full."""
    if "$ref" in schema:
        return _by_schema(shared[schema["$ref"].rpartition("/")[2]], {})
    for choices in ("enum", "examples"):
        if schema.get(choices):
            return plain(schema[choices][0], choices)
    if "const" in schema:
        return plain(schema["const"], "const")
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return _by_schema(schema[several][0], shared)
    if schema.get("type") in ("integer", "number") and "minimum" in schema:
        return plain(schema["minimum"], "minimum")
    return plain(_EMPTY[schema["type"]], "a new value")


def _wrong(model: type[BaseModel], settings: Mapping[str, Any]) -> set[str]:
    from pydantic import ValidationError

    try:
        model.model_validate(dict(settings))
    except ValidationError as error:
        return {str(detail["loc"][0]) for detail in error.errors(include_url=False) if detail["loc"]}
    except Exception:  # a validator of somebody else's may raise anything
        return set()
    return set()
