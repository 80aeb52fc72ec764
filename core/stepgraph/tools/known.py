"""What is known of tools without running anything: for checks and for forms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..values.errors import StepgraphError
from ..values.messages import shortened
from ..values.problems import did_you_mean
from .protocols import ToolLike

if TYPE_CHECKING:
    from ..models.client import ToolSpec
    from ..values.json_values import Json
    from .command_part import CommandPart
    from .registry import ToolRegistry


_TOLD = 5  # unknown arguments that are named: a model may make up thousands


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
        with suppress(StepgraphError):  # what is wrong with it is told by who runs the graph
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


def unknown_arguments(given: Iterable[str], takes: Collection[str]) -> list[str]:
    """Write a complaint about each argument that a tool does not take, with the name that may be meant."""
    unknown = [name for name in given if name not in takes]
    found = []
    for name in unknown[:_TOLD]:
        hint = did_you_mean(name, takes, listing="it takes") or "it takes none"
        found.append(f"{shortened(name)!r} is unknown ({hint})")
    return [*found, f"{len(unknown) - _TOLD:,} more are unknown"] if len(unknown) > _TOLD else found


def arguments_text(spec: ToolSpec | None) -> str:
    """Write a tool's arguments in a few words: ``id: number, region?: text``."""
    if spec is None or spec.parameters is None:
        return "any"
    types = spec.types
    names = [(name, "" if name in spec.required else "?") for name in spec.arguments]
    return ", ".join(f"{name}{mark}: {types.get(name, 'any')}" for name, mark in names) or "none"


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool as a graph declares it: an object, a function by name, or canned answers."""

    name: str
    tool: ToolLike | None = None
    """The tool itself, when the graph is built in Python."""
    handler: str | None = None
    """Where its function is, as ``module:function``."""
    returns: Json | None = None
    """Canned answers: a table, or a list with one for each visit of the node, the last repeated."""
    side_effects: bool = False
    """Whether it changes the world outside the state."""
    requires_approval: bool = False
    """Whether a person must agree to each call."""
    note: str = ""
    command: CommandPart | None = None
    """Or the program that it runs."""
