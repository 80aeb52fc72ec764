"""Models in words: who answers an alias, with which key, at which price."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END
from stepgraph.nodes.base import BaseNode

from .plain import visible
from .system import command

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.models.settings import ModelSettings


def callers(graph: CompiledGraph, only: str | None = None) -> dict[str, list[str]]:
    """Find which nodes may ask each model in a live run, by alias, in the order of the graph.

    Args:
        graph: The graph.
        only: The one node that is looked at; all of them when None.
    """
    found: dict[str, list[str]] = {}
    for name, entry in graph.nodes.items():
        if name != END and only in (None, name) and isinstance(entry.node, BaseNode):
            for alias in sorted(entry.node.may_call()):
                found.setdefault(alias, []).append(name)
    return found


def model_text(settings: ModelSettings) -> str:
    """Name who answers: ``openai gpt-4o-mini``, ``openai llama3 at localhost:11434``."""
    from urllib.parse import urlsplit

    named = " ".join(filter(None, (settings.provider, settings.model)))
    at = f" at {urlsplit(settings.base_url).netloc}" if settings.base_url else ""
    return visible(named + at)


def price_text(settings: ModelSettings) -> str:
    """Tell what a model costs: ``$0.15 in, $0.60 out a million tokens``, or that nobody knows."""
    price = _price(settings)
    if settings.provider == "scripted":
        return "costs nothing"
    if price is None:
        return "price not known"
    return f"${price[0]:g} in, ${price[1]:g} out a million tokens"


def _price(settings: ModelSettings) -> tuple[float, float] | None:
    if settings.input_price is None or settings.output_price is None:
        return None
    return settings.input_price, settings.output_price


def key_source(settings: ModelSettings, environment: Mapping[str, str] = os.environ) -> tuple[str, bool]:
    """Tell where a model's key comes from, and whether it is there as far as can be seen without asking."""
    if settings.key_env is not None:
        there = bool(environment.get(settings.key_env))
        return f"{visible(settings.key_env)} {'is set' if there else 'is not set'}", there
    if settings.keyring is not None:
        return f"keyring {visible(settings.keyring)}", True
    return "no key", True


def missing_text(alias: str) -> str:
    """Say what to type for a model that is not configured."""
    return f"not configured: {command('models', 'add', alias)}"
