"""Deleting nodes and leading what led to them on to where they led."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.editing import EditError, EditHistory
from stepgraph.editing.naming import edge_said
from stepgraph.editing.nodes import DeleteNodes
from tests.editing.designs import design_of, edited, ways


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


def test_the_comment_and_the_place_of_the_edge_stay_and_the_labels_are_joined() -> None:
    history = EditHistory(design_of())
    done = history.do(DeleteNodes(["review"], bridge=True))
    assert done.said == "delete review and 3 edges; 2 edges instead"
    assert ways(done.design)[3:] == [
        'draft -> draft if decision == "reject" and visits.draft < 3',
        "draft -> END",
    ]
    assert edited(DeleteNodes(["look_up"], bridge=True)).said == (
        "delete look_up and 2 edges; classify -> draft instead"
    )
    first = edited(DeleteNodes(["look_up"], bridge=True)).design.edges[0]
    assert (first.table["label"], first.table["to"]) == ("billing", "draft")
    assert first.origin is not None
    labelled = (
        graph("a b", "b c")
        .replace("to = 'b'", "to = 'b'\nlabel = 'one'")
        .replace("to = 'c'", "to = 'c'\nlabel = 'two'")
    )
    assert edited(DeleteNodes(["b"], bridge=True), labelled).design.edges[0].table["label"] == "one, two"
    turned = history.undo()
    assert turned is not None
    assert (turned.node, history.is_dirty) == ("review", False)


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=10),
    st.sampled_from("abcd"),
)
def test_whoever_led_somewhere_through_the_node_still_does(pairs: list[tuple[str, str]], gone: str) -> None:
    text = graph(*(f"{source} {target} if 'x_{number}'" for number, (source, target) in enumerate(pairs)))
    left = edited(DeleteNodes([gone], bridge=True), text).design.edges
    before = {one for one in pairs if gone not in one}
    through = {(source, target) for source, one in pairs for other, target in pairs if one == other == gone}
    assert {(edge.source, edge.target) for edge in left} == before | {
        pair for pair in through if gone not in pair
    }


def test_an_edit_says_which_edges_went_and_which_bridge_the_gap() -> None:
    text = graph("a b", "b c", "b d if 'x'", "c d")
    done = edited(DeleteNodes(["b"], bridge=True), text)
    assert [edge_said(edge) for edge in done.gone] == ["a -> b", "b -> c", "b -> d"]
    assert [edge_said(edge) for edge in done.bridges] == ["a -> c", "a -> d"]
    plain = edited(DeleteNodes(["b"]), text)
    assert ([edge_said(edge) for edge in plain.gone], plain.bridges) == (["a -> b", "b -> c", "b -> d"], [])
