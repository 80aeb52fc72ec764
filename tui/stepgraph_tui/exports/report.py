"""The report of a run, or of a graph, in Markdown: for a colleague, a ticket or a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from stepgraph.formats import mermaid
from stepgraph.formats.export import Exported
from stepgraph_tui.drawing import TooLargeToDrawError
from stepgraph_tui.drawing.picture.glyphs import UNICODE
from stepgraph_tui.text.plain import plural
from stepgraph_tui.view.runs import RunStory

from .drawings import drawn_text
from .graph_report import graph_report
from .markdown import code, fence, quoted
from .run_report import run_report

if TYPE_CHECKING:
    from stepgraph.formats.export import Exportable

_EDGES, _CHARACTERS = 500, 50_000
"""The largest diagram that Mermaid shows where nobody has told it otherwise."""


def markdown(source: Exportable) -> Exported:
    """Write the report of a run; of a graph by itself, what it consists of."""
    run, mask = source.run, source.mask
    parts = graph_report(source.graph, mask) if run is None else run_report(RunStory(run, mask))
    lines = chain(_head(source), _drawing(source), parts)
    return Exported("\n".join(_single_blanks(lines)).rstrip("\n") + "\n")


def _head(source: Exportable) -> Iterator[str]:
    graph, mask = source.graph, source.mask
    yield f"# {code(mask.text(graph.name))}"
    if graph.settings.note:
        yield from quoted(mask.text(graph.settings.note))
    file = f" in {code(graph.source.name)}" if graph.source is not None else ""  # not where it lies
    yield ""
    yield (
        f"A state graph{file} of {plural(len(graph.nodes), 'node')} and {plural(len(graph.edges), 'edge')}. "
        f"A run begins at {code(mask.text(graph.start))} and completes at most "
        f"{plural(graph.settings.max_steps, 'step')}."
    )


def _drawing(source: Exportable) -> Iterator[str]:
    """Draw the graph as a diagram that sites show; one that is too large for them as text."""
    yield from ("", "## Drawing", "")
    diagram = mermaid.write(source).text
    if len(source.graph.edges) <= _EDGES and len(diagram) <= _CHARACTERS:
        yield from fence(diagram.rstrip("\n").split("\n"), "mermaid")
        return
    try:
        drawn = drawn_text(source, UNICODE)
    except TooLargeToDrawError as error:
        yield f"It is too large to be drawn: {error}."
        return
    yield from fence(drawn.rstrip("\n").split("\n"))


def _single_blanks(lines: Iterable[str]) -> Iterator[str]:
    """Leave out each blank line that follows another one; within a fence all stay."""
    before, until = "", ""
    for line in lines:
        if until:
            until = "" if line == until else until
        elif line.startswith("```"):
            until = "`" * (len(line) - len(line.lstrip("`")))
        elif not line and not before:
            continue
        yield line
        before = line
