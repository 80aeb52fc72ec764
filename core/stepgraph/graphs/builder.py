"""The graph as it is built: on networkx, taking anything, and compiled into the plan that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..conditions import Always, Condition, KeyEquals
from ..nodes.base import BaseNode
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..tools.command_part import read_command
from ..tools.protocols import ToolEntry, ToolLike
from ..values.errors import ExpressionError, GraphError
from ..values.json_values import Json, plain
from ..values.problems import Place, Problem
from ..values.state import UNSET, Reducer, StateKey, ValueType
from .parts import (
    Edge,
    GraphParts,
    GraphSettings,
    Locator,
    NodeEntry,
    NodeLike,
    NodeReview,
    OnMaxSteps,
    OnNoMatch,
    ReviewPolicy,
    to_document,
)
from .plan import CompiledGraph

if TYPE_CHECKING:
    import networkx as nx

    from ..nodes.subgraph import SubgraphNode


class StateGraph:
    """The builder. It takes whatever it is given; ``compile`` reports everything that is wrong at once.

    Args:
        name: The graph's name.
        start: The node that runs first.
        max_steps: How many steps a run may complete.
        on_max_steps: What happens at the step limit: the run ends (``return_last``), ends with a mark
            (``flag``), or fails (``fail``).
        on_no_match: What happens when no edge matches: the run fails, or ends with outcome ``no_match``.
        feedback: Whether a node that is visited again sees its previous output.
        no_feedback: The nodes that never see it.
        max_seconds: How long the nodes of a run may take in all; no limit when None.
        max_cost: How many US dollars a run may spend on models; no limit when None.
        max_tokens: How many tokens a run may have models read and write; no limit when None.
        note: What the graph is for.
        review: After which nodes a person is asked, where a node itself does not say: none of them
            (``never``), each (``every``), or the one whose edge leads to END (``last``). Approval nodes ask
            already, and are left out.
        reviews: The terms of the graph's reviews, where a node does not say: deadline, approvers and more.
    """

    def __init__(
        self,
        name: str,
        *,
        start: str,
        max_steps: int = 50,
        on_max_steps: OnMaxSteps = "return_last",
        on_no_match: OnNoMatch = "fail",
        feedback: bool = True,
        no_feedback: Iterable[str] = (),
        max_seconds: float | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        note: str = "",
        review: ReviewPolicy = "never",
        reviews: ReviewTerms = NO_TERMS,
    ) -> None:
        quiet = tuple(no_feedback or ())
        self.settings = GraphSettings(
            name,
            start,
            max_steps,
            on_max_steps,
            on_no_match,
            max_seconds,
            max_cost,
            max_tokens,
            feedback,
            quiet,
            note,
            review,
            reviews,
        )
        self.keys: dict[str, StateKey] = {}
        """The declared keys of the state."""
        self.tools: dict[str, ToolEntry] = {}
        """The declared tools."""
        self.noted: list[Problem] = []
        """What was wrong with what was added and could not be kept in the model, such as duplicates."""
        self.source: Path | None = None
        """The file that the graph came from."""
        self.is_of_module = False
        """Whether a Python module has made it, which ``source`` names; never so for what a store has."""
        self.inside: tuple[Path, ...] = ()
        """The files of the graphs that it is a part of, the outermost first."""
        self.locate: Locator | None = None
        """Finds the line of a path in that file, such as ``("nodes", "draft", "prompt")``."""
        self._entries: dict[str, NodeEntry] = {}  # in the order of declaration, which networkx does not keep
        self._edges: list[Edge] = []
        self._choosers: dict[str, str] = {}  # the key of each node that chooses among its edges
        self._skipped = 0
        self._graph: nx.MultiDiGraph[str] | None = None

    def __repr__(self) -> str:
        return f"StateGraph({self.name!r}, nodes={len(self._entries)}, edges={len(self._edges)})"

    @property
    def name(self) -> str:
        """The graph's name."""
        return self.settings.name

    @property
    def nodes(self) -> dict[str, NodeEntry]:
        """The nodes that were added, in declaration order."""
        return dict(self._entries)

    @property
    def edges(self) -> list[Edge]:
        """All edges, in declaration order.

        One without a condition, out of a node that chooses among its edges, has that for a condition.
        """
        if not self._choosers:
            return list(self._edges)
        return [edge.chosen_by(self._choosers.get(edge.source)) for edge in self._edges]

    @property
    def graph(self) -> nx.MultiDiGraph[str]:
        """The graph as networkx has it; it keeps up with what is added later.

        Nodes carry their NodeEntry as ``entry`` (edge ends that were never added have none), edges their Edge
        as ``edge``. Filling it takes as long as all else of building a graph, and most graphs are never asked
        for it: it is filled when it is first read.
        """
        if self._graph is None:
            import networkx as nx

            self._graph = nx.MultiDiGraph()
            for entry in self._entries.values():
                self._graph.add_node(entry.name, entry=entry)
            for edge in self.edges:
                self._graph.add_edge(edge.source, edge.target, key=edge.index, edge=edge)
        return self._graph

    def add_key(
        self,
        name: str,
        *,
        reducer: Reducer = "replace",
        default: object = UNSET,
        type: ValueType | None = None,
        input: bool = False,
        secret: bool = False,
        note: str = "",
    ) -> None:
        """Declare a key of the state; keys that are not declared are allowed and plainly replaced.

        Args:
            name: The key.
            reducer: How updates merge: ``replace``; ``append`` (a list is concatenated, any other value
                becomes one item); ``merge`` (tables, one level deep).
            default: Its value at the start, copied for every run.
            type: ``text``, ``number``, ``boolean``, ``list`` or ``table``; anything when None.
            input: Whether it is asked for at the start.
            secret: Whether screens and exports mask it.
            note: What it is for.
        """
        given: object = name
        if not isinstance(given, str):
            self._note("G022", f"the state key {name!r} is not text", Place(), "name it by a text")
            return
        if name in self.keys:
            self._note(
                "G023", f"the state key {name!r} is declared twice", Place(key=f"state.{name}"), "remove one"
            )
            return
        self.keys[name] = StateKey(name, reducer, default, type, input, secret, note)

    def add_tool(
        self,
        name: str,
        tool: ToolLike | None = None,
        *,
        handler: str | None = None,
        returns: Json | None = None,
        side_effects: bool = False,
        requires_approval: bool = False,
        note: str = "",
        command: Mapping[str, Json] | None = None,
    ) -> None:
        """Declare a tool that the graph's nodes may use.

        Args:
            name: Its name, unique in the graph.
            tool: A function with type hints, or an object with ``execute``.
            handler: Or where its function is, as ``module:function``.
            returns: Or its scripted answers: a table, or a list with one for each visit.
            side_effects: Whether it changes the world outside the state.
            requires_approval: Whether a person must agree to each call: before a tool node runs, it is asked
                with the tool and its arguments. No setting of a node takes that away.
            note: What it is for.
            command: Or the program that it runs, as the keys of the tool's table in a graph file:
                ``{"command": ["git", "log"]}``.
        """
        given: object = name
        if not isinstance(given, str):
            self._note("G027", f"the tool name {name!r} is not text", Place(), "name it by a text")
        elif name in self.tools:
            place = Place(key=f"tools.{name}")
            self._note("G024", f"the tool {name!r} is declared twice", place, "rename one")
        else:
            about = side_effects, requires_approval, note
            try:
                runs = read_command(command) if command is not None else None
            except ValueError as error:
                wrong = f"the command of tool {name!r} cannot be read: {error}"
                self._note("G006", wrong, Place(key=f"tools.{name}"), "write it as in a graph file")
                runs = None
            self.tools[name] = ToolEntry(name, tool, handler, returns, *about, runs)

    def add_node(
        self,
        name: str,
        node: NodeLike,
        *,
        review: NodeReview | None = None,
        side_effects: bool = False,
        note: str = "",
        terms: ReviewTerms = NO_TERMS,
        timeout: str | float | None = None,
    ) -> None:
        """Add a node that is a Python object.

        Args:
            name: Its name, unique in the graph.
            node: A callable ``state -> dict | NodeResult``, or an object with ``execute``. A ``BaseNode`` is
                called by the graph's name for it; the same one may be added under several names.
            review: When a person is asked. ``before``: nothing has run; approve runs it, an edit changes keys
                of the state first, reject stops the run. ``after``: it has run, and its updates wait outside
                the state; approve merges them, an edit changes them first, reject merges them and stops the
                run. ``never`` takes it out of the graph's policy, and None leaves it to that.
            side_effects: Whether it changes the world outside the state.
            note: What it is for.
            terms: The terms of its reviews, be they a gate's or its own; what they leave out is left to the
                graph.
            timeout: How long a visit may take: ``"30s"``, ``"10m"``, or seconds. A visit that takes longer
                has failed, and nothing of it is merged. Any time when None.
        """
        given: object = node
        if given is None:
            hint = "give a function that takes the state, or an object with execute"
            self._note("G018", f"node {name!r} has nothing to run", Place(node=name), hint)
        self.add_entry(
            NodeEntry(
                name, node, review=review, side_effects=side_effects, note=note, terms=terms, timeout=timeout
            )
        )

    def declare_node(
        self,
        name: str,
        type: str,
        settings: Mapping[str, Json],
        *,
        review: NodeReview | None = None,
        side_effects: bool = False,
        note: str = "",
        terms: ReviewTerms = NO_TERMS,
        timeout: str | float | None = None,
    ) -> None:
        """Add a node by its registered type and settings, as a graph file does.

        Unlike a Python object it is part of the definition, and can be rebuilt from it.
        """
        common = (review, side_effects, note, terms, timeout)
        self.add_entry(NodeEntry.declared(name, type, settings, *common))

    def add_entry(self, entry: NodeEntry) -> None:
        """Add a node by its entry; ``add_node`` and ``declare_node`` make one."""
        name: object = entry.name
        if not isinstance(name, str):
            self._note("G003", f"the node name {entry.name!r} is not text", Place(), "name it by a text")
        elif name in self._entries:
            self._note(
                "G004", f"there are two nodes named {entry.name!r}", Place(node=entry.name), "rename one"
            )
        else:
            if isinstance(entry.node, BaseNode) and entry.node.name != name:
                entry = replace(entry, node=entry.node.named(name))
            self._entries[name] = entry
            key = entry.facts.chooses
            if key is not None:
                self._choosers[name] = key
                self._graph = None  # its edges may be there already
            if self._graph is not None:
                self._graph.add_node(name, entry=entry)

    def add_edge(
        self,
        source: str,
        target: str,
        when: Condition | Callable[..., bool] | str | None = None,
        label: str | None = None,
        note: str = "",
    ) -> None:
        """Add an edge after the node's other edges; the first that matches wins.

        Args:
            source: The node it leaves.
            target: The node it leads to, or END.
            when: None (always), the text of an expression, or a predicate ``context -> bool``.
            label: A short name for people.
            note: What it is for.
        """
        self.put_edge(Edge.asking(source, target, when, label, note))

    def add_conditional_edge(
        self, source: str, target: str, key: str, value: Json, label: str | None = None, note: str = ""
    ) -> None:
        """Add an edge that is taken when the state's ``key`` equals ``value`` as JSON does."""
        try:
            edge = Edge.asking(source, target, KeyEquals(key, value), label, note)
        except ExpressionError as error:
            edge = Edge(source, target, Always(), label, 0, error, note)
        self.put_edge(edge)

    def put_edge(self, edge: Edge) -> None:
        """Add an edge as it is, at the next position; ``add_edge`` makes one."""
        ends: tuple[object, object] = (edge.source, edge.target)
        if not (isinstance(ends[0], str) and isinstance(ends[1], str)):
            end = ends[1] if isinstance(ends[0], str) else ends[0]
            self._note("G012", f"an edge names {end!r}, which is not text", Place(), "give the node's name")
            return
        placed = edge.at(len(self._edges) + self._skipped)
        self._edges.append(placed)
        if self._graph is not None:
            placed = placed.chosen_by(self._choosers.get(placed.source))
            self._graph.add_edge(placed.source, placed.target, key=placed.index, edge=placed)

    def skip_edge(self) -> None:
        """Count an edge that could not be built, so that places name positions in the file."""
        self._skipped += 1

    def _note(self, code: str, message: str, place: Place, hint: str) -> None:
        self.noted.append(Problem(code, "error", message, place, hint))

    def compile(self) -> CompiledGraph:
        """Compile the plan that runs. Later changes to the builder do not reach the plan.

        Raises:
            GraphError: The graph has errors; ``.problems`` lists them all.
        """
        from .. import check

        errors = [problem for problem in check(self) if problem.is_error]
        if errors:
            count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
            raise GraphError(f"graph {self.name!r} has {count}", errors)
        return self.plan()

    @property
    def document(self) -> dict[str, Json]:
        """The definition as a table of JSON, with those of its subgraphs in it as far as they can be read.

        Raises:
            StateError: A default, a setting or a scripted result is not JSON.
        """
        if self._has_subgraphs:
            from .subgraphs import whole_document

            with suppress(GraphError):
                return whole_document(self)
        return to_document(self)

    @property
    def _has_subgraphs(self) -> bool:
        return any(entry.type == "subgraph" for entry in self._entries.values())

    def plan(self) -> CompiledGraph:
        """Build the plan as it is, right or wrong: enough to show a graph, not to run it."""
        parts: GraphParts = self
        whole = None
        if self._has_subgraphs:
            from .subgraphs import laid_out

            with suppress(GraphError):  # ``compile`` has told of it
                parts = laid = laid_out(self)
                whole = laid.document
        return CompiledGraph(
            parts.settings,
            MappingProxyType(dict(parts.nodes)),
            tuple(edge for edge in parts.edges if edge.source in parts.nodes),
            MappingProxyType({name: _own(key) for name, key in parts.keys.items()}),
            MappingProxyType(dict(parts.tools)),
            self.source,
            whole,
            self.is_of_module,
        )

    def of_module(self, source: Path) -> StateGraph:
        """Copy the builder, as a graph that a Python module has; what is added to one is not in the other.

        Args:
            source: The path of the module, with the name of the graph after it.
        """
        other = copy(self)
        other.keys, other.tools, other.noted = dict(self.keys), dict(self.tools), list(self.noted)
        other._entries, other._edges, other._choosers = self.nodes, list(self._edges), dict(self._choosers)
        other.source, other.is_of_module = source, True
        other.inside, other.locate, other._graph = (), None, None
        return other

    @classmethod
    def from_file(cls, path: str | Path) -> StateGraph:
        """Read a graph file. Nothing that it names is imported.

        Raises:
            GraphFileError: It cannot be read as a graph file; what is wrong inside it is left to
                ``compile``.
        """
        from ..files import read_graph

        return read_graph(Path(path))

    def child(self, node: SubgraphNode) -> StateGraph:
        """Read the graph that one of the nodes is. Nothing that it names is imported.

        Raises:
            GraphError: It cannot be read, is one of those that it is in, or is too deep inside.
        """
        from ..files import child_of

        return child_of(self, node)

    def to_file(self, path: str | Path) -> None:
        """Write the graph as a file, atomically.

        Raises:
            GraphError: It has parts that a file cannot hold, such as Python callables.
            GraphFileError: The file cannot be written.
        """
        from ..files import write_graph

        write_graph(self, Path(path))


def _own(key: StateKey) -> StateKey:
    """Copy a key's default, so that nobody else can change it."""
    return replace(key, default=plain(key.default, key.name)) if key.has_default else key
