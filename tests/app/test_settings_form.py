"""The forms of what a graph says beside its nodes and edges, and the lists of what it declares."""

from __future__ import annotations

from textual.pilot import Pilot

from stepgraph import StateGraph
from stepgraph_tui.dialogs.design import KeyForm, SettingsForm
from stepgraph_tui.dialogs.forms.completing import Offer
from stepgraph_tui.dialogs.forms.form import Form
from stepgraph_tui.dialogs.run_form import RunForm
from tests.app.forms import REFUND, Host, design, filled, told

SECRET = design('[state.token]\ntype = "text"\nsecret = true\ndefault = "hunter2"\n')


def test_nodes_are_completed_and_unknown_ones_told() -> None:
    fields = {field.name: field for field in SettingsForm(REFUND).contents.fields}
    assert fields["start"].completer is not None
    assert fields["start"].completer("loo") == Offer("loo", ("lookup",))
    assert "is not a node of the graph" in told(SettingsForm(REFUND), start="xclassify")["start"]


def test_a_secret_that_does_not_suit_is_not_quoted() -> None:
    wrong = told(KeyForm(SECRET, "token"), type="number", default="hunter3")
    assert wrong == {"default": "takes a number\n"}


def test_a_form_shows_all_of_itself_where_there_is_room_however_its_notes_are_wrapped() -> None:
    """A line that fits in a form, and not beside the gutter of its scroll bar, is wrapped, and is counted."""
    graph = StateGraph("wrapped", start="work")
    graph.add_node("work", lambda state: {})
    graph.add_edge("work", "END")
    for size in range(66, 76):
        graph.add_key(f"k{size}", input=True, note="wo " * 20 + "w" * (size - 60))
    hidden: list[float] = []

    async def look(pilot: Pilot[None], host: Host) -> None:
        hidden.append(host.form.query_one(Form).max_scroll_y)

    filled(RunForm(graph.compile()), size=(100, 90), then=look)
    assert hidden == [0]
