"""Settings: all problems at once, each in plain words and with its place."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import GraphError, LLMNode, RouterNode, ToolNode
from stepgraph.nodes.registry import build_node, node_types
from stepgraph.values.declared import model_of


def test_every_problem_is_reported_at_once_with_code_place_and_hint() -> None:
    node, problems = build_node(
        "draft", "llm", {"promt": "x", "model": 3, "replies": "billing", "output": ""}
    )
    assert node is None
    assert [(p.code, p.place.node, p.place.key) for p in problems] == [
        ("G032", "draft", "prompt"),
        ("G033", "draft", "model"),
        ("G033", "draft", "output"),
        ("G033", "draft", "replies"),
        ("G031", "draft", "promt"),
    ]
    messages = {p.place.key: (p.message, p.hint) for p in problems}
    assert messages["prompt"][0] == "node 'draft' (llm) needs the setting 'prompt'"
    assert messages["promt"] == (
        "node 'draft' (llm) does not know the setting 'promt'",
        "did you mean 'prompt'?",
    )
    assert messages["model"][0] == "node 'draft' (llm): the setting 'model' takes text, not the number 3"
    assert messages["replies"][0].endswith("'replies' takes a list, not the text \"billing\"")
    assert messages["output"][0].endswith("'output' takes text that is not empty, not the text \"\"")


def test_an_unknown_setting_may_be_a_slip_of_what_every_node_has() -> None:
    _, problems = build_node("draft", "llm", {"prompt": "x", "side_efects": True})
    assert problems[0].hint == "did you mean 'side_effects'?"


def test_a_wrong_item_of_a_list_is_named_by_its_position() -> None:
    _, problems = build_node("draft", "llm", {"prompt": "x", "replies": ["a", 2, None]})
    assert [(p.place.key, p.message.split(": ")[1]) for p in problems] == [
        ("replies.1", "the setting 'replies[1]' takes text, not the number 2"),
        ("replies.2", "the setting 'replies[2]' takes text, not null"),
    ]


@pytest.mark.parametrize("threshold", ["100", True, float("nan"), float("inf"), None, [1]])
def test_numbers_are_not_guessed(threshold: Any) -> None:
    settings = {"key": "n", "threshold": threshold, "high": "a", "low": "b"}
    _, problems = build_node("check", "router", settings)
    assert [(p.code, p.place.key) for p in problems] == [("G033", "threshold")]


def test_what_is_no_json_in_an_argument_is_refused() -> None:
    with pytest.raises(GraphError) as refused:
        ToolNode(arguments={"x": {"deep": {1, 2}}})
    assert "is a set" in str(refused.value)


def test_the_same_check_serves_nodes_that_are_made_in_python() -> None:
    with pytest.raises(GraphError, match="the settings of a node of type 'router' do not fit") as refused:
        RouterNode(key="n", treshold=3)
    assert sorted(p.code for p in refused.value.problems) == ["G031", "G032", "G032", "G032"]


def test_a_setting_may_have_any_name_that_a_file_may_have() -> None:
    _, problems = build_node(
        "n", "router", {"self": 1, "name": "x", "key": "k", "threshold": 1, "high": "h", "low": "l"}
    )
    assert [(p.code, p.place.key) for p in problems] == [("G031", "self"), ("G031", "name")]


def test_settings_cannot_be_changed_later() -> None:
    node = LLMNode(prompt="x")
    with pytest.raises(AttributeError, match="frozen"):
        node.settings.prompt = "y"


# acceptance 105
def test_each_type_documents_each_of_its_settings() -> None:
    for name, cls in node_types().items():
        assert cls.type == name
        for setting, field in model_of(cls.Settings).model_fields.items():
            assert field.description, (name, setting)
