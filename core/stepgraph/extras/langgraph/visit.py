"""One visit of a LangGraph node, run by LangGraph itself: what it wrote, where it leads, and what it asks."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

import langgraph.errors
import langgraph.graph
from langchain_core.callbacks import BaseCallbackHandler
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.types import Command, Interrupt, Overwrite, Send, StateSnapshot

from ...values.errors import NodeFailed
from ...values.messages import error_detail, some_of
from .event_loop import awaited
from .loaded import BEGINS
from .standing import stand_again, written_standing
from .ways import START

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph

    from ...values.json_values import Json
    from .loaded import LoadedGraph


class _Task:
    """What one task of a node has returned."""

    def __init__(self) -> None:
        self.wrote: Any = None
        self.routed: dict[str, Any] = {}


class Heard(BaseCallbackHandler):
    """Hears what a node and its routers return, task by task.

    Args:
        node: The node.
        routers: Their names in the graph, by the names that LangChain reports.
    """

    run_inline = True

    def __init__(self, node: str, routers: Mapping[str, str]) -> None:
        self._node, self._routers = node, routers
        self._root: UUID | None = None
        self._tasks: dict[str, _Task] = {}
        self._own: dict[UUID, _Task] = {}
        self._running: dict[UUID, tuple[_Task, str]] = {}

    def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        name: str = "",
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Note that the graph, a task of the node, or a router after it begins."""
        if parent_run_id is None:
            self._root = run_id
        elif parent_run_id == self._root and name == self._node:
            path = str((metadata or {}).get("langgraph_path"))
            self._own[run_id] = self._tasks[path] = _Task()  # a task that runs again starts over
        elif parent_run_id in self._own and name in self._routers:
            self._running[run_id] = self._own[parent_run_id], self._routers[name]

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """Keep what a task or a router returned."""
        if run_id in self._running:
            task, router = self._running.pop(run_id)
            task.routed[router] = outputs
        elif run_id in self._own:
            self._own[run_id].wrote = outputs

    @property
    def wrote(self) -> Any:
        """What the node returned; of several tasks all that they did."""
        wrote = [task.wrote for task in self._tasks.values()]
        return wrote[0] if len(wrote) == 1 else wrote or None

    @property
    def returned(self) -> dict[str, list[Any]]:
        """What each router returned, of all tasks."""
        found: dict[str, list[Any]] = {}
        for task in self._tasks.values():
            for router, returned in task.routed.items():
                found.setdefault(router, []).extend(
                    returned if isinstance(returned, (list, tuple)) else (returned,)
                )
        return found


@dataclass(frozen=True, slots=True)
class Visited:
    """What LangGraph did on a visit."""

    values: Mapping[str, Any]
    """The state after it, all keys that have a value."""
    target: str
    """Where the run goes from here, by LangGraph's name; its END for the end."""
    wrote: Any
    """What the node itself returned, before the reducers; a list where several tasks were sent to it."""
    returned: Mapping[str, Sequence[Any]]
    """What the routers after it returned, by their names; of each task of the node, where it had several."""
    interrupt: Interrupt | None
    """What it asks a person; then it has not finished, and nothing else here counts."""
    sends: Sequence[Send] = ()
    """What it sends there by ``Send``: a task of that node for each; empty where an edge leads there."""
    refused: str = ""
    """Why the last answer was not taken; empty where it was."""
    standing: Json = None
    """Where LangGraph stands, for a visit that continues from there; None where the node begins again."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a visit begins with."""

    node: str
    values: Mapping[str, Any]
    """The keys that have a value."""
    as_input: bool
    """Whether they are a run's inputs, which the reducers have not seen."""
    sends: Sequence[Send] = ()
    """What was sent to the node: a task for each, instead of one with the state."""
    answers: Sequence[Any] = ()
    """What people have answered to what the node asked on this visit, oldest first; since it stood there."""
    standing: Json = None
    """Where LangGraph stood when it asked; None where the node starts over."""
    run_id: str = ""
    steps_left: int = 0
    """How many steps the run may still take, this one included."""
    configurable: Mapping[str, Any] = field(default_factory=dict)
    context: Any = None


