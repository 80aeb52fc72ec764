"""Copies of nodes under new names, with the edges among them and those that leave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import references
from .design import END, Part
from .edit import Edited, EditError
from .graph_settings import with_setting, without_feedback
from .naming import counted, node_in, said, unique
from .placing import with_edges, with_parts

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from .design import Design


def duplicated(design: Design, names: Sequence[str]) -> Edited:
    """Copy nodes behind the originals, and select the first copy.

    Raises:
        EditError: One of them does not exist, none is named, or the graph would be too large.
    """
    originals = chosen(design, names)
    new = fresh([part.name for part in originals], design.nodes)
    nodes = renamed_parts(originals, new)
    edges = renamed_parts(leaving(design, new), new)
    larger = with_parts(design, nodes, originals[-1])
    larger = with_edges(larger, originals[-1].name, edges) if edges else larger
    quiet = without_feedback(design)
    if any(name in quiet for name in new):
        larger = with_setting(
            larger, "no_feedback", [*quiet, *(copy for name, copy in new.items() if name in quiet)]
        )
    if len(new) == 1:
        text = f"duplicate {said(originals[0].name)} as {said(nodes[0].name)}"
    else:
        text = f"duplicate {counted(len(nodes), 'node')}"
    if edges:
        text += f" and {counted(len(edges), 'edge')}"
    return Edited(larger, text, node=nodes[0].name)


def chosen(design: Design, names: Iterable[str]) -> list[Part]:
    """Nodes in the order of the file.

    Raises:
        EditError: One of them does not exist, or none is named.
    """
    wanted = {node_in(design, name) for name in names}
    if not wanted:
        raise EditError("no node is selected", hint="select one")
    return [part for part in design.parts if part in wanted]


def leaving(design: Design, nodes: Container[str]) -> list[Part]:
    """The edges that leave any of some nodes, among them those that lead to another one of these."""
    return [edge for edge in design.edges if edge.source in nodes]


def fresh(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """A free name for each of some names: the name itself where it is free."""
    used, found = {END, *taken}, {}
    for name in names:
        found[name] = unique(name, used)
        used.add(found[name])
    return found


def renamed_parts(parts: Iterable[Part], names: Mapping[str, str]) -> list[Part]:
    """Copies of nodes and edges in which some nodes have other names."""
    renaming = references.of_nodes(names)
    found = []
    for part in parts:
        if part.kind == "nodes":
            part = part.having(part.table, names.get(part.name, part.name))
        found.append(renaming.part(renamed_ends(part, names)))
    return found


def renamed_ends(part: Part, names: Mapping[str, str]) -> Part:
    """An edge with the new names of its ends; the same one when they keep theirs."""
    if part.kind != "edges":
        return part
    ends: dict[str, Any] = {}
    for key, end in (("from", part.source), ("to", part.target)):
        if end in names and end != END and part.table.get(key):
            ends[key] = names[end]
    return part.having({**part.table, **ends}) if ends else part
