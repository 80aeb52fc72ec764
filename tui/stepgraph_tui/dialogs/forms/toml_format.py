"""Values in fields as graph files have them, and what to write instead of what is none."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from stepgraph.values.compare import shown
from stepgraph.values.errors import StateError
from stepgraph.values.json_values import by_path, plain
from stepgraph.values.state import UNSET, ValueType
from stepgraph_tui.text.toml import NotToml, toml_lines, toml_table, toml_text, toml_value
from stepgraph_tui.text.typed import Refusal, refusal_of

from .formats import Editor, Format, Misfit, takes_all

EXAMPLES: Mapping[ValueType, str] = {
    "text": '"text"',
    "number": "240",
    "boolean": "true",
    "list": '["a", "b"]',
    "table": "{ id = 8812 }",
}
"""A value of each type, as TOML has it."""
_SAID: Mapping[tuple[ValueType, ...], str] = {("number",): "such as 240", ("boolean",): "true or false"}
_WIDE = 60  # characters of a table that is written on one line
_ADVISED = 60  # characters of what is told to be written
_OPENINGS = ("[", "{", '"', "'")  # of what was meant to be TOML
_WORDS = {"true": True, "false": False, "yes": True, "no": False}
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

    A table may also be written as lines of ``key = value``.

    Args:
        types: What the value may be; anything when empty.
        nulls: Whether ``null`` may stand in it, which the state of a run knows and files do not.
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
        """Give a value that would do."""
        return EXAMPLES[self.types[0]] if self.types else EXAMPLES["text"]

    @property
    def syntax(self) -> str:
        """Say in a few words how values are written."""
        if self.types in _SAID:
            return _SAID[self.types]
        if self.types:
            return f"TOML, such as {' or '.join(EXAMPLES[type_] for type_ in self.types)}"
        told = f"TOML: {', '.join(EXAMPLES.values())}"
        return f"a text, or {told}" if self.bare else told

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
        for meant in _meant(text, value, self.types):
            written = self.write(meant)
            if written is not None:
                said = wrong if value is not UNSET else "this is not TOML"
                quotes = ", in quotes" if meant == text and "\n" not in text else ""
                return f"{said}: write {_shortened(written)}{quotes}"
        if value is UNSET and not text.lstrip().startswith(_OPENINGS) and self.types:
            wrong = f"takes a {' or a '.join(self.types)}, not {shown(text)}"
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
    return text[:1].isalpha() and next(_meant(text, UNSET, ()), None) == text


def _meant(text: str, value: Any, types: Collection[ValueType]) -> Iterator[Any]:
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
