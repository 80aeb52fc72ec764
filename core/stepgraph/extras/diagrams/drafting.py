"""From a diagram to a graph that compiles, and runs offline at once: a draft for somebody to go on with.

A box becomes an ``llm`` node that is asked its text, with one scripted reply; one that several arrows leave
becomes an ``llm_router`` that chooses among them, with scripted replies that take each of them once and then
the one that leads to the end.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...conditions import Condition
from ...files.reader import MAX_EDGES, MAX_NODES
from ...formats.dag import distances
from ...formats.mermaid import UniqueTexts
from ...formats.node_link import condition_of, edge_parts
from ...formats.reading import Imported, graph_name, refuse_too_many, refused
from ...graphs.builder import StateGraph
from ...graphs.parts import END, RESERVED
from ...nodes.router import normalized
from ...values.errors import ExpressionError
from ...values.json_values import Json
from ...values.messages import some_of
from .states_rules import sample_state

_STARTS = ("start", "__start__", "begin")
_ENDS = ("end", "__end__", "stop")
_ROOM = 4
"""How many times the nodes and edges that a graph may have are read, so that an error can count them."""
MOST_NODES = _ROOM * MAX_NODES
MOST_EDGES = _ROOM * MAX_EDGES
"""So many are read."""


class ForeignEdge(NamedTuple):
    """An arrow."""

    source: str
    target: str
    text: str = ""
    line: int | None = None


@dataclass
class ForeignDiagram:
    """What a reader has found; ``drafting`` makes a graph of it."""

    kind: str
    """What it was written as, with its article."""
    file: str
    title: str = ""
    nodes: dict[str, str] = field(default_factory=dict)
    """The text at each id, empty where it has none, in the order in which the ids first came."""
    edges: list[ForeignEdge] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    """Ids that say: here it begins. They are not nodes."""
    ends: set[str] = field(default_factory=set)
    """Ids that say: here it ends. They are not nodes."""
    exact: bool = False
    """Whether it is ours: texts of nodes are their names, those of edges labels and conditions."""
    notes: list[str] = field(default_factory=list)

    def add_node(self, id: str, text: str | None = None) -> None:
        """Add a node, or give one its text."""
        if text is not None or id not in self.nodes:
            self.nodes[id] = text or ""
            if len(self.nodes) > MOST_NODES:
                raise self.too_many("nodes", MAX_NODES)

    def add_edge(self, source: str, target: str, text: str = "", line: int | None = None) -> None:
        """Add an edge, and its ends where they are new."""
        self.add_node(source)
        self.add_node(target)
        self.edges.append(ForeignEdge(source, target, text, line))
        if len(self.edges) > MOST_EDGES:
            raise self.too_many("edges", MAX_EDGES)

    def too_many(self, noun: str, most: int) -> Exception:
        """Build the error of a diagram that is so large that nobody counts it."""
        message = f"it has more than {_ROOM * most:,} {noun}; a graph may have at most {most:,}"
        return refused("F032", message, self.file, None, "take a part of it")

    def find_marks(self) -> None:
        """Find the nodes that only say where it begins and where it ends.

        Of ours they are known by their ids; of others by what they are called, and by how they are connected.
        """
        sources = Counter(edge.source for edge in self.edges)
        targets = {edge.target for edge in self.edges}
        if self.exact:
            self.starts += ["START"] * ("START" in self.nodes)
            self.ends |= {"END"} & self.nodes.keys()
            return
        for id, text in self.nodes.items():
            if id not in sources and id in targets and _is_called(id, text, _ENDS):
                self.ends.add(id)
            elif id not in targets and sources[id] == 1 and _is_called(id, text, _STARTS):
                self.starts.append(id)

    @property
    def proper(self) -> Iterator[str]:
        """The ids of what is a node, and no mark."""
        marks = self.ends.union(self.starts)
        return (id for id in self.nodes if id not in marks)


def _is_called(id: str, text: str, words: tuple[str, ...]) -> bool:
    return (text.strip() or id).casefold() in words


_TOLD = 5
_SHOWN = 60


class Mended:
    """Collects what was mended, by how."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = defaultdict(list)

    def add(self, how: str, what: str) -> None:
        """Keep one; the same twice in a row is one."""
        if what not in self._found[how][-1:]:
            self._found[how].append(what)

    def notes(self) -> list[str]:
        """List each kind once, with the name of its first occurrence."""
        return [f"{how}: {some_of(what, _TOLD)}" for how, what in self._found.items()]


