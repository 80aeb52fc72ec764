"""What undo and redo select, and edits that are taken back as if they had never been made."""

from __future__ import annotations

import pytest

from stepgraph.editing import Edit, EditHistory
from stepgraph.editing.edges import Connect, DeleteEdge, EditEdge, MoveEdge
from stepgraph.editing.nodes import AddNode, ChangeType, DeleteNodes, SetStart
from stepgraph.editing.renaming import Rename
from tests.editing.designs import design_of

NOWHERE = (None, None)


@pytest.mark.parametrize(
    ("edit", "undone", "done_again"),
    [
        (DeleteNodes(["review"]), ("review", None), NOWHERE),
        (AddNode("llm", after="draft"), NOWHERE, ("llm", None)),
        (ChangeType("draft", "router"), ("draft", None), ("draft", None)),
        (Rename("nodes", "draft", "letter"), ("draft", None), ("letter", None)),
        (DeleteEdge(4), (None, 4), NOWHERE),
        (Connect("look_up", "review", "1 < 2"), NOWHERE, (None, 2)),
        (EditEdge(2, {"from": "look_up", "to": "review"}), (None, 2), (None, 2)),
        (MoveEdge(4, 1), (None, 4), (None, 5)),
        (SetStart("draft"), NOWHERE, NOWHERE),
    ],
)
def test_undo_and_redo_select_what_came_back_or_changed(
    edit: Edit, undone: tuple[str | None, int | None], done_again: tuple[str | None, int | None]
) -> None:
    history = EditHistory(design_of())
    history.do(edit)
    back = history.undo()
    again = history.redo()
    assert back is not None
    assert again is not None
    assert (back.node, back.edge) == undone
    assert (again.node, again.edge) == done_again


def test_what_is_taken_back_was_never_made() -> None:
    history = EditHistory(design_of())
    assert history.take_back() is None
    history.do(SetStart("draft"))
    history.do(SetStart("review"))
    history.saved()
    history.undo()
    before = history.design
    history.do(AddNode("llm"))
    turned = history.take_back()
    assert turned is not None
    assert turned.said == "add llm"
    assert history.design.parts == before.parts
    assert history.can_redo
    history.redo()
    assert (history.design.start, history.is_dirty) == ("review", False)


def test_on_a_branch_all_edges_of_the_node_stay() -> None:
    history = EditHistory(design_of())
    done = history.do(AddNode("llm", after="classify", branch=True))
    assert done.said == "add llm on a branch of classify"
    edges = [(edge.source, edge.target) for edge in done.design.edges]
    assert edges[:4] == [("classify", "look_up"), ("classify", "llm"), ("classify", "END"), ("llm", "END")]
