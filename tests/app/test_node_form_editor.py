"""The form of a node, and $EDITOR."""

from __future__ import annotations

from stepgraph_tui.dialogs.design import NodeForm
from tests.app.forms import DEFAULTS, filled


def test_lines_from_the_editor_become_one_where_a_field_has_one() -> None:
    host = filled(NodeForm(DEFAULTS, "x"), "f4", "ctrl+j", edit=lambda text, suffix: "two\nwords\n")
    assert host.answer.new_name == "two words"