def some_names(names: Iterable[str]) -> str:
    """List the first of some names, long ones cut."""
    return some_of([short(name) for name in names], _TOLD)


def short(name: str) -> str:
    """Cut a long name; an ellipsis marks what was cut."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


_LONGEST = 60
"""Characters of a name that is made of a text."""
_PLAIN_ID = re.compile(r"(?:[A-Za-z]{1,2}|node|state|step|n|s)[_-]?\d*", re.IGNORECASE)
"""Ids that say nothing: ``A``, ``n12``, ``node_3``."""
_BRACES = re.compile(r"\{\{|\{%|\{#")
_SCRIPTED = 20
"""How many scripted replies a router gets at most."""


@dataclass
class _Way:
    """An edge of the graph that is made."""

    source: str
    target: str
    label: str | None
    condition: Condition | None
    line: int | None

    @property
    def choice(self) -> str:
        """What a router calls it."""
        return self.label or self.target


def drafted(diagram: ForeignDiagram) -> Imported:
    """Build a graph from a diagram.

    Raises:
        GraphFileError: It has no nodes, too many, or a condition of ours that does not parse.
    """
    diagram.find_marks()
    ids = list(diagram.proper)
    if not ids:
        raise refused("F031", "it has no nodes", diagram.file, None, "such as: a --> b")
    refuse_too_many(len(ids), len(diagram.edges), diagram.file)
    mended = Mended()
    names = _names(diagram, ids, mended)
    ways = _ways(diagram, names, mended)
    start = _start(diagram, ids, ways, names)
    graph = StateGraph(
        diagram.title or graph_name(diagram.file), start=start, max_steps=min(max(50, 4 * len(ids)), 10_000)
    )
    _add_state(graph, ways)
    _add_nodes(graph, diagram, names, ways)
    for way in ways:
        graph.add_edge(way.source, way.target, way.condition, way.label)
    return Imported(graph, diagram.kind, (*diagram.notes, *mended.notes()))


def _names(diagram: ForeignDiagram, ids: Sequence[str], mended: Mended) -> dict[str, str]:
    """Name the nodes, each differently and as a node may be named."""
    names: dict[str, str] = {}
    taken = UniqueTexts(RESERVED)
    for id in ids:
        text = diagram.nodes[id]
        wanted = (text or id) if diagram.exact else _named_after(id, text)
        if not wanted.strip():
            wanted = id.strip() or "node"
        names[id] = name = taken.fresh(wanted)
        if diagram.exact and name != text:
            mended.add("nodes were renamed, for names are given once", name)
        elif not diagram.exact and name != id:
            mended.add("nodes are called after their texts", f"{short(id)} is {name}")
    return names


def _named_after(id: str, text: str) -> str:
    """Derive a name from an id, or from the text where the id says nothing."""
    if not (text and _PLAIN_ID.fullmatch(id)):
        return "".join(char if char.isprintable() else " " for char in id)[:_LONGEST].strip()
    return re.sub(r"\W+", "_", text)[:_LONGEST].strip("_") or id


def _ways(diagram: ForeignDiagram, names: dict[str, str], mended: Mended) -> list[_Way]:
    """Build the edges; a node that none leaves leads to the end."""
    ways = []
    for edge in diagram.edges:
        if edge.source in names and edge.target not in diagram.starts:
            ways.append(_way(diagram, edge, names))
        elif edge.source not in names and edge.source not in diagram.starts:
            mended.add("the run ends there, so what led on is left out", short(edge.source))
    left = {way.source for way in ways}
    for name in names.values():
        if name not in left:
            ways.append(_Way(name, END, None, None, None))
    if not diagram.exact:
        _part_labels(ways, mended)
    return ways


def _way(diagram: ForeignDiagram, edge: ForeignEdge, names: dict[str, str]) -> _Way:
    target = names.get(edge.target, END)
    if not diagram.exact:
        return _Way(names[edge.source], target, " ".join(edge.text.split()) or None, None, edge.line)
    label, asked = edge_parts(edge.text)
    condition = None if asked is None else _parse_condition(diagram, asked, edge.line)
    return _Way(names[edge.source], target, label, condition, edge.line)


def _parse_condition(diagram: ForeignDiagram, asked: str, line: int | None) -> Condition:
    try:
        return condition_of(asked)
    except ExpressionError as error:
        message = f"the condition of an edge does not parse: {error.message}"
        raise refused("F031", message, diagram.file, line, error.hint) from None


def _part_labels(ways: Sequence[_Way], mended: Mended) -> None:
    """Label the edges of each node differently, so that one of them can be chosen."""
    for leaving in _by_source(ways).values():
        heard = UniqueTexts(("",))
        for way in leaving if len(leaving) > 1 else ():
            label = heard.fresh(way.choice, " ", normalized)
            if label != way.choice:
                way.label = label
                mended.add("edges of one node need labels that differ", f"{way.source} -> {label}")


def _by_source(ways: Iterable[_Way]) -> dict[str, list[_Way]]:
    leaving: dict[str, list[_Way]] = defaultdict(list)
    for way in ways:
        leaving[way.source].append(way)
    return leaving


def _start(diagram: ForeignDiagram, ids: Sequence[str], ways: Sequence[_Way], names: dict[str, str]) -> str:
    """Find the node that runs first: where a mark points, else one that nothing leads to, else the first."""
    marked = [edge.target for edge in diagram.edges if edge.source in diagram.starts and edge.target in names]
    if marked:
        if len(set(marked)) > 1:
            diagram.notes.append(f"it begins in several places; a run begins at {names[marked[0]]}")
        return names[marked[0]]
    reached = {way.target for way in ways if way.source != way.target}
    return next((names[id] for id in ids if names[id] not in reached), names[ids[0]])


def _add_state(graph: StateGraph, ways: Iterable[_Way]) -> None:
    """Declare what conditions read, each with a value that it can be asked about."""
    conditions = [way.condition for way in ways if way.condition is not None]
    for key, value in sample_state(conditions).items():
        graph.add_key(key, default=value, note="An edge asks for it; nothing writes it yet.")


def _add_nodes(
    graph: StateGraph, diagram: ForeignDiagram, names: dict[str, str], ways: Sequence[_Way]
) -> None:
    leaving = _by_source(ways)
    far = distances(((way.source, way.target) for way in ways), END)
    output, route = _unread("response", graph), _unread("route", graph)
    for id, name in names.items():
        text = diagram.nodes[id] if diagram.nodes[id].strip() else name
        prompt = _BRACES.sub(lambda found: f"{{{{ '{found[0]}' }}}}", text)
        free = [way for way in leaving[name] if way.condition is None]
        settings: dict[str, Json] = {"prompt": prompt}
        words = {word for word in (normalized(way.choice) for way in free) if word and "\n" not in word}
        if len(words) == len(free) > 1:
            replies: list[Json] = [*_replies(free, far)]
            graph.declare_node(name, "llm_router", {**settings, "output": route, "replies": replies})
        else:
            reply = f"This is the scripted reply of {' '.join(name.split())}."
            graph.declare_node(name, "llm", {**settings, "output": output, "replies": [reply]})


def _unread(key: str, graph: StateGraph) -> str:
    """Find a key that no condition reads: a scripted reply is nothing to be asked about."""
    while key in graph.keys:
        key += "_"
    return key


def _replies(ways: Sequence[_Way], far: dict[str, int]) -> list[str]:
    """Choose each edge once, and from then on the one that leads to the end soonest."""
    last = min(ways, key=lambda way: far.get(way.target, len(far) + 1))
    others = [way.choice for way in ways if way is not last]
    return [*others[: _SCRIPTED - 1], last.choice]
