"""What is known of tools without running anything: for checks and for forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..values.errors import StepgraphError

if TYPE_CHECKING:
    from ..models.client import ToolSpec
    from .protocols import ToolEntry
    from .registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class KnownTools:
    """Tools by their full names, as far as somebody has described them."""

    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    servers: frozenset[str] | None = None
    """The servers that are configured here; None where nobody has looked."""


def known_tools(
    entries: Iterable[ToolEntry], folder: Path | None, registry: ToolRegistry | None = None
) -> KnownTools:
    """Collect what is known of tools; no server is started, and nothing is imported.

    Args:
        entries: The tools that a graph declares.
        folder: The graph file's folder; None where there is none.
        registry: The tools of servers.
    """
    specs = {}
    sources = registry.sources if registry is not None else {}
    for server, source in sources.items():
        for spec in source.known() or ():
            name = f"{server}/{spec.name}"
            specs[name] = replace(spec, name=name)
    for entry in entries:
        found = _declared(entry, folder)
        if found is not None:
            specs[entry.name] = found
    return KnownTools(specs, frozenset(sources) if registry is not None else None)


def _declared(entry: ToolEntry, folder: Path | None) -> ToolSpec | None:
    if entry.tool is not None:  # a program has made it, and brought its code
        from .registry import ToolRegistry

        registry = ToolRegistry()
        with suppress(StepgraphError):  # whoever runs the graph reports what is wrong
            registry.register(entry.name, entry.tool)
            return registry.spec(entry.name)
        return None
    if entry.command is not None:
        from .commands import CommandTool

        return CommandTool(entry.name, entry.command, folder, entry.note).spec()
    if entry.handler is not None and folder is not None:
        from .reading import spec_in_source  # it parses Python

        return spec_in_source(entry.name, entry.handler, folder)
    return None
