"""The form of a node."""

from __future__ import annotations

from textual.pilot import Pilot

from stepgraph.editing import Design
from stepgraph.editing.edges import EditPart
from stepgraph_tui.dialogs.design import NodeForm
from tests.app.forms import (
    DEFAULTS,
    Host,
    answers,
    design,
    filled,
    paste,
    result,
    told,
)

STRANGE = design("""
[nodes.x]
type = "llm"
promt = "hi"
model = 5
replies = ["one\\ntwo", "three"]

[nodes.later]
type = "from_tomorrow"
speed = 3
""")


def edited(graph: Design, node: str, /, **texts: str) -> dict[str, object]:
    """The table that comes of other texts in the form of a node."""
    answer = result(NodeForm(graph, node), **texts)
    assert isinstance(answer, EditPart)
    return dict(answer.table)


def test_a_type_that_nobody_knows_is_edited_as_toml() -> None:
    form = NodeForm(STRANGE, "later")
    assert "there is no node type 'from_tomorrow'" in told(form)[""]
    assert answers(form).text(form.contents.fields[2]) == "speed = 3"
    assert edited(STRANGE, "later", others="speed = 30") == {"type": "from_tomorrow", "speed": 30}


def test_a_paste_of_a_megabyte_is_kept_aside_and_can_be_taken_away() -> None:
    async def look(pilot: Pilot[None], host: Host) -> None:
        await paste(pilot, host, "x {{ ticket }} " * 70_000)
        assert "1,050,001 characters, more than can be edited here" in " ".join(host.text.split())
        await pilot.press("tab", "shift+tab", "delete", *"short", "ctrl+j")

    answer = filled(NodeForm(DEFAULTS, "x"), "tab", "tab", then=look, size=(120, 40)).answer
    assert answer.table["prompt"] == "short"
