"""All about a graph, in short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.widgets.lines.page_lines import Line, blank, paragraph

from .facts import MOST, fact, problem_lines, section

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.problems import Problem
    from stepgraph_tui.commands.hints import Hints

_AT_CAP = {"return_last": "ends the run", "flag": "ends the run and flags it", "fail": "fails the run"}
_REVIEWS = {
    "every": "a person is asked about what each node did, where the node does not say otherwise",
    "last": "a person is asked before the run ends, where the node does not say otherwise",
}


def graph_lines(
    graph: StateGraph | CompiledGraph | None, problems: Sequence[Problem], hints: Hints, why: str = ""
) -> Iterator[Line]:
    """Make the page that is shown while nothing is selected; without a graph it says ``why``."""
    if graph is None:
        yield paragraph(why or "There is no readable graph.", "title")
        yield from section("Problems", problem_lines(problems))
        return
    settings = graph.settings
    yield Line(((visible(settings.name), "name"),), ("graph", "dim"))
    if settings.note:
        yield paragraph(visible(" ".join(settings.note.split())))
    yield blank()
    yield fact("start", visible(settings.start))
    yield fact(
        "step limit", f"{plural(settings.max_steps, 'step')}; reaching it {_AT_CAP[settings.on_max_steps]}"
    )
    yield fact("no match", "ends the run" if settings.on_no_match == "end" else "fails the run")
    if settings.review != "never":
        yield fact("review", _REVIEWS.get(settings.review, ""))
    if settings.max_seconds is not None:
        yield fact("time", f"at most {settings.max_seconds:g} s of work")
    if settings.max_cost is not None:
        yield fact("cost", f"at most ${settings.max_cost:g} for models")
    if settings.max_tokens is not None:
        yield fact("tokens", f"at most {settings.max_tokens:,}")
    yield fact("feedback", _feedback(settings.feedback, settings.no_feedback))
    yield fact("size", f"{plural(len(graph.nodes), 'node')}, {plural(len(graph.edges), 'edge')}")
    if graph.source is not None:
        yield fact("file", visible(str(graph.source)))
    yield from section("State", _keys(graph))
    yield from section("Tools", _tools(graph))
    yield from section("Problems", problem_lines(problems))
    yield blank()
    said = "Select a node or an edge in the graph ({graph.down} {graph.up} there, or a click) to see it here."
    yield paragraph(hints(said), "dim")


def _feedback(on: bool, never: Sequence[str]) -> str:
    if not on:
        return "off: a node does not see its previous output"
    but = f", but not {', '.join(map(visible, never))}" if never else ""
    return f"on a later visit a node sees its previous output{but}"


def _keys(graph: StateGraph | CompiledGraph) -> Iterator[Line]:
    for name, key in list(graph.keys.items())[:MOST]:
        said = [
            key.type or "anything",
            *(word for word, on in (("input", key.input), ("secret", key.secret)) if on),
        ]
        if key.reducer != "replace":
            said.append(key.reducer)
        note = f"  {' '.join(key.note.split())}" if key.note else ""
        yield fact(visible(name), visible(", ".join(said) + note))
    if len(graph.keys) > MOST:
        yield paragraph(f"… {len(graph.keys) - MOST:,} more", "dim")


def _tools(graph: StateGraph | CompiledGraph) -> Iterator[Line]:
    for name, tool in list(graph.tools.items())[:MOST]:
        said = fact(visible(name), visible(" ".join(tool.note.split())))
        flags = ("! side effects  ", tool.side_effects), ("asks a person  ", tool.requires_approval)
        label, note = said.parts
        yield replace(said, parts=(label, *((flag, "warn") for flag, is_set in flags if is_set), note))
