"""The node type agent: a model that calls tools, turn after turn, in one visit."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    Decision,
    Executor,
    GraphError,
    MemoryStore,
    ReviewTerms,
    Run,
    RunStatus,
    StateGraph,
)
from stepgraph.models.messages import Message, ModelReply
from stepgraph.models.watch import CallBegan, CallEnded, CallEvent
from stepgraph.nodes.agent import AgentNode
from stepgraph.runs.bind import CallRules
from stepgraph.runs.decision_preview import edited_request, preview_verbs, waypoint
from stepgraph.runs.trial import try_node
from stepgraph.stores.calls import calls_of
from tests.nodes.models import ChatScript, Reply, TextScript, calling


class Desk:
    """A graph with one agent that searches and pays, and what its tools did."""

    def __init__(self, *replies: Reply, model: type[ChatScript] = ChatScript, **settings: Any) -> None:
        self.searched: list[str] = []
        self.paid: list[float] = []
        self.refuses = 0
        graph = StateGraph("desk", start="agent")
        graph.add_key("m", reducer="append")
        graph.add_tool("search", self.search)
        graph.add_tool("pay", self.pay, requires_approval=True, side_effects=True)
        settings = {"prompt": "Help with {{ ticket }}.", "tools": ["search", "pay"], **settings}
        graph.declare_node("agent", "agent", settings)
        graph.add_edge("agent", END)
        self.graph = graph
        self.model = model(replies)
        self.store = MemoryStore()
        self.events: list[CallEvent] = []

    def search(self, query: str) -> dict[str, Any]:
        """Search the handbook."""
        self.searched.append(query)
        if self.refuses:
            self.refuses -= 1
            raise TimeoutError("no answer")
        return {"found": query.upper()}

    def pay(self, amount: float) -> dict[str, Any]:
        """Pay an amount."""
        self.paid.append(amount)
        return {"paid": amount}

    @property
    def executor(self) -> Executor:
        """Another executor each time, as another process has it."""
        rules = CallRules(tell=self.events.append)
        return Executor(self.graph.compile(), self.store, models={"default": self.model}, calls=rules)

    def run(self) -> Run:
        """Start a run and go on until it pauses, fails or ends."""
        executor = self.executor
        return executor.run(executor.start({"ticket": "x"}, run_id="r"))

    def decide(self, decision: Decision) -> Run:
        """Decide, and go on."""
        return self.executor.resume("r", decision)


SEARCH = calling("search", "c1", query="refund")
PAY = calling("pay", "c2", "I pay.", amount=30)


IN_WORDS = 'I look.\nCALL_TOOL: search {"query": "refund"}'


@pytest.mark.parametrize(
    ("model", "first"), [(ChatScript, SEARCH), (ChatScript, IN_WORDS), (TextScript, IN_WORDS)]
)
def test_tools_are_called_until_there_is_an_answer(model: type[ChatScript], first: Reply) -> None:
    desk = Desk(first, "Done.", model=model)
    run = desk.run()
    assert run.values == {"ticket": "x", "response": "Done.", "next_action": "RESPOND"}
    assert desk.searched == ["refund"]
    assert run.step == 1
    assert "REFUND" in desk.model.requests[1].messages[-1].text
    calls = run.history[0].calls
    assert [call["kind"] for call in calls] == ["model", "tool", "model"]
    assert calls[1]["result"] == {"found": "REFUND"}


def test_a_native_model_is_told_the_tools_and_gets_results_by_id() -> None:
    desk = Desk(SEARCH, "Done.")
    desk.run()
    first, second = desk.model.requests
    assert [tool.name for tool in first.tools] == ["search", "pay"]
    assert first.messages == (Message("user", "Help with x."),)
    assert second.messages[1:] == (
        Message("assistant", "", SEARCH.tool_calls),
        Message("tool", '{"found":"REFUND"}', answers="c1"),
    )


def test_several_tools_of_one_turn_are_called_in_order() -> None:
    both = ModelReply("", SEARCH.tool_calls + calling("search", "c2", query="rain").tool_calls)
    desk = Desk(both, "Done.")
    desk.run()
    assert desk.searched == ["refund", "rain"]
    assert [message.answers for message in desk.model.requests[1].messages[-2:]] == ["c1", "c2"]


def test_each_turn_is_told_while_it_lasts() -> None:
    desk = Desk(SEARCH, "Done.")
    desk.run()
    told = [
        (type(event).__name__, event.place.kind)
        for event in desk.events
        if isinstance(event, (CallBegan, CallEnded))
    ]
    assert told == [
        (name, kind) for kind in ("model", "tool", "model") for name in ("CallBegan", "CallEnded")
    ]


def test_the_conversation_grows_by_all_turns() -> None:
    desk = Desk('CALL_TOOL: search {"query": "a"}', 'CALL_TOOL: search {"query": "b"}', "Done.", messages="m")
    said: Any = desk.run().values["m"]
    assert [message["role"] for message in said] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [message.get("tool_call_id") for message in said if message["role"] == "tool"] == [
        "call_1",
        "call_2",
    ]
    assert said[1] == {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"name": "search", "arguments": {"query": "a"}, "id": "call_1"}],
    }


# Approvals


def test_a_tool_that_requires_approval_pauses_the_visit_and_then_it_goes_on_where_it_stood() -> None:
    desk = Desk(SEARCH, PAY, "Paid.")
    run = desk.run()
    assert run.status is RunStatus.PAUSED
    assert run.pending is not None
    request = run.pending.request
    assert (request.action, request.arguments) == ("pay", {"amount": 30})
    assert desk.paid == []
    run = desk.decide(Decision.approve(by="ana"))
    assert run.values["response"] == "Paid."
    assert (desk.searched, desk.paid) == (["refund"], [30])
    assert len(desk.model.requests) == 3
    assert run.step == 1
    assert [call["kind"] for call in run.history[0].calls] == ["model", "tool", "model", "tool", "model"]
    assert [call["kind"] for call in calls_of(run.history[0].row)] == ["tool", "model"]


def test_a_reviewer_may_change_the_arguments_and_the_model_is_told() -> None:
    desk = Desk(PAY, "Paid.")
    review = desk.run().pending
    assert review is not None
    assert (review.request.editable, dict(review.values)) == ({"amount": "number"}, {"amount": 30})
    run = desk.decide(Decision.edit({"amount": 20}, by="ana"))
    assert desk.paid == [20]
    told = desk.model.requests[-1].messages[-1].text
    assert told == 'A person changed the arguments to {"amount":20}. The result:\n{"paid":20.0}'
    assert "amount" not in run.values


def test_a_rejected_call_is_not_made_and_the_model_is_told_why() -> None:
    desk = Desk(PAY, "I do not pay.")
    desk.run()
    run = desk.decide(Decision.reject(by="ana", comment="too much"))
    assert desk.paid == []
    assert desk.model.requests[-1].messages[-1].text == "The call was rejected: too much"
    assert run.values["response"] == "I do not pay."


def test_each_call_is_asked_about_by_itself_and_each_decision_is_for_one_call() -> None:
    desk = Desk(PAY, PAY, calling("pay", "c9", amount=7), "Paid.")
    desk.run()
    assert desk.decide(Decision.reject(by="ana")).status is RunStatus.PAUSED
    assert desk.decide(Decision.edit({"amount": 5}, by="ana")).status is RunStatus.PAUSED
    assert desk.paid == [5]
    run = desk.decide(Decision.approve(by="ana"))
    assert desk.paid == [5, 7]
    assert len(desk.model.requests) == 4
    assert run.values["response"] == "Paid."


def test_two_calls_of_one_turn_are_asked_about_one_after_the_other() -> None:
    both = ModelReply("", PAY.tool_calls + calling("pay", "c3", amount=4).tool_calls)
    desk = Desk(both, "Paid.")
    desk.run()
    assert desk.decide(Decision.approve(by="ana")).status is RunStatus.PAUSED
    assert desk.paid == [30]
    desk.decide(Decision.approve(by="ana"))
    assert desk.paid == [30, 4]


def test_canned_tools_that_require_approval_are_asked_about_once() -> None:
    desk = Desk(replies=['CALL_TOOL: give {"n": 1}', 'CALL_TOOL: give {"n": 2}', "Done."], tools=["give"])
    desk.graph.add_tool("give", returns=[{"n": 1}, {"n": 2}], requires_approval=True)
    desk.run()
    assert desk.decide(Decision.approve(by="ana")).status is RunStatus.PAUSED
    assert desk.decide(Decision.approve(by="ana")).values["response"] == "Done."


def test_an_edit_of_the_state_that_changes_the_prompt_asks_the_model_anew() -> None:
    desk = Desk(PAY, calling("pay", "c3", amount=3), "Paid.")
    desk.run()
    desk.executor.edit("r", {"ticket": "y"}, by="ana")
    executor = desk.executor
    run = executor.run(executor.load("r"))
    assert run.pending is not None
    assert run.pending.request.arguments == {"amount": 3}
    desk.decide(Decision.approve(by="ana"))
    assert desk.paid == [3]


def test_where_several_must_approve_nothing_is_offered_for_an_edit() -> None:
    desk = Desk(PAY, "Paid.")
    graph = StateGraph("g", start="two")
    graph.add_tool("pay", desk.pay, requires_approval=True)
    graph.declare_node("two", "agent", {"prompt": "x", "tools": ["pay"]}, terms=ReviewTerms(approvals=2))
    graph.add_edge("two", END)
    executor = Executor(graph.compile(), desk.store, models={"default": desk.model})
    run = executor.run(executor.start({}, run_id="r"))
    assert run.pending is not None
    assert run.pending.request.verbs == ("approve", "reject")
    executor.decide("r", Decision.approve(by="ana"))
    run = executor.resume("r", Decision.approve(by="ben"))
    assert desk.paid == [30]
    assert run.values["response"] == "Paid."


def test_a_review_tells_what_its_verbs_lead_to() -> None:
    desk = Desk(PAY, "Paid.")
    run = desk.run()
    plan = desk.graph.compile()
    assert run.pending is not None
    leads = preview_verbs(plan, run, run.pending)
    assert [(lead.verb, lead.kind) for lead in leads] == [
        (verb, "runs") for verb in ("approve", "edit", "reject")
    ]
    asked = edited_request(plan, run, run.pending, Decision.edit({"amount": 4}))
    assert asked is not None
    assert asked.arguments == {"amount": 4}
    assert waypoint(plan, "agent").asks
    assert waypoint(plan, "agent").side_effects


def test_a_trial_ends_with_the_question_and_takes_a_decision() -> None:
    desk = Desk(PAY, "Paid.")
    models = {"default": desk.model}
    plan = desk.graph.compile()
    tried = try_node(plan, "agent", {"ticket": "x"}, models=models)
    assert tried.request is not None
    assert tried.request.action == "pay"
    desk.model.requests.clear()
    tried = try_node(plan, "agent", {"ticket": "x"}, models=models, decision=Decision.approve(by="ana"))
    assert (tried.status, tried.output, desk.paid) == ("success", "Paid.", [30])


# Failures


def test_a_retry_asks_no_turn_and_calls_no_tool_twice() -> None:
    desk = Desk(SEARCH, TimeoutError("slow"), "Done.")
    run = desk.run()
    assert run.status is RunStatus.FAILED
    run = desk.executor.retry("r")
    assert run.values["response"] == "Done."
    assert desk.searched == ["refund"]
    assert len(desk.model.requests) == 3
    assert [call["kind"] for call in calls_of(run.history[0].row)] == ["model"]


def test_the_error_of_a_tool_is_told_to_the_model() -> None:
    desk = Desk(SEARCH, "I could not look.")
    desk.refuses = 1
    run = desk.run()
    assert run.values["response"] == "I could not look."
    assert (
        "The tool failed: tool 'search' raised TimeoutError: no answer"
        in desk.model.requests[1].messages[-1].text
    )
    assert "error" in run.history[0].calls[1]


def test_an_error_that_was_told_is_not_tried_again_after_a_pause() -> None:
    desk = Desk(SEARCH, PAY, "Paid.")
    desk.refuses = 1
    desk.run()
    desk.decide(Decision.approve(by="ana"))
    assert (desk.searched, desk.paid) == (["refund"], [30])
    assert len(desk.model.requests) == 3


def test_too_many_errors_in_a_row_fail_the_step_and_a_retry_calls_the_last_anew() -> None:
    desk = Desk(SEARCH, max_errors=1)
    desk.model = ChatScript([SEARCH, SEARCH, "Done."])
    desk.refuses = 2
    run = desk.run()
    assert "2 calls in a row failed, the last one so: tool 'search' raised TimeoutError" in str(run.error)
    run = desk.executor.retry("r")
    assert run.values["response"] == "Done."
    assert len(desk.searched) == 3
    assert len(desk.model.requests) == 3


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (calling("serch", query="x"), "There is no tool 'serch' (did you mean 'search'?)."),
        (calling("search", q="x"), "The tool failed: "),
        ("CALL_TOOL: search query", "a tool call that cannot be read"),
        (calling("other"), "There is no tool 'other'"),
    ],
)
def test_a_call_that_cannot_be_made_is_told_to_the_model(reply: Reply, told: str) -> None:
    desk = Desk(reply, "Done.")
    assert desk.run().values["response"] == "Done."
    assert told in desk.model.requests[1].messages[-1].text
    assert desk.searched == []


def test_nobody_is_asked_about_a_call_with_an_argument_that_the_tool_does_not_take() -> None:
    desk = Desk(calling("pay", amount=30, amuont=1), PAY, "Paid.", max_errors=1)
    review = desk.run().pending
    assert review is not None
    assert review.request.arguments == {"amount": 30}
    told = "The tool failed: tool 'pay' refuses its arguments: 'amuont' is unknown (did you mean 'amount'?)"
    assert desk.model.requests[1].messages[-1].text == told
    assert desk.decide(Decision.approve()).values["response"] == "Paid."


def test_what_cannot_be_read_counts_as_an_error() -> None:
    desk = Desk("CALL_TOOL: search", max_errors=2)
    assert "3 calls in a row failed" in str(desk.run().error)


def test_without_an_answer_it_fails_at_its_last_turn_and_a_retry_asks_for_that_turn_anew() -> None:
    desk = Desk(SEARCH, SEARCH, "Done.", max_turns=2)
    run = desk.run()
    assert "it gave no answer in 2 turns" in str(run.error)
    assert desk.searched == ["refund"]
    assert desk.executor.retry("r").values["response"] == "Done."
    assert desk.searched == ["refund"]


def test_or_it_goes_on_by_another_edge() -> None:
    desk = Desk(
        calling("search", "c1", "Not yet.", query="x"), max_turns=2, on_max_turns="route", messages="m"
    )
    run = desk.run()
    assert (run.values["next_action"], run.values["response"]) == ("MAX_TURNS", "Not yet.")
    said: Any = run.values["m"]
    assert said[-1]["tool_calls"] == [{"name": "search", "arguments": {"query": "x"}, "id": "c1"}]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"prompt": ""}, "its 'prompt' is empty"),
        ({"max_turns": 0}, "'max_turns' is at least 1"),
        ({"max_errors": -1}, "'max_errors' is at least 0"),
        ({"replies": [[]]}, "'replies' has a visit without a reply"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(GraphError) as refused:
        AgentNode(**{"prompt": "x", "tools": [], **settings})
    assert says in refused.value.problems[0].message


# Canned


def test_canned_replies_are_its_turns_and_no_model_is_asked() -> None:
    desk = Desk(replies=['CALL_TOOL: search {"query": "a"}', "Done."])
    run = desk.run()
    assert run.values["response"] == "Done."
    assert (desk.searched, desk.model.requests) == (["a"], [])
    assert [call["kind"] for call in run.history[0].calls] == ["tool"]


def test_a_list_of_lists_has_the_turns_of_each_visit() -> None:
    desk = Desk()
    graph = StateGraph("g", start="agent")
    graph.add_tool("search", desk.search)
    replies: Any = [['CALL_TOOL: search {"query": "a"}', "One."], ["Two."]]
    graph.declare_node("agent", "agent", {"prompt": "x", "tools": ["search"], "replies": replies})
    graph.add_edge("agent", "agent", when="visits.agent < 3")
    graph.add_edge("agent", END)
    run = graph.compile().run({"ticket": "x"})
    assert run.outputs["agent"] == ["One.", "Two.", "Two."]
    assert desk.searched == ["a"]


def test_canned_tools_answer_once_a_call() -> None:
    desk = Desk(replies=["CALL_TOOL: give {}", "CALL_TOOL: give {}", "Done."], tools=["give"], messages="m")
    desk.graph.add_tool("give", returns=[{"n": 1}, {"n": 2}])
    said: Any = desk.run().values["m"]
    assert [message["content"] for message in said if message["role"] == "tool"] == ['{"n":1}', '{"n":2}']


def test_keys_that_tell_calls_apart_are_the_same_when_a_call_is_made_again() -> None:
    seen: list[str] = []

    class Seen:
        def execute(self, params: dict[str, Any]) -> dict[str, Any]:
            raise AssertionError

        def call(self, params: dict[str, Any], context: Any) -> dict[str, Any]:
            seen.append(context.idempotency_key)
            if len(seen) == 2:
                raise TimeoutError("slow")
            return {}

    desk = Desk(calling("look", "a"), calling("look", "b"), "Done.", tools=["look"], max_errors=0)
    desk.graph.add_tool("look", Seen())
    desk.run()
    desk.executor.retry("r")
    first, second, again = seen
    assert first != second == again
    assert all(key.startswith("r:1:") for key in seen)


def test_a_call_has_the_same_key_by_whatever_way_the_model_comes_to_it_after_a_crash() -> None:
    keys: list[tuple[str, Any, str]] = []
    dies = True

    class Seen:
        def __init__(self, name: str) -> None:
            self.name = name

        def execute(self, params: dict[str, Any]) -> dict[str, Any]:
            raise AssertionError

        def call(self, params: dict[str, Any], context: Any) -> dict[str, Any]:
            keys.append((self.name, params["query"], context.idempotency_key))
            return {}

    class Lost(MemoryStore):
        """Dies with the first visit: what was called was called, and nothing of it is in the ledger."""

        def commit(self, run_id: str, row: Any, *args: Any, **more: Any) -> Any:
            if dies and row.kind == "step":
                raise OSError("killed")
            return super().commit(run_id, row, *args, **more)

    first: list[Reply] = [calling("refund", query="a"), calling("refund", query="a"), "Done."]
    second: list[Reply] = [
        calling("look", query="a"),
        calling("refund", query="b"),
        calling("refund", query="a"),
        calling("refund", query="a"),
        "Done.",
    ]
    desk = Desk(*first, *second, tools=["look", "refund"])
    desk.store = Lost()
    desk.graph.add_tool("look", Seen("look"))
    desk.graph.add_tool("refund", Seen("refund"))
    with pytest.raises(OSError, match="killed"):
        desk.run()
    before, dies = list(keys), False
    keys.clear()
    desk.executor.run(desk.executor.load("r"))
    refunds = [(query, key) for tool, query, key in keys if tool == "refund"]
    assert [key for query, key in refunds if query == "a"] == [key for _, _, key in before]
    assert len({key for _, _, key in keys}) == len(keys) == 4
    assert len(before) == 2


def test_it_says_what_it_reads_writes_and_needs() -> None:
    node = AgentNode(prompt="{{ a }}", system="{{ b }}", tools=["t"], messages="m", output="o", model="smart")
    assert node.facts().all_reads == {"a", "b", "m"}
    assert set(node.facts().writes or ()) == {"o", "m", "next_action"}
    assert node.facts().tools == {"t"}
    assert node.facts().models == {"smart"}
    assert node.facts().calls_tools
