"""Collecting what is wrong with a document, in plain words, with file and line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import TYPE_CHECKING, TypeVar

from ..graphs.validation.report import quoted
from ..values.declared import Declared, checked_table, keys_of, plain_table
from ..values.errors import StateError
from ..values.json_values import MAX_DEPTH, Json, json_line, plain
from ..values.messages import choice_hint, expectation, path_of, shown_value, some_of
from ..values.problems import KeyPath, Place, Problem, did_you_mean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T", bound=Declared)

MAX_PROBLEMS = 1_000
"""How many problems of one file are reported: a file that is made to hurt has a hundred thousand."""
_DEEPEST = MAX_DEPTH + 4
"""A value of the deepest kind has its place below ``edges``, a number, ``when`` and ``equals``."""


class Notes:
    """The problems of one document.

    Args:
        file: The file that it came from, as people should see it; None for a stored definition.
        locate: Finds the line of a path in that file.
        most: How many problems are reported; the rest are counted.
    """

    def __init__(
        self, file: str | None, locate: Callable[[KeyPath], int | None] | None, most: int = MAX_PROBLEMS
    ) -> None:
        self.problems: list[Problem] = []
        self._most = most
        self._count = 0
        self._left_out = 0
        self._file = file
        self._locate = locate

    @property
    def count(self) -> int:
        """How many problems there are, those included that there was no room for."""
        return self._count + self._left_out

    def apart(self, *, kept: bool = False) -> Notes:
        """Start notes of the same file for one part of it, which ``take`` adds to these.

        Args:
            kept: They are taken again, by the next notes of the file, which may have more room.
        """
        return Notes(self._file, self._locate, self._most if kept else self._most - self._count)

    def take(self, part: Notes) -> None:
        """Keep the problems of a part too, as far as there is room."""
        room = self._most - self._count
        self.problems.extend(part.problems[:room])
        self._left_out += part.count - min(room, part._count)
        self._count += min(room, part._count)

    def add(self, code: str, message: str, path: KeyPath, hint: str = "") -> None:
        """Keep a problem at ``path``, unless there are very many already."""
        if self._has_room():
            self._count += 1
            self.problems.append(self._problem(code, message, path, hint))

    def close(self) -> None:
        """Add a note that counts the problems beyond the limit."""
        if self._left_out:
            message = f"there are {self._left_out:,} more problems than are shown here"
            self.problems.append(self._problem("F007", message, (), "correct these first"))

    def _has_room(self) -> bool:
        """Whether one more problem may be reported; when not, it is counted instead."""
        if self._count < self._most:
            return True
        self._left_out += 1
        return False

    def _problem(self, code: str, message: str, path: KeyPath, hint: str) -> Problem:
        line = self._locate(path) if self._locate is not None else None
        return Problem(code, "error", message, Place.at(path, self._file, line), hint)

    def checked(self, kind: type[T], table: object, path: KeyPath, what: str) -> T:
        """Read a table of a kind; what does not fit is noted and left out.

        Args:
            kind: What it should be.
            table: What was found.
            path: Where it was found.
            what: What it is, for the messages: ``node 'draft'``.
        """
        if not isinstance(table, Mapping):
            self.add("F022", f"{what} must be a table, not {shown_value(table)}", path)
            return kind({})
        known = keys_of(kind)
        for name in [name for name in table if name not in known]:
            if self._has_room():
                hint = _hint(name, table[name], known, is_top=not path)
                self.add("F020", f"{what}: unknown key {quoted(name)}", (*path, name), hint)
        kept = {name: table[name] for name in known if name in table}
        found = plain_table(kind, kept)
        if found is not None:
            return found
        from pydantic import ValidationError  # which is loaded to say what is wrong

        try:
            return checked_table(kind, kept)
        except ValidationError as error:
            details = error.errors(include_url=False)
        for detail in details:
            if self._has_room():
                message = f"{what}: {_wrong(detail)}"
                self.add("F022", message, (*path, *detail["loc"]), choice_hint(detail))
            if not detail["loc"]:  # its keys do not go together
                return kind({})
            kept.pop(str(detail["loc"][0]), None)
        try:
            return checked_table(kind, kept)
        except ValidationError:  # what is left does not go together
            return kind({})

    def json_only(self, value: object, path: KeyPath = ()) -> Json:
        """Copy ``value`` without what is not JSON, which is noted."""
        if isinstance(value, dict):
            kept = [
                key for key in value if self._is_key(key, path) and self.is_json(value[key], (*path, key))
            ]
            return {key: self.json_only(value[key], (*path, key)) for key in kept}
        if isinstance(value, list):
            indexes = [i for i, item in enumerate(value) if self.is_json(item, (*path, i))]
            return [self.json_only(value[i], (*path, i)) for i in indexes]
        return value  # type: ignore[return-value]  # a scalar that is_json let through

    def _is_key(self, key: object, path: KeyPath) -> bool:
        try:
            plain({key: None}, "this table")
        except StateError as error:
            self.add("F023", error.message, path, error.hint)
            return False
        return True

    def is_json(self, value: object, path: KeyPath) -> bool:
        """Whether a value may be kept: a scalar of JSON, or a list or table that is not too deep."""
        if isinstance(value, (dict, list)):
            if len(path) <= _DEEPEST:
                return True
            return self._refused(path, f" is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, (datetime, date, time)):
            return self._refused(path, " is a date or time", "write it as text, in quotes")
        try:
            plain(value, "")
        except StateError as error:
            return self._refused(path, error.message, error.hint)
        return True

    def _refused(self, path: KeyPath, what: str, hint: str = "") -> bool:
        if self._has_room():
            self.add("F023", json_line(".".join(map(str, path)))[1:-1] + what, path, hint)
        return False


def _wrong(detail: ErrorDetails) -> str:
    if not detail["loc"]:
        return detail["msg"].removeprefix("Value error, ")
    return f"{path_of(detail['loc'])!r} {expectation(detail)}"


def _hint(name: str, value: object, known: Mapping[str, object], *, is_top: bool) -> str:
    """Suggest what to write for an unknown key: what stands in a table of that name, or a key like it."""
    if isinstance(value, Mapping) and value and value.keys() <= known.keys():
        where = "at the top of the file" if is_top else "one table higher"
        return f"write {some_of([*value], 5)} {where}, not in a table {name}"
    return did_you_mean(name, known, listing="it takes")
