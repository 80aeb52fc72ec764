"""The drawing of a graph, with the marks of a run, as SVG and as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepgraph.formats import Exported
from stepgraph.stores import RunStatus
from stepgraph.values import ExportError
from stepgraph_tui.drawing import Picture, TooLargeToDrawError, lay_out, paint
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE, Glyphs, State
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.drawing.picture.run_marks import PLACE_STATES, LastVisit, last_visits, node_states
from stepgraph_tui.drawing.picture.told import texts_below
from stepgraph_tui.drawing.svg import Heading, svg_lines
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.run_list import run_status

from ..view.runs import RunStory

if TYPE_CHECKING:
    from stepgraph.formats import Exportable
    from stepgraph.runs import Run

_LABEL_WIDTH = 40
"""Cells of a label in a vector picture, which no terminal bounds."""


@dataclass(frozen=True, slots=True)
class DrawingMarks:
    """What a run marks in the drawing of its graph."""

    states: dict[str, State]
    fired: dict[int, int] = field(default_factory=dict)
    """How often each edge was taken, by its position."""
    visits: dict[str, int] = field(default_factory=dict)
    last: dict[str, LastVisit] = field(default_factory=dict)

    @classmethod
    def of(cls, source: Exportable) -> DrawingMarks:
        """Read the marks of a run; of a graph by itself only its start is marked."""
        run, graph = source.run, source.graph
        if run is None:
            return cls({graph.start: "start"})
        trail = source.trail()
        fired = {edge: trail.times(edge, run.step) for edge in range(len(graph.edges))}
        return cls(
            node_states(run),
            {edge: times for edge, times in fired.items() if times},
            {node: trail.times(node, run.step) for node in graph.nodes},
            last_visits(RunStory(run, source.mask)),
        )


def svg(source: Exportable) -> Exported:
    """Write the drawing as a vector picture."""
    graph = source.graph
    drawing = GraphDrawing(graph, label_width=_LABEL_WIDTH, hide=source.mask.text)
    marks = DrawingMarks.of(source)
    states = marks.states if source.run is not None else {}

    def write() -> str:
        lines = svg_lines(drawing, _heading(source), states=states, visits=marks.visits, fired=marks.fired)
        return "\n".join(lines) + "\n"

    return Exported(_draw(write))


def _heading(source: Exportable) -> Heading:
    graph, run = source.graph, source.run
    note = " ".join(source.mask.text(graph.settings.note).split())
    if run is None:
        below = f"{plural(len(graph.nodes), 'node')}, {plural(len(graph.edges), 'edge')}"
        return Heading(source.mask.text(graph.name), below, note=note)
    stands = f"run {run.id} · {source.mask.text(run_status(run))}"
    return Heading(source.mask.text(graph.name), stands, _place_state(run), note)


def _place_state(run: Run) -> State:
    return "done" if run.status is RunStatus.ENDED else PLACE_STATES[run.status]


def text(source: Exportable) -> Exported:
    """Write the drawing as text."""
    return Exported(_draw(lambda: drawn_text(source, UNICODE)))


def ascii(source: Exportable) -> Exported:
    """Write the drawing as text in plain ASCII."""
    return Exported(_draw(lambda: drawn_text(source, ASCII)))


def drawn_text(source: Exportable, glyphs: Glyphs) -> str:
    """Draw the graph as text; labels that had no room are listed below it.

    Raises:
        TooLargeToDrawError: It is too large for a picture.
    """
    drawing = GraphDrawing(source.graph, glyphs=glyphs, hide=source.mask.text)
    marks = DrawingMarks.of(source)
    picture: Picture = drawing.numbered(lay_out(drawing.diagram()))
    fired = {drawing.drawn.first.get(edge, edge) for edge in marks.fired}
    lines = paint(picture, drawing.contents(picture, marks.states, marks.last), fired=fired, glyphs=glyphs)
    below = list(texts_below(drawing, marks.fired))
    return "\n".join([*lines, *([""] if below else []), *below]) + "\n"


def _draw(write: Callable[[], str]) -> str:
    """Draw a graph, or say why it cannot be drawn.

    Raises:
        ExportError: It is too large for a picture.
    """
    try:
        return write()
    except TooLargeToDrawError as error:
        hint = "export it as dot or graphml, and have a program for large graphs draw it"
        raise ExportError(f"the graph is too large to be drawn: {error}", hint=hint) from error
