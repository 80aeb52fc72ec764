"""The Node pane, with its pages for a node, an edge and the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from textual.reactive import var

from stepgraph.graphs import END
from stepgraph.nodes import BaseNode

from ...commands import bindings
from ...commands.hints import UNMAPPED, Hints
from ...drawing.picture.glyphs import UNICODE
from ...drawing.picture.run_marks import leads
from ...run_view import RunSnapshot
from ...status_text import RunningNode
from ...text.plain import plural
from ..breaks import NO_LIST, BreakList
from ..chrome.pane import Pane
from ..lines.page import Line, TextPage, blank, paragraph
from .facts import (
    MOST,
    break_lines,
    code_lines,
    condition,
    edges_in,
    edges_out,
    fact,
    labeled_condition,
    problem_lines,
    section,
    setting,
    way_of,
    ways,
)
from .visit import failure_lines, failure_of, taken_text, visit_lines

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph, Edge, NodeEntry, StateGraph
    from stepgraph.nodes import SourceLines
    from stepgraph.values import Problem


class NodePane(Pane, inherit_bindings=False):
    """All about the selected node or edge, or about the graph when nothing is selected.

    Args:
        hints: Names the keys.
    """

    BINDINGS = bindings("node")
    DEFAULT_CSS = f"NodePane {{ {TextPage.CSS} }}"

    _graph: StateGraph | CompiledGraph | None = None
    _node: str | None = None
    _edge: int | None = None
    _problems: Sequence[Problem] = ()
    pause_after: var[frozenset[str]] = var(frozenset[str](), init=False)
    """The nodes after which a continued run pauses."""
    breaks: var[BreakList] = var(NO_LIST, init=False)
    """The breakpoints, of which it tells those at what is selected."""

    sources: var[Mapping[str | int, SourceLines]] = var({}, init=False)
    """The lines of Python functions: of nodes by their names, of predicates by the edges' positions."""

    empty_hint: var[str] = var("", init=False)
    """Why there is no graph, and what to do about it."""

    running: var[RunningNode | None] = var(None, init=False)
    """The node that runs now, with what it has asked so far."""

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self._hints = hints
        self.page = TextPage(self)
        self.lines, self.search = self.page.view, self.page.search

    def about(
        self,
        graph: StateGraph | CompiledGraph | None,
        node: str | None = None,
        edge: int | None = None,
        problems: Sequence[Problem] = (),
    ) -> None:
        """Set what to show.

        Args:
            graph: The graph; None when it cannot be read.
            node: The selected node.
            edge: The position of the selected edge among all edges; it comes before the node.
            problems: All that is wrong with the graph.
        """
        self._graph, self._node, self._edge, self._problems = graph, node, edge, problems
        self.show_anew()

    def show(self, moment: RunSnapshot | None) -> None:
        """Show what is selected; something else from its top."""
        self.page.show(self.page_lines, (self._node, self._edge))

    def watch_pause_after(self) -> None:
        """Show whether a run pauses after the node."""
        self.show_anew()

    def watch_breaks(self, before: BreakList, breaks: BreakList) -> None:
        """Show other breakpoints."""
        if before != breaks:
            self.show_anew()

    def watch_sources(self, before: object, sources: object) -> None:
        """Show other code."""
        if before != sources:
            self.show_anew()

    def watch_empty_hint(self) -> None:
        """Show another hint where there is no graph."""
        self.show_anew()

    def watch_running(self, before: RunningNode | None, running: RunningNode | None) -> None:
        """Show what the node asks and is answered while it runs."""
        if self._news(before) != self._news(running):
            self.show_anew()

    def _news(self, running: RunningNode | None) -> object:
        if running is None or running.name != self._node or self._edge is not None:
            return None
        return running.calls, int(running.seconds)

    def page_lines(self) -> Iterable[Line]:
        """Build the page of what is selected, without the secrets of the run."""
        return (line.masked(self._mask) for line in self._page_lines())

    def _page_lines(self) -> Iterable[Line]:
        from .visit import calling_lines

        if self._graph is not None and self._edge is not None:
            page = edge_lines(self._graph, self._edge, self._problems, self.moment, self.breaks)
            return chain(page, self._code(self._edge))
        if self._graph is not None and self._node is not None:
            pauses = self._hints("{debug.go} pauses after it") if self._node in self.pause_after else ""
            page = node_lines(self._graph, self._node, self._problems, self.moment, pauses, self.breaks)
            page = chain(page, self._code(self._node))
            running = self.running
            if running is None or running.name != self._node or running.calls is None:
                return page
            return chain(calling_lines(running.calls, self._mask, self.size), page)
        return graph_lines(self._graph, self._problems, self._hints, self.empty_hint)

    def _code(self, part: str | int) -> Iterable[Line]:
        """Show the Python function of a node or an edge, where there is one."""
        lines = self.sources.get(part)
        if lines is None:
            return ()
        return code_lines(replace(lines, lines=tuple(map(self._mask, lines.lines))), self._hints)

    def _mask(self, text: str) -> str:
        return self.moment.view.mask.text(text) if self.moment is not None else text

    def copied(self) -> str | None:
        """Return the whole page as text."""
        return self.page.text()

    def copied_path(self) -> str | None:
        """Describe where it is in the graph file."""
        if self._edge is not None:
            return f"edges[{self._edge}]"
        return f"nodes.{self._node}" if self._node is not None else None


