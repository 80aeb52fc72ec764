"""What the picture of a graph looks like."""

from __future__ import annotations

from rich.cells import cell_len

from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.graph_view.painter import Painter


def painted(painter: Painter) -> list[str]:
    picture = painter.laid_out.picture
    return [painter.strip(y, 0, picture.width).text.rstrip() for y in range(picture.height)]


def whole(view: GraphView) -> list[str]:
    """The whole picture as the view paints it, the part that is not seen included."""
    assert view.viewport.painter is not None
    return painted(view.viewport.painter)


def styled(view: GraphView, text: str) -> str:
    """How a text on the screen looks: the style of the cells that it begins in."""
    for y in range(view.size.height):
        strip = view.render_line(y)
        at = strip.text.find(text)
        if at >= 0:
            start = cell_len(strip.text[:at])
            return str(next(iter(strip.crop(start, start + 1))).style)
    raise AssertionError(f"{text!r} is not seen")
