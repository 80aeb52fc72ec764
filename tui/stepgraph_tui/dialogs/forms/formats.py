"""How values are written in the fields of forms, and read from there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from stepgraph.values.compare import json_equal, shown
from stepgraph.values.errors import StateError
from stepgraph.values.json_values import plain
from stepgraph.values.state import UNSET, ValueType
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.toml import NotToml, toml_lines, toml_table, toml_text, toml_value
from stepgraph_tui.text.typed import refusal_of

Editor = Literal["line", "wrapped", "lines", "choice", "several"]
"""Where a value is typed: on one line, wrapped, in lines; or chosen: one of some words, several of them."""
_BETWEEN = "---"
"""The line above each item of a list in which items have lines themselves."""


class Misfit(ValueError):
    """A text that stands for no value of its field; the message says why, without naming the field."""


class Format(ABC):
    """How the value of a field is written and read."""

    @property
    @abstractmethod
    def editor(self) -> Editor:
        """Where it is typed."""

    @abstractmethod
    def write(self, value: Any) -> str | None:
        """Give the text that stands for a value; None when no text of this format does."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """Give the value that a text stands for; UNSET for none.

        Raises:
            Misfit: It stands for none.
        """

    def takes_blank(self, text: str) -> bool:
        """Tell whether a text of nothing but blanks is a value, too; else it stands for none."""
        return bool(text) and self.editor in ("wrapped", "lines")


@dataclass(frozen=True, slots=True)
class TextFormat(Format):
    """A text as it is."""

    editor: Editor = "wrapped"

    def write(self, value: Any) -> str | None:
        """Give the text itself."""
        return value if isinstance(value, str) and is_plain(value) else None

    def read(self, text: str) -> str:
        """Take the text itself."""
        return text


@dataclass(frozen=True, slots=True)
class NumberFormat(Format):
    """A finite number."""

    whole: bool = False
    editor: Editor = "line"

    def write(self, value: Any) -> str | None:
        """Write the number as TOML has it."""
        return toml_text(value) if self._fits(value) else None

    def read(self, text: str) -> int | float:
        """Read the number, whole where it is written so."""
        try:
            value: Any = toml_value(text)
        except NotToml:
            value = None
        if not self._fits(value):
            raise Misfit(f"takes {'a whole number' if self.whole else 'a number'}, not {shown(text)}")
        return value  # type: ignore[no-any-return]  # a number, by the test above

    def _fits(self, value: Any) -> bool:
        kinds = int if self.whole else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool) and isfinite(value)


@dataclass(frozen=True, slots=True)
class ChoiceFormat(Format):
    """One of some words, each of which stands for a value."""

    words: Mapping[str, Any]
    editor: Editor = "choice"

    def write(self, value: Any) -> str | None:
        """Give the word of a value."""
        found = (word for word, one in self.words.items() if one is value or same(one, value))
        return next(found, None)

    def read(self, text: str) -> Any:
        """Give the value of a word."""
        if text not in self.words:
            raise Misfit(f"takes {', '.join(filter(None, self.words))}, not {shown(text)}")
        return self.words[text]


@dataclass(frozen=True, slots=True)
class SomeFormat(Format):
    """Several of some words; the text has one on each line."""

    words: tuple[str, ...]
    editor: Editor = "several"

    def write(self, value: Any) -> str | None:
        """Write the words, line by line; also those that it does not take."""
        words = isinstance(value, list) and all(
            isinstance(item, str) and item.isprintable() for item in value
        )
        return "\n".join(value) if words else None

    def read(self, text: str) -> list[str]:
        """Read the words."""
        return text.split("\n")


@dataclass(frozen=True, slots=True)
class LinesFormat(Format):
    """A list of texts, one on each line; texts that have lines themselves stand below lines of ``---``."""

    editor: Editor = "lines"

    def write(self, value: Any) -> str | None:
        """Write the items."""
        if not isinstance(value, list) or not all(isinstance(item, str) and is_plain(item) for item in value):
            return None
        if all(item.strip() and "\n" not in item and item != _BETWEEN for item in value):
            return "\n".join(value)
        if any(_BETWEEN in item.split("\n") for item in value):
            return None
        return "\n".join(f"{_BETWEEN}\n{item}" for item in value)

    def read(self, text: str) -> list[str]:
        """Read the items; blank lines between items of one line do not count."""
        lines = text.split("\n")
        if _BETWEEN not in lines:
            return [line for line in lines if line.strip()]
        items: list[list[str]] = [[]]
        for line in lines:
            if line == _BETWEEN:
                items.append([])
            else:
                items[-1].append(line)
        first, *others = ("\n".join(item) for item in items)
        return [first, *others] if first.strip() else others


@dataclass(frozen=True, slots=True)
class TableFormat(Format):
    """A table as lines of ``key = value``."""

    editor: Editor = "lines"

    def write(self, value: Any) -> str | None:
        """Write the lines."""
        return toml_lines(value) if isinstance(value, dict) else None

    def read(self, text: str) -> dict[str, Any]:
        """Read the table."""
        try:
            return toml_table(text)
        except NotToml as error:
            raise Misfit(str(error)) from None


@dataclass(frozen=True, slots=True)
class AnyFormat(Format):
    """Any value, written as in a graph file. What is no TOML is a text, where a text will do.

    Args:
        name: What the setting is called, for the messages.
        types: What the value may be; anything when empty.
        secret: Whether no message may quote the text.
    """

    name: str = "value"
    types: tuple[ValueType, ...] = ()
    editor: Editor = "wrapped"
    secret: bool = False

    def write(self, value: Any) -> str | None:
        """Write a text that is read as itself, any other value as TOML; None for what is no such value."""
        if self._refusal(value):
            return None
        if isinstance(value, str) and is_plain(value) and value.strip() and self._is_itself(value):
            return value
        return toml_text(value)

    def read(self, text: str) -> Any:
        """Read the value."""
        wrong = ""
        try:
            value = plain(toml_value(text, self.name), "it")
        except NotToml as error:
            wrong = str(error)
        except StateError as error:  # a date, or a number that is not finite
            wrong = error.message
        else:
            wrong = self._refusal(value)
            if not wrong:
                return value
        refused = self._refusal(text)
        if not refused:
            return text
        said = wrong if self._is_written_as_toml else refused
        raise Misfit("this does not suit" if self.secret else said)

    @property
    def _is_written_as_toml(self) -> bool:
        """Whether only lists and tables will do: then what is wrong with their spelling matters most."""
        return not {"text", "number", "boolean"}.intersection(self.types)

    def _refusal(self, value: Any) -> str:
        refusals = [refusal_of(type_)(value) for type_ in self.types]
        return "" if None in refusals else next(filter(None, refusals), "")

    def _is_itself(self, text: str) -> bool:
        try:
            return bool(self.read(text) == text)
        except Misfit:
            return False


NO_YES = ChoiceFormat({"no": False, "yes": True})
"""A boolean."""


def one_of(words: Sequence[Any], *, optional: str = "") -> ChoiceFormat:
    """Make the format of a choice between some values.

    Args:
        words: The values, mostly words.
        optional: The word for making no choice; when empty, there is none.
    """
    choices: dict[str, Any] = {optional: UNSET} if optional else {}
    return ChoiceFormat(choices | {str(word): word for word in words})


def is_plain(text: str) -> bool:
    """Whether a text can be shown in a field as it is: nothing in it moves the cursor."""
    return all(visible(line) == line for line in text.split("\n"))


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal and of one type: ``1`` and ``true`` are not."""
    return type(one) is type(other) and json_equal(one, other)
