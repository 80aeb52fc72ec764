"""Whatever interrupts an agent, each turn is asked for once and each tool is called once."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepgraph import (
    END,
    Decision,
    Executor,
    MemoryStore,
    RunStatus,
    StateGraph,
    StepgraphError,
    ToolRegistry,
)
from stepgraph.models.client import ModelReply, ModelRequest, ToolCall
from stepgraph.stores.ledger import calls_of
from tests.nodes.models import ChatScript, Reply

# What an agent does: a list of turns, each with the tools that it asks for, by number.
Turns = list[list[int]]
TURNS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), max_size=4)


class World:
    """A model with a plan, tools that can be told to fail the visit, and what was really done."""

    def __init__(self, turns: Turns, failures: set[int], native: bool, same: bool) -> None:
        self.turns = turns
        self.failures = failures
        """Which of the model's calls fail, counted from 1 over the whole run."""
        self.native = native
        self.same = same
        """Whether all calls of a tool have the same arguments."""
        self.asked = 0
        self.answered: Counter[int] = Counter()
        """How often each turn was answered."""
        self.done: list[tuple[int, int]] = []
        """The tools that were called, with their arguments."""

    def reply(self, request: ModelRequest) -> Reply:
        """Say the next turn: it is known by how many the conversation has."""
        self.asked += 1
        if self.asked in self.failures:
            return TimeoutError("slow")
        turn = sum(message.role == "assistant" for message in request.messages)
        self.answered[turn] += 1
        if turn == len(self.turns):
            return "Done."
        calls = [
            ToolCall(
                f"t{tool}", {"n": 0 if self.same else turn * 10 + at}, f"{turn}-{at}" if self.native else ""
            )
            for at, tool in enumerate(self.turns[turn])
        ]
        if self.native:
            return ModelReply(f"turn {turn}", tuple(calls))
        return "\n".join(
            [f"turn {turn}", *(f'CALL_TOOL: {call.name} {{"n": {call.arguments["n"]}}}' for call in calls)]
        )

    def tools(self) -> ToolRegistry:
        """Tools of which every other one asks a person first."""
        registry = ToolRegistry()
        for tool in range(4):
            registry.register(f"t{tool}", _tool(self, tool), requires_approval=tool % 2 == 1)
        return registry


def _tool(world: World, tool: int) -> Any:
    def call(n: int) -> dict[str, Any]:
        world.done.append((tool, n))
        if tool == 0:
            raise StepgraphError("it is closed", hint="come back tomorrow")
        return {"did": n}

    return call


@given(
    TURNS,
    st.sets(st.integers(1, 12), max_size=5),
    st.booleans(),
    st.booleans(),
    st.lists(st.sampled_from(["approve", "reject", "edit"]), max_size=12),
)
def test_each_turn_is_asked_for_once_and_each_tool_called_once(
    turns: Turns, failures: set[int], native: bool, same: bool, verbs: list[str]
) -> None:
    world = World(turns, failures, native, same)
    graph = StateGraph("g", start="agent")
    graph.add_key("m", reducer="append")
    tools = [f"t{tool}" for tool in range(4)]
    settings: dict[str, Any] = {"prompt": "x", "tools": tools, "messages": "m", "max_errors": 99}
    graph.declare_node("agent", "agent", settings)
    graph.add_edge("agent", END)
    plan, store, model = graph.compile(), MemoryStore(), ChatScript(world.reply)

    def executor() -> Executor:  # another one each time, as another process has it
        return Executor(plan, store, tools=world.tools(), models={"default": model})

    run = executor().run(executor().start({}, run_id="r"))
    decided = list(verbs)
    expected: list[tuple[int, int]] = []
    while run.status is not RunStatus.ENDED:
        if run.status is RunStatus.FAILED:
            assert "slow" in str(run.error)
            run = executor().retry("r")
            continue
        assert run.pending is not None
        request = run.pending.request
        n = int(str(request.arguments["n"]))
        verb = decided.pop() if decided else "approve"
        decision = {
            "approve": Decision.approve(by="ana"),
            "reject": Decision.reject(by="ana"),
            "edit": Decision.edit({"n": n + 100}, by="ana"),
        }[verb]
        if verb != "reject":
            expected.append((int(request.action[1:]), n + 100 * (verb == "edit")))
        run = executor().resume("r", decision)

    assert world.answered == Counter(range(len(turns) + 1))
    assert [done for done in world.done if done[0] % 2 == 1] == expected
    free = [
        (tool, 0 if same else turn * 10 + at)
        for turn, asked in enumerate(turns)
        for at, tool in enumerate(asked)
        if tool % 2 == 0
    ]
    assert [done for done in world.done if done[0] % 2 == 0] == free

    # The ledger has each of them once, and the conversation is whole.
    record = run.history[-1]
    tried = [call for call in record.calls if call["kind"] == "model" and "error" in call]
    assert len(tried) == world.asked - len(turns) - 1
    made = Counter(call["kind"] for call in record.calls if call not in tried)
    assert made == Counter(model=len(turns) + 1, tool=len(world.done))
    rows = [row for row in store.rows("r") if row.kind in ("attempt", "review", "step")]
    assert sum(len(calls_of(row)) for row in rows) == len(record.calls)
    said: Any = run.values["m"]
    results = [message for message in said if message["role"] == "tool"]
    assert len(results) == sum(map(len, turns))
    assert len({message["tool_call_id"] for message in results}) == len(results)
