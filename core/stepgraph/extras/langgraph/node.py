"""The node type ``langgraph``: a node of a LangGraph graph, run by LangGraph itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ...models.client import digest_of
from ...nodes.base import BaseNode, Choice, JsonTable, NodeFacts, NodeResult, Services, holding
from ...values.declared import Declared, field
from ...values.errors import GraphError, NodeFailed
from ...values.json_values import Json, dumps, identical
from ...values.messages import some_of
from ...values.problems import Place, Problem, did_you_mean
from ...values.state import OWN
from . import BESIDE, CODE

if TYPE_CHECKING:
    from langgraph.types import Send

    from ...values.state import State
    from .loaded import LoadedGraph
    from .visit import Visited


class LangGraphSettings(Declared):
    """The settings of a ``langgraph`` node."""

    graph: str = field(
        min_length=1,
        description="Where the LangGraph graph is, as module:name.",
        examples=["my_agent:graph"],
    )
    node: str = field(min_length=1, description="The node of that graph.", examples=["agent"])
    route: str | None = field(
        None,
        min_length=1,
        description="The state key for the router's choice, if there are several edges.",
        json_schema_extra=holding("key"),
    )
    configurable: JsonTable = field(
        default_factory=dict,
        description="What the node finds under `configurable` in its config.",
        examples=[{"user_id": "ana"}],
    )
    context: JsonTable | None = field(
        None, description="The context of the runtime, by the graph's context schema."
    )


class LangGraphNode(BaseNode):
    """Runs one node of a LangGraph graph, with its routers.

    Its own function is called unchanged: reducers, schemas, retry policies, ``Command`` and the configuration
    are LangGraph's. What its routers return goes under its route key, and the edge of that label is taken. An
    ``interrupt()`` pauses the run until somebody answers.
    """

    type: ClassVar[str] = "langgraph"
    asks_again: ClassVar[bool] = True
    Settings = LangGraphSettings
    settings: LangGraphSettings

    _found: object = None
    _loaded: LoadedGraph | None = None

    def bind(self, services: Services) -> Self:
        """Copy this node, and look up its graph.

        Raises:
            GraphError: LangGraph is not installed, or the graph cannot be carried or has no such node.
            StepgraphError: The graph cannot be found.
        """
        bound = super().bind(services)
        ref, node = self.settings.graph, self.settings.node
        if services.find is None:
            raise GraphError(f"node {self.name!r} needs {ref!r}, and nothing may be imported here")
        if find_spec("langgraph") is None:
            message = f"node {self.name!r} is one of LangGraph's, and LangGraph is not installed"
            raise self._refused(message, "pip install 'stepgraph[langgraph]'", "type")
        found = services.find(ref)
        from .loaded import load  # and with it LangGraph

        loaded = load(found, ref)
        from .ways import START

        if node not in loaded.names or (node == START and not loaded.builder.branches.get(START)):
            hint = did_you_mean(node, loaded.builder.nodes, listing="it has")
            raise self._refused(f"node {self.name!r}: {ref!r} has no node {node!r}", hint, "node")
        bound._found, bound._loaded = found, loaded
        return bound

    def _refused(self, message: str, hint: str, key: str) -> GraphError:
        return GraphError(message, [Problem(CODE, "error", message, Place(node=self.name, key=key), hint)])

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that a person wrote for it; None before the node is bound, or where it is none."""
        from .inside import function_of
        from .ways import START

        if self._loaded is None or self.settings.node == START:
            return None
        return function_of(self._loaded.builder.nodes[self.settings.node].runnable)

    def execute(self, state: State) -> NodeResult:
        """Run the node, with what people have answered to it so far."""
        loaded = self._loaded
        if loaded is None:
            raise NodeFailed(
                f"{self.settings.graph!r} is not loaded", hint="run the node through an Executor"
            )
        from .factories import held
        from .loaded import load
        from .questions import answers_of, question
        from .visit import Given, visit

        if held(self._found) is not None:  # perhaps anew, in the loop of this thread
            loaded = load(self._found, self.settings.graph)
        before = _langgraph_values(state, loaded)
        answers, begun = answers_of(state.answers)
        kept = self._read_kept(state, before, len(answers)) if answers or begun else None
        new = answers if kept is None else answers[kept["answers"] :]
        given = Given(
            self.settings.node,
            loaded.read(before),
            BESIDE not in state,
            sends=self._sends(state, before, loaded),
            answers=new,
            standing=None if kept is None else kept["standing"],
            run_id=state.run_id,
            steps_left=loaded.limit - state.step + 1,
            configurable=self.settings.configurable,
            context=self._context(state, loaded),
        )
        done = visit(loaded, given)
        if done.interrupt is not None:
            if done.standing is not None:
                own = {"kind": OWN, "name": self.name, "digest": self._began_with(state, before)}
                state.keep({**own, "answers": len(answers), "standing": done.standing})
            return NodeResult.pause(question(self.name, done.interrupt, loaded.values, done.refused, begun))
        updates = self._updates(state, before, done, loaded)
        choice = self._choice(done, loaded)
        if choice is not None and self.settings.route is not None:
            updates[self.settings.route] = choice
        return NodeResult(updates, _output(done, loaded))

    def _context(self, state: State, loaded: LoadedGraph) -> Json:
        """Return the runtime's context: the node's own, the run's, or what the schema makes of nothing."""
        if self.settings.context is not None or loaded.context_key is None:
            return self.settings.context
        default: Json = {} if loaded.required_context == frozenset() else None
        return default if (given := state.get(loaded.context_key)) is None else given

    def _sends(self, state: State, before: Mapping[str, Json], loaded: LoadedGraph) -> list[Send]:
        """Read what was sent to this node; what was sent to another one is not for it."""
        from .beside import read_sends

        nodes = loaded.builder.nodes
        sends = read_sends(state.get(BESIDE), before, loaded.values)
        for each in sends:
            if each.node not in nodes:
                hint = did_you_mean(each.node, nodes, listing="it has")
                raise NodeFailed(
                    f'state["{BESIDE}"] sends to {each.node!r}, which the graph does not have', hint=hint
                )
        return [each for each in sends if each.node == self.settings.node]

    def _read_kept(self, state: State, before: Mapping[str, Json], answers: int) -> dict[str, Any] | None:
        """Find what the visit kept when it asked last, unless somebody has edited the state since.

        Raises:
            StateError: It is damaged.
        """
        began_with, found = self._began_with(state, before), None
        while (kept := state.recall(OWN, self.name, began_with)) is not None:
            found = kept
        if found is not None and (found.get("answers") not in range(answers + 1) or "standing" not in found):
            from .standing import damaged

            raise damaged()
        return found

    def _began_with(self, state: State, before: Mapping[str, Json]) -> str:
        return digest_of([self.settings.graph, self.settings.node, {**before}, state.get(BESIDE)])

    def _updates(
        self, state: State, before: Mapping[str, Json], done: Visited, loaded: LoadedGraph
    ) -> dict[str, Json]:
        """Write what has changed; a key that is gone, or has become None, is removed."""
        after = loaded.written(done.values)
        updates: dict[str, Json] = {
            name: value
            for name, value in after.items()
            if name not in before or not identical(before[name], value)
        }
        updates |= {name: None for name in before if name not in after}
        from .beside import written_beside

        beside = written_beside(after, done.sends, loaded.values)
        return updates if identical(state.get(BESIDE), beside) else {**updates, BESIDE: beside}

    def _choice(self, done: Visited, loaded: LoadedGraph) -> str | None:
        """Find what to write for the way that was taken; None where the node has only one.

        Raises:
            NodeFailed: The node went where it has not declared that it goes.
        """
        ways = loaded.ways(self.settings.node)
        way = ways.find_taken(done.target, done.returned)
        where = "ended the run" if done.target not in loaded.builder.nodes else f"went to {done.target!r}"
        if way is None and done.target in loaded.builder.nodes:
            raise NodeFailed(
                f"it {where}, which is not one of its declared destinations",
                hint="declare it: in the router's path_map, as Command[Literal[...]], or in destinations",
            )
        choices = self.services.choices if self.services is not None else ()
        target = loaded.names[done.target]
        if self.settings.route is None or not choices:
            if way is None:
                raise NodeFailed(
                    f"it {where}, although it declares that it never ends", hint="name END in its path_map"
                )
            return None
        label = target if way is None else way.label or target
        if way is None or any(choice.label == label for choice in choices):
            return label
        found = next((choice.label for choice in choices if choice.target == target), None)
        if found is None:
            named = some_of([_choice_name(choice) for choice in choices], 8)
            raise NodeFailed(
                f"it {where}, and no edge leads there: {named}", hint=f"add an edge to {target!r}"
            )
        return found

    def facts(self) -> NodeFacts:
        """Declare its route key, and the graph, whose module must be trusted."""
        return NodeFacts(chooses=self.settings.route, handlers=(self.settings.graph,))


def _choice_name(choice: Choice) -> str:
    return repr(choice.label)


def _langgraph_values(state: State, loaded: LoadedGraph) -> dict[str, Json]:
    """Read LangGraph's part of the state: the keys that have a value, also those that are None."""
    beside = state.get(BESIDE)
    nothing = beside.get("none", ()) if isinstance(beside, dict) else ()
    channels = loaded.builder.channels
    return {name: None for name in nothing if name in channels and name not in state} | {
        name: state[name] for name in state if name in channels
    }


def _output(done: Visited, loaded: LoadedGraph) -> str | None:
    """Write what the node itself returned, for people; None where the updates say it as well."""
    from langgraph.types import Command

    wrote = done.wrote
    if isinstance(wrote, Command):
        wrote = wrote.update
    try:
        return dumps(loaded.values.to_json(wrote, "the output"))
    except Exception:  # what cannot be written is in the updates, where it is refused
        return None
