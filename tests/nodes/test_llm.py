"""The node type llm."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, GraphError, LLMClient, LLMNode, StateGraph
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
    assert result.updates == {"response": "Hello.", "next_action": "RESPOND"}


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


# acceptance 97, 106
def test_anything_with_generate_is_a_model() -> None:
    assert isinstance(ScriptedModel(["x"]), LLMClient)
    assert not isinstance(object(), LLMClient)


# acceptance 39
def test_without_a_prompt_it_is_no_node() -> None:
    with pytest.raises(GraphError) as refused:
        LLMNode(replies=["x"])
    assert [p.code for p in refused.value.problems] == ["G032"]
