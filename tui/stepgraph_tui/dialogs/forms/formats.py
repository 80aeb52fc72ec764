"""How values are written in the fields of forms, and read from there: texts as they are, numbers, words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from stepgraph.values.compare import json_equal, shown
from stepgraph.values.state import UNSET
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.toml import NotToml, toml_text, toml_value
from stepgraph_tui.text.typed import Refusal

Editor = Literal["line", "wrapped", "lines", "choice", "several"]
"""Where a value is typed: on one line, wrapped, in lines; or chosen: one of some words, several of them."""
_EMPTY = '""'


def takes_all(value: Any) -> str | None:
    """Take every value."""
    return None


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

    @property
    def syntax(self) -> str:
        """Say in a few words how values are written; empty where a text is taken as it is, or chosen."""
        return ""

    def takes_blank(self, text: str) -> bool:
        """Tell whether a text of nothing but blanks is a value, too; else it stands for none."""
        return False


@dataclass(frozen=True, slots=True)
class TextFormat(Format):
    """A text as it is.

    Args:
        editor: Where it is typed.
        keeps_empty: Whether an empty text is a value, too.
        quotes_empty: Whether two quotes stand for an empty text, where nothing stands for none.
        refusal: Says what keeps a text from being taken.
    """

    editor: Editor = "wrapped"
    keeps_empty: bool = False
    quotes_empty: bool = False
    refusal: Refusal = takes_all

    def takes_blank(self, text: str) -> bool:
        """Tell whether a text of nothing but blanks is one, too."""
        return self.keeps_empty or (bool(text) and self.editor != "line")

    def write(self, value: Any) -> str | None:
        """Give the text itself."""
        if self.quotes_empty and value == "":
            return _EMPTY
        return value if isinstance(value, str) and is_plain(value) else None

    def read(self, text: str) -> str:
        """Take the text itself."""
        if self.quotes_empty and text == _EMPTY:
            return ""
        if refused := self.refusal(text):
            raise Misfit(refused)
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
            kind, example = ("a whole number", "20") if self.whole else ("a number", "20 or 2.5")
            raise Misfit(f"takes {kind}, not {shown(text)}: write one such as {example}")
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
