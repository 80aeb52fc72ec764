"""The forms of what a graph says beside its nodes and edges, and the lists of what it declares."""

from __future__ import annotations

from stepgraph_tui.dialogs.design import KeyForm, SettingsForm
from stepgraph_tui.dialogs.forms.completing import Offer
from tests.app.forms import REFUND, design, told

SECRET = design('[state.token]\ntype = "text"\nsecret = true\ndefault = "hunter2"\n')


def test_nodes_are_completed_and_unknown_ones_told() -> None:
    fields = {field.name: field for field in SettingsForm(REFUND).contents.fields}
    assert fields["start"].completer is not None
    assert fields["start"].completer("loo") == Offer("loo", ("lookup",))
    assert "is not a node of the graph" in told(SettingsForm(REFUND), start="xclassify")["start"]


def test_a_secret_that_does_not_suit_is_not_quoted() -> None:
    wrong = told(KeyForm(SECRET, "token"), type="number", default="hunter3")
    assert wrong == {"default": "takes a number\n"}
