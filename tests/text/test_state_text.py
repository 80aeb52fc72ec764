"""A state as a text: what a person changes in it, and secrets that stay hidden and stay as they are."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, StateGraph
from stepgraph.runs.masks import Mask
from stepgraph.values.errors import StateError
from stepgraph.values.state import UNSET
from stepgraph_tui.text.comparison import change_lines
from stepgraph_tui.text.state_text import StateText
from stepgraph_tui.view.runs import StateChanges

STATE: dict[str, Any] = {
    "order": {"id": "8812", "amount": 240, "note": None},
    "token": "hunter2-secret",
    "log": ["said hunter2-secret", "b", "c"],
    "quote": {"text": "hunter2-secret!", "n": 1},
    "ratio": 2.0,
}


def mask() -> Mask:
    graph = StateGraph("g", start="a")
    graph.add_key("token", secret=True)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END)
    return Mask(graph.compile(), STATE)


def text() -> StateText:
    return StateText(STATE, mask(), "a state")


def test_no_secret_is_in_the_text_and_left_alone_it_changes_nothing() -> None:
    made = text()
    assert "hunter2" not in made.text
    assert made.changes(made.text) == {}


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("amount = 240", "amount = 90", {("order", "amount"): 90}),
        ("note = null", 'note = "x"', {("order", "note"): "x"}),
        ("ratio = 2.0", "ratio = 2", {("ratio",): 2}),
        ("ratio = 2.0\n", "", {("ratio",): UNSET}),
        ('token = "***"', 'token = "new"', {("token",): "new"}),
        ("n = 1", "n = 2", {("quote", "n"): 2}),
        ('"b"', '"d"', {("log",): ["said hunter2-secret", "d", "c"]}),
        ("ratio", 'more = ["***!"]\nratio'.replace("***", "**"), {("more",): ["**!"]}),
    ],
)
def test_an_edit_is_known_by_its_path_and_secrets_come_back(old: str, new: str, changes: Any) -> None:
    made = text()
    assert old in made.text
    assert made.changes(made.text.replace(old, new, 1)) == changes


@pytest.mark.parametrize("edit", [('"c"', '"c", "d"'), ("ratio", 'more = "x ***"\nratio')])
def test_a_mask_that_stands_for_nothing_known_is_refused(edit: tuple[str, str]) -> None:
    made = text()
    with pytest.raises(StateError, match="stands for a secret"):
        made.changes(made.text.replace(*edit, 1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("order = ", "order ="),
        ("{", "JSON"),
        ('{"a": NaN}', "NaN"),
        ("nothing", "key = value"),
        ("a = 1979-05-27", "date"),
    ],
)
def test_what_is_no_state_is_refused_with_a_reason(wrong: str, said: str) -> None:
    with pytest.raises(StateError, match=said):
        text().changes(wrong)


def test_json_may_stand_in_the_place_of_toml() -> None:
    assert text().changes('{"ratio": 3}')["ratio",] == 3


def test_a_difference_never_quotes_a_secret_and_tells_of_its_change() -> None:
    updates: dict[str, Any] = {"token": "another-secret", "ratio": None, "order": {"id": "8812"}}
    lines = change_lines(StateChanges.of(STATE, updates, mask()))
    assert "secret" not in "".join(lines).replace("(secret)", "")
    assert lines == ["- ratio", "- order.amount", "- order.note", "~ token (secret)"]
