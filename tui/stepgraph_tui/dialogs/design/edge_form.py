"""The form of an edge: where it leads, and on which condition, in one of its kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from stepgraph.conditions import KeyEquals
from stepgraph.documents import EdgePart
from stepgraph.editing import Design, EditEdge
from stepgraph.expressions import MAX_LENGTH, Visits, operands, parse, written_key
from stepgraph.expressions.tree import Path
from stepgraph.graphs import END
from stepgraph.values import (
    HANDLER_HINT,
    UNSET,
    ExpressionError,
    did_you_mean,
    is_handler,
    json_line,
    nearest,
)
from stepgraph_tui.dialogs.forms.field import Answers, Field, FormModel, FormProblem
from stepgraph_tui.dialogs.forms.fields import fields_of
from stepgraph_tui.dialogs.forms.form import FixedRow, Row
from stepgraph_tui.dialogs.forms.formats import TextFormat, TomlFormat, one_of

from .model import DESIGN, CompletionNames, contents_of, edit_of, filled, with_hint, worded

Preview: TypeAlias = Callable[[Any], str]
"""How a condition, as a file has it, would have come out in the last run; empty when there was none."""
ALWAYS, EXPRESSION, EQUALS, PYTHON = "always", "expression", "key equals", "Python"
_ORDER = ("from", "to", "when", "label", "note")
_COMPARED = 1_000  # names that a key is compared with
_KINDS = (ALWAYS, EXPRESSION, EQUALS, PYTHON)
_EXAMPLE = 'Such as category == "billing"; empty: always matches.'


class EdgeForm(FormModel[EditEdge]):
    """Asks for the target, the condition, the label and the note of an edge.

    Args:
        design: The design.
        edge: The edge, by its position among all edges.
        names: The names that conditions can use.
        preview: Tells how a condition would have come out; it is asked at each change.
        is_new: Whether the edge was just made, so that only its condition is wanting: the form begins there.
    """

    KIND = DESIGN

    def __init__(
        self,
        design: Design,
        edge: int,
        *,
        names: Sequence[str] | None = None,
        preview: Preview | None = None,
        is_new: bool = False,
    ) -> None:
        self._edge, self._table = edge, design.edges[edge].table
        self._preview, self._is_new = preview, is_new
        known = CompletionNames.of(design, names)
        usual = fields_of(EdgePart, self._table)
        to = Field(
            "to",
            TextFormat("line"),
            self._table.get("to", UNSET),
            note="A node, or END.",
            holds="place",
            is_example=not is_new,
        )
        self._to = known.completed(to)
        self._label = replace(usual["label"], accept=worded("label"))
        self._note = usual["note"]
        kind = EXPRESSION if is_new else None
        self._condition = ConditionFields(self._table.get("when", UNSET), known, kind=kind)
        source = str(self._table.get("from", ""))
        place = FixedRow("from", source, _place(design, edge, source))
        rows: list[Row] = [place, self._to, *self._condition.fields, self._label, self._note]
        self._design, self.heading = design, f"Edge from {source}"
        self.contents = contents_of(rows)

    @property
    def begins_at(self) -> Field | None:
        """The condition of a new edge."""
        return self._condition.text if self._is_new else None

    def result(self, answers: Answers) -> EditEdge | None:
        """Return the edit; None when nothing was changed in an edge that was there."""
        return edit_of(self._design, answers, self.edit, is_new=self._is_new)

    def edit(self, answers: Answers) -> EditEdge:
        """Build the edit of the edge."""
        values = {
            "to": answers.value(self._to),
            "when": self._condition.when(answers),
            "label": answers.value(self._label),
            "note": answers.value(self._note),
        }
        return EditEdge(self._edge, filled(self._table, _ORDER, values))

    def absent(self, answers: Answers) -> list[Field]:
        """Find which fields are of other kinds of conditions."""
        return self._condition.absent(answers)

    def remarks(self, answers: Answers) -> Mapping[Field, str]:
        """Describe how the condition would have come out."""
        if self._preview is None or self._condition.problem(answers, self._design) is not None:
            return {}
        when = self._condition.when(answers)
        return {self._condition.last(answers): self._preview(None if when is UNSET else when)}

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Find what is wrong with the edge itself."""
        target: Any = answers.value(self._to)
        known = [*self._design.nodes, END]
        if target is UNSET:
            yield FormProblem("it does not say where the edge leads (give a node's name, or END)", self._to)
        elif target not in known and target != "__END__":
            hint = did_you_mean(str(target), known)
            yield FormProblem(f"there is no such node ({hint})", self._to)
        problem = self._condition.problem(answers, self._design)
        if problem is not None:
            yield problem


