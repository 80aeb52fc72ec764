"""The lines of a picture: polylines with round corners, arrowheads that touch their boxes, and labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepgraph_tui.drawing.model import Label, Route

from .elements import CELL, ROW, element, number, text_of, titled

_CORNER = 7
_LONG, _BROAD = 9, 4.5
"""An arrowhead, along its line and to each side of it."""
_PLATE = 18
"""How high the ground below a label is, which hides the line there."""

_Spot = tuple[float, float]


def line_of(route: Route, style: str, told: str) -> Iterator[str]:
    """Draw the line of an edge and its arrowhead."""
    *spots, tip = places(route)
    (before_x, before_y), (tip_x, tip_y) = spots[-1], tip
    along = _sign(tip_x - before_x), _sign(tip_y - before_y)
    base = tip_x - along[0] * _LONG, tip_y - along[1] * _LONG
    side = along[1] * _BROAD, along[0] * _BROAD
    corners = [tip, (base[0] + side[0], base[1] + side[1]), (base[0] - side[0], base[1] - side[1])]
    yield titled(style, told)
    yield element("path", "line", d=_path([*spots, base]))
    yield element("polygon", "head", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))
    yield "</g>"


def label_of(label: Label, style: str, told: str, *, beside: bool) -> Iterator[str]:
    """Draw the label of an edge: on its line, which it hides, or beside that."""
    x, middle, width = label.x * CELL, (label.y + 0.5) * ROW, label.width * CELL
    yield titled(style, told)
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
    said = [f"M{number(x)} {number(y)}"]
    for before, at, after in zip(spots, spots[1:], spots[2:], strict=False):
        corner = min(_CORNER, _length(before, at) / 2, _length(at, after) / 2)
        begin, end = _towards(at, before, corner), _towards(at, after, corner)
        said.append(f"L{number(begin[0])} {number(begin[1])}")
        said.append(f"Q{number(at[0])} {number(at[1])} {number(end[0])} {number(end[1])}")
    x, y = spots[-1]
    return f"{''.join(said)}L{number(x)} {number(y)}"


def _length(one: _Spot, other: _Spot) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _towards(start: _Spot, end: _Spot, distance: float) -> _Spot:
    return start[0] + _sign(end[0] - start[0]) * distance, start[1] + _sign(end[1] - start[1]) * distance


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