def edge_lines(
    graph: StateGraph | CompiledGraph,
    index: int,
    problems: Sequence[Problem],
    moment: RunSnapshot | None,
    breaks: BreakList = NO_LIST,
) -> Iterator[Line]:
    """Build the page of an edge, by its position among all edges."""
    edges = list(graph.edges)
    edge = next((edge for edge in edges if edge.index == index), None)
    if edge is None:
        yield paragraph(f"The graph has no edge {index}.", "dim")
        return
    siblings = edges_out(edges, edge.source)
    at = [each.index for each in siblings].index(index)
    yield Line(
        ((f"{edge.source} → {edge.target}", "name"),),
        (f"edge {at + 1} of {len(siblings)}", "dim"),
        hang=2,
    )
    yield from break_lines(breaks, lambda each: each.kind == "edge" and leads(each, edge))
    yield blank()
    if edge.label:
        yield fact("label", " ".join(edge.label.split()))
    yield from _asks(edge, siblings, at)
    if moment is not None:
        yield fact("taken", taken_text(moment, edge.source, at))
    yield from section("Problems", problem_lines(each for each in problems if each.place.edge == index))
    alike = sum(other.target == edge.target for other in siblings)
    if alike > 1:
        title = f"All {alike:,} edges from {edge.source} to {edge.target}"
        yield from section(title, ways(siblings, edge.target))
    if len(siblings) > alike:
        yield from section(f"All edges of {edge.source}", ways(siblings))


def _asks(edge: Edge, siblings: Sequence[Edge], at: int) -> Iterator[Line]:
    yield paragraph("condition", "dim")
    yield condition(edge, 2)
    if edge.broken is None and edge.condition.reads:
        yield fact("reads", ", ".join(sorted(edge.condition.reads)))
    if edge.broken is None and edge.condition.visits_read:
        yield fact("counts", f"visits of {', '.join(sorted(edge.condition.visits_read))}")
    before = next((n for n, each in enumerate(siblings[:at], 1) if each.unconditional), None)
    if before is not None:
        yield fact("shadowed", f"! never tried: edge {before} before it always matches", "warn")
    elif at:
        tried = "edge 1 does" if at == 1 else f"edges 1 to {at} do"
        yield fact("tried", f"when {tried} not match")


_AT_CAP = {"return_last": "ends the run", "flag": "ends the run and flags it", "fail": "fails the run"}
_REVIEWS = {
    "every": "a person is asked about what each node did, where the node does not say otherwise",
    "last": "a person is asked before the run ends, where the node does not say otherwise",
}


