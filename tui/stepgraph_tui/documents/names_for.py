"""The names that a condition or a template of a graph can use: declared, written, or seen in a run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from stepgraph.expressions import FACTS, step_text, written_key

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.values import Json
    from stepgraph_tui.run_view import RunView

_DEEPEST = 3  # parts of a path
_WIDEST = 100  # keys of a table
_MOST = 1_000  # paths that are seen in a state


def names_for(graph: StateGraph | CompiledGraph | None, view: RunView | None = None) -> list[str]:
    """List such names, spelled as in a condition, each once: keys of the state, then facts about the run.

    Args:
        graph: The graph, as far as it can be built.
        view: A run of it, whose state shows what its tables hold.
    """
    names: dict[str, None] = {}
    if graph is not None:
        names |= dict.fromkeys(map(written_key, graph.keys))
        names |= dict.fromkeys(_written_names(graph))
    if view is not None:
        names |= dict.fromkeys(_state_paths(view.state()))
    names |= dict.fromkeys(sorted(FACTS - {"visits"}))
    if graph is not None:
        names |= dict.fromkeys(f"visits{step_text(node)}" for node in graph.nodes)
    return list(names)


def _written_names(graph: StateGraph | CompiledGraph) -> Iterator[str]:
    """Yield what the nodes write, and what is in the tables that they always write."""
    for entry in graph.nodes.values():
        yield from map(written_key, sorted(entry.facts.writes or ()))
        for key, parts in entry.facts.tables.items():
            listed = key in graph.keys and graph.keys[key].reducer == "append"
            yield from (f"{written_key(key)}{'[-1]' if listed else ''}{step_text(part)}" for part in parts)


def _state_paths(values: dict[str, Json]) -> Iterator[str]:
    """Paths into a state, level by level, so that a large table hides no other key."""
    waiting: list[tuple[str, Json]] = [(written_key(key), value) for key, value in values.items()]
    count = 0
    for _ in range(_DEEPEST):
        deeper: list[tuple[str, Json]] = []
        for path, value in waiting:
            yield path
            count += 1
            if count >= _MOST:
                return
            if isinstance(value, dict):
                inside = islice(value.items(), _WIDEST)
                deeper += [(path + step_text(key), item) for key, item in inside]
        waiting = deeper
