"""Connecting nodes, changing edges, and the order in which they are tried."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.editing import EditError
from stepgraph.editing.edges import Connect, DeleteEdge, EditEdge, MoveEdge
from tests.editing.designs import design_of, edited


def test_a_node_without_a_fallback_gets_its_new_edge_last() -> None:
    design = DeleteEdge(1).apply(design_of()).design
    assert Connect("classify", "review").apply(design).edge == 1


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


def test_a_form_that_changes_nothing_is_no_edit() -> None:
    design = design_of()
    assert EditEdge(0, dict(design.edges[0].table)).apply(design).design is design


@pytest.mark.parametrize(
    "ends", [{"from": "END"}, {"from": "nobody"}, {"from": None}, {"to": "nobody"}, {"to": 5}]
)
def test_a_form_cannot_lead_an_edge_to_nowhere(ends: dict[str, Any]) -> None:
    with pytest.raises(EditError):
        edited(EditEdge(3, {"from": "draft", "to": "review", **ends}))


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
