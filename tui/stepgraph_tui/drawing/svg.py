"""Write a graph as an SVG document: self-contained, without scripts, for light and dark readers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import ceil

from ..colors import DARK, LIGHT, Palette
from ..text.cells import cell_len, cells_of
from ..text.characters import visible
from .layout import lay_out
from .model import Box, Diagram, DiagramEdge, DiagramNode, Label, Picture, Route
from .picture.glyphs import State
from .picture.graph_drawing import GraphDrawing
from .picture.node_content import WORDS, NodeCaption, times_of

CELL, ROW = 8, 22
"""How wide and how high a cell of the layout is drawn."""


def number(value: float) -> str:
    """Write a length as short as it can be."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, style: str, **values: float | str) -> str:
    """Write an element without content."""
    given = (f' {key}="{_attribute(value)}"' for key, value in values.items())
    return f'<{name} class="{style}"{"".join(given)}/>'


def _attribute(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def text_of(style: str, text: str, x: float, y: float, signs: str = "") -> str:
    """Write a text, perhaps with the signs of a node behind it."""
    behind = f'<tspan class="signs"> {safe(signs)}</tspan>' if signs else ""
    return f'<text class="{style}" x="{number(x)}" y="{number(y)}">{safe(text)}{behind}</text>'


def titled(style: str, title: str) -> str:
    """Open a group that has a tooltip, which programs read out as well."""
    return f'<g class="{style}"><title>{safe(title)}</title>'


def safe(text: str) -> str:
    """Write a text so that it is nothing but text, and has no character that XML cannot hold."""
    return escape(visible(text))


_CORNER = 7
_LONG, _BROAD = 9, 4.5
"""An arrowhead, along its line and to each side of it."""
_PLATE = 18
"""How high the ground below a label is, which hides the line there."""

_Spot = tuple[float, float]


def line_of(route: Route, style: str, title: str) -> Iterator[str]:
    """Draw the line of an edge and its arrowhead."""
    *spots, tip = places(route)
    (before_x, before_y), (tip_x, tip_y) = spots[-1], tip
    along = _sign(tip_x - before_x), _sign(tip_y - before_y)
    base = tip_x - along[0] * _LONG, tip_y - along[1] * _LONG
    side = along[1] * _BROAD, along[0] * _BROAD
    corners = [tip, (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1])]
    yield titled(style, title)
    yield element("path", "line", d=_path([*spots, base]))
    yield element("polygon", "head", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))
    yield "</g>"


def label_of(label: Label, style: str, title: str, *, beside: bool) -> Iterator[str]:
    """Draw the label of an edge: on its line, which it hides, or beside that."""
    x, middle, width = label.x * CELL, (label.y + 0.5) * ROW, label.width * CELL
    yield titled(style, title)
    yield element("rect", "plate", x=x, y=middle - _PLATE / 2, width=width, height=_PLATE, rx=4)
    if beside:
        yield text_of("label", label.text, x + 1, middle + 4)
    else:
        yield text_of("label middle", label.text, x + width / 2, middle + 4)
    yield "</g>"


def places(route: Route) -> list[_Spot]:
    """Place the port, every bend, and the tip: on the frame of the box that the line leads to."""
    spots = [((x + 0.5) * CELL, (y + 0.5) * ROW) for x, y in route.points]
    (x, y), (before_x, before_y) = spots[-1], spots[-2]
    tip = x + _sign(x - before_x) * CELL, y + _sign(y - before_y) * ROW
    return [*spots[:-1], tip]


def _path(spots: Sequence[_Spot]) -> str:
    """Write a polyline, with a curve at each bend."""
    x, y = spots[0]
    commands = [f"M{number(x)} {number(y)}"]
    for before, at, after in zip(spots, spots[1:], spots[2:], strict=False):
        corner = min(_CORNER, _length(before, at) / 2, _length(at, after) / 2)
        begin, end = _towards(at, before, corner), _towards(at, after, corner)
        commands.append(f"L{number(begin[0])} {number(begin[1])}")
        commands.append(f"Q{number(at[0])} {number(at[1])} {number(end[0])} {number(end[1])}")
    x, y = spots[-1]
    return f"{''.join(commands)}L{number(x)} {number(y)}"


