"""What a graph consists of, in Markdown: its nodes with their prompts, its edges, keys and tools."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END
from stepgraph_tui.drawing.picture.graph_drawing import edge_texts
from stepgraph_tui.text.plain import plural, value_text

from .markdown import code, quoted, table

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge, NodeEntry
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.masks import Mask
    from stepgraph.tools.base import ToolEntry
    from stepgraph.values.json_values import Json
    from stepgraph.values.state import StateKey

_MOST = 200
"""Nodes, edges, keys or tools that are told one by one."""
_VALUE = 400
"""Characters of a value."""
_LINE = 80
"""Characters of a setting that stands in a line; a longer text stands in a block."""


def graph_report(graph: CompiledGraph, mask: Mask) -> Iterator[str]:
    """Tell what a graph consists of."""
    yield from ("", "## Nodes")
    for entry in islice(graph.nodes.values(), _MOST):
        yield from _node(entry, mask)
    yield from left_out(len(graph.nodes) - _MOST, "node")
    yield from ("", "## Edges", "", "Of the edges of a node, the first one that matches is taken.")
    told = zip(graph.edges[:_MOST], edge_texts(graph.edges), strict=False)
    rows = (_edge(edge, text, mask) for edge, text in told)
    yield from table(("from", "edge", "to", "when", "note"), rows)
    yield from left_out(len(graph.edges) - _MOST, "edge")
    if graph.keys:
        yield from ("", "## State")
        rows = (_key(key, mask) for key in islice(graph.keys.values(), _MOST))
        yield from table(("key", "type", "at the start", "is", "note"), rows)
        yield from left_out(len(graph.keys) - _MOST, "key")
    if graph.tools:
        yield from ("", "## Tools")
        tools = (_tool(tool, mask) for tool in islice(graph.tools.values(), _MOST))
        yield from table(("tool", "does it by", "is", "note"), tools)
        yield from left_out(len(graph.tools) - _MOST, "tool")


def left_out(count: int, noun: str) -> Iterator[str]:
    """Say how many are not told."""
    if count > 0:
        yield from ("", f"{plural(count, f'more {noun}')} left out.")


def _node(entry: NodeEntry, mask: Mask) -> Iterator[str]:
    facts = ["has side effects"] if entry.side_effects else []
    facts += [f"a person is asked {entry.review} it"] if entry.review in ("before", "after") else []
    facts += [f"at most {code(str(entry.timeout))} a visit"] if entry.timeout is not None else []
    yield from ("", f"### {code(mask.text(entry.name))}", "")
    yield f"Type {code(entry.type or 'unknown')}{''.join(f'; {fact}' for fact in facts)}."
    if entry.note:
        yield from quoted(mask.text(entry.note))
    short, long = list[tuple[str, str]](), list[tuple[str, str]]()
    for name, value in mask.values(dict(entry.settings or {})).items():
        if isinstance(value, str) and (len(value) > _LINE or "\n" in value):
            long.append((name, value))
        else:
            short.append((code(name), code(value_text(value, _VALUE))))
    yield from table(("setting", "value"), short)
    for name, text in long:
        yield from (f"{code(name)}:", *quoted(text))


def _edge(edge: Edge, text: str, mask: Mask) -> tuple[str, ...]:
    condition = "" if edge.unconditional else code(mask.text(edge.condition.describe()))
    if edge.broken is not None:
        condition = f"broken: {code(mask.text(edge.broken.text))}"
    source, target = code(mask.text(edge.source)), place_code(mask.text(edge.target))
    return source, inline(text, mask), target, condition, inline(edge.note, mask)


def place_code(node: str) -> str:
    """Name a node, or END."""
    return "END" if node == END else code(node)


def inline(text: str, mask: Mask) -> str:
    """Write a text of others in a line; nothing where there is none."""
    return code(mask.text(text)) if text else ""


def _key(key: StateKey, mask: Mask) -> tuple[str, ...]:
    kinds = {
        "an input": key.input,
        "secret": key.secret,
        f"merged by {key.reducer}": key.reducer != "replace",
    }
    default: Json = key.default  # type: ignore[assignment]  # it is JSON, or it could not be compiled
    begins = code(value_text(mask.value(key.name, default), _VALUE)) if key.has_default else ""
    told = ", ".join(kind for kind, holds in kinds.items() if holds)
    return code(mask.text(key.name)), key.type or "any", begins, told, inline(key.note, mask)


def _tool(tool: ToolEntry, mask: Mask) -> tuple[str, ...]:
    by = "Python" if tool.tool is not None else inline(tool.handler or "", mask)
    if tool.command is not None:
        by = "a command"
    kinds = {
        "canned": tool.returns is not None,
        "with side effects": tool.side_effects,
        "only with approval": tool.requires_approval,
    }
    told = ", ".join(kind for kind, holds in kinds.items() if holds)
    return code(mask.text(tool.name)), by, told, inline(tool.note, mask)