class ConditionFields:
    """Asks for the condition of an edge, by fields of which those of the chosen kind are there.

    Args:
        when: The condition as the file has it; UNSET for none.
        names: What can be completed.
        kind: The kind to begin with; that of the condition when None.
    """

    def __init__(self, when: Any, names: CompletionNames, *, kind: str | None = None) -> None:
        self._when, self._names = when, names
        table = when if isinstance(when, dict) else {}
        kind = kind or _kind(when)
        text = when if _kind(when) == EXPRESSION else UNSET
        key, line = table.get("key", UNSET), TextFormat("line")
        python = "A Python function of the routing context, as module:function."
        self.kind = Field("condition", one_of(_KINDS), kind, note="What decides whether the edge is taken.")
        self.text = names.completed(Field("when", TextFormat(), text, None, _EXAMPLE, holds="expression"))
        self.key = names.completed(Field("key", line, key, note="The key of the state.", holds="key"))
        self.equals = Field(
            "equals", TomlFormat(), table.get("equals", UNSET), note="What it must be.", example="billing"
        )
        self.predicate = Field("predicate", line, table.get("predicate", UNSET), note=python)
        self.fields = (self.kind, self.text, self.key, self.equals, self.predicate)

    def absent(self, answers: Answers) -> list[Field]:
        """Find which fields are of other kinds."""
        there = {EXPRESSION: [self.text], EQUALS: [self.key, self.equals], PYTHON: [self.predicate]}
        here = [self.kind, *there.get(answers.text(self.kind), ())]
        return [field for field in self.fields if field not in here]

    def last(self, answers: Answers) -> Field:
        """Return the last field of the chosen kind."""
        absent = self.absent(answers)
        return [field for field in self.fields if field not in absent][-1]

    def when(self, answers: Answers) -> Any:
        """Return the condition as a file has it; UNSET for none, the same object when nothing was touched."""
        if not any(map(answers.has_changed, self.fields)):
            return self._when
        match answers.text(self.kind):
            case "expression":
                return answers.value(self.text)
            case "key equals":
                equals = {"key": answers.value(self.key), "equals": answers.value(self.equals)}
                return self._table(equals)
            case "Python":
                return self._table({"predicate": answers.value(self.predicate)})
        return UNSET

    def _table(self, values: Mapping[str, Any]) -> dict[str, Any]:
        before: Mapping[str, Any] = self._when if isinstance(self._when, dict) else {}
        return filled({key: value for key, value in before.items() if key in values}, tuple(values), values)

    def problem(self, answers: Answers, design: Design) -> FormProblem | None:
        """Find what is wrong with the condition by itself."""
        kind, when = answers.text(self.kind), self.when(answers)
        if kind == EXPRESSION and when is not UNSET:
            return self._problem_of_expression(when, design)
        if kind == EQUALS:
            return self._problem_of_equality(answers)
        if kind == PYTHON and not is_handler(answers.text(self.predicate)):
            return FormProblem(f"it is not written as module:function ({HANDLER_HINT})", self.predicate)
        return None

    def _problem_of_expression(self, when: Any, design: Design) -> FormProblem | None:
        if not isinstance(when, str):
            return FormProblem(f"a condition is text or a table, not {json_line(when)}", self.text)
        try:
            tree = parse(when)
        except ExpressionError as error:
            excerpt = error.caret() if when.strip() and len(when) <= MAX_LENGTH else ""
            return FormProblem(with_hint(error.message, error.hint), self.text, excerpt=excerpt)
        for part in operands(tree):
            if isinstance(part, Visits) and part.node not in design.nodes:
                hint = did_you_mean(part.node, design.nodes)
                return FormProblem(
                    f"visits of {json_line(part.node)}, which is not a node ({hint})", self.text
                )
            near = self._nearest_key(part.key) if isinstance(part, Path) else None
            if near is not None:
                slip = f"did you mean {near}? No key {part.text} is known"
                return FormProblem(slip, self.text, is_error=False)
        return None

    def _nearest_key(self, key: str) -> str | None:
        """Find the known key that an unknown one is most likely meant to be."""
        name, known = written_key(key), self._names.state
        return None if name in known else nearest(name[:60], known[:_COMPARED])

    def _problem_of_equality(self, answers: Answers) -> FormProblem | None:
        for field in (self.key, self.equals):
            if answers.value(field) is UNSET:
                return FormProblem(f"there is no {field.name!r}", field)
        try:
            KeyEquals(answers.value(self.key), answers.value(self.equals))
        except ExpressionError as error:
            return FormProblem(error.message, self.key)
        return None


def _kind(when: Any) -> str:
    if when is UNSET:
        return ALWAYS
    if isinstance(when, dict):
        return PYTHON if "predicate" in when else EQUALS
    return EXPRESSION


def _place(design: Design, edge: int, source: str) -> str:
    """Describe the place of an edge among those of its node."""
    positions = design.outgoing.get(source, [edge])
    if len(positions) == 1:
        return ""
    return f"edge {positions.index(edge) + 1} of {len(positions)}, tried in this order"
