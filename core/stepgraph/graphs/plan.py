"""The immutable plan of a graph: what runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..values.json_values import Json, dumps
from ..values.state import StateKey
from .parts import END, Edge, GraphSettings, NodeEntry, definition_hash, keys_set, to_document

if TYPE_CHECKING:
    from .. import Run
    from ..models.client import LLMClient
    from ..stores.base import StateStore
    from ..tools.protocols import ToolEntry
    from ..tools.registry import ToolRegistry


@dataclass(frozen=True, repr=False)
class CompiledGraph:
    """The immutable plan. It holds no run's data, and one plan may serve many runs."""

    settings: GraphSettings
    nodes: Mapping[str, NodeEntry]
    edges: tuple[Edge, ...]
    keys: Mapping[str, StateKey]
    tools: Mapping[str, ToolEntry]
    source: Path | None = None
    whole: dict[str, Json] | None = field(default=None, repr=False, compare=False)
    """The definition, where it is not what the parts say: they have the subgraphs laid out."""
    is_of_module: bool = field(default=False, repr=False, compare=False)
    """Whether a Python module has made it, which ``source`` names; never so for what a store has."""
    _outgoing: dict[str, tuple[Edge, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        outgoing: dict[str, list[Edge]] = {name: [] for name in self.nodes}
        for edge in self.edges:
            outgoing[edge.source].append(edge)
        object.__setattr__(self, "_outgoing", {name: tuple(edges) for name, edges in outgoing.items()})

    def __repr__(self) -> str:
        return f"CompiledGraph({self.name!r}, nodes={len(self.nodes)}, edges={len(self.edges)})"

    @property
    def name(self) -> str:
        """The graph's name."""
        return self.settings.name

    @property
    def start(self) -> str:
        """The node that runs first."""
        return self.settings.start

    @cached_property
    def never_set(self) -> list[str]:
        """The keys that nodes cannot do without and nothing sets; none where a node could write any.

        What a subgraph has of its own is none of them, nor is a key that names a tool: whoever starts
        a run must not choose that.
        """
        facts = [entry.facts for entry in self.nodes.values()]
        known = keys_set(self.keys, facts)
        if known is None:
            return []
        calls = {each.call_key for each in facts}
        read = dict.fromkeys(key for each in facts for key in sorted(each.needed_reads - known - calls))
        return [key for key in read if not self.around(key)]

    def run(
        self,
        values: Mapping[str, object],
        store: StateStore | None = None,
        *,
        tools: ToolRegistry | None = None,
        models: Mapping[str, LLMClient] | None = None,
    ) -> Run:
        """Run the graph from its start to the end, a pause or a failure.

        Going on with a run, deciding its reviews and forking it is the work of an ``Executor``.

        Args:
            values: The inputs, over the declared defaults.
            store: Where the run lives; in memory when None.
            tools: Tools beside (and before) those that the graph declares.
            models: Model clients by alias.

        Raises:
            TrustError: The graph comes from a file that names Python code nobody has trusted.
            GraphError: Something that the graph names cannot be found.
            StateError: Inputs are missing or refused, each by name.
        """
        from .. import Executor

        executor = Executor(self, store, tools=tools, models=models)
        return executor.run(executor.start(values))

    def around(self, node: str) -> tuple[str, ...]:
        """Name the subgraphs that a node is inside of, the outermost first."""
        parts = node.split("/")
        names = ("/".join(parts[:count]) for count in range(1, len(parts)))
        return tuple(name for name in names if name in self.nodes and self.nodes[name].type == "subgraph")

    def level(self, inside: str = "") -> CompiledGraph:
        """Take the part of the plan that is inside of a subgraph, to show it; empty for the outermost part.

        Its nodes keep their names. A subgraph in it is one node, as in the file; where the run leaves this
        one is END.
        """
        leaves = f"{inside}/END"
        path = (*self.around(inside), inside) if inside else ()
        exits = {f"{name}/END": name for name, entry in self.nodes.items() if entry.type == "subgraph"}
        here = {
            name: entry
            for name, entry in self.nodes.items()
            if name not in exits and self.around(name) == path
        }
        edges = []
        for edge in self.edges:
            source = exits.get(edge.source, edge.source)
            enters = edge.target.startswith(f"{edge.source}/") and here.get(edge.source) is not None
            if source in here and edge.source != leaves and not enters:
                edges.append(
                    replace(edge, source=source, target=END if edge.target == leaves else edge.target)
                )
        start = next((edge.target for edge in self.edges if edge.source == inside), self.start)
        settings = replace(self.settings, start=start if inside else self.start)
        placed = tuple(edge.at(index) for index, edge in enumerate(edges)) if inside else tuple(edges)
        return CompiledGraph(
            settings, here, placed, self.keys, self.tools, self.source, None, self.is_of_module
        )

    def as_filed(self) -> CompiledGraph:
        """Take the parts that the graph's own file has, without what its subgraphs have brought along."""
        level = self.level()
        if self.whole is None:
            return level
        document: dict[str, Any] = self.whole
        nodes = {
            name: replace(entry, review=document["nodes"][name].get("review"))
            for name, entry in level.nodes.items()
        }
        return replace(
            level,
            settings=replace(level.settings, no_feedback=tuple(document.get("no_feedback", ()))),
            nodes=nodes,
            keys={name: key for name, key in level.keys.items() if name in document.get("state", {})},
            tools={name: tool for name, tool in level.tools.items() if name in document.get("tools", {})},
        )

    def edges_from(self, node: str) -> tuple[Edge, ...]:
        """Return the node's outgoing edges, in the order in which they are tried."""
        return self._outgoing[node]

    @cached_property
    def append_keys(self) -> frozenset[str]:
        """The state keys whose reducer is ``append``."""
        return frozenset(name for name, key in self.keys.items() if key.reducer == "append")

    @cached_property
    def document(self) -> dict[str, Json]:
        """The definition as a table of JSON, Python objects as the word ``python``."""
        return to_document(self) if self.whole is None else self.whole

    @cached_property
    def definition(self) -> str:
        """The definition as JSON text, in the graph's own order."""
        return dumps(self.document)

    @cached_property
    def definition_hash(self) -> str:
        """The hash that names the definition, the same for the same structure."""
        return definition_hash(self.document)
