"""Renaming nodes, keys and tools: everything that names them follows, and nothing else changes."""

from __future__ import annotations

import pytest

from stepgraph.editing import EditError
from stepgraph.editing.edges import EditPart
from stepgraph.editing.renaming import Rename
from tests.editing.designs import edited, ways


def test_edges_settings_and_conditions_follow_a_node() -> None:
    done = edited(Rename("nodes", "draft", "letter"))
    assert done.said == "rename draft to letter: 3 edges, 1 condition"
    assert (done.node, done.renamed) == ("letter", ("draft", "letter"))
    assert done.design.head["no_feedback"] == ["letter"]
    assert ways(done.design)[2:5] == [
        "look_up -> letter",
        "letter -> review",
        'review -> letter if decision == "reject" and visits.letter < 3',
    ]
    assert list(done.design.nodes) == ["classify", "letter", "look_up", "review"]


@pytest.mark.parametrize("new", ["review", "END", "__END__", "", "  ", "half \udc00"])
def test_a_node_cannot_take_a_name_that_validation_refuses(new: str) -> None:
    with pytest.raises(EditError) as caught:
        edited(Rename("nodes", "draft", new))
    assert caught.value.hint


def test_a_condition_that_cannot_have_the_name_is_named() -> None:
    with pytest.raises(EditError, match=r"the condition of review -> .* cannot take the new name"):
        edited(Rename("nodes", "draft", "__draft"))


def test_a_key_that_is_not_declared_is_renamed_too() -> None:
    done = edited(Rename("state", "category", "topic"))
    assert done.said == "rename category to topic: 1 condition, 1 setting"
    assert ways(done.design)[0] == 'classify -> look_up if topic == "billing"'


def test_conditions_that_are_tables_follow() -> None:
    text = '[[edges]]\nfrom = "a"\nto = "b"\nwhen = { key = "route", equals = "route" }\n'
    done = edited(Rename("state", "route", "way"), text)
    assert done.design.edges[0].table["when"] == {"key": "way", "equals": "route"}


@pytest.mark.parametrize("new", ["ticket", "category", "letter", "next_action", "tool_call", ""])
def test_a_key_cannot_take_the_name_of_another_one(new: str) -> None:
    with pytest.raises(EditError) as caught:
        edited(Rename("state", "order", new))
    assert caught.value.hint


@pytest.mark.parametrize("old", ["next_action", "tool_call"])
def test_a_key_that_a_type_uses_by_itself_keeps_its_name(old: str) -> None:
    with pytest.raises(EditError, match="nodes of the type llm use the key"):
        edited(Rename("state", old, "other"), f'[state.{old}]\n[nodes.a]\ntype = "llm"\nprompt = "p"\n')


def test_a_key_that_nothing_names_cannot_be_renamed() -> None:
    with pytest.raises(EditError, match="there is no key nothing"):
        edited(Rename("state", "nothing", "something"))


def test_a_path_cannot_lead_through_a_name_with_a_dot() -> None:
    with pytest.raises(EditError, match="'show' of review cannot take the new name"):
        edited(Rename("state", "order", "my.order"))


def test_a_name_that_only_a_path_uses_is_taken() -> None:
    text = '[state.a]\n[nodes.n]\ntype = "router"\nkey = "b.c"\nthreshold = 1\nhigh = "h"\nlow = "l"\n'
    with pytest.raises(EditError, match="b is already the name of another key"):
        edited(Rename("state", "a", "b"), text)


def test_a_name_in_a_template_that_cannot_be_followed_is_taken() -> None:
    text = """
        [state.a]
        [nodes.n]
        type = "llm"
        prompt = "{% if x %}{% set b = 1 %}{% endif %}{{ b }}"
    """
    with pytest.raises(EditError, match="b is already the name of another key"):
        edited(Rename("state", "a", "b"), text)


def test_the_tools_that_a_node_may_call_follow_and_the_word_for_any_does_not() -> None:
    text = """
        [tools.any]
        returns = {}
        [nodes.a]
        type = "tool"
        tools = ["any", "other"]
        [nodes.b]
        type = "tool"
        tools = "any"
    """
    done = edited(Rename("tools", "any", "find"), text)
    assert done.design.nodes["a"].table["tools"] == ["find", "other"]
    assert done.design.nodes["b"].table["tools"] == "any"


def test_a_tool_that_models_call_needs_a_name_that_calls_can_spell() -> None:
    with pytest.raises(EditError, match="'replies' of draft cannot take the new name"):
        edited(Rename("tools", "look_up", "look up"))


def test_forms_of_keys_and_tools_rename_as_well() -> None:
    done = edited(EditPart("state", "order", "purchase", {"type": "table", "note": "n"}))
    assert done.said == "change note of order; rename order to purchase: 2 templates, 3 settings"
    done = edited(EditPart("tools", "look_up", "find", {"returns": {}}))
    assert done.said == "rename look_up to find: 2 settings"
