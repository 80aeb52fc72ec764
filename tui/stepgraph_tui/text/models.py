"""Models in words: who answers an alias, with which key, at which price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.characters import visible
from .system import command

if TYPE_CHECKING:
    from collections.abc import Container

    from stepgraph.graphs import CompiledGraph
    from stepgraph.models import KeySource, ModelSettings


def callers(graph: CompiledGraph, only: str | None = None) -> dict[str, list[str]]:
    """Find which nodes may ask each model in a live run, by alias, in the order of the graph.

    Args:
        graph: The graph.
        only: The one node that is looked at; all of them when None.
    """
    found: dict[str, list[str]] = {}
    for name, entry in graph.nodes.items():
        if only in (None, name):
            for alias in sorted(entry.facts.all_models):
                found.setdefault(alias, []).append(name)
    return found


def scripted_tools(graph: CompiledGraph, servers: Container[str]) -> list[str]:
    """Name the tools whose scripted answers hold in a live run too, as the settings lack their server.

    Args:
        graph: The graph.
        servers: The servers of the user's settings.
    """
    found = []
    for name, entry in graph.tools.items():
        server, slash, _ = name.partition("/")
        if slash and entry.returns is not None and server not in servers:
            found.append(f"{visible(name)} gives scripted answers: the settings have no [mcp.{server}]")
    return found


def model_text(settings: ModelSettings) -> str:
    """Name who answers: ``openai gpt-4o-mini``, ``openai llama3 at localhost:11434``."""
    from urllib.parse import urlsplit

    named = " ".join(filter(None, (settings.provider, settings.model)))
    at = f" at {urlsplit(settings.base_url).netloc}" if settings.base_url else ""
    return named + at


def price_text(settings: ModelSettings) -> str:
    """Describe what a model costs: ``$0.15 in, $0.60 out a million tokens``, or that nobody knows."""
    from stepgraph.models import prices

    known = prices(settings)
    if known is None:
        return "price not known"
    return f"${known[0]:,.2f} in, ${known[1]:,.2f} out a million tokens" if any(known) else "costs nothing"


def key_text(source: KeySource, is_there: bool) -> str:
    """Describe where a model's key comes from, and whether it is there."""
    if source.kind == "none":
        return "no key"
    is_set = (
        {"variable": "is set", "keyring": "has it"}
        if is_there
        else {"variable": "is not set", "keyring": "lacks it"}
    )
    return f"{source.text} {is_set[source.kind]}"


def missing_text(alias: str) -> str:
    """Describe what to type for a model that is not configured."""
    return f"not configured: {command('models', 'add', alias)}"
