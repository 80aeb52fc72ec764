"""Whole names are compared when one is proposed."""

from __future__ import annotations

import pytest

from stepgraph import END, GraphError, StateGraph
from stepgraph.values.problems import did_you_mean, nearest

_LONG = "x" * 90
_REPEATED = "customer_" * 23


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("anaylze", ["analyze", "look_up"], "analyze"),
        (f"{_LONG}_review", [_LONG, f"{_LONG}_preview"], f"{_LONG}_preview"),
        (f"{_LONG}_b1", [f"{_LONG}_a1", f"{_LONG}_b2"], f"{_LONG}_b2"),
        (f"{_REPEATED}refund", [f"{_REPEATED}order", f"{_REPEATED}refunds"], f"{_REPEATED}refunds"),
        ("r-7fk2m9qa" * 30, ["r-7fk2m9qa"], None),
        ("n", ["m"], None),
        ("", ["a"], None),
    ],
)
def test_the_name_that_is_most_alike_from_end_to_end_is_meant(
    name: str, known: list[str], meant: str | None
) -> None:
    assert nearest(name, known) == meant


def test_an_edge_to_a_long_name_gets_the_name_that_is_meant() -> None:
    graph = StateGraph("long", start=f"{_LONG}_draft")
    for end in ("draft", "review", "preview"):
        graph.add_node(f"{_LONG}_{end}", lambda state: {})
        graph.add_edge(f"{_LONG}_{end}", END)
    graph.add_edge(f"{_LONG}_draft", f"{_LONG}_reviews")
    with pytest.raises(GraphError) as caught:
        graph.compile()
    assert f"did you mean '{_LONG}_review'?" in str(caught.value)


def test_names_that_cost_too_much_to_compare_are_listed() -> None:
    assert nearest("a" * 1_000_000, ["a" * 999_999]) is None
    assert did_you_mean("a" * 300, ["a", "b"], listing="it has") == "it has: a, b"
    assert nearest("a" * 240 + "b", ["a" * (200 + number % 50) for number in range(100_000)]) is not None
