"""What holds for any edits in any order: they can be taken back, and whatever they leave can be looked at."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from stepgraph.documents.loader import GraphRebuilder
from stepgraph.editing import Design, Edit, EditError, EditHistory
from stepgraph.editing.renaming import Rename
from stepgraph.editing.text import design_text, read_design
from stepgraph.graphs.validation import check
from tests.editing.any_edit import ODD_NAMES, any_edit
from tests.editing.designs import LETTER, design_of
from tests.examples import examples

BROKEN = """
    # of wrong types
    start = 5
    no_feedback = "draft"
    odd = [1, 2]

    [state.order]
    type = 7

    [nodes.draft] # a comment
    type = "llm"
    prompt = ["{{ order.id }}", 5]
    output = { a = 1 }

    [nodes.END]
    type = 3

    [[edges]]
    from = "draft"
    to = ["END"]

    # without any end
    [[edges]]
    when = { key = 5 }

    [[edges]]
    from = "draft"
    to = "nobody"
    when = "visits.draft >"
"""
TEXTS = [dedent(LETTER), dedent(BROKEN), "", 'format = 1\nname = "new"\n']


@pytest.mark.slow
@examples(60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_all_edits_undone_give_the_same_file(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    first = read_design(text)
    history, builder = EditHistory(first), GraphRebuilder()
    for _ in range(data.draw(st.integers(1, 10))):
        step = data.draw(st.sampled_from(("do", "do", "do", "do", "undo", "redo")))
        if step == "undo":
            history.undo()
        elif step == "redo":
            history.redo()
        else:
            _try(history, any_edit(data.draw, history.design))
        check(builder.build(history.design.document()))
        assert read_design(design_text(history.design)).document() == history.design.document()
    while history.undo():
        pass
    assert history.design.parts == first.parts  # parts are equal only when they are the same
    assert history.design.head is first.head
    assert design_text(history.design) == text
    assert not history.is_dirty


@given(st.sampled_from(list(design_of().nodes)), ODD_NAMES)
def test_a_renamed_node_brings_no_new_problems(old: str, new: str) -> None:
    design = design_of()
    try:
        renamed = Rename("nodes", old, new).apply(design).design
    except EditError:
        return
    assert _codes(renamed) == _codes(design)
    assert Rename("nodes", new, old).apply(renamed).design.head == design.head


@given(st.sampled_from(("ticket", "order", "letter", "category", "decision")), ODD_NAMES)
def test_a_renamed_key_brings_no_new_problems(old: str, new: str) -> None:
    design = design_of()
    try:
        renamed = Rename("state", old, new).apply(design).design
    except EditError:
        return
    assert _codes(renamed) == _codes(design)
    back = Rename("state", new, old).apply(renamed).design
    assert _codes(back) == _codes(design)


def _try(history: EditHistory, edit: Edit) -> None:
    before = history.design
    try:
        done = history.do(edit)
    except EditError:
        done = None
    if done is None:
        assert history.design is before
        return
    assert done.said.isprintable()
    assert done.node is None or done.node in history.design.nodes
    assert done.edge is None or 0 <= done.edge < len(history.design.edges)


def _codes(design: Design) -> list[str]:
    return sorted(problem.code for problem in check(GraphRebuilder().build(design.document())))
