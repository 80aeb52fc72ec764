"""The fields that forms are made of: of the settings that a model declares, and of a state's keys."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from stepgraph.values import UNSET, StateKey, model_of

from ...text.typed import refusal_by
from .field import Answers, EmptyField, Field, Holds
from .formats import (
    NO_YES,
    ChoiceFormat,
    Editor,
    Format,
    NumberFormat,
    SomeFormat,
    TextFormat,
    TomlFormat,
    is_plain,
    one_of,
)

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from stepgraph.graphs import CompiledGraph
    from stepgraph.values import Declared, Json

_NONE = "none"
_LINES: Editor = "lines"
_UNSET = "A node reads it, and no node sets it."


def fields_of(declared: type[Declared] | type[BaseModel], table: Mapping[str, Any]) -> dict[str, Field]:
    """Build the fields of a model's settings, in its order, with what is in a table.

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
            empty=str(_form_hint(info, "empty") or ""),
            example=next(iter(info.examples or ()), UNSET),
        )
    return found


def _default(field: FieldInfo) -> Any:
    if field.is_required() or field.default is UNSET:  # get_default would copy UNSET
        return UNSET
    return field.get_default(call_default_factory=True)


def _form_hint(field: FieldInfo, what: str) -> Any:
    """Read what the model says of a field for forms."""
    extra = field.json_schema_extra
    return extra.get(what) if isinstance(extra, dict) else None


def _holds(field: FieldInfo) -> Holds:
    hint = _form_hint(field, "holds")
    if hint == "condition":
        return "expression"
    known: tuple[Holds, ...] = ("template", "key", "path", "tool", "node")
    return next((one for one in known if one == hint), "")


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
        by_paths = "path" in (holds, _form_hint(info, "keys"))
        return TomlFormat(("table",), by_paths=by_paths, editor=_LINES)
    return TomlFormat(
        tuple(_form_hint(info, "types") or ()), editor=_LINES if _form_hint(info, "types") else "wrapped"
    )


def _list(arguments: tuple[Any, ...]) -> Format:
    item, _ = _bare(arguments[0]) if arguments else (Any, False)
    words = get_args(item) if get_origin(item) is Literal else ()
    if words and all(isinstance(word, str) for word in words):
        return SomeFormat(words)
    return TomlFormat(("list",), editor=_LINES)


def _bare(annotation: Any) -> tuple[Any, bool]:
    """Strip a type of its annotations, and check whether None will do as well."""
    while hasattr(annotation, "__metadata__"):  # Annotated
        annotation = annotation.__origin__
    if get_origin(annotation) in (Union, types.UnionType):
        others = [one for one in get_args(annotation) if one is not type(None)]
        if len(others) == 1 and len(others) < len(get_args(annotation)):
            return _bare(others[0])[0], True
    return annotation, False


MOST = 40
"""Fields of one kind; more would take long to draw."""


def state_field(
    key: StateKey,
    value: Json,
    *,
    required: bool = False,
    accept: Callable[[Any], Any] | None = None,
    keeps_empty: bool | None = None,
) -> Field:
    """Build a field for the value of a state key.

    Args:
        key: The key; a bare one where the graph declares none.
        value: The value to begin with; None for none.
        required: Whether there must be one.
        accept: Takes the value that was typed; when None, it need only be there where it is required.
        keeps_empty: Whether an empty text is a value; when None, it is where the value is a text.
    """
    takes_text = key.type == "text" or (key.type is None and key.secret)  # quotes cannot be seen there
    is_text = takes_text and (value is None or (isinstance(value, str) and is_plain(value)))
    if keeps_empty is None:
        keeps_empty = isinstance(value, str)
    may_be_text = key.type is None and (value is None or isinstance(value, str))
    format_ = _text(key, keeps_empty=keeps_empty) if is_text else _toml(key, bare=may_be_text)
    words = [
        key.type or ("text" if is_text else "any value"),
        *["secret"] * key.secret,
        *["required"] * required,
    ]
    words += [format_.syntax] if format_.syntax else []
    return Field(
        key.name,
        format_,
        UNSET if value is None else value,
        note=key.note,
        kind=", ".join(words),
        secret=key.secret,
        required=required,
        accept=accept or (_require if required else _or_none),
    )


def _text(key: StateKey, *, keeps_empty: bool) -> Format:
    editor: Editor = "line" if key.secret else "wrapped"
    return TextFormat(editor, keeps_empty=keeps_empty, refusal=refusal_by(key, key.name))


def _toml(key: StateKey, *, bare: bool) -> Format:
    """Write a value as TOML; secrets, numbers and booleans never have line breaks."""
    is_line = key.secret or key.type in ("number", "boolean")
    return TomlFormat(
        (key.type,) if key.type is not None else (),
        nulls=True,
        bare=bare,
        secret=key.secret,
        refusal=refusal_by(key, key.name),
        editor="line" if is_line else "wrapped",
    )


def _require(value: Any) -> Any:
    if value is UNSET or value is None:
        raise EmptyField("is missing")
    return value


def _or_none(value: Any) -> Any:
    return UNSET if value is None else value


def input_fields(app: CompiledGraph, given: Mapping[str, Json]) -> tuple[list[Field], list[Field]]:
    """Build the fields of a graph's inputs, and those of all other keys.

    What nodes read and nothing sets counts as an input, though it may stay empty.

    Args:
        app: The graph.
        given: Values to begin with; defaults are where there are none.
    """
    unset = app.never_set
    keys = dict(app.keys)
    for name in (*unset, *given):
        keys.setdefault(name, StateKey(name, note=_UNSET if name in unset else ""))
    inputs: list[Field] = []
    others: list[Field] = []
    for name, key in keys.items():
        if app.around(name):  # where the run enters a subgraph, its state begins
            continue
        required = key.input and not key.has_default
        field = state_field(key, given.get(name, default_of(key)), required=required)
        (inputs if key.input or name in unset else others).append(field)
    return inputs, others


def default_of(key: StateKey) -> Json:
    """Return the default of a key; None for none."""
    return key.default if key.has_default else None  # type: ignore[return-value]  # compile() has checked it


def changes(answers: Answers, fields: Iterable[Field]) -> dict[str, Json]:
    """Return the values of the keys whose fields were changed; None for one that was emptied."""
    values = {field.name: answers.value(field) for field in fields if answers.has_changed(field)}
    return {name: None if value is UNSET else value for name, value in values.items()}
