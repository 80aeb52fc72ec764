"""From a diagram to its picture."""

from __future__ import annotations

from .bands import Bands
from .given import Given
from .layers import layers_of
from .model import Box, Diagram, Picture, Route
from .net import Net
from .order import Ordering
from .place import place_vertices
from .ports import Ports
from .routes import Routing
from .slide import Sliding


def lay_out(diagram: Diagram) -> Picture:
    """Place the boxes of a diagram and route its edges.

    The answer depends on the diagram alone. Every edge can be followed: two lines share a cell only where
    they cross, no line touches a box but its own, and every label stands on its line (beside it, for a
    self-loop).

    Args:
        diagram: What is to be drawn.
    """
    given = Given(diagram)
    net = Net(layers_of(len(diagram.nodes), given.arcs), given.arcs)
    Ordering(net, _ranks(diagram)).improve()
    ports = Ports(net, given.across, given.insets, _widths(given, net), given.spacing)
    for box in range(net.boxes):
        reach = given.loop_reach(box)
        if reach:
            ports.end[box] = max(ports.end[box], ports.size[box] - 1 + reach)
    place = place_vertices(net, ports, given.spacing)
    sliding = Sliding(net, ports, place, given.spacing)
    sliding.straighten()
    sliding.centre()
    bands = Bands(given, net, ports, place)
    boxes = _boxes(given, net, ports, place, bands)
    routes = Routing(given, net, ports, place, bands).routes()
    width, height = _extent(boxes, routes)
    order = sorted(range(net.boxes), key=lambda box: (2 * place[box] + ports.size[box], net.layer[box], box))
    names = tuple(diagram.nodes[box].id for box in order)
    return Picture(width, height, diagram.direction, boxes, tuple(routes), names)


def _ranks(diagram: Diagram) -> dict[int, int]:
    known = {name: rank for rank, name in enumerate(diagram.previous)}
    return {box: known[node.id] for box, node in enumerate(diagram.nodes) if node.id in known}


def _widths(given: Given, net: Net) -> dict[tuple[int, bool], int]:
    """How wide the labels are that spread across the flow, by the ends of links that carry them."""
    if not given.down:
        return {}
    widths = {}
    for arc, chain in enumerate(net.chains):
        end = (chain[-1], False) if given.back[arc] else (chain[0], True)
        widths[end] = given.widths[given.edges[arc]]
    return widths


def _boxes(given: Given, net: Net, ports: Ports, place: list[int], bands: Bands) -> tuple[Box, ...]:
    boxes = []
    for number, node in enumerate(given.diagram.nodes):
        layer = net.layer[number]
        across, along = place[number], bands.start[layer]
        size, length = ports.size[number], given.along[number]
        if given.down:
            boxes.append(Box(node.id, across, along, size, length, node.framed, layer))
        else:
            boxes.append(Box(node.id, along, across, length, size, node.framed, layer))
    return tuple(boxes)


def _extent(boxes: tuple[Box, ...], routes: list[Route]) -> tuple[int, int]:
    """The picture's width and height."""
    right = [box.x + box.width for box in boxes]
    bottom = [box.y + box.height for box in boxes]
    for route in routes:
        right += [x + 1 for x, _ in route.points]
        bottom += [y + 1 for _, y in route.points]
        if route.label is not None:
            right.append(route.label.x + route.label.width)
            bottom.append(route.label.y + 1)
    return max(right, default=0), max(bottom, default=0)
