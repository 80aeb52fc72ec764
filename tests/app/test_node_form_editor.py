"""The form of a node, and $EDITOR."""

from __future__ import annotations

from textual.pilot import Pilot

from stepgraph.values.errors import StepgraphError
from stepgraph_tui.dialogs.design import NodeForm
from tests.app.forms import DEFAULTS, Host, filled
from tests.app.playing import screen_lines


def test_a_text_is_edited_in_the_editor_when_f4_is_pressed() -> None:
    asked: list[tuple[str, str]] = []

    def edit(text: str, suffix: str) -> str | None:
        asked.append((text, suffix))
        return "first\n\tsecond\x1b[2J\n"

    async def look(pilot: Pilot[None], host: Host) -> None:
        assert "F4 $EDITOR" in host.text
        await pilot.press("f4", "ctrl+j")

    answer = filled(NodeForm(DEFAULTS, "x"), "tab", "tab", edit=edit, then=look).answer
    assert asked == [("p", ".txt")]
    assert answer.table["prompt"] == "first\n    second\\x1b[2J"


def test_lines_from_the_editor_become_one_where_a_field_has_one() -> None:
    host = filled(NodeForm(DEFAULTS, "x"), "f4", "ctrl+j", edit=lambda text, suffix: "two\nwords\n")
    assert host.answer.new_name == "two words"


def test_an_editor_that_fails_or_is_not_there_is_told() -> None:
    def fail(text: str, suffix: str) -> str | None:
        raise StepgraphError("vi could not be started")

    async def failed(pilot: Pilot[None], host: Host) -> None:
        assert "vi could not be started" in host.text

    async def absent(pilot: Pilot[None], host: Host) -> None:
        assert "no editor can be opened from here" in host.text

    filled(NodeForm(DEFAULTS, "x"), "f4", edit=fail, then=failed)
    filled(NodeForm(DEFAULTS, "x"), "f4", then=absent)


def test_the_link_to_the_editor_can_be_clicked() -> None:
    asked: list[str] = []

    async def look(pilot: Pilot[None], host: Host) -> None:
        lines = screen_lines(host)
        row = next(number for number, line in enumerate(lines) if "F4 $EDITOR" in line)
        await pilot.click(offset=(lines[row].index("F4 $EDITOR") + 2, row))
        assert asked == ["x"]

    filled(NodeForm(DEFAULTS, "x"), edit=lambda text, _: asked.append(text), then=look)
