"""What is known of a predicate without calling it: its name, its source, the values that this names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..conditions import Explanation, Opaque, Predicate
from ..conditions.base import bare, within

if TYPE_CHECKING:
    from ..conditions import RoutingContext
    from ..conditions.code_names import CodeNames, NamedInCode
    from ..graphs.parts import Edge
    from ..graphs.plan import CompiledGraph
    from ..nodes.handler import SourceLines


class PredicateCode:
    """Explains the edges of a graph; of a predicate it tells the source, as it is now.

    Args:
        plan: The graph.
        sources: Gives the lines of predicates by the positions of their edges, where somebody has imported
            them. Others are looked up where the graph says that they are, and nothing is imported for it.
    """

    def __init__(
        self, plan: CompiledGraph, sources: Callable[[], Mapping[str | int, SourceLines]] = lambda: {}
    ) -> None:
        self._plan, self._sources = plan, sources
        self._found: dict[int, SourceLines | None] = {}

    def describe(self, edge: Edge) -> str:
        """Describe an edge's condition in a few words: a predicate by its name, where that is known."""
        if isinstance(bare(edge.condition), Opaque):
            _, names = self._read(edge)
            if names is not None:
                return names.function
        return edge.condition.describe()

    def explain(self, edge: Edge, context: RoutingContext) -> Explanation:
        """Describe how the condition of an edge comes out; a predicate is not called."""
        explanation = edge.condition.explain(context)
        if explanation.role != "python":
            return explanation
        lines, names = self._read(edge)
        condition = bare(edge.condition)
        if lines is None or (names is None and isinstance(condition, Opaque)):
            return explanation
        name = self.describe(edge)
        if names is not None and isinstance(condition, Predicate) and name != names.function:
            return explanation  # the file is another one by now
        seen = within(edge.condition, context)
        where = f"{lines.file.name} line {lines.first}"
        parts = [_part(each, seen) for each in names.names] if names is not None else []
        text = f"{name}, {where}: Python code, not called again to explain it"
        return replace(explanation, text=text, code=lines.lines, parts=tuple(parts))

    def _read(self, edge: Edge) -> tuple[SourceLines | None, CodeNames | None]:
        """Find the source of a predicate, and what that names."""
        from ..conditions.code_names import names_in  # only where there is a predicate

        lines = self._lines(edge)
        return lines, names_in(lines.lines) if lines is not None else None

    def _lines(self, edge: Edge) -> SourceLines | None:
        if edge.index >= len(self._plan.edges) or self._plan.edges[edge.index] is not edge:
            return None  # it is of a graph that the run went by before
        known = self._sources().get(edge.index) if bare(edge.condition) is edge.condition else None
        if known is not None:
            return known
        if edge.index not in self._found:
            from ..nodes.handler import source_lines

            found = source_lines(edge.condition)
            if found is None:
                from ..files.handlers import written_lines

                found = written_lines(self._plan, edge)
            self._found[edge.index] = found
        return self._found[edge.index]


def _part(named: NamedInCode, context: RoutingContext) -> Explanation:
    return Explanation(named.text, named.value_in(context), role="operand")
