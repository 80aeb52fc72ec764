"""The part of an edge's form that asks for the condition, in one of its kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len

from stepgraph.conditions import KeyEquals
from stepgraph.editing import Design
from stepgraph.expressions import MAX_LENGTH, parse
from stepgraph.expressions.spelling import spelt
from stepgraph.expressions.tree import Path, Visits, operands
from stepgraph.values.compare import shown
from stepgraph.values.errors import ExpressionError
from stepgraph.values.handler_names import HANDLER_HINT, is_handler
from stepgraph.values.problems import did_you_mean, nearest
from stepgraph.values.state import UNSET

from .field import FormField, Wrong
from .naming import Names
from .setting import Setting, filled
from .shapes import Anything, Text, one_of

ALWAYS, EXPRESSION, EQUALS, PYTHON = "always", "expression", "key equals", "Python"
_COMPARED = 1_000  # names that a key is compared with
_KINDS = (ALWAYS, EXPRESSION, EQUALS, PYTHON)
_EXAMPLE = 'Such as category == "billing"; empty: it always matches.'


class Condition:
    """The fields of a condition, of which those of the chosen kind are there.

    Args:
        when: The condition as the file has it; UNSET for none.
        names: What can be completed.
        kind: The kind to begin with; that of the condition when None.
    """

    def __init__(self, when: Any, names: Names, *, kind: str | None = None) -> None:
        self._when, self._names = when, names
        table = when if isinstance(when, dict) else {}
        kind = kind or _kind(when)
        text = when if _kind(when) == EXPRESSION else UNSET
        settings = (
            Setting("condition", one_of(_KINDS), kind, help="What decides whether the edge is taken."),
            Setting("when", Text(), text, None, _EXAMPLE, "expression"),
            Setting("key", Text("line"), table.get("key", UNSET), help="The key of the state.", holds="key"),
            Setting("equals", Anything("equals"), table.get("equals", UNSET), help="What it must be."),
            Setting(
                "predicate",
                Text("line"),
                table.get("predicate", UNSET),
                help="A Python function of the routing context, as module:function.",
            ),
        )
        self.fields = tuple(FormField(setting, names.completer(setting)) for setting in settings)
        self._kind, self.text, self._key, self._equals, self._predicate = self.fields

    @property
    def kind(self) -> str:
        """Which kind is chosen."""
        return self._kind.text

    def show_fields(self) -> None:
        """Show the fields of the chosen kind alone."""
        kind = self.kind
        self.text.display = kind == EXPRESSION
        self._key.display = self._equals.display = kind == EQUALS
        self._predicate.display = kind == PYTHON

    def when(self) -> Any:
        """The condition as a file has it; UNSET for none, the very same one when nothing was touched."""
        if not any(field.changed for field in self.fields):
            return self._when
        match self.kind:
            case "expression":
                return self.text.value
            case "key equals":
                return self._table(("key", "equals"), key=self._key.value, equals=self._equals.value)
            case "Python":
                return self._table(("predicate",), predicate=self._predicate.value)
        return UNSET

    def _table(self, order: tuple[str, ...], **values: Any) -> dict[str, Any]:
        before: Mapping[str, Any] = self._when if isinstance(self._when, dict) else {}
        return filled({key: value for key, value in before.items() if key in order}, order, values)

    def remark(self, text: str) -> None:
        """Say something of use below the condition."""
        last = {EXPRESSION: self.text, EQUALS: self._equals, PYTHON: self._predicate}.get(
            self.kind, self._kind
        )
        for field in self.fields:
            field.remark(text if field is last else "")

    # What is wrong with it

    def wrong(self, design: Design) -> Wrong | None:
        """What is wrong with the condition by itself."""
        when = self.when()
        if self.kind == EXPRESSION and when is not UNSET:
            return self._wrong_expression(when, design)
        if self.kind == EQUALS:
            return self._wrong_equality()
        if self.kind == PYTHON and not is_handler(self._predicate.text):
            return Wrong(f"it is not spelt module:function ({HANDLER_HINT})", self._predicate)
        return None

    def _wrong_expression(self, when: Any, design: Design) -> Wrong | None:
        if not isinstance(when, str):
            return Wrong(f"a condition is text or a table, not {shown(when)}", self.text)
        try:
            tree = parse(when)
        except ExpressionError as error:
            message = f"{error.message} ({error.hint})" if error.hint else error.message
            return Wrong(message, self.text, above=self._caret(error))
        for part in operands(tree):
            if isinstance(part, Visits) and part.node not in design.nodes:
                hint = did_you_mean(part.node, design.nodes)
                return Wrong(f"visits of {shown(part.node)}, which is no node ({hint})", self.text)
            near = self._meant(part.key) if isinstance(part, Path) else None
            if near is not None:
                return Wrong(f"did you mean {near}? No key {part.text} is known", self.text, is_error=False)
        return None

    def _meant(self, key: str) -> str | None:
        """The known key that an unknown one is most likely meant to be."""
        name, known = spelt(key), self._names.state
        return None if name in known else nearest(name[:60], known[:_COMPARED])

    def _caret(self, error: ExpressionError) -> str:
        """A caret right below the place, or below the line once more where the field cannot show that."""
        text = error.text
        if not text.strip() or len(text) > MAX_LENGTH:
            return ""
        if "\n" in text or cell_len(text) >= self.text.width:
            return error.caret()
        return f"{' ' * cell_len(text[: error.offset])}^"

    def _wrong_equality(self) -> Wrong | None:
        for field in (self._key, self._equals):
            if field.value is UNSET:
                return Wrong(f"there is no {field.setting.name!r}", field)
        try:
            KeyEquals(self._key.value, self._equals.value)
        except ExpressionError as error:
            return Wrong(error.message, self._key)
        return None


def _kind(when: Any) -> str:
    if when is UNSET:
        return ALWAYS
    if isinstance(when, dict):
        return PYTHON if "predicate" in when else EQUALS
    return EXPRESSION
