"""Merging two designs that were made of the same file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from stepgraph.editing import Design
from stepgraph.editing.design import Edit
from stepgraph.editing.edges import Connect, DeleteEdge, EditEdge, EditPart, MoveEdge
from stepgraph.editing.merging import merge
from stepgraph.editing.nodes import AddNode, DeleteNodes, SetStart
from stepgraph.editing.renaming import Rename
from stepgraph.editing.text import design_text, read_design

FILE = """\
# what it is for
format = 1
name = "merged"
start = "draft"

[state.question]
input = true  # asked for

# writes it
[nodes.draft]
type = "llm"
prompt = "Answer {{ question }}"

[nodes.review]
type = "approval"
prompt = "Send it?"
risk = "low"  # for now

[[edges]]
from = "draft"
to = "review"
when = "step < 9"

# the way out
[[edges]]
from = "draft"
to = "END"

[[edges]]
from = "review"
to = "END"
"""
BASE = read_design(FILE)
RISKY = FILE.replace('risk = "low"', 'risk = "high"')
WORDED = EditPart("nodes", "draft", "draft", {"type": "llm", "prompt": "Answer well."})


def after(*edits: Edit, design: Design = BASE) -> Design:
    for edit in edits:
        design = edit.apply(design).design
    return design


def merged(mine: Design, theirs: str) -> str:
    """The text that comes of both."""
    found = merge(BASE, mine, read_design(theirs))
    assert found.design is not None, found.conflicts
    return design_text(found.design)


def conflicts(mine: Design, theirs: str) -> list[str]:
    found = merge(BASE, mine, read_design(theirs))
    assert (found.design is None) is bool(found.conflicts)
    return list(found.conflicts)


def test_changes_of_different_tables_come_together_with_all_comments() -> None:
    assert merged(after(WORDED), RISKY) == RISKY.replace("Answer {{ question }}", "Answer well.")


@pytest.mark.parametrize(
    ("mine", "theirs", "named"),
    [
        (after(WORDED), FILE.replace("Answer {{ question }}", "Say it"), ["node draft"]),
        (after(DeleteNodes(["review"])), RISKY, ["node review"]),
        (after(SetStart("review")), FILE.replace('"merged"', '"other"'), ["the settings"]),
        (
            after(EditEdge(0, {**BASE.edges[0].table, "label": "early"})),
            FILE.replace("step < 9", "step < 3"),
            ["edge draft -> review"],
        ),
        (
            after(Connect("review", "draft", "step < 2")),
            FILE + '[[edges]]\nfrom = "review"\nto = "review"\nwhen = "step < 3"\n',
            [],
        ),
        (
            after(Connect("draft", "draft", "step < 2")),
            FILE.replace(
                "# the way", '[[edges]]\nfrom = "draft"\nto = "draft"\nwhen = "step < 3"\n\n# the way'
            ),
            ["the edges of draft"],
        ),
        (
            after(MoveEdge(1, -1)),
            FILE.replace(
                "# the way", '[[edges]]\nfrom = "draft"\nto = "draft"\nwhen = "step < 3"\n\n# the way'
            ),
            ["the edges of draft"],
        ),
        (
            after(EditPart("tools", None, "look", {"handler": "m:f"})),
            FILE + '[tools.look]\nhandler = "m:g"\n',
            ["tool look"],
        ),
    ],
)
def test_what_both_changed_in_different_ways_is_named_and_not_merged(
    mine: Design, theirs: str, named: list[str]
) -> None:
    assert conflicts(mine, theirs) == named


def test_the_same_change_on_both_sides_is_one_change() -> None:
    both = after(WORDED, Connect("draft", "draft", "step < 2"), DeleteEdge(3))
    text = design_text(both)
    assert merged(both, text) == text


def test_an_order_that_one_side_changed_holds() -> None:
    found = read_design(merged(after(MoveEdge(1, -1)), RISKY))
    assert [edge.target for edge in found.edges] == ["END", "review", "END"]
    assert found.nodes["review"].table["risk"] == "high"


def test_a_new_node_and_a_deleted_one_are_taken_over() -> None:
    theirs = design_text(after(DeleteNodes(["review"])))
    found = read_design(merged(after(EditPart("tools", None, "look", {"handler": "m:f"})), theirs))
    assert list(found.nodes) == ["draft"]
    assert list(found.tools) == ["look"]


def test_a_design_that_was_renamed_here_takes_what_others_changed_elsewhere() -> None:
    found = read_design(merged(after(Rename("nodes", "draft", "writer")), RISKY))
    assert list(found.nodes) == ["writer", "review"]
    assert found.start == "writer"
    assert [edge.source for edge in found.edges] == ["writer", "writer", "review"]


EDITS: list[Edit] = [
    WORDED,
    SetStart("review"),
    Connect("review", "draft", "step < 3"),
    Connect("draft", "draft", "step < 2"),
    DeleteEdge(2),
    DeleteEdge(0),
    MoveEdge(0, 1),
    AddNode("llm", after="review"),
    EditPart("nodes", "review", "review", {"type": "approval", "prompt": "Really?"}),
    EditPart("state", None, "more", {"input": True}),
    DeleteNodes(["review"]),
    Rename("nodes", "review", "check"),
]


@given(some.sampled_from(EDITS), some.sampled_from(EDITS))
def test_one_side_alone_is_taken_as_it_is_and_both_come_out_whichever_is_mine(one: Edit, other: Edit) -> None:
    mine, theirs = after(one), after(other)
    assert merged(mine, FILE) == design_text(mine)
    assert merged(BASE, design_text(theirs)) == design_text(theirs)
    there, back = conflicts(mine, design_text(theirs)), conflicts(theirs, design_text(mine))
    assert sorted(there) == sorted(back)
    if not there:
        text, other_text = merged(mine, design_text(theirs)), merged(theirs, design_text(mine))
        first, second = read_design(text), read_design(other_text)
        assert first.head == second.head
        assert {n: p.table for n, p in first.nodes.items()} == {n: p.table for n, p in second.nodes.items()}
        assert {s: [first.edges[e].table for e in es] for s, es in first.outgoing.items()} == {
            s: [second.edges[e].table for e in es] for s, es in second.outgoing.items()
        }
