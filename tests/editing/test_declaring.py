"""Settings of the graph, keys of the state, tools, and several edits as one."""

from __future__ import annotations

import pytest

from stepgraph.editing import EditError, EditHistory
from stepgraph.editing.design import CompoundEdit
from stepgraph.editing.edges import Connect, DeleteDeclaration, EditPart, EditSettings
from stepgraph.editing.nodes import AddNode, SetStart
from stepgraph.editing.renaming import Rename
from tests.editing.designs import design_of, edited


def test_settings_change_and_unset() -> None:
    design = design_of()
    done = EditSettings({**design.head, "max_steps": 9, "no_feedback": None}).apply(design)
    assert done.said == "change no_feedback and max_steps of the graph"
    assert done.design.head == {"format": 1, "name": "letters", "start": "classify", "max_steps": 9}
    assert EditSettings(dict(design.head)).apply(design).design is design


def test_a_new_key_stands_behind_the_others() -> None:
    done = edited(EditPart("state", None, "letter", {"type": "text", "note": None}))
    assert done.said == "add the key letter"
    assert [part.name for part in done.design.parts][:4] == ["ticket", "order", "letter", "look_up"]
    assert done.design.keys["letter"].table == {"type": "text"}


def test_the_first_key_and_tool_stand_before_the_nodes() -> None:
    design = design_of("[nodes.a]\n")
    design = EditPart("tools", None, "t", {}).apply(design).design
    design = EditPart("state", None, "k", {}).apply(design).design
    assert [part.name for part in design.parts] == ["k", "t", "a"]


def test_declarations_change_where_they_stand() -> None:
    done = edited(EditPart("state", "ticket", "ticket", {"input": True, "secret": True}))
    assert done.said == "change secret of ticket"
    assert list(done.design.keys) == ["ticket", "order"]
    assert (
        edited(EditPart("tools", "look_up", "look_up", {"handler": "m:f"})).said
        == "change returns and handler of look_up"
    )


def test_declarations_are_deleted() -> None:
    done = edited(DeleteDeclaration("state", "order"))
    assert (done.said, list(done.design.keys)) == ("delete the key order", ["ticket"])
    done = edited(DeleteDeclaration("tools", "look_up"))
    assert (done.said, list(done.design.tools)) == ("delete the tool look_up", [])


@pytest.mark.parametrize(
    "edit",
    [
        EditPart("state", None, "order", {}),
        EditPart("state", None, " ", {}),
        EditPart("state", "nobody", "x", {}),
        EditPart("state", "order", "ticket", {}),
        EditPart("tools", None, "look_up", {}),
        EditPart("tools", "nobody", "x", {}),
        DeleteDeclaration("state", "nobody"),
        DeleteDeclaration("tools", "nobody"),
        EditPart("state", None, "k", {"default": ["\ud800"]}),
        EditSettings({"note": "\ud800"}),
    ],
)
def test_declarations_that_cannot_be_are_refused(edit: EditPart | DeleteDeclaration) -> None:
    with pytest.raises(EditError):
        edited(edit)


def test_several_edits_are_one_entry() -> None:
    history = EditHistory(design_of())
    before = history.design
    done = history.do(
        CompoundEdit(
            (Rename("nodes", "draft", "letter"), AddNode("llm", after="letter"), Connect("llm", "END")),
            "fix it",
        )
    )
    assert (done.said, done.renamed, done.edge) == ("fix it", ("draft", "letter"), 4)
    turned = history.undo()
    assert turned is not None
    assert turned.said == "fix it"
    assert history.design.parts == before.parts


def test_several_edits_are_made_all_or_none() -> None:
    history = EditHistory(design_of())
    before = history.design
    with pytest.raises(EditError):
        history.do(CompoundEdit((SetStart("draft"), SetStart("nobody")), "fix it"))
    assert history.design is before
    assert history.undo() is None
