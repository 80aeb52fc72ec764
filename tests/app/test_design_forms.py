"""The forms of Design, opened from the graph."""

from __future__ import annotations

from stepgraph_tui.dialogs.design import DeclaredDialog, EdgeForm, NodeForm, SettingsForm
from tests.app.bench import (
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    workbench,
)
from tests.app.filling import fill, form_on_top
from tests.app.letters import (
    design,
    draw,
    edges,
    selected,
)


def test_enter_opens_the_form_of_what_is_selected(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "enter")
        form_on_top(pilot, NodeForm)
        await fill(pilot, prompt="Write it.")
        assert design(pilot).nodes["draft"].table["prompt"] == "Write it."
        assert said(pilot) == "change prompt of draft"
        await press(pilot, "o", "enter")
        form_on_top(pilot, EdgeForm)
        await fill(pilot, to="send")
        assert edges(pilot)[0] == "draft send"
        assert selected(pilot) == 0

    draw(bench, script)


def test_a_form_that_is_left_as_it_was_is_no_edit(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for keys in (("enter",), ("s",), ("o", "enter")):
            await press(pilot, *keys, "ctrl+j")
            assert pilot.app.screen is workbench(pilot)
        await press(pilot, "u")
        assert said(pilot) == "! there is nothing to undo"
        await press(pilot, "ctrl+y")
        assert said(pilot) == "! there is nothing to redo"
        assert "SAVED" in header(pilot)

    draw(bench, script)


def test_settings_keys_and_tools_have_their_keys(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "s")
        form_on_top(pilot, SettingsForm)
        await fill(pilot, name="post", max_steps="9")
        assert header(pilot).startswith(" post *   DESIGN   MODIFIED")
        await press(pilot, "f6", "enter")
        await fill(pilot, name="number")
        assert design(pilot).nodes["check"].table["key"] == "number"
        dialog(pilot, DeclaredDialog)  # for the next one
        await press(pilot, "escape", "f7", "a")
        await fill(pilot, name="post", handler="post:post")
        dialog(pilot, DeclaredDialog)
        assert list(design(pilot).tools) == ["post"]
        await press(pilot, "d", "escape")
        assert list(design(pilot).tools) == []

    draw(bench, script)


def test_the_start_is_set_where_runs_are_to_begin(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "j", "S")
        assert design(pilot).start == "check"
        assert said(pilot) == "start at check"
        await press(pilot, "S")
        assert said(pilot) == "nothing was changed"

    draw(bench, script)
