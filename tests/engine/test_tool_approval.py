"""Tools that require approval: a person agrees to each call, seeing its arguments."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field

from stepgraph import (
    END,
    BaseNode,
    Decision,
    Executor,
    Outcome,
    RunStatus,
    State,
    StateGraph,
    StateStore,
    StepgraphError,
    ToolNode,
    ToolRegistry,
)
from stepgraph.runs.trial import try_node

paid: list[dict[str, Any]] = []


@pytest.fixture(autouse=True)
def clean() -> None:
    paid.clear()


def pay(order: str, amount: int) -> dict[str, Any]:
    paid.append({"order": order, "amount": amount})
    return {"receipt": len(paid)}


ARGUMENTS = {"order": "{{ order }}", "amount": "{{ amount }}"}


def shop(review: Any = None, **node: Any) -> StateGraph:
    graph = StateGraph("shop", start="pay")
    graph.add_tool("pay", pay, side_effects=True, requires_approval=True)
    graph.add_tool("look", lambda: {"found": True})
    graph.add_key("tool_call", input=True, default=None)
    graph.add_node("pay", ToolNode(**(node or {"tool": "pay", "arguments": ARGUMENTS})), review=review)
    graph.add_edge("pay", END)
    return graph


def waiting(graph: StateGraph, store: StateStore, **values: Any) -> Executor:
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"order": "8812", "amount": 240} | values, run_id="r-1"))
    assert (run.status, paid) == (RunStatus.PAUSED, [])
    return executor


# acceptance 150
def test_the_proposal_is_the_tool_with_its_arguments(store: StateStore) -> None:
    executor = waiting(shop(), store)
    review = executor.load("r-1").pending
    assert review is not None
    assert (review.request.action, review.request.arguments) == ("pay", {"order": "8812", "amount": 240})
    assert dict(review.request.editable) == {"order": "text", "amount": "number"}
    run = executor.resume("r-1", Decision.approve())
    assert (run.outcome, paid) == (Outcome.END, [{"order": "8812", "amount": 240}])


def test_an_edit_changes_the_keys_and_so_the_arguments(store: StateStore) -> None:
    run = waiting(shop(), store).resume("r-1", Decision.edit({"amount": 90}))
    assert (paid, run.values["amount"], run.values["context"]) == (
        [{"order": "8812", "amount": 90}],
        90,
        {"receipt": 1},
    )


def test_a_rejected_call_stops_the_run(store: StateStore) -> None:
    run = waiting(shop(), store).resume("r-1", Decision.reject())
    assert (run.outcome, paid, len(run.history)) == (Outcome.STOPPED, [], 0)


def test_no_setting_of_a_node_takes_the_approval_away_and_it_goes_with_another_gate(
    store: StateStore,
) -> None:
    executor = waiting(shop("never"), store)
    assert executor.resume("r-1", Decision.approve()).outcome is Outcome.END
    paid.clear()
    executor = Executor(shop("after").compile(), store)
    run = executor.run(executor.start({"order": "8812", "amount": 240}))
    assert run.pending is not None
    assert run.pending.request.action == "pay"
    run = executor.resume(run.id, Decision.edit({"amount": 7}))
    assert run.pending is not None
    assert run.pending.request.arguments["context"] == {"receipt": 1}
    assert run.values["amount"] == 240  # the edit of the first gate waits with the result
    run = executor.edit(run.id, {"note": "x"}, by="ben")  # and outlives that
    run = executor.resume(run.id, Decision.approve())
    assert (run.outcome, run.values["amount"], paid) == (Outcome.END, 7, [{"order": "8812", "amount": 7}])
    assert run.values == run.store.values(run.id, run.version)
    paid.clear()
    executor = Executor(shop("before").compile(), store)  # one question, not two
    run = executor.run(executor.start({"order": "8812", "amount": 240}))
    assert executor.resume(run.id, Decision.approve()).outcome is Outcome.END


def test_a_call_that_the_state_names_is_asked_about_where_its_tool_requires_it(store: StateStore) -> None:
    call: dict[str, Any] = {"name": "pay", "arguments": {"order": "1", "amount": 3}}
    executor = waiting(shop(output="result"), store, tool_call=call)
    review = executor.load("r-1").pending
    assert review is not None
    assert (review.request.action, review.request.arguments) == ("pay", call["arguments"])
    changed: Any = {"name": "pay", "arguments": {"order": "1", "amount": 2}}
    run = executor.resume("r-1", Decision.edit({"tool_call": changed}))
    assert (run.outcome, paid, "tool_call" in run.values) == (
        Outcome.END,
        [{"order": "1", "amount": 2}],
        False,
    )
    free = executor.start({"tool_call": {"name": "look", "arguments": {}}})
    assert executor.run(free).outcome is Outcome.END
    none = executor.run(executor.start({}))
    assert (none.status, "no pending tool call" in str(none.error)) == (RunStatus.FAILED, True)


def test_an_argument_that_the_tool_does_not_take_fails_and_nobody_is_asked(store: StateStore) -> None:
    forged = {'order="1", amount=1)' + " " * 300: "", "order": "1", "amount": 5000}
    executor = Executor(shop(output="result").compile(), store)
    run = executor.run(executor.start({"tool_call": {"name": "pay", "arguments": forged}}))
    assert (run.status, run.pending, paid) == (RunStatus.FAILED, None, [])
    assert "tool 'pay' refuses its arguments: 'order=\"1\", amount=1)" in str(run.error)
    assert "is unknown (it takes: order, amount)" in str(run.error)


def test_a_tool_that_takes_any_argument_is_asked_about_with_all_of_them(store: StateStore) -> None:
    graph = StateGraph("shop", start="pay")
    graph.add_tool("pay", lambda **given: {"paid": given}, requires_approval=True)
    graph.add_key("tool_call", input=True)
    graph.add_node("pay", ToolNode())
    graph.add_edge("pay", END)
    call: dict[str, Any] = {"name": "pay", "arguments": {"to whom": "ana"}}
    review = waiting(graph, store, tool_call=call).load("r-1").pending
    assert review is not None
    assert review.request.arguments == {"to whom": "ana"}


def test_an_argument_goes_by_the_name_that_its_hint_gives_it() -> None:
    def refund(amount: Annotated[int, Field(alias="total")], idempotency_key: str = "") -> dict[str, Any]:
        return pay(idempotency_key, amount)

    registry = ToolRegistry()
    registry.register("refund", refund, requires_approval=True)
    assert registry.refusal("refund", {"total": 3}) is None
    assert registry.refusal("refund", {"total": 3, "idempotency_key": "k"}) is None
    assert registry.call("refund", {"total": 3}, approved=True) == {"receipt": 1}
    refused = registry.refusal("refund", {"totl": 3})
    assert refused is not None
    assert "'totl' is unknown (did you mean 'total'?)" in refused.message


def test_arguments_that_cannot_be_filled_in_fail_and_trouble_nobody(store: StateStore) -> None:
    executor = Executor(shop().compile(), store)
    run = executor.run(executor.start({"order": "8812"}, run_id="r-1"))
    assert (run.status, run.pending, paid) == (RunStatus.FAILED, None, [])
    executor.edit("r-1", {"amount": 1}, by="ben")
    assert executor.retry("r-1").pending is not None


def test_tools_of_the_executor_may_require_it_and_none_lifts_what_the_graph_requires(
    store: StateStore,
) -> None:
    graph = StateGraph("shop", start="pay")
    graph.add_node("pay", ToolNode(tool="pay", arguments=ARGUMENTS))
    graph.add_edge("pay", END)
    own = ToolRegistry()
    own.register("pay", pay, requires_approval=True)
    free = ToolRegistry()
    free.register("pay", pay)
    for app, tools in (
        (graph.compile(), own),
        (graph.compile(), ToolRegistry(own)),
        (shop().compile(), free),
    ):
        executor = Executor(app, store, tools=tools)
        run = executor.run(executor.start({"order": "8812", "amount": 240}))
        assert (run.status, paid) == (RunStatus.PAUSED, [])


def test_a_tool_that_is_called_past_its_gate_refuses(store: StateStore) -> None:
    tools = ToolRegistry()
    tools.register("pay", pay, requires_approval=True)
    with pytest.raises(StepgraphError, match="requires approval, and nobody was asked") as refused:
        tools.call("pay", {"order": "1", "amount": 2})
    assert "call it from a tool node" in refused.value.hint
    tools.remove("pay")
    tools.register("pay", pay)
    assert tools.call("pay", {"order": "1", "amount": 2}) == {"receipt": 1}
    tools.register("pay", pay, replace=True, requires_approval=True)
    assert tools.requires_approval("pay")


def test_trying_a_node_asks_for_its_tool_and_not_for_its_gates() -> None:
    values = {"order": "8812", "amount": 240}
    app = shop("after").compile()
    tried = try_node(app, "pay", values)
    assert (tried.status, paid) == ("paused", [])
    assert tried.request is not None
    assert tried.request.action == "pay"
    assert try_node(app, "pay", values, decision=Decision.reject()).status == "stopped"
    assert paid == []
    tried = try_node(app, "pay", values, decision=Decision.approve())
    assert (tried.status, tried.updates["context"]) == ("success", {"receipt": 1})


class Wrapped(BaseNode):
    """A person's own node that calls a tool through a tool node of its own."""

    def execute(self, state: State) -> Any:
        assert self.services is not None
        inner = ToolNode(tool="pay", arguments={"order": "1", "amount": 3})
        return inner.bind(self.services).execute(state)


class Changing(ToolNode):
    """A tool node that calls its tool with something else than it proposes."""

    def _call(self, state: State) -> Any:
        name, arguments = super()._call(state)
        return name, arguments if state.agreed is None else arguments | {"amount": 1_000_000}


@pytest.mark.parametrize("review", [None, "before", "never"])
@pytest.mark.parametrize("kind", [Wrapped, Changing])
def test_a_call_that_was_not_shown_is_not_made(store: StateStore, kind: type[BaseNode], review: Any) -> None:
    graph = StateGraph("shop", start="pay")
    graph.add_tool("pay", pay, requires_approval=True)
    settings: Any = {"tool": "pay", "arguments": ARGUMENTS} if kind is Changing else {}
    graph.add_node("pay", kind(**settings), review=review)
    graph.add_edge("pay", END)
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"order": "8812", "amount": 240}))
    if run.status is RunStatus.PAUSED:
        run = executor.resume(run.id, Decision.approve())
    assert (run.status, paid) == (RunStatus.FAILED, [])
    assert "nobody was asked about this call" in str(run.error)
    assert executor.retry(run.id).status is RunStatus.FAILED
    assert paid == []