def _length(one: _Spot, other: _Spot) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _towards(start: _Spot, end: _Spot, distance: float) -> _Spot:
    return start[0] + _sign(end[0] - start[0]) * distance, start[1] + _sign(end[1] - start[1]) * distance


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


TITLE, SMALL, LABEL, HEADING = 14, 11, 12, 16
"""Sizes of fonts: a node's name, what is below it, an edge's label, the graph's name."""

_SHAPE = f"""
text {{ font-family: ui-sans-serif, system-ui, sans-serif; unicode-bidi: isolate; white-space: pre }}
.heading {{ font-size: {HEADING}px; font-weight: 600 }}
.name {{ font-size: {TITLE}px; font-weight: 600 }}
.small, .type {{ font-size: {SMALL}px }}
.letter {{ font-size: {SMALL}px; font-weight: 700; text-anchor: middle }}
.label {{ font-family: ui-monospace, monospace; font-size: {LABEL}px }}
.ends {{ font-size: {LABEL}px; font-weight: 700; letter-spacing: 0.5px }}
.middle, .ends {{ text-anchor: middle }}
.line, .sign {{ fill: none; stroke-linecap: round; stroke-linejoin: round }}
.line {{ stroke-width: 1.5 }}
.sign {{ stroke-width: 2 }}
.back .line {{ stroke-dasharray: 5 4 }}
.bundle .line {{ stroke-width: 3.5 }}
.fired .line {{ stroke-width: 2.25 }}
.frame {{ stroke-width: 1.25 }}
.next .frame, .waits .frame, .failed .frame {{ stroke-width: 2.5 }}
"""


def style_sheet() -> str:
    """Write the style sheet: its shapes, its light colors, and the dark ones for whoever prefers them."""
    return f"{_SHAPE}{_colors(LIGHT)}@media (prefers-color-scheme: dark) {{\n{_colors(DARK)}}}\n"


def _colors(of: Palette) -> str:
    line, muted = of.mixed(of.foreground, 0.5), of.mixed(of.foreground, 0.68)
    rules = {
        ".ground, .plate": f"fill: {of.background}",
        "text": f"fill: {of.foreground}",
        ".small, .type, .letter": f"fill: {muted}",
        ".chip": f"fill: {of.panel}",
        ".frame": f"fill: {of.surface}; stroke: {of.border}",
        ".line": f"stroke: {line}",
        ".head": f"fill: {line}",
        ".sign": f"stroke: {muted}",
        ".dot": f"fill: {muted}",
        ".signs": f"fill: {of.warning}",
        ".fired .line": f"stroke: {of.success}",
        ".fired .head, .fired .label": f"fill: {of.success}",
    }
    states = {"done": of.success, "next": of.primary, "waits": of.warning, "failed": of.error}
    for state, color in states.items():
        rules[f".{state} .frame"] = f"fill: {of.mixed(color, 0.08, of.surface)}; stroke: {color}"
        rules[f".{state} .sign"] = f"stroke: {color}"
        rules[f".{state} .type, .word-{state}"] = f"fill: {color}"
    return "".join(f"{which} {{ {style} }}\n" for which, style in rules.items())


_NARROW, _LOWER, _UPPER, _WIDE, _DOUBLE = 0.46, 0.72, 0.84, 1.11, 1.35  # parts of the font's size
_THIN = frozenset(" !'(),.:;[]fijlrt|I")
_BROAD_LETTERS = frozenset("mwMW%@")


def text_width(text: str, size: float) -> float:
    """Estimate how wide a text is at most, in a font of this size without serifs."""
    return size * sum(map(_width, cells_of(text)))


