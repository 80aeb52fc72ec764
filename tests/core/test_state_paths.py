"""Values of a state by their paths: read as conditions write them, and changed without touching the rest."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.expressions.paths import changed_paths, read_path, updated
from stepgraph.expressions.tree import path_text
from stepgraph.values.errors import StateError
from stepgraph.values.state import UNSET

STATE: dict[str, Any] = {"order": {"amount": 240, "item": {"name": "mill"}}, "docs": ["a", "b"], "my-key": 1}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
states = st.dictionaries(st.text(max_size=3), values.filter(lambda value: value is not None), max_size=4)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("route", ("route",)),
        ("order.amount", ("order", "amount")),
        ("docs[1]", ("docs", 1)),
        ('state["my-key"]', ("my-key",)),
        ("my-key", ("my-key",)),
        ("a.b", ("a.b",)),
        ("step", ("step",)),
        ("class", ("class",)),
        ("größe", ("größe",)),
        ("größe.höhe", ("größe", "höhe")),
        ("価格[-1]", ("価格", -1)),
        ("a b", ("a b",)),
        ("😀", ("😀",)),
        ('state["a.b c"].d', ("a.b c", "d")),
        ("state['x=y'][0]", ("x=y", 0)),
        ('order["my key"]', ("order", "my key")),
        ("new", ("new",)),
    ],
)
def test_a_path_is_read_as_conditions_write_it(text: str, path: tuple[str | int, ...]) -> None:
    assert read_path(text, {*STATE, "a.b", "a b", "😀"}) == path


@pytest.mark.parametrize(
    "text",
    ["order.", ".amount", "docs[", "a.b.c d", "a b", "new-key", "1st", "😀", "", " ", "docs[x]", "n > 1"],
)
def test_what_is_no_path_is_refused_and_said_how_to_write_a_key_of_that_name(text: str) -> None:
    with pytest.raises(StateError, match="neither a key of the state nor a path") as caught:
        read_path(text, STATE)
    assert read_path(caught.value.hint.rpartition(" is ")[2], STATE) == (text,)


def test_a_key_with_a_dot_is_told_of_where_a_path_leads_nowhere() -> None:
    with pytest.raises(StateError) as caught:
        updated(STATE, {("a", "b c"): 1})
    assert caught.value.hint.endswith("""a key of that very name is state["a[\\"b c\\"]"]""")


@pytest.mark.parametrize("path", [("order",), ("order", "amount"), ("docs", 1), ("my-key",), ("step",)])
def test_a_spelt_path_is_read_again(path: tuple[str | int, ...]) -> None:
    assert read_path(path_text(path), ()) == path


def test_changes_are_made_in_copies() -> None:
    before = copy.deepcopy(STATE)
    made = updated(
        STATE,
        {
            ("order", "amount"): 90,
            ("order", "item", "name"): UNSET,
            ("order", "new"): None,
            ("docs", 0): UNSET,
            ("my-key",): UNSET,
        },
    )
    assert made == {"order": {"amount": 90, "item": {}, "new": None}, "docs": ["b"], "my-key": None}
    assert before == STATE


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (("nothing", "a"), "the state has no key 'nothing', so it has no nothing.a"),
        (("order", "nothing", "a"), "order has no key 'nothing'"),
        (("order", "amount", "a"), "order.amount is not a table"),
        (("order", 0), "order is not a list"),
        (("docs", 2), "docs has no item 2"),
        (("docs", "a"), "docs is not a table"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path: tuple[str | int, ...], said: str) -> None:
    with pytest.raises(StateError, match=said):
        updated(STATE, {path: 1})


def test_what_is_not_there_cannot_be_taken_out_of_a_table() -> None:
    with pytest.raises(StateError, match="order has no key 'gone'"):
        updated(STATE, {("order", "gone"): UNSET})


@given(states, states)
def test_the_changes_between_two_states_lead_from_one_to_the_other(one: Any, other: Any) -> None:
    after = {**one, **updated(one, changed_paths(one, other))}
    assert {key: value for key, value in after.items() if value is not None} == other
