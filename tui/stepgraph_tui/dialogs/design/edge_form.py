"""The form of an edge: where it leads, and on which condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from stepgraph.documents.schema import EdgePart
from stepgraph.editing import Design
from stepgraph.editing.edges import EditEdge
from stepgraph.graphs.parts import END
from stepgraph.values.problems import did_you_mean
from stepgraph.values.state import UNSET

from .condition import EXPRESSION, Condition
from .fact import Fact
from .field import FormField, Wrong
from .form import DesignForm, EditElsewhere
from .naming import Names
from .of_model import settings_of
from .setting import Setting, filled
from .shapes import Text

Preview: TypeAlias = Callable[[Any], str]
"""How a condition, as a file has it, would have come out in the last run; empty when there was none."""
_ORDER = ("from", "to", "when", "label", "note")


class EdgeForm(DesignForm[EditEdge]):
    """Asks for the target, the condition, the label and the note of an edge.

    Args:
        design: The design.
        edge: The edge, by its position among all edges.
        names: The names that conditions can use.
        preview: Tells how a condition would have come out; it is asked at each change.
        edit_in_editor: Edits a text in $EDITOR.
        is_new: Whether the edge was just made, so that only its condition is wanting: the form begins there.
    """

    def __init__(
        self,
        design: Design,
        edge: int,
        *,
        names: Sequence[str] | None = None,
        preview: Preview | None = None,
        edit_in_editor: EditElsewhere | None = None,
        is_new: bool = False,
    ) -> None:
        self._edge, self._table = edge, design.edges[edge].table
        self._preview = preview
        known = Names.of(design, names)
        usual = {setting.name: setting for setting in settings_of(EdgePart, self._table)}
        to = Setting("to", Text("line"), self._table.get("to", UNSET), help="A node, or END.", holds="place")
        self._to = FormField(to, known.completer(to))
        self._label, self._note = FormField(usual["label"]), FormField(usual["note"])
        self._is_new = is_new
        self._condition = Condition(
            self._table.get("when", UNSET), known, kind=EXPRESSION if is_new else None
        )
        source = str(self._table.get("from", ""))
        place = Fact("from", source, _place(design, edge, source))
        fields: list[FormField | Fact] = [place, self._to, *self._condition.fields, self._label, self._note]
        super().__init__(design, f"Edge from {source}", fields, (), edit_in_editor)

    @property
    def begins_at(self) -> FormField:
        """The condition of a new edge."""
        return self._condition.text if self._is_new else super().begins_at

    def edit(self) -> EditEdge:
        """The edge as the fields have it."""
        values = {
            "to": self._to.value,
            "when": self._condition.when(),
            "label": self._label.value,
            "note": self._note.value,
        }
        return EditEdge(self._edge, filled(self._table, _ORDER, values))

    def refresh_fields(self) -> None:
        """Show the fields of the chosen kind of condition, and what the condition would have done."""
        self._condition.show_fields()

    def wrong(self) -> Iterator[Wrong]:
        """What is wrong with the edge itself; says by the way how its condition would have come out."""
        yield from self._wrong_target()
        wrong = self._condition.wrong(self.design)
        known = (
            ""
            if wrong is not None or self._preview is None
            else self._preview(_plain(self._condition.when()))
        )
        self._condition.remark(known)
        if wrong is not None:
            yield wrong

    def _wrong_target(self) -> Iterator[Wrong]:
        target: Any = self._to.value
        known = [*self.design.nodes, END]
        if target is UNSET:
            yield Wrong("it does not say where the edge leads (give a node's name, or END)", self._to)
        elif target not in known and target != "__END__":
            hint = did_you_mean(str(target)[:60], known)
            yield Wrong(f"there is no such node ({hint})", self._to)


def _plain(when: Any) -> Mapping[str, Any] | str | None:
    return None if when is UNSET else when


def _place(design: Design, edge: int, source: str) -> str:
    """Which of its node's edges it is."""
    positions = design.outgoing.get(source, [edge])
    if len(positions) == 1:
        return ""
    return f"edge {positions.index(edge) + 1} of {len(positions)}, tried in this order"