def graph_lines(
    graph: StateGraph | CompiledGraph | None, problems: Sequence[Problem], hints: Hints, why: str = ""
) -> Iterator[Line]:
    """Build the page that is shown while nothing is selected; without a graph it says ``why``."""
    if graph is None:
        yield paragraph(why or "There is no readable graph.", "title")
        yield from section("Problems", problem_lines(problems))
        return
    settings = graph.settings
    yield Line(((settings.name, "name"),), ("graph", "dim"))
    if settings.note:
        yield paragraph(" ".join(settings.note.split()))
    yield blank()
    yield fact("start", settings.start)
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
        yield fact("file", str(graph.source))
    yield from section("State", _keys(graph))
    yield from section("Tools", _tools(graph))
    yield from section("Problems", problem_lines(problems))
    yield blank()
    text = "Select a node or an edge in the graph ({graph.down} {graph.up} there, or a click) to see it here."
    yield paragraph(hints(text), "dim")


def _feedback(on: bool, never: Sequence[str]) -> str:
    if not on:
        return "off: a node does not see its previous output"
    but = f", but not {', '.join(never)}" if never else ""
    return f"on a later visit a node sees its previous output{but}"


def _keys(graph: StateGraph | CompiledGraph) -> Iterator[Line]:
    for name, key in list(graph.keys.items())[:MOST]:
        words = [
            key.type or "anything",
            *(word for word, on in (("input", key.input), ("secret", key.secret)) if on),
        ]
        if key.reducer != "replace":
            words.append(key.reducer)
        note = f"  {' '.join(key.note.split())}" if key.note else ""
        yield fact(name, ", ".join(words) + note)
    if len(graph.keys) > MOST:
        yield paragraph(f"… {len(graph.keys) - MOST:,} more", "dim")


def _tools(graph: StateGraph | CompiledGraph) -> Iterator[Line]:
    for name, tool in list(graph.tools.items())[:MOST]:
        line = fact(name, " ".join(tool.note.split()))
        flags = ("! side effects  ", tool.side_effects), ("asks a person  ", tool.requires_approval)
        label, note = line.parts
        yield replace(line, parts=(label, *((flag, "warn") for flag, is_set in flags if is_set), note))


TYPES = {
    "llm": "language model",
    "tool": "tool call",
    "approval": "asks a person",
    "router": "router by a number",
    "handler": "Python function",
    "transform": "changes keys",
    "guardrail": "rules that must hold",
    "subgraph": "another graph",
    "wait": "waits for a time",
    "http": "asks a server",
    "llm_router": "a model picks the way",
    "agent": "a model with tools",
    "langgraph": "a node of LangGraph",
    "python": "Python object",
}
_GATES = {
    "before": "a person must agree before it runs",
    "after": "a person must agree to what it did",
    "last": "a person must agree to what it did, where that leads to END",
}


