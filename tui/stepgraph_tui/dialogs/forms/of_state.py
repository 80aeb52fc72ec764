"""The values of state keys as fields of a form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stepgraph.values.errors import StateError
from stepgraph.values.state import UNSET, StateKey
from stepgraph_tui.text.typed import meant, refusal_by

from .field import Answers, EmptyField, Field
from .formats import Editor, Format, Misfit, is_plain

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.json_values import Json

_WIDE = 60  # characters of JSON that are written on one line
MOST = 40
"""Fields of one kind; more would take long to draw."""


@dataclass(frozen=True, slots=True)
class StateFormat(Format):
    """The value of a state key. All keys take JSON where it parses and suits, else the text as it is.

    Args:
        key: The key.
        literal: Whether the text is always taken as it is.
        keeps_empty: Whether an empty text is a value, too.
    """

    key: StateKey
    literal: bool = False
    keeps_empty: bool = False

    @property
    def editor(self) -> Editor:
        """Where it is typed: secrets, numbers and booleans never have line breaks."""
        return "line" if self.key.secret or self.key.type in ("number", "boolean") else "wrapped"

    def takes_blank(self, text: str) -> bool:
        """Tell whether the blanks are kept: those of a text are."""
        return self.keeps_empty or (self.key.type == "text" and bool(text))

    def write(self, value: Json) -> str:
        """Give the text that stands for a value."""
        if isinstance(value, str) and is_plain(value) and (self.literal or self._means_itself(value)):
            return value
        escaped = not is_plain(json.dumps(value, ensure_ascii=False))
        text = json.dumps(value, ensure_ascii=escaped)
        if len(text) > _WIDE and not self.key.secret and isinstance(value, (list, dict)):
            return json.dumps(value, ensure_ascii=escaped, indent=2)
        return text

    def read(self, text: str) -> Json:
        """Give the value that a text stands for."""
        refusal = refusal_by(self.key, self.key.name)
        if self.literal:
            if refused := refusal(text):
                raise Misfit(refused)
            return text
        try:
            return meant(text, refusal)
        except StateError as error:
            raise Misfit(error.message) from None

    def _means_itself(self, text: str) -> bool:
        try:
            return bool(text.strip()) and self.read(text) == text
        except Misfit:
            return False


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
    literal = key.type == "text" and (value is None or (isinstance(value, str) and is_plain(value)))
    if keeps_empty is None:
        keeps_empty = isinstance(value, str) and key.type in ("text", None)
    as_json = not literal and key.type not in ("number", "boolean", None)
    words = [f"{key.type or 'any value'}{' as JSON' if as_json else ''}"]
    words += ["secret"] * key.secret + ["required"] * required
    return Field(
        key.name,
        StateFormat(key, literal, keeps_empty),
        UNSET if value is None else value,
        note=key.note,
        kind=", ".join(words),
        secret=key.secret,
        required=required,
        accept=accept or (_given if required else _or_none),
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
