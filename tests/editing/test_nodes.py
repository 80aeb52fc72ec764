"""Deleting, duplicating and changing nodes."""

from __future__ import annotations

import pytest

from stepgraph.editing import EditError
from stepgraph.editing.edges import EditPart
from stepgraph.editing.nodes import ChangeType, DeleteNodes, DuplicateNodes, SetStart
from tests.editing.designs import design_of, edited


def test_what_the_settings_say_of_a_node_goes_too() -> None:
    assert "no_feedback" not in edited(DeleteNodes(["draft"])).design.head


def test_runs_start_at_the_next_node_when_the_start_goes() -> None:
    done = edited(DeleteNodes(["classify"]))
    assert done.said == "delete classify and 2 edges; runs now start at look_up"
    assert done.design.start == "look_up"
    assert edited(DeleteNodes(["classify", "look_up"])).design.start == "draft"


def test_runs_start_at_the_first_node_when_the_start_led_nowhere() -> None:
    text = 'start = "b"\n[nodes.a]\n[nodes.b]\n[[edges]]\nfrom = "b"\nto = "END"\n'
    assert edited(DeleteNodes(["b"]), text).design.start == "a"


def test_with_the_last_node_the_start_goes() -> None:
    done = edited(DeleteNodes(["classify", "draft", "look_up", "review"]))
    assert done.said == "delete 4 nodes and 6 edges; the graph has no start now"
    assert done.design.document() == {
        "format": 1,
        "name": "letters",
        "state": {"ticket": {"input": True}, "order": {"type": "table"}},
        "tools": {"look_up": {"returns": {}}},
    }


@pytest.mark.parametrize("names", [[], ["draft", "nobody"], ["END"]])
def test_only_nodes_that_exist_can_be_deleted(names: list[str]) -> None:
    with pytest.raises(EditError):
        edited(DeleteNodes(names))


def test_copies_of_copies_count_on() -> None:
    design = design_of()
    for name in ("draft_2", "draft_3"):
        done = DuplicateNodes([list(design.nodes)[1]]).apply(design)
        assert done.node == name
        design = done.design
    assert DuplicateNodes(["draft_2"]).apply(design).node == "draft_4"


def test_settings_that_another_type_takes_otherwise_are_lost() -> None:
    text = '[nodes.a]\ntype = "llm"\nnote = "n"\nreview = "before"\nprompt = 5\noutput = ["x"]\n'
    done = edited(ChangeType("a", "approval"), text)
    table = dict(done.design.nodes["a"].table)
    assert done.said.endswith("without prompt, output")
    assert isinstance(table.pop("prompt"), str)
    assert table == {"type": "approval", "note": "n", "review": "before"}


def test_the_same_type_again_changes_nothing() -> None:
    design = design_of()
    assert ChangeType("draft", "llm").apply(design).design is design


@pytest.mark.parametrize("edit", [ChangeType("draft", "tol"), ChangeType("nobody", "llm")])
def test_only_types_that_exist_can_be_given(edit: ChangeType) -> None:
    with pytest.raises(EditError):
        edited(edit)


def test_a_form_changes_the_name_with_all_that_names_the_node() -> None:
    done = edited(EditPart("nodes", "draft", "letter writer", {"type": "llm", "prompt": "Write."}))
    assert done.said == (
        "change prompt, output and replies of draft; rename draft to 'letter writer': 3 edges, 1 condition"
    )
    assert done.renamed == ("draft", "letter writer")
    assert done.design.nodes["letter writer"].table == {"type": "llm", "prompt": "Write."}


def test_a_value_that_no_file_can_hold_is_refused() -> None:
    for prompt in ("\ud800", ["a", None], {"a": {"b": None}}, {"\udfff": 1}, float("inf"), {1, 2}):
        with pytest.raises(EditError) as caught:
            edited(EditPart("nodes", "draft", "draft", {"type": "llm", "prompt": prompt}))
        assert "prompt" in caught.value.message
        assert caught.value.hint


def test_the_start_is_set() -> None:
    done = edited(SetStart("review"))
    assert (done.design.start, done.said, done.node) == ("review", "start at review", "review")
    assert SetStart("review").apply(done.design).design is done.design


@pytest.mark.parametrize("node", ["END", "nobody", ""])
def test_runs_start_at_nodes_only(node: str) -> None:
    with pytest.raises(EditError):
        edited(SetStart(node))
