"""Models in words: who may be asked, at which price, with which key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, StateGraph
from stepgraph.editing.node_defaults import filled
from stepgraph.files import read_graph
from stepgraph.models.keys import KeySource
from stepgraph.models.settings import ModelSettings
from stepgraph.nodes.registry import _BUILT_IN, node_type
from stepgraph.values.declared import checked_table, model_of
from stepgraph_tui.text.models import callers, canned_tools, key_text, model_text, price_text

INSIDE = """
format = 1
name = "inside"
start = "think"

[nodes.think]
type = "llm"
model = "deep"
prompt = "Think."
replies = ["canned"]

[[edges]]
from = "think"
to = "END"
"""
AROUND = """
format = 1
name = "around"
start = "first"

[nodes.first]
type = "llm"
prompt = "Begin."
replies = ["canned"]

[nodes.within]
type = "subgraph"
graph = "inside.toml"

[[edges]]
from = "first"
to = "within"

[[edges]]
from = "within"
to = "END"
"""


def settings(**table: Any) -> ModelSettings:
    return checked_table(ModelSettings, {"provider": "openai", "model": "m", **table})


def test_every_model_that_a_live_run_may_ask_is_named_in_subgraphs_too(tmp_path: Path) -> None:
    (tmp_path / "inside.toml").write_text(INSIDE)
    (tmp_path / "around.toml").write_text(AROUND)
    asked = callers(read_graph(tmp_path / "around.toml").compile())
    assert list(asked) == ["default", "deep"]
    assert asked["default"] == ["first"]
    assert ["think" in node for node in asked["deep"]] == [True]


@pytest.mark.parametrize("name", sorted(_BUILT_IN))
def test_a_node_type_with_a_model_says_that_it_may_call_it(name: str) -> None:
    type_ = node_type(name)
    settings = {key: value for key, value in filled(name).items() if key != "type"}
    if "model" in model_of(type_.Settings).model_fields:
        facts = type_("n", **{**settings, "model": "deep", "replies": ["canned"]}).facts()
        assert facts.all_models == {"deep"}
        assert not facts.models
    else:
        needed = {"wait": {"for": "2h"}, "subgraph": {"graph": "other.toml"}}
        assert not type_("n", **settings, **needed.get(name, {})).facts().all_models


@pytest.mark.parametrize(
    ("table", "who", "price"),
    [
        ({"input_price": 0.15, "output_price": 0.6}, "openai m", "$0.15 in, $0.60 out a million tokens"),
        ({"base_url": "http://localhost:11434/v1", "input_price": 0.0, "output_price": 0.0},
         "openai m at localhost:11434", "costs nothing"),
        ({"base_url": "http://example.org/v1"}, "openai m at example.org", "price not known"),
        ({"provider": "scripted", "model": "", "replies": ["x"]}, "scripted", "costs nothing"),
        ({"model": "a\x1b[2J", "base_url": "http://h/v1"}, "openai a\\x1b[2J at h", "price not known"),
    ],
)  # fmt: skip
def test_a_model_is_named_with_its_price(table: dict[str, Any], who: str, price: str) -> None:
    found = settings(**table)
    assert (model_text(found), price_text(found)) == (who, price)


@pytest.mark.parametrize(
    ("source", "there", "told"),
    [
        (KeySource("variable", "A_KEY"), True, "A_KEY is set"),
        (KeySource("variable", "A_KEY"), False, "A_KEY is not set"),
        (KeySource("keyring", "s/u"), True, "keyring s/u has it"),
        (KeySource("none"), True, "no key"),
    ],
)
def test_a_key_is_told_of_by_its_place(source: KeySource, there: bool, told: str) -> None:
    assert key_text(source, there) == told


def test_tools_of_servers_that_the_settings_lack_are_named_as_canned() -> None:
    app = StateGraph("g", start="think")
    app.declare_node("think", "llm", {"prompt": "Think."})
    app.add_edge("think", END)
    for name in ("files/read", "mails/send", "look_up"):
        app.add_tool(name, returns={"text": "canned"})
    said = "files/read gives canned answers: the settings have no [mcp.files]"
    assert canned_tools(app.compile(), {"mails": object()}) == [said]
