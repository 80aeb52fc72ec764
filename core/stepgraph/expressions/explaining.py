"""Why a condition answered as it did: the tree of its parts, with every operand's value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from textwrap import dedent
from typing import Final, Literal

from ..values.errors import EvaluationError
from ..values.json_values import Json, copy_json, json_line
from .evaluate import Facts, compile_test, compile_value
from .tree import Compare, Constant, Group, IsNone, Not, Path, Tree, quoted_piece

Role = Literal["test", "operand", "constant", "python"]
_MARGIN = 8  # columns for the verdict
_LINES, _WIDTH = 12, 200  # lines of a source that are shown, and characters of each


class Missing(Enum):
    """The type of MISSING."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""Instead of a value: the path leads nowhere, or the part has no value (a comparison has a result)."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One part of a condition, and how it came out."""

    text: str
    """The part as it is written."""
    value: Json | Literal[Missing.MISSING] = MISSING
    """An operand's value, a copy of its own; MISSING for other parts, and where there is none."""
    result: bool | None = None
    """How the part came out; None when it was not evaluated, failed, or is a comparison's operand."""
    error: str | None = None
    """Why it could not be answered, for people."""
    parts: tuple[Explanation, ...] = ()
    """The parts below; none for a part that was not evaluated."""
    role: Role = "test"
    """A part with a result, an operand of a comparison (``constant`` when it is written in the
    condition), or a Python predicate, whose parts are what its source names: nobody can see what it reads."""
    code: tuple[str, ...] = ()
    """The lines of a Python predicate's source as it is now, for people: JSON leaves them out."""

    @property
    def shown_code(self) -> tuple[str, ...]:
        """The first lines of the source, without what indents them all, cut where one is long.

        Cut last of all: half of a secret would not be known for one.
        """
        shown = dedent("\n".join(self.code[:_LINES])).split("\n")
        cut = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in shown]
        return (*cut, *(["…"] if len(self.code) > _LINES else [])) if self.code else ()

    def to_json(self) -> dict[str, Json]:
        """Write the tree as JSON; ``value`` and ``error`` are there only where there is one."""
        data: dict[str, Json] = {"text": self.text, "role": self.role, "result": self.result}
        if self.value is not MISSING:
            data["value"] = copy_json(self.value)
        if self.error is not None:
            data["error"] = self.error
        if self.parts:
            data["parts"] = [part.to_json() for part in self.parts]
        return data

    def lines(self) -> list[str]:
        """Write the tree as indented text: each part after its result, each operand with its value."""
        return list(self._lines(""))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _lines(self, indent: str) -> Iterator[str]:
        if self.role == "constant":
            return
        yield f"{indent}{self._verdict():<{_MARGIN}}{self._words()}"
        if self.role == "python":
            below = f"{indent}{'':<{_MARGIN}}"
            yield from (f"{below}| {line}" for line in self.shown_code)
            if self.parts:
                yield f"{below}it names {', '.join(part._with_value() for part in self.parts)}"
            return
        for part in self.parts:
            yield from part._lines(indent + "  ")

    def _verdict(self) -> str:
        if self.role != "test":
            return "" if self.role == "operand" else self.role
        if self.error is not None:
            return "error"
        return "skipped" if self.result is None else "true" if self.result else "false"

    def _with_value(self) -> str:
        value = "(not there)" if self.value is MISSING else f"= {json_line(self.value)}"
        return f"{quoted_piece(self.text)} {value}"

    def _words(self) -> str:
        if self.error is not None and all(part.error is None for part in self.parts):
            return self.error
        if self.value is not MISSING:
            return f"{quoted_piece(self.text)} = {json_line(self.value)}"
        return quoted_piece(self.text) + (" is missing" if self.role == "operand" else "")


def explain(tree: Tree, context: Facts) -> Explanation:
    """Evaluate the tree part by part; the outermost result is what the compiled test answers."""
    match tree:
        case Group():
            return _group(tree, context)
        case Not():
            part = explain(tree.part, context)
            result = None if part.result is None else not part.result
            return Explanation(tree.text, MISSING, result, part.error, (part,))
        case Compare():
            return _tested(tree, context, (_operand(tree.left, context), _operand(tree.right, context)))
        case IsNone():
            return _tested(tree, context, (_operand(tree.operand, context, may_miss=True),))
        case _:
            seen = _operand(tree, context)
            result = None if seen.value is MISSING else bool(seen.value)
            return Explanation(tree.text, seen.value, result, seen.error)


def _group(tree: Group, context: Facts) -> Explanation:
    stop = tree.word == "or"
    parts: list[Explanation] = []
    result: bool | None = not stop
    error: str | None = None
    for part in tree.parts:
        if error is not None or result is stop:
            parts.append(Explanation(part.text))
            continue
        seen = explain(part, context)
        parts.append(seen)
        result, error = seen.result, seen.error
    return Explanation(tree.text, MISSING, result, error, tuple(parts))


def _tested(tree: Compare | IsNone, context: Facts, parts: tuple[Explanation, ...]) -> Explanation:
    try:
        return Explanation(tree.text, MISSING, compile_test(tree)(context), None, parts)
    except EvaluationError as error:
        return Explanation(tree.text, MISSING, None, str(error), parts)


def _operand(tree: Tree, context: Facts, *, may_miss: bool = False) -> Explanation:
    if isinstance(tree, (Compare, IsNone, Not, Group)):
        return explain(tree, context)
    role: Role = "constant" if isinstance(tree, Constant) else "operand"
    try:
        value = copy_json(compile_value(tree)(context))
    except EvaluationError as error:
        quiet = may_miss and isinstance(tree, Path)
        return Explanation(tree.text, error=None if quiet else str(error), role=role)
    return Explanation(tree.text, value, role=role)
