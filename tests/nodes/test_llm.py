"""The node type llm."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, GraphError, LLMClient, LLMNode, NodeFailed, RunStatus, StateGraph
from stepgraph.testing import ScriptedModel
from tests.nodes.support import bound, visited


def asked(
    node: LLMNode, model: ScriptedModel, values: dict[str, object], visit: int = 1, **more: object
) -> str:
    bound(node, models={"default": model}).execute(visited(values, visit, **more))
    return model.prompts[-1]


# acceptance 96, 97
def test_the_model_gets_the_system_text_and_the_prompt_and_its_reply_is_the_output() -> None:
    node = LLMNode(prompt="Answer {{ user }}.", system="You are {{ role }}.")
    model = ScriptedModel(["Hello."])
    result = bound(node, models={"default": model}).execute(visited({"user": "Ana", "role": "a clerk"}))
    assert model.prompts == ["You are a clerk.\n\nAnswer Ana."]
    assert result.output == "Hello."
    assert result.updates == {"response": "Hello.", "next_action": "RESPOND", "tool_call": None}


# acceptance 96, 98
def test_a_tool_call_goes_into_the_state() -> None:
    node = bound(LLMNode(prompt="?", output="thought", replies=['So:\nCALL_TOOL: look_up {"id": 1}']))
    result = node.execute(visited({}))
    assert result.updates == {
        "thought": 'So:\nCALL_TOOL: look_up {"id": 1}',
        "next_action": "RUN_TOOL",
        "tool_call": {"name": "look_up", "arguments": {"id": 1}},
    }


# e9 13
def test_an_old_tool_call_is_gone_after_a_reply_without_one() -> None:
    graph = StateGraph("g", start="say")
    graph.declare_node("say", "llm", {"prompt": "?", "replies": ["Done."]})
    graph.add_edge("say", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"tool_call": {"name": "pay", "arguments": {}}}))
    assert run.values == {"response": "Done.", "next_action": "RESPOND"}


def test_replies_go_by_the_visit_and_the_last_is_repeated() -> None:
    node = bound(LLMNode(prompt="?", replies=["one", "two"]))
    assert [node.execute(visited({}, visit)).output for visit in (1, 2, 3, 9)] == ["one", "two", "two", "two"]


def test_a_live_run_asks_the_model_in_spite_of_replies() -> None:
    node = LLMNode(prompt="?", replies=["canned"])
    models = {"default": ScriptedModel(["live"])}
    assert bound(node, models=models).execute(visited({})).output == "canned"
    assert bound(node, models=models, live=True).execute(visited({})).output == "live"


# acceptance 57, 60
def test_a_later_visit_adds_a_revision_section_with_attempt_previous_output_and_feedback() -> None:
    node = LLMNode(prompt="Write.")
    more = {"feedback": "Refine it.", "previous": lambda: "My first try."}
    prompt = asked(node, ScriptedModel(["x"]), {}, 3, **more)
    assert prompt == (
        "Write.\n\n## Revision (attempt 2)\n\n"
        "### Previous output\n\nMy first try.\n\n### Feedback\n\nRefine it."
    )


# acceptance 57, 58, 59
def test_within_a_run_the_previous_output_is_that_of_the_same_node() -> None:
    graph = StateGraph("essay", start="write")
    graph.declare_node("write", "llm", {"prompt": "Write."})
    graph.declare_node("judge", "llm", {"prompt": "Judge.", "replies": ["bad"]})
    graph.add_edge("write", "judge")
    graph.add_edge("judge", END, when="visits.judge == 2")
    graph.add_edge("judge", "write")
    model = ScriptedModel(["draft 1", "draft 2"])
    executor = Executor(graph.compile(), models={"default": model})
    executor.run(executor.start({}))
    assert model.prompts[0] == "Write."
    assert (
        "### Previous output\n\ndraft 1\n\n### Feedback\n\nGraph state 'write' visit #2. Prior"
        in model.prompts[1]
    )
    assert "bad" not in model.prompts[1]


def test_a_first_visit_and_a_visit_without_feedback_have_no_revision_section() -> None:
    model = ScriptedModel(["x"])
    assert asked(LLMNode(prompt="Write."), model, {}) == "Write."
    assert asked(LLMNode(prompt="Write."), model, {}, 2) == "Write."


def test_a_model_that_is_not_configured_is_a_clear_failure() -> None:
    node = bound(LLMNode(prompt="?", model="smart"), models={"smart-1": ScriptedModel(["x"])})
    with pytest.raises(NodeFailed, match="the model 'smart' is not configured") as failed:
        node.execute(visited({}))
    assert "did you mean 'smart-1'?" in failed.value.hint
    assert "replies" in failed.value.hint


def test_what_a_model_raises_is_a_node_failure_with_the_original_as_its_cause() -> None:
    graph = StateGraph("g", start="draft")
    graph.declare_node("draft", "llm", {"prompt": "?"})
    graph.add_edge("draft", END)
    executor = Executor(
        graph.compile(), models={"default": ScriptedModel([TimeoutError("no answer in 30 s")])}
    )
    run = executor.run(executor.start({}))
    assert run.status is RunStatus.FAILED
    with pytest.raises(NodeFailed) as failed:
        run.raise_for_status()
    assert failed.value.message == (
        "node 'draft' failed on visit 1: the model 'default' raised TimeoutError: no answer in 30 s"
    )
    assert isinstance(failed.value.__cause__, TimeoutError)
    assert run.values == {}


def test_a_reply_that_is_no_text_is_a_node_failure() -> None:
    class Odd:
        def generate(self, prompt: str) -> str:
            return 7  # type: ignore[return-value]  # what a careless client does

    node = bound(LLMNode(prompt="?"), models={"default": Odd()})
    with pytest.raises(NodeFailed, match="replied with a int"):
        node.execute(visited({}))


# acceptance 97, 106
def test_anything_with_generate_is_a_model() -> None:
    assert isinstance(ScriptedModel(["x"]), LLMClient)
    assert not isinstance(object(), LLMClient)


def test_it_says_what_it_reads_writes_and_needs() -> None:
    node = LLMNode(prompt="{{ a }} {{ b.c }}", system="{{ d }}", output="text", model="smart")
    assert node.facts().all_reads == {"a", "b", "d"}
    assert set(node.facts().writes or ()) == {"text", "next_action", "tool_call"}
    assert node.facts().models == {"smart"}
    assert LLMNode(prompt="x", replies=["y"]).facts().models == frozenset()


def test_templates_that_do_not_parse_are_found_when_the_graph_is_compiled() -> None:
    graph = StateGraph("g", start="draft")
    graph.declare_node("draft", "llm", {"prompt": "{{ a", "system": "{{ b | uper }}", "replies": ["x"]})
    graph.add_edge("draft", END)
    with pytest.raises(GraphError) as refused:
        graph.compile()
    assert [(p.code, p.place.key) for p in refused.value.problems] == [("G034", "system"), ("G034", "prompt")]


# acceptance 39
def test_without_a_prompt_it_is_no_node() -> None:
    with pytest.raises(GraphError) as refused:
        LLMNode(replies=["x"])
    assert [p.code for p in refused.value.problems] == ["G032"]
