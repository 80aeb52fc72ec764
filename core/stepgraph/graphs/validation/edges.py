"""The edges, one by one: their ends and their conditions."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from ...conditions import HandlerPredicate
from ...values.handler_names import HANDLER_HINT, is_handler
from ..parts import END
from .names import quoted
from .outline import edge_name

if TYPE_CHECKING:
    from ...values.errors import ExpressionError
    from ..parts import Edge
    from .outline import Outline
    from .report import Report


def check_edges(outline: Outline, report: Report) -> None:
    """Report what is wrong with the edges."""
    known = {name for name in outline.nodes if name.strip()} - {END}
    for edge in outline.edges:
        if edge.source not in known:
            _source(edge, outline, report)
        if edge.target not in known and edge.target != END:
            _target(edge, outline, report)
        if edge.broken is not None:
            message = f"{edge_name(edge)}: {edge.broken.message}{_caret(edge.broken)}"
            report.error("G016", message, ("edges", edge.index, "when"), edge.broken.hint)
        elif edge.condition.visits_read or edge.condition.kind == "predicate":
            _condition(edge, outline, report)


def _source(edge: Edge, outline: Outline, report: Report) -> None:
    path = ("edges", edge.index, "from")
    if not edge.source.strip():
        report.error(
            "G012", f"{edge_name(edge)} does not say which node it leaves", path, "give a node's name"
        )
    elif edge.source == END:
        report.error("G013", f"{edge_name(edge)} leaves END, where every run is over", path, "remove it")
    elif edge.source not in outline.nodes:
        message = f"{edge_name(edge)} leaves {quoted(edge.source)}, which is no node of the graph"
        report.error("G010", message, path, outline.names.hint(edge.source))


def _target(edge: Edge, outline: Outline, report: Report) -> None:
    path = ("edges", edge.index, "to")
    if not edge.target.strip():
        hint = "give a node's name, or END"
        report.error("G012", f"{edge_name(edge)} does not say where it leads", path, hint)
    elif edge.target != END and edge.target not in outline.nodes:
        message = f"{edge_name(edge)} leads to {quoted(edge.target)}, which is no node of the graph"
        hint = outline.names.hint(edge.target)
        if edge.target.strip("_ ").casefold() == "end":
            hint = 'the end is written "END"'
        report.error("G011", message, path, hint)


def _condition(edge: Edge, outline: Outline, report: Report) -> None:
    path = ("edges", edge.index, "when")
    for node in sorted(name for name in edge.condition.visits_read if name not in outline.nodes):
        message = f"{edge_name(edge)} asks for visits of {quoted(node)}, which is no node of the graph"
        report.error("G020", message, path, outline.names.hint(node), node)
    if isinstance(edge.condition, HandlerPredicate) and not is_handler(edge.condition.ref):
        message = (
            f"{edge_name(edge)}: the predicate {quoted(edge.condition.ref)} is not spelt module:function"
        )
        report.error("G021", message, (*path, "predicate"), HANDLER_HINT)


def _caret(error: ExpressionError) -> str:
    """The wrong line of the condition and the caret under it, on lines of their own."""
    return "\n" + indent(error.caret(), "    ") if error.text.strip() else ""
