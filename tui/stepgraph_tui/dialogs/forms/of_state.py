"""The values of state keys as fields of a form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from stepgraph.values.state import UNSET, StateKey
from stepgraph_tui.text.typed import refusal_by

from .field import Answers, EmptyField, Field
from .formats import Editor, Format, TextFormat, is_plain
from .toml_format import TomlFormat

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.json_values import Json

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
    """Make a field for the value of a state key.

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
        accept=accept or (_given if required else _or_none),
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


def _given(value: Any) -> Any:
    if value is UNSET or value is None:
        raise EmptyField("is missing")
    return value


def _or_none(value: Any) -> Any:
    return UNSET if value is None else value


def input_fields(app: CompiledGraph, given: Mapping[str, Json]) -> tuple[list[Field], list[Field]]:
    """Make the fields of a graph's inputs, and those of all other keys.

    Args:
        app: The graph.
        given: Values to begin with; defaults stand where there are none.
    """
    keys = {**app.keys, **{name: StateKey(name) for name in given if name not in app.keys}}
    inputs: list[Field] = []
    others: list[Field] = []
    for name, key in keys.items():
        if app.around(name):  # where the run enters a subgraph, its state begins
            continue
        required = key.input and not key.has_default
        field = state_field(key, given.get(name, default_of(key)), required=required)
        (inputs if key.input else others).append(field)
    return inputs, others


def default_of(key: StateKey) -> Json:
    """Give the default of a key; None for none."""
    return key.default if key.has_default else None  # type: ignore[return-value]  # compile() has checked it


def changes(answers: Answers, fields: Iterable[Field]) -> dict[str, Json]:
    """Give the values of the keys whose fields were changed; None for one that was emptied."""
    values = {field.name: answers.value(field) for field in fields if answers.has_changed(field)}
    return {name: None if value is UNSET else value for name, value in values.items()}
