"""How values are written in the fields of forms, and read from there: texts as they are, numbers, words."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, cast

from stepgraph.values import UNSET, StateError, ValueType, by_path, json_equal, json_line, plain

from ...text.characters import visible
from ...text.state_text import NotToml, toml_lines, toml_table, toml_text, toml_value
from ...text.typed import Refusal, refusal_of

Editor = Literal["line", "wrapped", "lines", "choice", "several"]
"""Where a value is typed: on one line, wrapped, in lines; or chosen: one of some words, several of them."""
_EMPTY = '""'


def takes_all(value: Any) -> str | None:
    """Accept every value."""
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
        """Return the text for a value; None when no text of this format stands for it."""

    @abstractmethod
    def read(self, text: str) -> Any:
        """Parse the text into a value; UNSET for none.

        Raises:
            Misfit: It stands for none.
        """

    @property
    def syntax(self) -> str:
        """Describe in a few words how values are written; empty if text is taken as it is, or chosen."""
        return ""

    def takes_blank(self, text: str) -> bool:
        """Check whether a text of nothing but blanks is a value, too; else it stands for none."""
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
        """Check whether a text of nothing but blanks is one, too."""
        return self.keeps_empty or (bool(text) and self.editor != "line")

    def write(self, value: Any) -> str | None:
        """Return the text itself."""
        if self.quotes_empty and value == "":
            return _EMPTY
        return value if isinstance(value, str) and is_plain(value) else None

    def read(self, text: str) -> str:
        """Return the text itself."""
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
            raise Misfit(f"takes {kind}, not {json_line(text)}: write one such as {example}")
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
        """Return the word for a value."""
        found = (word for word, one in self.words.items() if one is value or same(one, value))
        return next(found, None)

    def read(self, text: str) -> Any:
        """Return the value of a word."""
        if text not in self.words:
            raise Misfit(f"takes {', '.join(filter(None, self.words))}, not {json_line(text)}")
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
    """Build the format of a choice between some values.

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
    """Check whether two values are equal and of one type: ``1`` and ``true`` are not."""
    return type(one) is type(other) and json_equal(one, other)


EXAMPLES: Mapping[ValueType, str] = {
    "text": '"text"',
    "number": "240",
    "boolean": "true",
    "list": '["a", "b"]',
    "table": "{ id = 8812 }",
}
"""A value of each type, as TOML has it."""
_LIST: tuple[ValueType, ...] = ("list",)
_SAID: Mapping[tuple[ValueType, ...], str] = {("number",): "such as 240", ("boolean",): "true or false"}
_WIDE = 60  # characters of a table that is written on one line
_ADVISED = 60  # characters of a suggestion
_OPENINGS = ("[", "{", '"', "'")  # of what was meant to be TOML
_WORDS = {"true": True, "false": False, "yes": True, "no": False}
_NAMES = re.compile(r"\s*[\w.-]+(?:\s*,\s*[\w.-]+)+\s*")  # a list without brackets, or a short text
_KEYS = re.compile(  # how lines of keys and values begin; no address
    r"""\s*(?:(?!\w+://)[\w"'#.-][^=\n]*=|#)"""
)
_COLON = re.compile(  # as YAML and JSON
    r"""((?<![\w"'.-])(?:"[^"\n]*"|'[^'\n]*'|[A-Za-z_][\w.-]*)):(?=\s|$)"""
)
_BARE = re.compile(  # words without quotes where a value stands
    r"""(?P<keep>"(?:\\.|[^"\\])*+"?|'[^']*'?|\b(?:true|false|null|inf|nan)\b|(?<![\w.-])[\w.-]+(?=\s*=))"""
    r"""|(?<![\w.-])(?P<word>[A-Za-z_][\w.-]*)"""
)


