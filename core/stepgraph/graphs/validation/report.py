"""Collecting problems: each gets its place in the graph and, where there is a file, its line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...conditions import Chosen, Expression
from ...values.json_values import canonical
from ...values.problems import LONGEST, KeyPath, Place, Problem, Severity, nearest, proposal
from ..parts import END, RESERVED

if TYPE_CHECKING:
    from ..builder import StateGraph
    from ..parts import Edge


_LONGEST = 60
"""Longer names are cut in messages."""
_BUDGET = 10_000
"""How many pairs of names one check compares: a comparison takes about ten microseconds."""


def quoted(name: object) -> str:
    """Quote a name, cut when it is long and escaped when it is odd."""
    text = repr(name)
    return text if len(text) <= _LONGEST + 2 else f"{text[:_LONGEST]}…{text[0]}"


def comma_list(names: Iterable[str], most: int = 10) -> str:
    """List names with commas between them, at most ``most`` of them."""
    found = list(names)
    return ", ".join(quoted(name) for name in found[:most]) + (", …" if len(found) > most else "")


def is_sound(name: str) -> bool:
    """True for text that can be stored and shown: it has no half of a surrogate pair."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class KnownNames:
    """The known names of one kind, for the hint after an unknown one.

    Args:
        known: The names, in the order in which hints list them.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._names = known
        self._budget = _BUDGET
        self._hints: dict[str, str] = {}

    @cached_property
    def _usable(self) -> list[str]:
        return [name for name in self._names if len(name) <= LONGEST and name.isprintable()]

    def hint(self, name: str) -> str:
        """Propose the known name that was most likely meant, else list the known names."""
        if name not in self._hints:
            self._hints[name] = self._hint(name)
        return self._hints[name]

    def _hint(self, name: str) -> str:
        if not self._usable:
            return ""
        same = self._by_folded.get(_folded(name))
        if same is not None:
            return proposal(same)
        close = None
        if len(name) <= LONGEST and len(self._usable) <= self._budget:
            self._budget -= len(self._usable)
            close = nearest(name, self._usable)
        if close is not None:
            return proposal(close)
        short = [known for known in self._usable if len(known) <= _LONGEST]
        return f"known: {', '.join(short[:10])}" + (", …" if len(self._usable) > 10 else "") if short else ""

    @cached_property
    def _by_folded(self) -> dict[str, str]:
        return {_folded(name): name for name in reversed(self._usable)}


def _folded(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


_SECTIONS: Mapping[str | int, int] = {"state": 1, "tools": 2, "nodes": 3, "edges": 4}


class Report:
    """The problems of one graph.

    Args:
        graph: The graph that is checked.
    """

    def __init__(self, graph: StateGraph) -> None:
        self._graph = graph
        self._found: list[tuple[KeyPath, Problem]] = []

    def error(
        self, code: str, message: str, path: KeyPath = (), hint: str = "", about: str = "", excerpt: str = ""
    ) -> None:
        """Keep a problem that stops ``compile``, at a path such as ``("nodes", "draft", "prompt")``."""
        place = self._file, self._line(path)
        self._found.append((path, _problem(code, "error", message, path, hint, about, excerpt, *place)))

    def warning(self, code: str, message: str, path: KeyPath = (), hint: str = "", about: str = "") -> None:
        """Keep a problem that stops nothing."""
        place = self._file, self._line(path)
        self._found.append((path, _problem(code, "warning", message, path, hint, about, "", *place)))

    def flags(self, code: str, what: str, given: Mapping[str, object], path: KeyPath) -> None:
        """Keep what is neither true nor false of the flags of a part: elsewhere it would be read as either.

        Args:
            code: The code of a part that is declared wrongly.
            what: The part, for the message.
            given: Its flags by name.
            path: Where it stands.
        """
        for name, value in given.items():
            if not isinstance(value, bool):
                message = f"{what} has {name} = {quoted(value)}, which is neither true nor false"
                self.error(code, message, (*path, name), "give it true or false")

    def adopt(self, problem: Problem, node: str | None = None) -> None:
        """Keep a problem that somebody else found, with what is known here about its place.

        Args:
            problem: What was found.
            node: The node that found it in its own settings.
        """
        place = problem.place
        if place.node is None and node is not None:
            place = replace(place, node=node)
        path = _path_of(place)
        line = place.line if place.line is not None else self._line(path)
        place = replace(place, file=self._file or place.file, line=line)
        self._found.append((path, replace(problem, place=place)))

    def in_order(self) -> list[Problem]:
        """Sort the problems by line, and those of one line (or of no file) by declaration."""
        return [problem for _, problem in sorted(self._found, key=self._rank)]

    def _line(self, path: KeyPath) -> int | None:
        return self._graph.locate(path) if self._graph.locate is not None else None

    @cached_property
    def _file(self) -> str | None:
        source = self._graph.source
        if source is None:
            return None
        here = Path.cwd()
        return str(source.relative_to(here) if source.is_relative_to(here) else source)

    @cached_property
    def _indexes(self) -> Mapping[str | int, Mapping[str, int]]:
        graph = self._graph
        sections: dict[str | int, Iterable[str]] = {
            "state": graph.keys,
            "tools": graph.tools,
            "nodes": graph.nodes,
            "edges": (),
        }
        return {
            section: {name: index for index, name in enumerate(names)} for section, names in sections.items()
        }

    def _rank(self, found: tuple[KeyPath, Problem]) -> tuple[int, int, int]:
        """Order the lines, then the parts of a graph: settings, keys, tools, nodes, edges."""
        path, problem = found
        line = problem.place.line or 0
        if len(path) < 2 or path[0] not in _SECTIONS:
            return line, 0, 0
        section, part = path[:2]
        index = part if isinstance(part, int) else self._indexes[section].get(part, 0)
        return line, _SECTIONS[section], index


@lru_cache(maxsize=16_384)  # an editor checks at every edit, and a large graph has thousands of warnings
def _problem(
    code: str,
    severity: Severity,
    message: str,
    path: KeyPath,
    hint: str,
    about: str,
    excerpt: str,
    file: str | None,
    line: int | None,
) -> Problem:
    return Problem(code, severity, message, Place.at(path, file, line), hint, about, excerpt)


def _path_of(place: Place) -> KeyPath:
    """Derive the path in a graph file from a place, as far as its dotted key allows."""
    parts = tuple(place.key.split(".")) if place.key else ()
    if place.node is not None:
        return ("nodes", place.node, *parts)
    if place.edge is not None:
        return ("edges", place.edge, *parts)
    return parts


class CheckedGraph:
    """The parts of a graph while it is checked.

    Args:
        graph: The builder; it is only read.
    """

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph
        self.settings = graph.settings
        self.nodes = graph.nodes
        self.edges = graph.edges
        self.outgoing: dict[str, list[Edge]] = {name: [] for name in self.nodes}
        """The edges of each known node, in the order in which they are tried."""
        for edge in self.edges:
            own = self.outgoing.get(edge.source)
            if own is not None:
                own.append(edge)
        self.names = KnownNames(name for name in self.nodes if name.strip() and name not in RESERVED)
        self.facts = {name: entry.facts for name, entry in self.nodes.items()}
        """The declarations of the nodes."""
        self.shadowed: dict[int, Edge] = {}
        """The edges that are never taken (by their index), each with the earlier one that is."""
        self.safe: set[str] = set()
        """The nodes of whose edges one always matches."""
        self.leads = {name: self._tried(name, edges) for name, edges in self.outgoing.items()}
        """Where the edges of each known node lead that can be taken.

        What is reported as an error elsewhere counts as a way out, so that one mistake is reported once:
        a node without edges, and an edge to an unknown node.
        """

    def tool_setting(self, node: str) -> str:
        """Name the setting of a node that names its tools."""
        return "tools" if "tools" in (self.nodes[node].settings or ()) else "tool"

    def _tried(self, name: str, edges: list[Edge]) -> list[str]:
        """Find where the edges of a node lead that can be taken, and note which cannot be, or always are."""
        leads: list[str] = []
        fallback: Edge | None = None
        seen: dict[str, Edge] = {}
        for edge in edges:
            words = _words(edge)
            before = fallback or (seen.get(words) if words is not None else None)
            if before is not None:
                self.shadowed[edge.index] = before
                continue
            leads.append(edge.target if edge.target in self.nodes else END)
            if words is not None:
                seen[words] = edge
            elif edge.unconditional:
                fallback = edge
                self.safe.add(name)
            elif isinstance(edge.condition, Chosen):
                self.safe.add(name)  # its node chooses one of them
        if not edges or (fallback is None and self.settings.on_no_match == "end"):
            leads.append(END)
        return leads


def _words(edge: Edge) -> str | None:
    """Write what the condition asks, where the same text always gets the same answer."""
    if edge.broken is not None or isinstance(edge.condition, Chosen):
        return None
    if isinstance(edge.condition, Expression):
        return edge.condition.text
    return canonical(edge.condition.to_json()) if edge.condition.kind == "equals" else None


def edge_name(edge: Edge) -> str:
    """Name an edge in messages: its number, counted from 1, and its ends."""
    ends = [quoted(end)[1:-1] for end in (edge.source, edge.target)]
    return f"edge {edge.index + 1} ({ends[0]} -> {ends[1]})"
