"""The node type ``subgraph``: a graph file as a node.

A graph that has one is run as one graph: the nodes of the other file are nodes of it, ``sub/draft``, between
the node itself, where the run comes in, and ``sub/END``, where it goes out. So all that runs have, steps,
pauses, retries, breakpoints, past states, is there inside of a subgraph too (see ``graphs.subgraphs``).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..templates.template import rendered, templates_in
from ..values.declared import Declared, field
from ..values.errors import NodeFailed
from ..values.json_values import Json, copy_json
from ..values.problems import did_you_mean
from ..values.state import Scope
from .base import BaseNode, JsonTable, NodeFacts, NodeResult, holding

if TYPE_CHECKING:
    from ..values.state import State


class SubgraphSettings(Declared):
    """The settings of a ``subgraph`` node."""

    graph: str = field(
        "",
        description="The graph file; it stands beside this one.",
        examples=["other.toml"],
    )
    inputs: JsonTable = field(
        default_factory=dict,
        description="Initial values of its state; texts are templates over this graph's state.",
        examples=[{"ticket": "{{ ticket }}"}],
        json_schema_extra=holding("template"),
    )
    outputs: dict[str, str] = field(
        default_factory=dict,
        description="Keys of this graph's state, each set from a key of its state at the end.",
        examples=[{"answer": "answer"}],
        json_schema_extra=holding(None, keys="key"),
    )
    definition: JsonTable | None = field(
        None,
        description="The graph's tables instead of a file; runs keep them in their store.",
    )

    def _check(self) -> None:
        """Refuse what names no graph file beside this one."""
        if not self.graph and self.definition is None:
            raise ValueError("'graph' is missing: name the file that lies beside this one")
        if any(sign in self.graph for sign in "/\\\0") or self.graph in (".", ".."):
            raise ValueError(
                f"'graph' is {self.graph!r}: name a file in the folder of this one, without a path"
            )


class SubgraphNode(BaseNode):
    """Runs another graph file inside this one.

    It is entered with ``inputs``, over the defaults of its keys, and left at its END, where ``outputs`` are
    taken out of it; then its state is gone. What it put out is what its last node put out.
    """

    type: ClassVar[str] = "subgraph"
    Settings = SubgraphSettings
    settings: SubgraphSettings

    scope: Scope | None = None
    """The names inside; None while the other graph was not read."""
    defaults: Mapping[str, Json] = {}
    """What its state starts with where no input says otherwise."""

    def around(self, scope: Scope, defaults: Mapping[str, Json]) -> Self:
        """Copy the node for a graph that runs: the names inside, and what the state there starts with."""
        node = copy.copy(self)
        node.scope, node.defaults = scope, defaults
        return node

    def execute(self, state: State) -> NodeResult:
        """Enter: write what the state inside starts with."""
        scope = self.scope
        if scope is None:
            hint = "compile the graph that names it"
            raise NodeFailed(f"the graph {self.settings.graph!r} was not read", hint=hint)
        given = rendered(dict(self.settings.inputs), "inputs", state)
        assert isinstance(given, dict)  # noqa: S101  # as the table that it was rendered from
        values = {**{key: copy_json(value) for key, value in self.defaults.items()}, **given}
        left = dict.fromkeys(key for key in state if scope.has(key))  # by somebody who wrote such a name
        return NodeResult({**left, **scope.without({key: x for key, x in values.items() if x is not None})})

    def facts(self) -> NodeFacts:
        """Declare its inputs, and the keys that take something of what it ended with."""
        settings = self.settings
        texts = templates_in(dict(settings.inputs), "inputs")
        return NodeFacts(templates=tuple(texts), writes=frozenset(settings.outputs))


class SubgraphExit(BaseNode):
    """Leaves a subgraph: takes out what the graph around it wants, and clears the rest.

    Args:
        name: What the graph around calls it.
        scope: The names inside.
        outputs: The keys outside that take a key of the inside.
    """

    type: ClassVar[str] = "subgraph"

    def __init__(self, name: str, scope: Scope, outputs: Mapping[str, str]) -> None:
        super().__init__(name)
        self._scope, self._outputs = scope, outputs

    def execute(self, state: State) -> NodeResult:
        """Leave.

        Raises:
            NodeFailed: The state inside has no such key.
        """
        scope = self._scope
        inside = scope.within({key: state[key] for key in state if scope.has(key)})
        updates: dict[str, Any] = dict.fromkeys(scope.without(inside))
        for key, source in self._outputs.items():
            if source not in inside:
                hint = did_you_mean(source, inside, listing="it has")
                raise NodeFailed(f"the subgraph {scope.node!r} has ended without {source!r}", hint=hint)
            updates[key] = inside[source]
        return NodeResult(updates, state.last_output)

    def facts(self) -> NodeFacts:
        """Declare the keys of the inside that it takes out, and the keys that take them."""
        taken = frozenset(map(self._scope.outer, self._outputs.values()))
        return NodeFacts(reads=taken, writes=frozenset(self._outputs))
