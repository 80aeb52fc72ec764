"""What the forms of Design have in common: an edit comes of them, and names are completed in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from stepgraph.documents import COMMON, NodePart, Notes, from_document, terms_of
from stepgraph.editing import Design, Edit, EditError, Kind, new_name
from stepgraph.expressions import written_key
from stepgraph.graphs import NodeEntry
from stepgraph.graphs.validation import check
from stepgraph.graphs.validation.nodes import check_terms, check_tools
from stepgraph.graphs.validation.report import CheckedGraph, Report
from stepgraph.graphs.validation.settings import check_keys, check_settings
from stepgraph.values import UNSET, did_you_mean, some_of

from ...text.plain import with_arrows
from ..forms import completing
from ..forms.field import Answers, Field, FormKind
from ..forms.form import FormContents, Row
from ..forms.formats import Misfit, TextFormat, TomlFormat

if TYPE_CHECKING:
    from stepgraph.graphs import StateGraph
    from stepgraph.tools import KnownTools
    from stepgraph.values import Problem


Made = TypeVar("Made", bound=Edit)


DESIGN = FormKind("Apply", "setting", "changed", is_edit=True)
"""A form that hands back an edit, or None when nothing is to change.

What is in it may be wrong for the graph: a graph may be unfinished, and its problems are listed. Only what
no file could hold is refused."""


def contents_of(rows: Sequence[Row], more: Sequence[Field] = ()) -> FormContents:
    """Collect what a form of Design asks for.

    Args:
        rows: What it asks for, and what it only tells.
        more: What it asks for when it is unfolded.
    """
    fold = f"More: {some_of([field.label for field in more], _NAMED)}" if more else ""
    return FormContents(rows, more, fold, any(field.value is not UNSET for field in more))


def edit_of(
    design: Design, answers: Answers, make: Callable[[Answers], Made], *, is_new: bool = False
) -> Made | None:
    """Build the edit for the answers; None when nothing was changed, except on a new part.

    Raises:
        Misfit: A field holds no value, or the design does not take the edit.
    """
    if not answers.changed and not is_new:
        return None
    edit = make(answers)
    try:
        edit.apply(design)
    except EditError as error:
        raise Misfit(with_hint(error.message, error.hint)) from None
    return edit


def values_of(fields: Mapping[str, Field], answers: Answers) -> dict[str, Any]:
    """Return the values of some fields, by their names."""
    return {name: answers.value(field) for name, field in fields.items()}


def with_hint(message: str, hint: str | None) -> str:
    """Join a message and its hint."""
    return f"{message} ({hint})" if hint else message


# Names


@dataclass(frozen=True, slots=True)
class CompletionNames:
    """All names that can be completed in the forms of a design."""

    state: tuple[str, ...] = ()
    """Keys of the state and paths into it, as conditions spell them; in conditions, other names too."""
    nodes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, design: Design, names: Sequence[str] | None = None, tools: Iterable[str] = ()
    ) -> CompletionNames:
        """Collect the names of a design.

        Args:
            design: The design.
            names: The names that conditions can use; when None, the keys that the design declares or writes.
            tools: More tools than the design declares.
        """
        state = tuple(names) if names is not None else tuple(dict.fromkeys(map(written_key, _keys(design))))
        return cls(state, tuple(design.nodes), tuple(dict.fromkeys((*design.tools, *tools))))

    def completed(self, field: Field) -> Field:
        """Complete the names that a field may hold."""
        match field.holds:
            case "template":
                return replace(field, completer=completing.template(self.state))
            case "expression":
                return replace(field, completer=completing.expression(self.state))
            case "":
                return field
        names = self._names_for(field.holds)
        if not isinstance(field.format, TomlFormat):
            return replace(field, completer=completing.whole(names))
        by_line = "table" in field.format.types
        return replace(field, completer=completing.line(names) if by_line else completing.in_list(names))

    def _names_for(self, holds: str) -> tuple[str, ...]:
        if holds in ("node", "place"):
            return (*self.nodes, "END") if holds == "place" else self.nodes
        if holds == "tool":
            return self.tools
        return tuple(name for name in self.state if holds == "path" or "." not in name)


def _keys(design: Design) -> Iterator[str]:
    yield from design.keys
    for node in design.nodes.values():
        output = node.table.get("output")
        if isinstance(output, str) and output:
            yield output


def own_name(kind: Kind, name: str | None, taken: Iterable[str]) -> Field:
    """Build the field of a part's own name: one that is free, or the one that it has.

    Args:
        kind: What the part is.
        name: The name that it has; None for a new one.
        taken: The names of all parts of that kind.
    """
    others = frozenset(taken) - {name}

    def accept(value: Any) -> Any:
        if value is not UNSET and value == name:
            return name
        try:
            return new_name("" if value is UNSET else value, kind, others)
        except EditError as error:
            raise Misfit(with_hint(error.message, error.hint)) from None

    value = UNSET if name is None else name
    return Field("name", TextFormat("line"), value, required=True, accept=accept)


def worded(what: str) -> Callable[[Any], Any]:
    """Build a check that refuses blank text in a field, where people would see nothing.

    Args:
        what: What the text is.
    """

    def accept(value: Any) -> Any:
        if isinstance(value, str) and value and not value.strip():
            raise Misfit(f"a blank {what} cannot be seen: write a word, or leave it empty")
        return value

    return accept


# Tables


def filled(table: Mapping[str, Any], order: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Change values of a table; keys that stay keep their places.

    Args:
        table: The table as it is.
        order: The usual order of the keys, for those that are new.
        values: What is to be there; UNSET takes a key away.
    """
    new = {name: values.get(name, value) for name, value in table.items()}
    for name in (
        *(name for name in order if name in values),
        *(name for name in values if name not in order),
    ):
        if name not in new:
            new = _inserted(new, name, values[name], order)
    return {name: value for name, value in new.items() if value is not UNSET}


