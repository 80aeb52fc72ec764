"""What can be exported: a graph, or a run of it with its secrets masked, and the formats by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from ..runs.masks import Mask, mask_of
from ..values.json_values import Json, plain
from .masking import masked_document

if TYPE_CHECKING:
    from ..graphs.plan import CompiledGraph
    from ..runs.run import Run


@dataclass(frozen=True, slots=True)
class Exportable:
    """A graph to export, with a run of it where there is one."""

    graph: CompiledGraph
    """The plan as the file has it: a subgraph is one node."""
    mask: Mask
    """Hides the secrets; what is exported goes through it."""
    run: Run | None = None
    document: Mapping[str, Json] = field(default_factory=dict)
    """The tables of the graph's file, its secrets masked."""

    @classmethod
    def of_graph(cls, graph: CompiledGraph) -> Exportable:
        """Export a graph by itself; the defaults of its secret keys are hidden."""
        defaults = {name: plain(key.default, name) for name, key in graph.keys.items() if key.has_default}
        mask = Mask(graph, defaults)
        return cls(graph.level(), mask, None, masked_document(graph.document, mask))

    @classmethod
    def of_run(cls, run: Run) -> Exportable:
        """Export a run with the graph that it goes by; all secrets that it ever had are hidden."""
        mask = mask_of(run.plan, run.store, run.id)
        return cls(run.plan.level(), mask, run, masked_document(run.plan.document, mask))


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has made."""

    text: str
    beside: Mapping[str, str] = field(default_factory=dict)
    """More files that belong to it, by what their names end in, such as ``.trace.json``."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that graphs or runs can be written in."""

    name: str
    suffix: str
    """What the names of its files end in, such as ``.dag.json``."""
    about: str
    """What it is, for people, in one line."""
    writer: str
    """Where the function is that writes it, as ``module:function``; it is loaded when it is used."""
    needs_run: bool = False
    extra: str = ""
    """The extra that must be installed for it."""

    def write(self, source: Exportable) -> Exported:
        """Write a graph or a run in this format.

        Raises:
            ExportError: It cannot be written in it, with the reason.
        """
        module, name = self.writer.split(":")
        function: Callable[[Exportable], Exported] = getattr(import_module(module), name)
        return function(source)


_HERE = __package__
FORMATS: tuple[ExportFormat, ...] = (
    ExportFormat("mermaid", ".mmd", "a flowchart for Markdown pages", f"{_HERE}.mermaid:write"),
    ExportFormat("dot", ".dot", "a digraph for Graphviz", f"{_HERE}.dot:write"),
    ExportFormat(
        "json",
        ".json",
        "node-link JSON, as networkx has it, with all that a graph file holds",
        f"{_HERE}.node_link:write",
    ),
    ExportFormat("graphml", ".graphml", "XML for networkx, Gephi and yEd", f"{_HERE}.graphml:write"),
)
"""The formats that the engine writes; those that need a drawing are the command line's."""
