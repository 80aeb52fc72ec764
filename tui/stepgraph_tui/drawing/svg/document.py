"""Write a graph as an SVG document: self-contained, without scripts, for light and dark readers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from stepgraph_tui.drawing.layout import lay_out
from stepgraph_tui.drawing.model import Diagram, DiagramEdge, DiagramNode, Picture, Route
from stepgraph_tui.drawing.picture.glyphs import State
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

from .boxes import NodeBox, end_node, mark
from .elements import CELL, ROW, number, safe, text_of
from .lines import label_of, line_of
from .style import HEADING, SMALL, style_sheet
from .widths import cut_to, text_width

START = "\0start"
"""The id of the mark where a run begins; no node can be called that."""
_MARGIN, _HEAD = 24, 40
"""What is free around the picture; how high the graph's name and the line below it are."""
_WIDEST = 640
"""Of the heading; a longer one is cut, unless the picture is as wide."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above a picture."""

    name: str
    """What the graph is called."""
    below: str = ""
    """A line about the run, or about the graph."""
    state: State | None = None
    """How the run stands, which colours that line."""
    note: str = ""
    """What the graph is for; it is read out, and shown by a tooltip."""


def svg_lines(
    drawing: GraphDrawing,
    heading: Heading,
    *,
    states: Mapping[str, State] = {},
    visits: Mapping[str, int] = {},
    fired: Mapping[int, int] = {},
) -> Iterator[str]:
    """Write a graph as SVG, line by line.

    Args:
        drawing: The texts of the graph.
        heading: What stands above it.
        states: What a run says of some nodes.
        visits: How often the run has come to each node.
        fired: How often the run has taken each edge, by its position.

    Raises:
        TooLargeToDrawError: It has so many lines side by side that nobody could read it.
    """
    boxes = {
        name: NodeBox(caption, states.get(name), visits.get(name, 0))
        for name, caption in drawing.captions.items()
    }
    picture = _laid_out(drawing, boxes)
    width = max(picture.width * CELL, _heading_width(heading)) + 2 * _MARGIN
    height = _HEAD + picture.height * ROW + 2 * _MARGIN
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="stepgraph" {size}>'
    yield f"<title>{safe(heading.name)}</title>"
    yield f"<desc>{safe(_described(drawing, heading))}</desc>"
    yield f"<style>{style_sheet()}</style>"
    yield '<rect class="ground" width="100%" height="100%" rx="12"/>'
    yield from _heading(heading, width - 2 * _MARGIN)
    left = (width - picture.width * CELL) / 2
    yield f'<g transform="translate({number(left)} {_HEAD + _MARGIN})">'
    yield from _parts(drawing, picture, boxes, fired)
    yield "</g>"
    yield "</svg>"


def _laid_out(drawing: GraphDrawing, boxes: Mapping[str, NodeBox]) -> Picture:
    """Lay the graph out in boxes of our own size, with a mark before the node where a run begins."""
    nodes: list[DiagramNode] = [box.to_lay_out(name) for name, box in boxes.items()]
    edges = [
        DiagramEdge(drawing.edges[line].source, drawing.edges[line].target, drawing.label(line, "TB"))
        for line in drawing.drawn.lines
    ]
    if drawing.start in boxes:
        nodes.insert(0, end_node(START, "START"))
        edges.append(DiagramEdge(START, drawing.start))
    picture = lay_out(Diagram(nodes, edges, "TB"))
    lines = [*drawing.drawn.lines, len(drawing.edges)]
    routes = tuple(replace(route, edge=lines[route.edge]) for route in picture.routes)
    return replace(picture, routes=routes)


def _parts(
    drawing: GraphDrawing, picture: Picture, boxes: Mapping[str, NodeBox], fired: Mapping[int, int]
) -> Iterator[str]:
    """Draw the lines, those that were taken above the others, then the boxes, and the labels above all."""
    taken = {drawing.drawn.first.get(edge, edge) for edge in fired}
    begun = any(fired.values()) or any(box.visits or box.state for box in boxes.values())
    if begun:
        taken.add(len(drawing.edges))
    for route in sorted(picture.routes, key=lambda route: route.edge in taken):
        yield from line_of(route, _style(drawing, route, taken), _told(drawing, route, fired))
    for box in picture.boxes:
        if box.id == START:
            yield from mark(box, "START", "done" if begun else None, "A run begins here")
        else:
            yield from boxes[box.id].drawn(box)
    for route in picture.routes:
        if route.label is not None:
            style = "said fired" if route.edge in taken else "said"
            loop = route.source == route.target
            yield from label_of(route.label, style, _told(drawing, route, fired), beside=loop)


def _style(drawing: GraphDrawing, route: Route, taken: Collection[int]) -> str:
    kinds = {
        "back": route.back or route.source == route.target,
        "bundle": route.edge in drawing.drawn.bundles,
        "fired": route.edge in taken,
    }
    return " ".join(["edge", *(kind for kind, holds in kinds.items() if holds)])


def _told(drawing: GraphDrawing, route: Route, fired: Mapping[int, int]) -> str:
    """Tell of a line all that its label has no room for."""
    if route.source == START:
        return f"START → {drawing.captions[route.target].name}"
    ways = f"{drawing.captions[route.source].name} → {drawing.captions[route.target].name}"
    said = []
    for edge in drawing.drawn.at(route.edge):
        times = fired.get(edge, 0)
        taken = "" if not times else ", taken" if times == 1 else f", taken {times:,} times"
        said.append(f"{drawing.texts[edge]}{taken}".lstrip(", "))
    return f"{ways}: {'; '.join(said)}".rstrip(": ")


def _described(drawing: GraphDrawing, heading: Heading) -> str:
    """Say in words what the picture shows, for whoever cannot see it."""
    ways = (
        f"{drawing.captions[edge.source].name} → {drawing.captions[edge.target].name}"
        f"{f' ({text})' if text else ''}"
        for edge, text in zip(drawing.edges, drawing.texts, strict=True)
    )
    start = drawing.captions.get(drawing.start)
    begins = f"A run begins at {start.name}" if start is not None else "No node is where a run begins"
    return ". ".join(filter(None, (heading.note, heading.below, begins, "; ".join(ways)))) + "."


def _heading(heading: Heading, width: float) -> Iterator[str]:
    yield text_of("heading", cut_to(heading.name, width, HEADING), _MARGIN, _MARGIN + 14)
    style = f"small word-{heading.state}" if heading.state is not None else "small"
    yield text_of(style, cut_to(heading.below, width, SMALL), _MARGIN, _MARGIN + 34)


def _heading_width(heading: Heading) -> float:
    return min(max(text_width(heading.name, HEADING), text_width(heading.below, SMALL)), _WIDEST)