def node_lines(
    graph: StateGraph | CompiledGraph,
    name: str,
    problems: Sequence[Problem],
    moment: RunSnapshot | None,
    pauses: str = "",
    breaks: BreakList = NO_LIST,
) -> Iterator[Line]:
    """Build the page of a node; one that only edges name has no more than those.

    Args:
        graph: The graph.
        name: The node.
        problems: All that is wrong with the graph.
        moment: A moment of a run; None without one.
        pauses: The words about a node after which a run pauses.
        breaks: The breakpoints; those at the node and at the edges out of it are listed.
    """
    entry, edges = graph.nodes.get(name), list(graph.edges)
    out = edges_out(edges, name)
    type_ = "" if entry is None else TYPES.get(entry.type, entry.type)
    yield Line(((name, "name"),), (type_, "dim") if type_ else None)
    if pauses:
        yield Line(((f"{UNICODE.pause} ", "warn"), (pauses, "plain")))
    yield from break_lines(breaks, lambda each: each.node == name)
    note, facts = list(_note(name, entry)), list(_facts(graph, name, entry))
    parted = [blank()] if facts else []
    failure = failure_of(moment, name) if moment is not None else None
    if moment is not None and failure is not None:
        yield from section("Failed", failure_lines(moment, failure))
        yield from section("About", [*note, *(parted if note else []), *facts])
    else:
        yield from (*note, *parted, *facts)
    here = {edge.index for edge in out}
    yield from section(
        "Problems",
        problem_lines(each for each in problems if each.place.node == name or each.place.edge in here),
    )
    if moment is not None:
        yield from section("This run", visit_lines(moment, name))
    yield from section("Edges", _edges(out, edges_in(edges, name), edges))
    if entry is not None and entry.settings:
        mask = moment.view.mask.value if moment is not None else None  # before any is cut
        settings = {key: mask("", value) if mask else value for key, value in entry.settings.items()}
        lines = (line for key, value in settings.items() for line in setting(key, value))
        yield from section("Settings", lines)


def _note(name: str, entry: NodeEntry | None) -> Iterator[Line]:
    if entry is None:
        text = "where a run ends" if name == END else "no node has this name: only edges lead here"
        yield paragraph(text, "dim")
    elif entry.note:
        yield paragraph(" ".join(entry.note.split()))


def _facts(graph: StateGraph | CompiledGraph, name: str, entry: NodeEntry | None) -> Iterator[Line]:
    if entry is None:
        return
    if graph.settings.start == name:
        yield fact("start", "runs start here")
    node = entry.node
    if entry.settings is None and node is not None:
        yield fact("runs", getattr(node, "__name__", type(node).__name__))
    gate = _GATES.get(entry.gate(graph.settings.review) or "")
    if gate is not None:
        yield fact("gate", f"? {gate}")
    tools = entry.tools(graph.tools)
    asking = [tool.name for tool in entry.tools_that_ask(graph.tools)]
    if asking:
        yield fact("gate", f"? a person must agree to its tool {', '.join(asking)}")
    if entry.timeout is not None:
        yield fact("timeout", f"{entry.timeout}{'' if isinstance(entry.timeout, str) else ' s'}")
    acting = [tool.name for tool in tools if tool.side_effects]
    if entry.side_effects or acting:
        by = f", by its tool {', '.join(acting)}" if acting else ""
        yield fact("effects", f"! changes the world outside the state{by}", "warn")
    if isinstance(node, BaseNode):
        yield from _key_facts("reads", entry.facts.all_reads)
        yield from _key_facts("writes", entry.facts.writes)


def _key_facts(name: str, keys: frozenset[str] | None) -> Iterator[Line]:
    if keys is None:
        yield fact(name, "any key of the state")
    elif keys:
        shown = ", ".join(sorted(keys)[:MOST])
        yield fact(name, shown + (f", … {len(keys) - MOST:,} more" if len(keys) > MOST else ""))


def _edges(out: Sequence[Edge], into: Sequence[Edge], edges: Sequence[Edge]) -> Iterator[Line]:
    if out:
        yield paragraph(f"out, {'first match wins' if len(out) > 1 else 'the only one'}", "dim")
        yield from ways(out)
    if into:
        yield paragraph("in", "dim")
    leaving = _leaving(edges) if into else {}
    for edge in into[:MOST]:
        siblings = leaving[edge.source]
        way = way_of(edge, siblings.index(edge.index), len(siblings)).rpartition("→ ")[0].strip()
        yield Line(((f"{edge.source}  {way}".rstrip(), "plain"),), hang=4)
        yield from labeled_condition(edge)
    if len(into) > MOST:
        yield paragraph(f"… {plural(len(into) - MOST, 'more edge')}", "dim")


def _leaving(edges: Sequence[Edge]) -> dict[str, list[int]]:
    leaving: dict[str, list[int]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge.index)
    return leaving