def _width(char: str) -> float:
    """Estimate one character; what follows the first cell of a wide one is empty."""
    if not char:
        return 0
    if char in _THIN:
        return _NARROW
    if char in _BROAD_LETTERS:
        return _WIDE
    if not char.isascii():
        return _DOUBLE if cell_len(char) > 1 else _WIDE
    return _UPPER if char.isupper() else _LOWER


def cut_to(text: str, width: float, size: float) -> str:
    """Cut a text to a width; an ellipsis marks what was cut."""
    if text_width(text, size) <= width:
        return text
    room, kept = width - size, ""
    for char in cells_of(text):
        room -= size * _width(char)
        if room < 0:
            break
        kept += char
    return f"{kept.rstrip()}…"


_CHIP, _INSET, _SIGN = 24, 9, 16
"""The square with the letter of a type; what is free around it; the sign of a state."""
_WIDEST = 340
"""Of a name; what is longer is cut, and told by a tooltip."""
_BOX_CORNER = 9
_SIGNS: dict[State, str] = {
    "done": "M-5 0.5 L-1.5 4 L5 -4",
    "failed": "M-4.5 -4.5 L4.5 4.5 M4.5 -4.5 L-4.5 4.5",
    "next": "M-3.5 -5 L4.5 0 L-3.5 5 Z",
    "waits": "M-2.5 -5 V5 M2.5 -5 V5",
}
_TOLD = {"done": "done", "next": "comes next", "waits": "waits for a person", "failed": "failed"}


@dataclass(frozen=True, slots=True)
class NodeBox:
    """A node as it is drawn."""

    caption: NodeCaption
    state: State | None = None
    visits: int = 0

    @property
    def name(self) -> str:
        """What it is called, as far as there is room."""
        return cut_to(self.caption.name, _WIDEST, TITLE)

    @property
    def below(self) -> str:
        """What is below its name: its type, and how it is in the run."""
        times = times_of(self.visits).replace("x", "\u00d7")
        word = WORDS[self.state].lower() if self.state is not None else ""
        return " · ".join(filter(None, (self.caption.type or "unknown", f"{word} {times}".strip())))

    def to_lay_out(self, id: str) -> DiagramNode:
        """Size the box in the cells of the layout."""
        if self.caption.end:
            return end_node(id, self.caption.name)
        signs = text_width(f" {self.caption.signs}", TITLE) if self.caption.signs else 0
        wide = max(text_width(self.name, TITLE) + signs, text_width(self.below, SMALL))
        wide += _CHIP + 3 * _INSET + (_SIGN + _INSET if self.state in _SIGNS else 0)
        return DiagramNode(id, ceil(wide / CELL) + 1, 3)

    def draw(self, box: Box) -> Iterator[str]:
        """Draw the box where the layout has put it."""
        if self.caption.end:
            yield from mark(box, self.caption.name, self.state, "The run ends here")
            return
        x, y, width, height = rim(box)
        yield titled(f"node {self.state or ''}".rstrip(), self._title())
        yield rounded(x, y, width, height, _BOX_CORNER)
        top = y + (height - _CHIP) / 2
        yield element("rect", "chip", x=x + _INSET, y=top, width=_CHIP, height=_CHIP, rx=6)
        yield text_of("letter", self.caption.letter, x + _INSET + _CHIP / 2, y + height / 2 + 4)
        left = x + 2 * _INSET + _CHIP
        yield text_of("name", self.name, left, y + height / 2 - 2, self.caption.signs)
        yield text_of("type", self.below, left, y + height / 2 + 14)
        if self.state in _SIGNS:
            at = f"translate({number(x + width - _INSET - _SIGN / 2)} {number(y + height / 2)})"
            yield element("path", "sign", d=_SIGNS[self.state], transform=at)
        yield "</g>"

    def _title(self) -> str:
        caption = self.caption
        times = f", {self.visits:,} visits" if self.visits > 1 else ", 1 visit" if self.visits else ""
        facts = [
            f"{caption.name} ({caption.type or 'of no known type'}){times}",
            _TOLD.get(self.state or "", ""),
            "has side effects" if "!" in caption.signs else "",
            "may ask a person" if "?" in caption.signs else "",
            caption.note,
        ]
        return "; ".join(filter(None, facts))


