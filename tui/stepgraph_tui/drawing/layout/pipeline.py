"""Lay a diagram out: the steps of layered graph drawing, one after the other."""

from __future__ import annotations

from dataclasses import replace

from stepgraph_tui.drawing.model import Box, Diagram, Picture, Route

from .coordinates import assign_coordinates
from .crossing_reduction import CrossingReduction
from .edge_routing import EdgeRouter
from .former_order import FormerOrder
from .kept_layers import keep_layers
from .layer_offsets import LayerOffsets
from .layered_graph import LayeredGraph
from .layering import assign_layers
from .measured import MeasuredDiagram
from .port_sliding import PortSliding
from .ports import Ports
from .size_limit import TooLargeToDrawError

_BOXES = 20
"""For so many boxes, one crossing more is put up with rather than to let lines change places."""
_FEW, _TIMES = 10, 2
"""So many crossings, and so many times those of a picture drawn afresh, are put up with after an edit."""


def lay_out(diagram: Diagram) -> Picture:
    """Place the boxes of a diagram and route its edges.

    The answer depends on the diagram alone. Every edge can be followed: two lines share a cell only where
    they cross, no line touches a box but its own, and every label stands on its line (beside it, for a
    self-loop).

    After an edit the picture changes as little as it can. Boxes that shared a layer in ``diagram.previous``
    still do, in their old order, and so do the layers among themselves: a new box takes a place between them,
    in a layer of its own where there is none. An edge leads back, or does not, as it did before. Only a new
    edge that closes no cycle, and did not lead down, moves what it leads to, and what must then stand below
    that. This holds as long as the picture stays about as good as a new one: where an edit adds crossings,
    and there are then more than ten and twice as many as in a picture drawn afresh, it is drawn afresh.

    Args:
        diagram: What is to be drawn.

    Raises:
        TooLargeToDrawError: It has so many lines side by side that nobody could read it.
    """
    previous = diagram.previous
    try:
        measured, layered, crossings = _arranged(diagram)
    except TooLargeToDrawError:
        if previous is None:
            raise
        return lay_out(replace(diagram, previous=None))  # with layers of its own it may have fewer lines
    if previous is not None and crossings > max(previous.crossings, _FEW):
        afresh = _arranged(replace(diagram, previous=None))
        if crossings > _FEW + _TIMES * afresh[-1]:
            measured, layered, crossings = afresh
    ports = Ports(layered, measured.across, measured.insets, _widths(measured, layered), measured.spacing)
    for box in range(layered.boxes):
        reach = measured.loop_reach(box)
        if reach:
            ports.end[box] = max(ports.end[box], ports.size[box] - 1 + reach)
    place = assign_coordinates(layered, ports, measured.spacing)
    sliding = PortSliding(layered, ports, place, measured.spacing)
    sliding.straighten()
    sliding.centre()
    offsets = LayerOffsets(measured, layered, ports, place)
    boxes = _boxes(measured, layered, ports, place, offsets)
    routes = EdgeRouter(measured, layered, ports, place, offsets).routes()
    width, height = _extent(boxes, routes)
    order = sorted(
        range(layered.boxes), key=lambda box: (2 * place[box] + ports.size[box], layered.layer[box], box)
    )
    names = tuple(diagram.nodes[box].id for box in order)
    return Picture(width, height, diagram.direction, boxes, tuple(routes), names, crossings)


def _arranged(diagram: Diagram) -> tuple[MeasuredDiagram, LayeredGraph, int]:
    """Put the boxes into layers, and these into order; count the crossings."""
    measured, previous = MeasuredDiagram(diagram), diagram.previous
    if previous is None:
        layered = LayeredGraph(assign_layers(len(diagram.nodes), measured.arcs), measured.arcs)
        return measured, layered, CrossingReduction(layered, {}).run()
    layered = LayeredGraph(keep_layers(measured.former, measured.arcs), measured.arcs)
    known = {name: rank for rank, name in enumerate(previous.order)}
    fixed = {box: known[node.id] for box, node in enumerate(diagram.nodes) if node.id in known}
    reduction = CrossingReduction(layered, fixed)
    rows = FormerOrder(measured, layered, previous).rows()
    return measured, layered, reduction.improve(rows, previous.crossings + layered.boxes // _BOXES)


def _widths(measured: MeasuredDiagram, layered: LayeredGraph) -> dict[tuple[int, bool], int]:
    """Measure the labels that spread across the flow, by the ends of links that carry them."""
    if not measured.down:
        return {}
    widths = {}
    for arc, links in enumerate(layered.arc_links):
        end = (links[-1], False) if measured.back[arc] else (links[0], True)
        widths[end] = measured.widths[measured.edges[arc]]
    return widths


def _boxes(
    measured: MeasuredDiagram, layered: LayeredGraph, ports: Ports, place: list[int], offsets: LayerOffsets
) -> tuple[Box, ...]:
    boxes = []
    for number, node in enumerate(measured.diagram.nodes):
        layer = layered.layer[number]
        across, along = place[number], offsets.start[layer]
        size, length = ports.size[number], measured.along[number]
        if measured.down:
            boxes.append(Box(node.id, across, along, size, length, node.framed, layer))
        else:
            boxes.append(Box(node.id, along, across, length, size, node.framed, layer))
    return tuple(boxes)


def _extent(boxes: tuple[Box, ...], routes: list[Route]) -> tuple[int, int]:
    """Measure the picture's width and height."""
    right = [box.x + box.width for box in boxes]
    bottom = [box.y + box.height for box in boxes]
    for route in routes:
        right += [x + 1 for x, _ in route.points]
        bottom += [y + 1 for _, y in route.points]
        if route.label is not None:
            right.append(route.label.x + route.label.width)
            bottom.append(route.label.y + 1)
    return max(right, default=0), max(bottom, default=0)
