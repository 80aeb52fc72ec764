"""The nodes of a graph as the states of DAG 1.3: their ids, and the words that describe them."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

from ..graphs.parts import END
from ..stores.ledger import Outcome

if TYPE_CHECKING:
    from ..graphs.parts import NodeEntry
    from .export import Exportable

DETERMINISTIC, SYNTHESIZED, TERMINAL = "(deterministic)", "(synthesized)", "(terminal)"
REASONS = {Outcome.END: "terminal", Outcome.MAX_STEPS: "maxSteps"}
"""The ways to end that the format knows; a run that ended otherwise, or has not, gives none."""


class States:
    """The nodes of a graph as states: what they are called, and how they are described.

    Args:
        source: What is exported.
    """

    def __init__(self, source: Exportable) -> None:
        self._mask = source.mask
        self._nodes = source.graph.nodes if source.run is None else source.run.plan.nodes
        self.ids = {name: str(number) for number, name in enumerate((*source.graph.nodes, END))}
        """The ids by the names of the nodes, in declaration order; END is the last."""

    def outer(self, node: str) -> str:
        """Name the state that a node of a run counts for: where a subgraph is left, that is the subgraph."""
        leaves = node.removesuffix("/END")
        return leaves if leaves in self._nodes else node

    def description(self, node: str) -> str:
        """Describe a state by its name and by what it is for."""
        entry = self._nodes.get(self.outer(node))
        about = _about(entry) if entry is not None else ""
        return self._mask.text(f"{self.outer(node)}: {about}" if about else self.outer(node))

    def role(self, node: str) -> str:
        """Name who does the work of a state: an agent, a model that the state itself briefs, or code."""
        entry = self._nodes.get(self.outer(node))
        if entry is None or not entry.facts.all_models:
            return DETERMINISTIC
        is_agent = getattr(entry.node, "type", entry.type) == "agent"
        return self._mask.text(self.outer(node)) if is_agent else SYNTHESIZED

    def expected(self, node: str) -> str:
        """Say what a state is to give."""
        entry = self._nodes.get(self.outer(node))
        written = entry.facts.writes if entry is not None else None
        return self._mask.text(f"writes {', '.join(sorted(written))}") if written else ""


def _about(entry: NodeEntry) -> str:
    """Tell what a node is for: its note, else its prompt, else the function that it is or calls."""
    settings, function = entry.settings or {}, entry.node
    said = [entry.note, *(settings.get(key) for key in ("prompt", "handler", "tool"))]
    if isinstance(function, FunctionType):
        said += [(function.__doc__ or "").strip().partition("\n")[0], function.__qualname__]
    words = (word.strip() for word in (*said, entry.type) if isinstance(word, str))
    return next(filter(None, words), "")