def end_node(id: str, text: str) -> DiagramNode:
    """Size the mark of where a run begins or ends."""
    return DiagramNode(id, ceil((text_width(text, LABEL) + 2 * _INSET) / CELL) + 1, 2)


def mark(box: Box, text: str, state: State | None, title: str) -> Iterator[str]:
    """Draw the mark of where a run begins or ends."""
    x, y, width, height = rim(box)
    yield titled(f"end {state or ''}".rstrip(), title)
    yield rounded(x, y, width, height, min(height, ROW) / 2)
    yield text_of("ends", text, x + width / 2, y + height / 2 + 4)
    yield "</g>"


def rim(box: Box) -> tuple[float, float, float, float]:
    """Measure the frame of a box, which runs through the middle of its outermost cells."""
    return (
        (box.x + 0.5) * CELL,
        (box.y + 0.5) * ROW,
        (box.width - 1) * CELL,
        (box.height - 1) * ROW,
    )


def rounded(x: float, y: float, width: float, height: float, corner: float) -> str:
    """Draw a frame."""
    return element("rect", "frame", x=x, y=y, width=width, height=height, rx=corner)


START = "\0start"
"""The id of the mark where a run begins; no node can be called that."""
_MARGIN, _HEAD = 24, 40
"""What is free around the picture; how high the graph's name and the line below it are."""
_HEADING_WIDEST = 640
"""Of the heading; a longer one is cut, unless the picture is as wide."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What is above a picture."""

    name: str
    """What the graph is called."""
    below: str = ""
    """A line about the run, or about the graph."""
    state: State | None = None
    """How the run stands, which colors that line."""
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
        heading: What is above it.
        states: What a run says of some nodes.
        visits: How often the run has come to each node.
        fired: How often the run has taken each edge, by its position.

    Raises:
        TooLargeToDrawError: It has more lines side by side than anybody could read.
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
        yield from line_of(route, _style(drawing, route, taken), _line_title(drawing, route, fired))
    for box in picture.boxes:
        if box.id == START:
            yield from mark(box, "START", "done" if begun else None, "A run begins here")
        else:
            yield from boxes[box.id].draw(box)
    for route in picture.routes:
        if route.label is not None:
            style = "said fired" if route.edge in taken else "said"
            loop = route.source == route.target
            yield from label_of(route.label, style, _line_title(drawing, route, fired), beside=loop)


def _style(drawing: GraphDrawing, route: Route, taken: Collection[int]) -> str:
    kinds = {
        "back": route.back or route.source == route.target,
        "bundle": route.edge in drawing.drawn.bundles,
        "fired": route.edge in taken,
    }
    return " ".join(["edge", *(kind for kind, holds in kinds.items() if holds)])


def _line_title(drawing: GraphDrawing, route: Route, fired: Mapping[int, int]) -> str:
    """Describe all of a line that its label has no room for."""
    if route.source == START:
        return f"START → {drawing.captions[route.target].name}"
    ways = f"{drawing.captions[route.source].name} → {drawing.captions[route.target].name}"
    lines = []
    for edge in drawing.drawn.at(route.edge):
        times = fired.get(edge, 0)
        taken = "" if not times else ", taken" if times == 1 else f", taken {times:,} times"
        lines.append(f"{drawing.texts[edge]}{taken}".lstrip(", "))
    return f"{ways}: {'; '.join(lines)}".rstrip(": ")


def _described(drawing: GraphDrawing, heading: Heading) -> str:
    """Describe what the picture shows, for screen readers."""
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
    return min(max(text_width(heading.name, HEADING), text_width(heading.below, SMALL)), _HEADING_WIDEST)
