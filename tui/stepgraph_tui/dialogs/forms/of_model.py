"""The keys of a declared table as fields of a form."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from stepgraph.values.declared import model_of
from stepgraph.values.state import UNSET

from .field import Field, Holds
from .formats import NO_YES, ChoiceFormat, Editor, Format, NumberFormat, SomeFormat, TextFormat, one_of
from .toml_format import TomlFormat

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from stepgraph.values.declared import Declared

_NONE = "none"
_LINES: Editor = "lines"


def fields_of(declared: type[Declared] | type[BaseModel], table: Mapping[str, Any]) -> dict[str, Field]:
    """Make a field of each setting of a model, in its order, with what stands in a table.

    Args:
        declared: The settings of a node type, or a kind of table of a graph file.
        table: What there is now.
    """
    found = {}
    for key, info in model_of(declared).model_fields.items():
        name, holds = info.alias or key, _holds(info)
        value = table.get(name, UNSET)
        found[name] = Field(
            name,
            _format(info, holds, value),
            value,
            _default(info),
            info.description or "",
            holds=holds,
            empty=str(_said(info, "empty") or ""),
            example=next(iter(info.examples or ()), UNSET),
        )
    return found


def _default(field: FieldInfo) -> Any:
    if field.is_required() or field.default is UNSET:  # get_default would copy UNSET
        return UNSET
    return field.get_default(call_default_factory=True)


def _said(field: FieldInfo, what: str) -> Any:
    """Read what the model says of a field for forms."""
    extra = field.json_schema_extra
    return extra.get(what) if isinstance(extra, dict) else None


def _holds(field: FieldInfo) -> Holds:
    said = _said(field, "holds")
    if said == "condition":
        return "expression"
    known: tuple[Holds, ...] = ("template", "key", "path", "tool", "node")
    return next((one for one in known if one == said), "")


def _format(info: FieldInfo, holds: Holds, value: Any) -> Format:
    """Choose the format of a field by its type; what is of no simple type is written as TOML."""
    bare, optional = _bare(info.annotation)
    origin, arguments = get_origin(bare), get_args(bare)
    if bare is str:
        several = holds == "template" or (isinstance(value, str) and "\n" in value)
        return TextFormat("lines" if several else "line" if holds else "wrapped")
    if bare is bool:
        return ChoiceFormat({_NONE: UNSET, **NO_YES.words}) if optional else NO_YES
    if bare in (int, float):
        return NumberFormat(whole=bare is int)
    if origin is Literal:
        return one_of(arguments, optional=_NONE if optional else "")
    if origin in (tuple, list):
        return _list(arguments)
    if origin is dict:
        by_paths = "path" in (holds, _said(info, "keys"))
        return TomlFormat(("table",), by_paths=by_paths, editor=_LINES)
    return TomlFormat(tuple(_said(info, "types") or ()), editor=_LINES if _said(info, "types") else "wrapped")


def _list(arguments: tuple[Any, ...]) -> Format:
    item, _ = _bare(arguments[0]) if arguments else (Any, False)
    words = get_args(item) if get_origin(item) is Literal else ()
    if words and all(isinstance(word, str) for word in words):
        return SomeFormat(words)
    return TomlFormat(("list",), editor=_LINES)


def _bare(annotation: Any) -> tuple[Any, bool]:
    """Strip a type of what is said beside it, and tell whether None will do as well."""
    while hasattr(annotation, "__metadata__"):  # Annotated
        annotation = annotation.__origin__
    if get_origin(annotation) in (Union, types.UnionType):
        others = [one for one in get_args(annotation) if one is not type(None)]
        if len(others) == 1 and len(others) < len(get_args(annotation)):
            return _bare(others[0])[0], True
    return annotation, False
