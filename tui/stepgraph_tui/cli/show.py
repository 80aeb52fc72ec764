"""``stepgraph show``: a graph as a picture in the terminal, with the marks of a run if one is named."""

from __future__ import annotations

import os
import shutil
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.system import needs_ascii

from .exits import Exit
from .graphs import add_trust, named_graph
from .parser import GRAPH, GRAPH_HELP, Parser, whole_number

if TYPE_CHECKING:
    from stepgraph.graphs import StateGraph
    from stepgraph_tui.drawing import Picture
    from stepgraph_tui.drawing.model import Zoom
    from stepgraph_tui.drawing.picture.glyphs import State
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
    from stepgraph_tui.drawing.picture.run_marks import LastVisit

    from .output import Output

_Marks: TypeAlias = "tuple[dict[str, State], set[int], dict[str, LastVisit]]"

_LABELS = (24, 12)
"""How many cells of a label are shown; less where the picture would be too wide."""
_LARGE = 200
"""Nodes or lines: from this many on, a layout takes some time."""


def show(args: Namespace, output: Output) -> Exit:
    """Draw a graph file; nothing that it names is imported."""
    from stepgraph_tui.drawing import TooLargeToDrawError
    from stepgraph_tui.drawing.outline import outline_text
    from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

    if args.width is not None and args.width < 1:
        output.error(f"a picture cannot be {args.width} cells wide", "give --width a number from 1")
        return Exit.USAGE
    graph = named_graph(output, args.file, args.trust)
    marks = states, fired, visits = _marks(args, output, graph)
    width = args.width or shutil.get_terminal_size((80, 24)).columns
    whole = GraphDrawing(graph, glyphs=ASCII if args.ascii or _is_plain(output) else UNICODE)
    wide, cut = 0, list[str]()
    try:
        drawing, picture = _fitting(whole, args, width)
        if output.as_json:
            output.data(_json(drawing, picture, states, fired))
            return Exit.DONE
        lines, cut = _painted(drawing, picture, marks)
        wide = picture.width
    except TooLargeToDrawError as error:
        if output.as_json:
            output.error(f"{args.file}: {error}", "`stepgraph show` without --json writes its outline")
            return Exit.FAILED
        output.narrate(f"note: {error}; this is its outline")
        lines = list(outline_text(whole, states, visits, fired))
    output.picture(lines)
    output.lines(["", *cut] if cut else [])
    _tell(args, output, graph, wide, width)
    return Exit.DONE


def _is_plain(output: Output) -> bool:
    """Check whether the terminal cannot be trusted to show lines and arrows."""
    return needs_ascii(os.environ, output.data_stream.encoding)


def _marks(args: Namespace, output: Output, graph: StateGraph) -> _Marks:
    """Collect the state of the nodes, the edges that were taken, and the last visits."""
    if args.run is None:
        return {graph.settings.start: "start"}, set(), {}
    from stepgraph.documents import differences
    from stepgraph_tui.drawing.picture.run_marks import fired_edges, last_visits, node_states

    from .runs import loaded
    from .stored import command_store

    with command_store(output) as store:
        story = loaded(store, args.run)
        run = story.run
        changes = differences(run.plan.document, graph.document)
        if changes:
            output.narrate(
                "note: the run uses another version of this graph "
                f"({plural(len(changes), 'difference')}); its marks are shown where they fit"
            )
        visits = last_visits(story)
        return node_states(run), fired_edges(run, graph.edges), visits


def _fitting(whole: GraphDrawing, args: Namespace, width: int) -> tuple[GraphDrawing, Picture]:
    """Choose the most telling picture that is not too wide, else one of the smallest boxes.

    A large graph takes long to lay out: what cannot fit is not tried, and nothing is laid out twice.
    """
    from stepgraph_tui.drawing import lay_out, least_width

    zooms: tuple[Zoom, ...] = (args.zoom,) if args.zoom else ("compact", "chip")
    made: dict[tuple[str, ...], Picture] = {}

    def laid_out(drawing: GraphDrawing) -> Picture:
        diagram = drawing.diagram(args.direction)
        key = (drawing.zoom, *(edge.label for edge in diagram.edges))
        if key not in made:
            made[key] = drawing.numbered(lay_out(diagram))
        return made[key]

    smallest = whole.at(zooms[-1])
    if max(len(whole.names), len(whole.drawn.lines)) > _LARGE and laid_out(smallest).width > 2 * width:
        return smallest, laid_out(smallest)  # shorter labels make a picture half as wide at the best
    for zoom in zooms:
        drawing = whole.at(zoom)
        if least_width(drawing.diagram(args.direction)) > width:
            continue
        for label_width in _LABELS:
            shorter = drawing.cutting(label_width)
            if laid_out(shorter).width <= width:
                return shorter, laid_out(shorter)
    return smallest, laid_out(smallest)  # cutting labels did not help, so they stay whole


def _painted(drawing: GraphDrawing, picture: Picture, marks: _Marks) -> tuple[list[str], list[str]]:
    """Paint the picture; below it come the texts that had no room in it."""
    from stepgraph_tui.drawing import paint
    from stepgraph_tui.drawing.picture.told import texts_below

    states, fired, visits = marks
    drawn = drawing.drawn
    taken = {drawn.first.get(edge, edge) for edge in fired}
    contents = drawing.contents(picture, states, visits)
    lines = paint(picture, contents, fired=taken, glyphs=drawing.glyphs)
    return lines, list(texts_below(drawing, fired))


def _tell(args: Namespace, output: Output, graph: StateGraph, wide: int, width: int) -> None:
    """Remark on what the reader may miss."""
    from stepgraph.graphs.validation import check

    if not graph.nodes:
        output.narrate(f"{args.file}: the graph has no nodes")
    errors = sum(problem.is_error for problem in check(graph))
    if errors:
        output.narrate(f"note: the graph has {plural(errors, 'error')}; `stepgraph check` lists them")
    if wide > width:
        narrower = "" if args.zoom in {None, "chip"} else ", `--zoom chip` is narrower"
        output.narrate(f"note: the picture is {wide} cells wide; `less -S` shows it unwrapped{narrower}")


def _json(
    drawing: GraphDrawing, picture: Picture, states: dict[str, State], fired: set[int]
) -> dict[str, Any]:
    """Write the picture as data: boxes and lines in cells, with the edges' whole texts."""
    return {
        "width": picture.width,
        "height": picture.height,
        "direction": picture.direction,
        "nodes": [{**asdict(box), "state": states.get(box.id)} for box in picture.boxes],
        "edges": [
            {
                "source": route.source,
                "target": route.target,
                "text": drawing.text(route.edge),
                "texts": [drawing.texts[edge] for edge in drawing.drawn.at(route.edge)],
                "points": route.points,
                "label": asdict(route.label) if route.label is not None else None,
                "back": route.back,
                "fired": any(edge in fired for edge in drawing.drawn.at(route.edge)),
            }
            for route in picture.routes
        ],
    }


def show_options(parser: Parser) -> None:
    """Declare what ``show`` takes."""
    parser.add_argument("file", metavar=GRAPH, type=Path, help=GRAPH_HELP)
    add_trust(parser)
    parser.add_argument("--direction", choices=("TB", "LR"), default="TB", help="the direction of the edges")
    parser.add_argument("--width", metavar="N", type=whole_number, help="the maximum width, in columns")
    parser.add_argument("--zoom", choices=("card", "compact", "chip"), help="how much of each node to show")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    parser.add_argument("--run", metavar="RUN", help="mark the nodes and edges that a stored run took")
    parser.set_defaults(command=show)
