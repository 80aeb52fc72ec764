"""Collecting what is wrong with a document, in plain words, with file and line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from ..compare import named
from ..errors import StateError
from ..json_values import MAX_DEPTH, Json, plain
from ..problems import Place, Problem, did_you_mean, nearest
from .lines import KeyPath
from .schema import Part

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

P = TypeVar("P", bound=Part)

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
}


class Notes:
    """The problems of one document.

    Args:
        file: The file that it came from, as people should see it; None for a stored definition.
        locate: Finds the line of a path in that file.
    """

    def __init__(self, file: str | None, locate: Callable[[KeyPath], int | None] | None) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._locate = locate

    def add(self, code: str, message: str, path: KeyPath, hint: str = "") -> None:
        """Keep a problem."""
        self.problems.append(self.problem(code, message, path, hint))

    def problem(self, code: str, message: str, path: KeyPath, hint: str = "") -> Problem:
        """A problem at ``path``, with everything that is known about the place."""
        line = self._locate(path) if self._locate is not None else None
        node = edge = None
        rest = path
        if len(path) > 1 and path[0] == "nodes":
            node, rest = str(path[1]), path[2:]
        elif len(path) > 1 and path[0] == "edges" and isinstance(path[1], int):
            edge, rest = path[1], path[2:]
        key = ".".join(str(part) for part in rest) or None
        return Problem(code, "error", message, Place(self._file, line, node, edge, key), hint)

    def checked(self, model: type[P], table: object, path: KeyPath, what: str) -> P:
        """The table as ``model``; what does not fit is noted and left out.

        Args:
            model: What it should be.
            table: What was found.
            path: Where it was found.
            what: What it is, for the messages: ``node 'draft'``.
        """
        if not isinstance(table, Mapping):
            self.add("F022", f"{what} must be a table, not {named(table)}", path)
            return model()
        try:
            return model.model_validate(table)
        except ValidationError as error:
            details = error.errors(include_url=False)
        known = [field.alias or name for name, field in model.model_fields.items()]
        for detail in details:
            code, message, hint = _worded(detail, known)
            self.add(code, f"{what}: {message}", (*path, *detail["loc"]), hint)
        wrong = {detail["loc"][0] for detail in details}
        return model.model_validate({key: value for key, value in table.items() if key not in wrong})

    def json_only(self, value: object, path: KeyPath = ()) -> Json:
        """A copy of ``value`` without what is not JSON, which is noted."""
        if isinstance(value, dict):
            kept = {key: item for key, item in value.items() if self._is_json(item, (*path, key))}
            return {key: self.json_only(item, (*path, key)) for key, item in kept.items()}
        if isinstance(value, list):
            return [
                self.json_only(item, (*path, i))
                for i, item in enumerate(value)
                if self._is_json(item, (*path, i))
            ]
        return value  # type: ignore[return-value]  # a scalar that _is_json let through

    def _is_json(self, value: object, path: KeyPath) -> bool:
        where = ".".join(str(part) for part in path)
        if len(path) > MAX_DEPTH:
            self.add("F023", f"{where[:60]}… is nested deeper than {MAX_DEPTH} levels", path[:2])
            return False
        if isinstance(value, (dict, list)):
            return True
        if isinstance(value, (datetime, date, time)):
            self.add("F023", f"{where} is a date or time", path, "write it as text, in quotes")
            return False
        try:
            plain(value, where)
        except StateError as error:
            self.add("F023", error.message, path, error.hint)
            return False
        return True


def _worded(detail: ErrorDetails, known: list[str]) -> tuple[str, str, str]:
    """The code, message and hint of one of pydantic's errors."""
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).lstrip(".")
    value: Any = detail["input"]
    if detail["type"] == "extra_forbidden":
        return "F020", f"unknown key {name!r}", did_you_mean(name, known, listing="it takes")
    if detail["type"] == "literal_error":
        choices = detail["ctx"]["expected"]
        near = (
            nearest(value, choices.replace("'", "").replace(" or ", ", ").split(", "))
            if isinstance(value, str)
            else None
        )
        return (
            "F022",
            f"{name!r} must be {choices}, not {named(value)}",
            f"did you mean {near!r}?" if near else "",
        )
    expected = _EXPECTED.get(detail["type"])
    if expected is None:
        return "F022", f"{name!r} is not right: {detail['msg']}", ""
    return "F022", f"{name!r} must be {expected}, not {named(value)}", ""
