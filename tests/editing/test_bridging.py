"""Deleting nodes and leading what led to them on to where they led."""

from __future__ import annotations

import pytest

from stepgraph.editing import EditError
from stepgraph.editing.nodes import DeleteNodes
from tests.editing.designs import edited, ways


def graph(*edges: str) -> str:
    """The edges of a graph of a, b, c and d: ``a b if x > 1``."""
    text = "".join(f"[nodes.{name}]\n" for name in "abcd")
    for edge in edges:
        ends, _, when = edge.partition(" if ")
        source, target = ends.split()
        text += f"[[edges]]\nfrom = '{source}'\nto = '{target}'\n" + (f"when = {when}\n" if when else "")
    return text


def bridged(names: str, *edges: str) -> list[str]:
    """The edges that are left when nodes are deleted and the gap is bridged."""
    return ways(edited(DeleteNodes([*names], bridge=True), graph(*edges)).design)


@pytest.mark.parametrize(
    ("edges", "left"),
    [
        (["a b", "b c"], ["a -> c"]),
        (["a b if '''x''' ", "a d", "b c"], ["a -> c if x", "a -> d"]),
        (["a b", "b c if 'x'", "b d"], ["a -> c if x", "a -> d"]),
        (["a b if 'x'", "b c if 'y'"], ["a -> c if x and y"]),
        (["a b if 'x or z'", "b c if 'y or z'"], ["a -> c if (x or z) and (y or z)"]),
        (
            ["a b if {key = 'k', equals = 1}", "b c if {key = 'l', equals = 'm'}"],
            ['a -> c if k == 1 and l == "m"'],
        ),
        (["a b", "b c if {predicate = 'm:f'}"], ["a -> c if {'predicate': 'm:f'}"]),
        (["a b", "d b", "b c"], ["a -> c", "d -> c"]),
        (["a b", "b b if 'x'", "b c"], ["a -> c"]),  # what only led to itself is gone
        (["a b", "b a if 'x'", "b c"], ["a -> a if x", "a -> c"]),
        (["a b", "b a"], []),  # a would run for ever
        (["a b if 'x'", "a c", "b c"], ["a -> c if x", "a -> c"]),
        (["a b", "a c", "b c"], ["a -> c"]),  # it is there already
    ],
)
def test_an_edge_to_the_deleted_node_leads_on_to_where_that_led(edges: list[str], left: list[str]) -> None:
    assert bridged("b", *edges) == left


def test_several_nodes_are_bridged_one_after_the_other() -> None:
    assert bridged("bc", "a b if 'x'", "b c", "c d if 'y'", "c END") == ["a -> d if x and y", "a -> END if x"]
    assert bridged("bc", "a b", "b c", "c b if 'x'", "c d") == ["a -> d"]


@pytest.mark.parametrize("other", ["{predicate = 'm:f'}", "'broken and'", "3", f"'{'x' * 999}'"])
def test_conditions_that_cannot_be_joined_are_not_bridged(other: str) -> None:
    with pytest.raises(EditError, match="the conditions before and after b cannot be combined"):
        bridged("b", "a b if 'x'", f"b c if {other}")