def visit(loaded: LoadedGraph, given: Given) -> Visited:
    """Run one node of a graph with LangGraph.

    Raises:
        NodeFailed: It did what cannot be carried.
        Exception: Whatever the node raises.
    """
    try:
        return _LangGraphRun(loaded, given).result()
    except NotImplementedError as error:
        if not _is_of_langchain(error) or not loaded.awaits_instead(given.node):
            raise
        return _LangGraphRun(loaded, given).result()


def _is_of_langchain(error: NotImplementedError) -> bool:
    """Check whether LangChain says that a tool, a middleware or a model can only be awaited: none has run."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and str(last.tb_frame.f_globals.get("__name__")).startswith("langchain")


_ONE_AND_THE_STREAM = 2
"""Threads for one task at a time: what reads its stream takes one, and with none left both would wait."""
_LEAST = 2
"""Steps that LangGraph may take at least: it counts one more to see that a run has ended."""


def _goes_by_id(answer: Any) -> bool:
    """Check whether an answer is one that LangGraph takes for none, unless it stands by the question's id."""
    return answer is None or answer == {}


class _AsItIs(SerializerProtocol):
    """Keeps values in memory, as they are: what a checkpoint of one visit holds never leaves this process."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        self._kept.append(_copied(obj))
        return "kept", str(len(self._kept) - 1).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        return _copied(self._kept[int(data[1])])


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # what cannot be copied cannot be changed by halves, either
        return value


class _LangGraphRun:
    def __init__(self, loaded: LoadedGraph, given: Given) -> None:
        self._loaded, self._given = loaded, given
        self._starts = given.node == START
        self._saver = InMemorySaver(serde=_AsItIs())
        self._untracked: dict[str, Any] = {}
        stops: dict[str, Any] = {"interrupt_before_nodes": [], "interrupt_after_nodes": []}
        original = loaded.compiled if self._starts else loaded.stepper
        self._graph: CompiledStateGraph[Any, Any, Any, Any] = original.copy(
            {"checkpointer": self._saver, "store": loaded.store, **stops}
        )
        branches = loaded.builder.branches.get(given.node, {})
        self._heard = Heard(given.node, {branch.path.get_name(): name for name, branch in branches.items()})
        self._thread = given.run_id or "stepgraph"
        own = {"thread_id": self._thread, BEGINS: list(given.sends) or given.node}
        self._config: RunnableConfig = {
            "configurable": {**given.configurable, **own},
            "callbacks": [self._heard],
            "recursion_limit": max(_LEAST, given.steps_left),
        }
        limit = (loaded.compiled.config or {}).get("max_concurrency")
        self._is_awaited = loaded.is_awaited(given.node)
        if given.sends or limit == 1:  # tasks run one after the other
            self._config["max_concurrency"] = 1 if self._is_awaited else _ONE_AND_THE_STREAM

    def result(self) -> Visited:
        """Run the node, with all answers that there are, and look where LangGraph stands then."""
        given = self._given
        if given.standing is not None:
            stand_again(self._saver, self._thread, given.standing, self._loaded.values)
            if not given.answers:
                self._run(None)
        else:
            # One that asks takes its first answer at once; what is given by the question's id waits for it.
            one_asks = bool(given.answers) and len(given.sends) < 2 and not _goes_by_id(given.answers[0])
            self._run(self._inputs(), before=self._starts or one_asks)
        taken: list[Any] = []
        refused = ""
        for answer in given.answers:
            try:
                self._answer(answer)
                taken.append(answer)
                refused = ""
            except Exception as error:
                if not _is_invalid_resume(error):
                    raise
                refused = f"{type(error).__name__}{error_detail(error)}"
        if not refused:
            return self._read_visited()
        asking = _LangGraphRun(self._loaded, replace(given, answers=taken))  # it has not kept what it asked
        return replace(asking.result(), refused=refused)

    def _answer(self, answer: Any) -> None:
        """Answer the first task that asks; where several do, LangGraph wants to know which."""
        asked = _waiting(self._graph.get_state(self._config))
        by_id = len(asked) > 1 or _goes_by_id(answer)
        self._run(Command(resume={asked[0].id: answer} if by_id else answer))

    def _inputs(self) -> dict[str, Any]:
        """Return the state as LangGraph takes it: past the reducers, unless they have not seen it yet."""
        given, channels = self._given, self._loaded.builder.channels
        if given.as_input:
            return {name: given.values[name] for name in self._loaded.inputs if name in given.values}
        reduced = (BinaryOperatorAggregate, DeltaChannel)
        return {
            name: Overwrite(value) if isinstance(channels[name], reduced) else value
            for name, value in given.values.items()
        }

    def _run(self, what: Any, *, before: bool = False) -> None:
        """Run to the next place where LangGraph stops: before the next node, or behind this one."""
        stops: dict[str, Any] = {"interrupt_before": "*"} if before else {"interrupt_after": "*"}
        self._untracked = {}
        options: dict[str, Any] = {"stream_mode": ["custom"], "context": self._given.context, **stops}
        if self._loaded.untracked:  # no checkpoint has them
            options |= {"stream_mode": ["custom", "values"], "output_keys": [*self._loaded.untracked]}
        if self._is_awaited:
            awaited(lambda: self._stream(what, options))
        else:
            for mode, part in self._graph.stream(what, self._config, **options):
                self._hear(mode, part)

    async def _stream(self, what: Any, options: dict[str, Any]) -> None:
        async for mode, part in self._graph.astream(what, self._config, **options):
            self._hear(mode, part)

    def _hear(self, mode: str, part: Any) -> None:
        """Take a part of LangGraph's stream: untracked values, or what the node itself writes to it."""
        if mode == "values":
            self._untracked = part or {}
        else:
            print(part)  # as the node's own output: it goes wherever that does

    def _read_visited(self) -> Visited:
        heard, state = self._heard, self._graph.get_state(self._config)
        asked = _waiting(state)
        if asked and not self._starts:
            return Visited({}, "", None, {}, asked[0], standing=self._standing())
        sends, waiting = self._pending()
        targets = list(dict.fromkeys(state.next))
        by_edge = len(state.next) - len(sends)
        if waiting > by_edge:
            nodes = self._loaded.builder.nodes.items()
            targets += [name for name, node in nodes if node.defer and name not in targets]
        if len(targets) > 1 or (sends and by_edge):
            sent_to = list(dict.fromkeys(each.node for each in sends))
            sent = f" ({some_of(sent_to, 5)} by Send)" if sends else ""
            raise NodeFailed(
                f"it leads to {some_of(targets, 5)} at once{sent}: a parallel superstep, and Stepgraph runs "
                "one node at a time",
                hint="let the router, the Command or the edge name one node, or send to one node alone",
            )
        target = targets[0] if targets else langgraph.graph.END
        return Visited({**state.values, **self._untracked}, target, heard.wrote, heard.returned, None, sends)

    def _standing(self) -> Json:
        """Write where LangGraph stands, unless all that it would do there is to execute the node again."""
        inside = any(each.config["configurable"]["checkpoint_ns"] for each in self._saver.list(None))
        if not inside and len(self._given.sends) < 2:
            return None
        return written_standing(self._saver, self._loaded.values)

    def _pending(self) -> tuple[list[Send], int]:
        """Find what was sent to the next nodes, in LangGraph's order, and how many nodes edges lead to.

        The latter counts those that are deferred, which LangGraph does not call next while others run.
        """
        saved = self._saver.get_tuple(self._config)
        builder = self._loaded.builder
        held = saved.checkpoint["channel_values"] if saved is not None else {}
        sends: list[Send] = []
        waiting = 0
        for value in (value for name, value in held.items() if name not in builder.channels):
            if isinstance(value, list) and all(isinstance(each, Send) for each in value):
                sends += (each for each in value if each.node in builder.nodes)
            else:
                waiting += 1
        return sends, waiting


def _waiting(state: StateSnapshot) -> list[Interrupt]:
    """Return what waits for an answer; older versions of LangGraph list finished tasks' questions, too."""
    return [each for task in state.tasks if not task.result for each in task.interrupts]


def _is_invalid_resume(error: Exception) -> bool:
    """Check whether an answer did not fit what was asked for; LangGraph says so since it takes schemas."""
    tells = getattr(langgraph.errors, "is_invalid_resume", None)
    return tells is not None and bool(tells(error))
