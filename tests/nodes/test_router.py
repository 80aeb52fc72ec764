"""The node type router."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import NodeFailed, RouterNode
from tests.nodes.support import bound, visited

NODE = RouterNode(key="order.amount", threshold=100, high="review", low="pay")


def route(value: Any) -> Any:
    result = bound(NODE).execute(visited({"order": {"amount": value}}))
    assert result.updates is not None
    assert result.output == result.updates["route"]
    return result.updates["route"]


# acceptance 104
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (100, "review"),
        (100.0, "review"),
        (99.99, "pay"),
        (-5, "pay"),
        ("1200", "review"),
        (" 12.5 ", "pay"),
        ("1e3", "review"),
        ("+100.", "review"),
        (".5", "pay"),
        (10**400, "review"),
    ],
)
def test_from_the_threshold_on_the_route_is_high(value: Any, expected: str) -> None:
    assert route(value) == expected


# acceptance 104
# e9 15
@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        None,
        "$1,200",
        "1,200",
        "",
        "12 EUR",
        "nan",
        "inf",
        "1_000",
        "0x10",
        "1e999",
        "١٢",
        [100],
        {"amount": 100},
    ],
)
def test_what_is_no_number_fails_and_is_shown(value: Any) -> None:
    with pytest.raises(NodeFailed, match=r"^'order\.amount' is .*, and a router needs a number"):
        route(value)


# e9 15
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_fails(value: float) -> None:
    with pytest.raises(NodeFailed, match="a router needs a number"):
        route(value)


# e9 15
@pytest.mark.parametrize(
    ("values", "said", "hint"),
    [
        ({}, "the state has no 'order'", ""),
        ({"orders": {}}, "the state has no 'order'", "did you mean 'orders'?"),
        ({"order": {"amuont": 5}}, r"the state has no 'order\.amount'", "did you mean 'amuont'?"),
        ({"order": 5}, r"the state has no 'order\.amount'", ""),
    ],
)
def test_a_missing_number_fails_instead_of_counting_as_zero(
    values: dict[str, Any], said: str, hint: str
) -> None:
    with pytest.raises(NodeFailed, match=said) as failed:
        bound(NODE).execute(visited(values))
    assert failed.value.hint == hint


# acceptance 104, 105
def test_it_says_what_it_reads_and_writes() -> None:
    assert NODE.facts().all_reads == {"order"}
    assert set(NODE.facts().writes or ()) == {"route"}
    named = RouterNode(key="n", threshold=1.5, high="h", low="l", output="way")
    assert set(named.facts().writes or ()) == {"way"}
    assert bound(named).execute(visited({"n": 1.5})).updates == {"way": "h"}