def _inserted(table: dict[str, Any], name: str, value: Any, order: Sequence[str]) -> dict[str, Any]:
    """Put a new key into the table after all that come before it; at the end when that is not known."""
    if name not in order:
        return {**table, name: value}
    earlier = set(order[: order.index(name)])
    at = max((position + 1 for position, key in enumerate(table) if key in earlier), default=0)
    items = list(table.items())
    return dict([*items[:at], (name, value), *items[at:]])


_NAMED = 5  # fields that are named while they are folded
_NO_EDGE, _NO_NODES, _NO_SUCH_NODE = "G014", "G002", "G020"
_OF_ARGUMENTS = ("G110", "G111", "G112")
_FRAME: dict[str, Any] = {"format": 1, "name": "form"}


def node_problems(
    design: Design, name: str, table: Mapping[str, Any], tools: KnownTools | None = None
) -> list[Problem]:
    """Find the errors of a node, with the keys and tools of its graph but without its edges.

    Of warnings there are those about the arguments of tools: the rest needs the whole graph.
    """
    document = _FRAME | {
        "start": name,
        **{key: design.head[key] for key in ("review", "reviews") if key in design.head},
        "state": {key: part.table for key, part in design.keys.items()},
        "tools": {tool: part.table for tool, part in design.tools.items()},
        "nodes": {name: table},
    }
    found = []
    for problem in check(from_document(document, opaque=False), tools=tools):
        is_shown = problem.is_error or problem.code in _OF_ARGUMENTS
        if not is_shown or problem.place.node != name or problem.code == _NO_EDGE:
            continue
        if problem.code == _NO_SUCH_NODE:
            if problem.about in design.nodes:
                continue
            problem = replace(problem, hint=did_you_mean(problem.about, design.nodes))
        found.append(problem)
    return found


def head_problems(design: Design, head: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong with the settings of a graph."""
    tables = ("state", "tools", "nodes", "edges")
    graph = from_document({key: value for key, value in head.items() if key not in tables}, opaque=False)
    for name, part in design.nodes.items():
        common = {key: value for key, value in part.table.items() if key in COMMON}
        own = terms_of(Notes(None, None).checked(NodePart, common, (), ""))
        graph.add_entry(NodeEntry(name, None, terms=own))

    def look(checked: CheckedGraph, report: Report) -> None:
        check_settings(checked, report)
        check_terms(checked, report)

    found = _find_problems(graph, look)
    return [each for each in found if each.code != _NO_NODES and each.place.node is None]


def key_problems(name: str, table: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong with a key of the state."""
    return _find_problems(from_document(_FRAME | {"state": {name: table}}, opaque=False), check_keys)


def tool_problems(name: str, table: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong with a tool."""
    return _find_problems(from_document(_FRAME | {"tools": {name: table}}, opaque=False), check_tools)


def _find_problems(graph: StateGraph, look: Callable[[CheckedGraph, Report], None]) -> list[Problem]:
    """Collect what the file and one of the checks say of a graph."""
    report = Report(graph)
    for problem in graph.noted:
        report.adopt(problem)
    look(CheckedGraph(graph), report)
    return report.in_order()


def setting_of(problem: Problem, start: str = "") -> str:
    """Return the first key of the table that a problem is about; empty when it is about the whole.

    Args:
        problem: The problem.
        start: What comes before the key: ``state.ticket.``.
    """
    key = problem.place.key or ""
    return key.removeprefix(start).split(".")[0] if key.startswith(start) else ""


def problem_text(problem: Problem, *starts: str) -> str:
    """Describe a problem, without what the form's heading says already."""
    message = problem.message
    start = next((start for start in starts if message.startswith(start)), "")
    message = with_arrows(message.removeprefix(start).lstrip(": "))
    return f"{message} ({problem.hint})" if problem.hint else message
