"""What the form of a new run asks for: texts that stand for values, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from stepgraph.runs.operations import check_id
from stepgraph.values.errors import RunError, StateError
from stepgraph.values.state import StateKey
from stepgraph_tui.words.text import visible
from stepgraph_tui.words.typed import meant, refusal_by

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.json_values import Json

_WIDE = 60  # characters of JSON that are written on one line
LONGEST = 20_000
"""Characters of a value that can be edited in a form; what is longer is kept as it is."""


class Question(Protocol):
    """Something that the form asks for."""

    @property
    def name(self) -> str:
        """What it is called; as it is, not made safe to show."""

    @property
    def kind(self) -> str:
        """What may be written, in a few words."""

    @property
    def note(self) -> str:
        """What it is for; not made safe to show."""

    @property
    def text(self) -> str:
        """What stands in the field at first."""

    @property
    def secret(self) -> bool:
        """Whether what is written must not be seen."""

    @property
    def one_line(self) -> bool:
        """Whether it never has line breaks."""

    def check(self, text: str) -> str | None:
        """What is wrong with a text; None when nothing is."""


@dataclass(frozen=True)
class RunIdQuestion:
    """Asks for the new run's id."""

    name: str = "run id"
    kind: str = "text, optional"
    note: str = "How the run is called; empty for one that is made up."
    text: str = ""
    secret: bool = False
    one_line: bool = True

    def check(self, text: str) -> str | None:
        """What keeps the text from naming a run."""
        try:
            if text:
                check_id(text)
        except RunError as error:
            return str(error)
        return None


class KeyQuestion:
    """Asks for the value of a state key.

    Text keys take the text as it is; all others take JSON where it parses and suits.

    Args:
        key: The key; a bare one where the graph declares none.
        value: The value to begin with; None for none.
    """

    def __init__(self, key: StateKey, value: Json) -> None:
        self.key = key
        self.value = value
        self.name = key.name
        self.note = key.note
        self.secret = key.secret
        self.one_line = key.type in ("number", "boolean")
        self._refusal = refusal_by(key, key.name)
        self._literal = key.type == "text" and (value is None or _is_plain(value))
        self.text = self._written(value)

    @property
    def kind(self) -> str:
        """The type, and how it is written where that is not plain."""
        as_json = not self._literal and self.key.type not in ("number", "boolean", None)
        words = [f"{self.key.type or 'any value'}{' as JSON' if as_json else ''}"]
        words += ["secret"] if self.secret else []
        words += ["required"] if self.required else []
        return ", ".join(words)

    @property
    def required(self) -> bool:
        """Whether no run starts without it."""
        return self.key.input and not self.key.has_default

    def check(self, text: str) -> str | None:
        """What is wrong with a text; None when nothing is."""
        try:
            value = self.read(text)
        except StateError as error:
            return error.message
        return "is missing" if value is None and self.required else None

    def read(self, text: str) -> Json:
        """The value that a text stands for; None for no value.

        Raises:
            StateError: It does not suit the key.
        """
        if text == self.text:
            return self.value
        if not text.strip():
            keeps_text = isinstance(self.value, str) or (self.key.type == "text" and text)
            return text if keeps_text else None
        if self._literal:
            refused = self._refusal(text)
            if refused:
                raise StateError(refused)
            return text
        return meant(text, self._refusal)

    def _written(self, value: Json) -> str:
        """The text that stands for a value, so that reading it gives the value again."""
        if value is None:
            return ""
        if isinstance(value, str) and _is_plain(value) and (self._literal or self._means_itself(value)):
            return value
        escaped = not _is_plain(json.dumps(value, ensure_ascii=False))
        text = json.dumps(value, ensure_ascii=escaped)
        if len(text) > _WIDE and not self.secret and isinstance(value, (list, dict)):
            return json.dumps(value, ensure_ascii=escaped, indent=2)
        return text

    def _means_itself(self, text: str) -> bool:
        try:
            return bool(text.strip()) and meant(text, self._refusal) == text
        except StateError:
            return False


def _is_plain(value: Json) -> bool:
    """Whether a text can be shown in a field as it is: nothing in it moves the cursor."""
    return isinstance(value, str) and all(visible(line) == line for line in value.split("\n"))


def questions(app: CompiledGraph, given: Mapping[str, Json]) -> tuple[list[KeyQuestion], list[KeyQuestion]]:
    """What a run of a graph asks for: its inputs, and all other keys.

    Args:
        app: The graph.
        given: Values to begin with; defaults stand where there are none.
    """
    keys = {**app.keys, **{name: StateKey(name) for name in given if name not in app.keys}}
    all_ = [KeyQuestion(key, given.get(name, default_of(key))) for name, key in keys.items()]
    return [one for one in all_ if one.key.input], [one for one in all_ if not one.key.input]


def default_of(key: StateKey) -> Json:
    """The default of a key; None for none."""
    return key.default if key.has_default else None  # type: ignore[return-value]  # compile() has checked it
