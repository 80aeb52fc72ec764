"""Connecting nodes, changing edges, and the order in which they are tried."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.editing import EditError
from stepgraph.editing.edges import Connect, DeleteEdge, EditEdge, MoveEdge
from tests.editing.designs import design_of, edited, ways


def test_a_new_edge_is_tried_before_the_one_that_always_matches() -> None:
    done = edited(Connect("classify", "draft", "step > 2", "late"))
    assert done.said == "connect classify to draft"
    assert done.edge == 1
    assert ways(done.design)[:3] == [
        'classify -> look_up if category == "billing"',
        "classify -> draft if step > 2",
        "classify -> END",
    ]
    assert done.design.edges[1].table["label"] == "late"


def test_a_node_without_a_fallback_gets_its_new_edge_last() -> None:
    design = DeleteEdge(1).apply(design_of()).design
    assert Connect("classify", "review").apply(design).edge == 1


def test_a_condition_may_be_a_table() -> None:
    done = edited(Connect("draft", "draft", {"key": "letter", "equals": "x"}))
    assert done.design.edges[3].table["when"] == {"key": "letter", "equals": "x"}


@pytest.mark.parametrize(
    "edit",
    [
        Connect("draft", "review"),
        Connect("review", "__END__"),
        Connect("classify", "look_up", 'category == "billing"', "another label"),
    ],
)
def test_the_same_edge_is_not_made_twice(edit: Connect) -> None:
    with pytest.raises(EditError, match="with that condition"):
        edited(edit)


def test_a_condition_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(EditError, match="null"):
        edited(Connect("draft", "draft", {"key": "letter", "equals": None}))


def test_the_same_ends_with_another_condition_are_another_edge() -> None:
    assert edited(Connect("draft", "review", "step > 1")).edge == 3


@pytest.mark.parametrize(
    "edit", [Connect("END", "draft"), Connect("draft", "nobody"), Connect("nobody", "draft")]
)
def test_edges_join_places_that_exist(edit: Connect) -> None:
    with pytest.raises(EditError) as caught:
        edited(edit)
    assert caught.value.hint


def test_a_form_changes_an_edge_where_it_stands() -> None:
    table = {"from": "classify", "to": "look_up", "when": "step == 1", "label": None}
    done = edited(EditEdge(0, table))
    assert done.said == "change when and label of classify -> look_up"
    assert done.edge == 0
    assert done.design.edges[0].table == {"from": "classify", "to": "look_up", "when": "step == 1"}


def test_a_form_leads_an_edge_elsewhere() -> None:
    done = edited(EditEdge(3, {"from": "draft", "to": "END"}))
    assert done.said == "let draft -> review be draft -> END"


def test_a_form_that_changes_nothing_is_no_edit() -> None:
    design = design_of()
    assert EditEdge(0, dict(design.edges[0].table)).apply(design).design is design


@pytest.mark.parametrize(
    "ends", [{"from": "END"}, {"from": "nobody"}, {"from": None}, {"to": "nobody"}, {"to": 5}]
)
def test_a_form_cannot_lead_an_edge_to_nowhere(ends: dict[str, Any]) -> None:
    with pytest.raises(EditError):
        edited(EditEdge(3, {"from": "draft", "to": "review", **ends}))


def test_an_edge_that_leads_nowhere_can_still_be_edited() -> None:
    text = '[nodes.a]\n[[edges]]\nfrom = "a"\nto = "nobody"\n'
    assert edited(EditEdge(0, {"from": "a", "to": "nobody", "label": "x"}), text).edge == 0
    assert ways(edited(EditEdge(0, {"from": "a", "to": "END"}), text).design) == ["a -> END"]


def test_an_edge_is_deleted() -> None:
    done = edited(DeleteEdge(4))
    assert (done.said, done.node) == ("delete review -> draft", None)
    assert ways(done.design)[-1] == "review -> END"


def test_edges_of_one_node_are_moved_past_each_other() -> None:
    done = edited(MoveEdge(0, 1))
    assert done.said == "try classify -> look_up after classify -> END"
    assert done.edge == 1
    assert ways(done.design)[:2] == ["classify -> END", 'classify -> look_up if category == "billing"']
    assert MoveEdge(1, -1).apply(done.design).said == "try classify -> look_up before classify -> END"


def test_edges_of_other_nodes_keep_their_places() -> None:
    text = "".join(
        f'[[edges]]\nfrom = "{source}"\nto = "{target}"\n'
        for source, target in ("ax", "bx", "ay", "by", "az")
    )
    done = edited(MoveEdge(4, -2), text)
    assert done.said == "try a -> z before a -> x"
    assert ways(done.design) == ["a -> z", "b -> x", "a -> x", "b -> y", "a -> y"]
    assert ways(edited(MoveEdge(0, 1), text).design) == ["a -> y", "b -> x", "a -> x", "b -> y", "a -> z"]


def test_a_moved_edge_is_the_same_part() -> None:
    design = design_of()
    moved = MoveEdge(0, 1).apply(design).design
    assert moved.edges[1] is design.edges[0]
    assert moved.edges[0] is design.edges[1]


@pytest.mark.parametrize(
    ("edit", "word"), [(MoveEdge(0, -1), "first"), (MoveEdge(1, 5), "last"), (MoveEdge(2, 1), "only")]
)
def test_an_edge_cannot_leave_the_edges_of_its_node(edit: MoveEdge, word: str) -> None:
    with pytest.raises(EditError, match=word):
        edited(edit)


@pytest.mark.parametrize("edit", [DeleteEdge(6), DeleteEdge(-1), MoveEdge(9, 1), EditEdge(7, {})])
def test_only_edges_that_exist_are_edited(edit: DeleteEdge | MoveEdge | EditEdge) -> None:
    with pytest.raises(EditError, match="there is no edge"):
        edited(edit)


def test_edges_that_say_no_ends_can_be_moved_and_deleted() -> None:
    text = "[[edges]]\nlabel = 'x'\n[[edges]]\nfrom = 3\n"
    assert edited(MoveEdge(0, 1), text).said == "try ? -> ? after ? -> ?"
    assert edited(DeleteEdge(0), text).said == "delete ? -> ?"
