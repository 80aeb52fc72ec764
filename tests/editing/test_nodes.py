"""Deleting, duplicating and changing nodes."""

from __future__ import annotations

import pytest

from stepgraph.editing import Design, EditError
from stepgraph.editing.nodes import ChangeType, DeleteNodes, DuplicateNodes, SetStart
from stepgraph.editing.parts import EditPart
from tests.editing.designs import design_of, edited, ways


def test_a_node_goes_with_all_its_edges() -> None:
    done = edited(DeleteNodes(["review"]))
    assert (done.said, done.node) == ("delete review and 3 edges", None)
    assert "review" not in done.design.nodes
    assert ways(done.design)[-1] == "look_up -> draft"


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


def test_a_copy_has_the_settings_and_the_ways_out() -> None:
    done = edited(DuplicateNodes(["review"]))
    assert done.said == "duplicate review as review_2 and 2 edges"
    assert done.node == "review_2"
    assert done.design.nodes["review_2"].table == done.design.nodes["review"].table
    assert ways(done.design)[-2:] == [
        'review_2 -> draft if decision == "reject" and visits.draft < 3',
        "review_2 -> END",
    ]


def test_copies_lead_to_each_other_as_the_originals_do() -> None:
    done = edited(DuplicateNodes(["review", "draft"]))
    assert done.said == "duplicate 2 nodes and 3 edges"
    assert ways(done.design)[-3:] == [
        "draft_2 -> review_2",
        'review_2 -> draft_2 if decision == "reject" and visits.draft_2 < 3',
        "review_2 -> END",
    ]
    assert done.design.head["no_feedback"] == ["draft", "draft_2"]


def test_copies_of_copies_count_on() -> None:
    design = design_of()
    for name in ("draft_2", "draft_3"):
        done = DuplicateNodes([list(design.nodes)[1]]).apply(design)
        assert done.node == name
        design = done.design
    assert DuplicateNodes(["draft_2"]).apply(design).node == "draft_4"


def test_another_type_keeps_what_it_knows() -> None:
    done = edited(ChangeType("draft", "approval"))
    assert done.said == "make draft an approval node without replies"
    table = done.design.nodes["draft"].table
    assert list(table) == ["type", "prompt", "output"]
    assert table["type"] == "approval"


def test_another_type_gets_what_it_needs() -> None:
    done = edited(ChangeType("draft", "router"))
    assert done.said == "make draft a router node without prompt, replies"
    table = done.design.nodes["draft"].table
    assert table["output"] == "letter"
    assert {"key", "threshold", "high", "low"} <= table.keys()


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


def test_a_form_changes_settings() -> None:
    done = edited(
        EditPart("nodes", "look_up", "look_up", {"type": "tool", "tool": "look_up", "output": None})
    )
    assert done.said == "change arguments and output of look_up"
    assert done.design.nodes["look_up"].table == {"type": "tool", "tool": "look_up"}


def test_a_form_changes_the_name_with_all_that_names_the_node() -> None:
    done = edited(EditPart("nodes", "draft", "letter writer", {"type": "llm", "prompt": "Write."}))
    assert done.said == (
        "change prompt, output and replies of draft; rename draft to 'letter writer': 3 edges, 1 condition"
    )
    assert done.renamed == ("draft", "letter writer")
    assert done.design.nodes["letter writer"].table == {"type": "llm", "prompt": "Write."}


def test_a_form_that_changes_nothing_is_no_edit() -> None:
    design = design_of()
    table = dict(design.nodes["draft"].table)
    assert EditPart("nodes", "draft", "draft", table).apply(design).design is design


def test_a_form_with_a_name_that_is_taken_changes_nothing() -> None:
    with pytest.raises(EditError, match="there is a node review already"):
        edited(EditPart("nodes", "draft", "review", {}))


def test_a_value_that_no_file_can_hold_is_refused() -> None:
    for prompt in ("\ud800", ["a", None], {"a": {"b": None}}, {"\udfff": 1}, float("inf"), {1, 2}):
        with pytest.raises(EditError) as caught:
            edited(EditPart("nodes", "draft", "draft", {"type": "llm", "prompt": prompt}))
        assert "prompt" in caught.value.message
        assert caught.value.hint


def test_a_value_that_was_in_the_file_stays_whatever_it_is() -> None:
    design = design_of('[nodes.a]\ntype = "llm"\nsince = 2026-01-01\nmost = inf\n')
    table = {**design.nodes["a"].table, "type": "tool"}
    assert EditPart("nodes", "a", "a", table).apply(design).said == "change type of a"


def test_the_start_is_set() -> None:
    done = edited(SetStart("review"))
    assert (done.design.start, done.said, done.node) == ("review", "start at review", "review")
    assert SetStart("review").apply(done.design).design is done.design


@pytest.mark.parametrize("node", ["END", "nobody", ""])
def test_runs_start_at_nodes_only(node: str) -> None:
    with pytest.raises(EditError):
        edited(SetStart(node))


def test_settings_of_wrong_types_do_no_harm() -> None:
    text = (
        'start = 5\nno_feedback = "draft"\n[nodes.a]\ntype = 3\n[[edges]]\nfrom = 7\nto = ["a"]\n[[edges]]\n'
    )
    done = edited(DeleteNodes(["a"]), text)
    assert done.said == "delete a"
    assert ways(done.design) == ["7 -> ['a']", "None -> None"]
    renamed = edited(EditPart("nodes", "a", "b", {"type": "llm", "prompt": "p"}), text)
    assert list(renamed.design.nodes) == ["b"]
    assert edited(DuplicateNodes(["a"]), text).node == "a_2"
    assert edited(ChangeType("a", "llm"), text).said == "make a an llm node"


def test_a_design_of_nothing_refuses_politely() -> None:
    with pytest.raises(EditError):
        DeleteNodes(["a"]).apply(Design({}))
