"""Renaming nodes, keys and tools: everything that names them follows, and nothing else changes."""

from __future__ import annotations

import pytest
from pydantic import Field

from stepgraph import BaseNode, LLMNode
from stepgraph.editing import EditError
from stepgraph.editing.parts import EditPart
from stepgraph.editing.renaming import Rename
from stepgraph.nodes import registry
from stepgraph.nodes.settings import NodeSettings, Texts, holding
from tests.editing.designs import design_of, edited, ways


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


def test_the_start_follows_its_node() -> None:
    assert edited(Rename("nodes", "classify", "sort")).design.start == "sort"


def test_what_does_not_name_the_node_stays_the_same_part() -> None:
    design = design_of()
    renamed = Rename("nodes", "draft", "letter").apply(design).design
    assert [new is old for new, old in zip(renamed.parts, design.parts, strict=True)].count(False) == 4


def test_a_name_that_is_no_word_goes_in_brackets() -> None:
    done = edited(Rename("nodes", "draft", 'my "draft".v2'))
    assert ways(done.design)[4].endswith('visits["my \\"draft\\".v2"] < 3')


@pytest.mark.parametrize("new", ["review", "END", "__END__", "", "  ", "half \udc00"])
def test_a_node_cannot_take_a_name_that_validation_refuses(new: str) -> None:
    with pytest.raises(EditError) as caught:
        edited(Rename("nodes", "draft", new))
    assert caught.value.hint


def test_a_condition_that_cannot_have_the_name_is_named() -> None:
    with pytest.raises(EditError, match=r"the condition of review -> .* cannot take the new name"):
        edited(Rename("nodes", "draft", "__draft"))


def test_a_node_that_took_the_name_of_the_end_can_be_renamed() -> None:
    text = '[nodes.END]\n[nodes.a]\n[[edges]]\nfrom = "a"\nto = "END"\n'
    assert ways(edited(Rename("nodes", "END", "b"), text).design) == ["a -> END"]


def test_the_same_name_again_changes_nothing() -> None:
    design = design_of()
    assert Rename("nodes", "draft", "draft").apply(design).design is design
    assert Rename("state", "ticket", "ticket").apply(design).design is design
    assert Rename("tools", "look_up", "look_up").apply(design).design is design


def test_settings_templates_and_conditions_follow_a_key() -> None:
    done = edited(Rename("state", "order", "purchase"))
    assert done.said == "rename order to purchase: 2 templates, 3 settings"
    nodes = done.design.nodes
    assert nodes["draft"].table["prompt"] == (
        "Write to {{ purchase.customer }} about {{ ticket }}: {{ purchase['id'] }}"
    )
    assert nodes["look_up"].table["arguments"] == {"who": ["{{ purchase.id }}"]}
    assert nodes["look_up"].table["output"] == "purchase"
    assert nodes["review"].table["show"] == ["purchase", "letter"]
    assert nodes["review"].table["editable"] == {"purchase.amount": "number"}
    assert list(done.design.keys) == ["ticket", "purchase"]


def test_a_key_that_is_not_declared_is_renamed_too() -> None:
    done = edited(Rename("state", "category", "topic"))
    assert done.said == "rename category to topic: 1 condition, 1 setting"
    assert ways(done.design)[0] == 'classify -> look_up if topic == "billing"'


def test_a_key_that_a_type_writes_unless_told_otherwise_is_told() -> None:
    done = edited(Rename("state", "decision", "verdict"))
    assert done.design.nodes["review"].table["output"] == "verdict"
    assert ways(done.design)[4] == 'review -> draft if verdict == "reject" and visits.draft < 3'


def test_conditions_that_are_tables_follow() -> None:
    text = '[[edges]]\nfrom = "a"\nto = "b"\nwhen = { key = "route", equals = "route" }\n'
    done = edited(Rename("state", "route", "way"), text)
    assert done.design.edges[0].table["when"] == {"key": "way", "equals": "route"}


def test_python_code_that_nobody_looks_into_is_mentioned() -> None:
    text = '[state.a]\n[nodes.n]\ntype = "handler"\nhandler = "m:f"\n'
    assert edited(Rename("state", "a", "b"), text).said == "rename a to b; Python code is not searched"
    text = '[state.a]\n[[edges]]\nfrom = "n"\nto = "END"\nwhen = { predicate = "m:f" }\n'
    assert edited(Rename("state", "a", "b"), text).said.endswith("Python code is not searched")


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


def test_a_declared_key_with_a_dot_is_no_path_into_another() -> None:
    text = """
        [state."order.id"]
        [state.order]
        [nodes.a]
        type = "approval"
        prompt = "p"
        show = ["order.id", "order"]
    """
    assert edited(Rename("state", "order", "o"), text).design.nodes["a"].table["show"] == ["order.id", "o"]
    assert edited(Rename("state", "order.id", "id"), text).design.nodes["a"].table["show"] == ["id", "order"]


def test_settings_of_wrong_types_stay_as_they_are() -> None:
    text = """
        [state.a]
        [nodes.x]
        type = "llm"
        prompt = 5
        system = ["{{ a }}"]
        output = { a = "a" }
        [nodes.y]
        type = 7
        prompt = "{{ a }}"
        [nodes.z]
        prompt = "{{ a }}"
        [[edges]]
        when = ["a"]
        [[edges]]
        when = { key = 5 }
    """
    done = edited(Rename("state", "a", "b"), text)
    assert done.design.nodes["x"].table["system"] == ["{{ b }}"]
    assert done.design.nodes["y"] is not None


def test_settings_and_calls_follow_a_tool() -> None:
    done = edited(Rename("tools", "look_up", "find"))
    assert done.said == "rename look_up to find: 2 settings"
    assert done.design.nodes["look_up"].table["tool"] == "find"
    assert done.design.nodes["draft"].table["replies"] == ["Hello", "CALL_TOOL: find {}"]
    assert list(done.design.tools) == ["find"]


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


class _Settings(NodeSettings):
    partner: str = Field(json_schema_extra=holding("node"))
    sources: Texts = Field((), json_schema_extra=holding("path"))
    target: str = Field("answer", alias="into", json_schema_extra=holding("key"))


class _PairNode(BaseNode):
    type = "pair"
    Settings = _Settings


def test_types_of_packages_take_part_by_what_their_settings_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    types = {"pair": _PairNode, "llm": LLMNode}
    monkeypatch.setattr("stepgraph.editing.node_defaults.node_type", types.__getitem__)
    monkeypatch.setattr(registry, "node_type", types.__getitem__)
    text = """
        [nodes.a]
        type = "llm"
        prompt = "p"
        [nodes.b]
        type = "pair"
        partner = "a"
        sources = ["x.y", "z"]
    """
    design = design_of(text)
    design = Rename("nodes", "a", "c").apply(design).design
    design = Rename("state", "x", "w").apply(design).design
    design = Rename("state", "answer", "reply").apply(design).design
    assert design.nodes["b"].table == {
        "type": "pair",
        "partner": "c",
        "sources": ["w.y", "z"],
        "into": "reply",
    }


def test_a_node_that_names_itself_is_renamed_too() -> None:
    text = "[nodes.a]\ntype = 'llm'\nprompt = 'Try {{ visits.a }}'\n[[edges]]\nfrom = 'a'\nto = 'END'\n"
    done = edited(Rename("nodes", "a", "b"), text)
    assert list(done.design.nodes) == ["b"]
    assert done.design.nodes["b"].table["prompt"] == "Try {{ visits.b }}"
    assert ways(done.design) == ["b -> END"]
