"""Settings of the graph, keys of the state, tools, and several edits as one."""

from __future__ import annotations

import pytest

from stepgraph.editing import EditError, EditHistory
from stepgraph.editing.edit import CompoundEdit
from stepgraph.editing.nodes import SetStart
from stepgraph.editing.parts import DeleteDeclaration, EditPart, EditSettings
from tests.editing.designs import design_of, edited


def test_settings_change_and_unset() -> None:
    design = design_of()
    done = EditSettings({**design.head, "max_steps": 9, "no_feedback": None}).apply(design)
    assert done.said == "change no_feedback and max_steps of the graph"
    assert done.design.head == {"format": 1, "name": "letters", "start": "classify", "max_steps": 9}
    assert EditSettings(dict(design.head)).apply(design).design is design


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


def test_several_edits_are_made_all_or_none() -> None:
    history = EditHistory(design_of())
    before = history.design
    with pytest.raises(EditError):
        history.do(CompoundEdit((SetStart("draft"), SetStart("nobody")), "fix it"))
    assert history.design is before
    assert history.undo() is None
