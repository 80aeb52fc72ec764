"""Settings: all problems at once, each in plain words and with its place."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import LLMNode
from stepgraph.nodes.registry import build_node, node_types
from stepgraph.values.declared import model_of


@pytest.mark.parametrize("threshold", ["100", True, float("nan"), float("inf"), None, [1]])
def test_numbers_are_not_guessed(threshold: Any) -> None:
    settings = {"key": "n", "threshold": threshold, "high": "a", "low": "b"}
    _, problems = build_node("check", "router", settings)
    assert [(p.code, p.place.key) for p in problems] == [("G033", "threshold")]


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