@dataclass(frozen=True, slots=True)
class TomlFormat(Format):
    """A value as a graph file has it: a text in quotes, a number, ``true``, a list, a table.

    A table may also be written as lines of ``key = value``, a list of texts as lines, one text on each.

    Args:
        types: What the value may be; anything when empty.
        nulls: Whether ``null`` may be in it, which the state of a run knows and files do not.
        by_paths: Whether the keys of a table are paths, which need no quotes: ``order.amount = "number"``.
        bare: Whether words that are not TOML are a text, as on the command line.
        secret: Whether no message may quote the text.
        refusal: Says what else keeps a value from being taken.
        editor: Where it is typed.
    """

    types: tuple[ValueType, ...] = ()
    nulls: bool = False
    by_paths: bool = False
    bare: bool = False
    secret: bool = False
    refusal: Refusal = takes_all
    editor: Editor = "wrapped"

    @property
    def example(self) -> str:
        """Return an example value; empty where any text is one."""
        return EXAMPLES[self.types[0]] if self.types else "" if self.bare else EXAMPLES["text"]

    @property
    def syntax(self) -> str:
        """Describe in a few words how values are written."""
        if self.types in _SAID:
            return _SAID[self.types]
        if self.types:
            return self.syntax_like(" or ".join(EXAMPLES[type_] for type_ in self.types))
        if self.bare:
            return f"a text, or TOML such as {EXAMPLES['number']} or {EXAMPLES['list']}"
        return f"TOML: {', '.join(EXAMPLES.values())}"

    def syntax_like(self, example: str) -> str:
        """Describe in a few words how values like an example are written."""
        lines = ", or a text on each line" if self.types == _LIST else ""
        return f"TOML, such as {example}{lines}"

    def write(self, value: Any) -> str | None:
        """Write the value; a table that is not a short one by lines. None for what is no such value."""
        if self._refusal(value) or not (self.nulls or _is_without_null(value)):
            return None
        if not isinstance(value, dict) or not value:
            return toml_text(value)
        if self.by_paths:
            return toml_lines(by_path(value), by_paths=True)
        text = toml_text(value)
        is_short = self.editor != "lines" and len(text) <= _WIDE and "\n" not in text
        return text if is_short else toml_lines(value)

    def read(self, text: str) -> Any:
        """Read the value."""
        wrong, value = "", cast("Any", UNSET)
        try:
            value = plain(self._parsed(text), "it")
        except NotToml as error:
            wrong = str(error)
            if self.bare and _is_text(text):
                wrong, value = "", text
            elif self.types == _LIST and (items := _lines_of(text)):
                wrong, value = "", items
        except StateError as error:  # a date, or a number that is not finite
            wrong = error.message
        else:
            if not self.nulls and not _is_without_null(value):
                wrong = "a file cannot hold null: leave it out"
        wrong = wrong or self._refusal(value)
        if not wrong:
            return value
        if self.secret:
            kinds = " or a ".join(self.types)
            raise Misfit(f"takes a {kinds}" if kinds else "this is not TOML: text needs quotes")
        raise Misfit(self._with_advice(wrong, text, value))

    def _parsed(self, text: str) -> Any:
        """Parse a value, or the lines of a table."""
        try:
            value = toml_value(text)
        except NotToml:
            if not self._takes_table or not _KEYS.match(text):
                raise
            try:
                value = toml_table(text)
            except NotToml as error:
                raise Misfit("this does not suit" if self.secret else str(error)) from None  # names the line
        return by_path(value) if self.by_paths and isinstance(value, dict) else value

    def _with_advice(self, wrong: str, text: str, value: Any) -> str:
        """Add what to write: the value that was most likely meant, else an example."""
        for meant in _guess_values(text, value, self.types):
            written = self.write(meant)
            if written is not None:
                problem = wrong if value is not UNSET else "this is not TOML"
                quotes = ", in quotes" if meant == text and "\n" not in text else ""
                return f"{problem}: write {_shortened(written)}{quotes}"
        if value is UNSET and not text.lstrip().startswith(_OPENINGS) and self.types:
            wrong = f"takes a {' or a '.join(self.types)}, not {json_line(text)}"
        return f"{wrong}: write one such as {self.example}" if self.types else wrong

    @property
    def _takes_table(self) -> bool:
        return not self.types or "table" in self.types

    def _refusal(self, value: Any) -> str:
        if value is None and self.types:
            return "null cannot be used here: leave the field empty"
        refusals = [refusal_of(type_)(value) for type_ in self.types]
        refused = "" if None in refusals else next(filter(None, refusals), "")
        return refused or self.refusal(value) or ""


def _is_text(text: str) -> bool:
    """Decide whether input that is not TOML can only be meant as text."""
    return text[:1].isalpha() and next(_guess_values(text, UNSET, ()), None) == text


def _lines_of(text: str) -> list[str]:
    """Read the lines of input that is not TOML as texts; none where it may be meant otherwise."""
    if text.lstrip().startswith(_OPENINGS) or _NAMES.fullmatch(text):
        return []
    return [line.strip() for line in text.split("\n") if line.strip()]


def _guess_values(text: str, value: Any, types: Collection[ValueType]) -> Iterator[Any]:
    """Guess what was meant by a text that is not TOML, or a value that does not suit; likeliest first."""
    bare = text.strip()
    if value is UNSET:
        with suppress(ValueError, RecursionError, StateError):
            yield plain(json.loads(bare), "it")
        yield from (_WORDS[bare.lower()] for _ in range(bare.lower() in _WORDS))
        quoted = _BARE.sub(lambda found: found["keep"] or f'"{found["word"]}"', _COLON.sub(r"\1 = ", bare))
        for parse in (toml_value, toml_table):
            with suppress(NotToml, StateError):
                yield plain(parse(quoted), "it")
        if bare.startswith(_OPENINGS):
            return  # somebody wrote TOML, and slipped
        if "text" not in types and "list" in types and "," in bare:
            yield [item.strip() for item in bare.split(",")]
        yield text
        yield text.split("\n")
    elif isinstance(value, str):
        with suppress(NotToml):
            yield toml_value(value)
        yield [value]
    elif value is not None:
        yield [value]
        yield bare


def _shortened(text: str) -> str:
    if text.startswith('"""'):
        return 'it between """ and """'
    if text.startswith("[\n"):
        return f'a list such as {EXAMPLES["list"]}, texts of several lines between """ and """'
    return text if len(text) <= _ADVISED else f"{text[: _ADVISED - 1]}…"


def _is_without_null(value: Any) -> bool:
    if isinstance(value, (dict, list)):
        return all(map(_is_without_null, value.values() if isinstance(value, dict) else value))
    return value is not None
