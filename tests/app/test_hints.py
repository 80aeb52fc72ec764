"""Sentences name the keys that commands have now."""

from __future__ import annotations

import re
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from stepgraph import Decision
from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.dialogs.open_path import OpenPath
from stepgraph_tui.dialogs.pick import NamePrompt
from stepgraph_tui.dialogs.questions import Confirm
from tests.app.approving import Desk, Host, asking, pending, press
from tests.app.playing import play, screen_lines


def test_a_sentence_names_the_first_key_of_a_command_as_people_write_it() -> None:
    assert UNMAPPED("{debug.stop} stops after it, {app.help} helps") == "X stops after it, ? helps"
    assert UNMAPPED.key("approval.later") == "Esc"
    assert all(UNMAPPED.key(command.id) == command.key for command in COMMANDS.values())


def test_a_mapped_command_is_named_by_its_own_keys() -> None:
    hints = Hints({"debug.stop": "f12,ctrl+x", "app.help": "left_square_bracket"})
    assert hints.keys("debug.stop") == ["F12", "ctrl+x"]
    assert hints("{debug.stop} stops, {debug.step} steps, {app.help}") == "F12 stops, s steps, ["


def test_a_sentence_about_a_command_that_is_not_there_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        UNMAPPED("{debug.nothing} does it")
    assert UNMAPPED("{} {x} { debug.stop }") == "{} {x} { debug.stop }"


def test_small_dialogs_name_the_keys_that_work_in_them_now() -> None:
    app: App[None] = App()
    mapped = {"confirm.yes": "f1", "confirm.no": "f2", "form.next": "f3", "form.cancel": "f4"}

    async def script(pilot: Pilot[Any]) -> str:
        app.set_keymap(mapped)
        text = ""
        for dialog in (Confirm("Leave?"), OpenPath(), NamePrompt("Rename", "a", lambda name: None)):
            app.push_screen(dialog)
            await pilot.pause()
            text += "\n".join(screen_lines(app))
        return text

    text = play(app, script)
    for words in ("F1 Yes   F2 Cancel", "→ F3 Complete   F4 Cancel", "Enter Rename   F4 Cancel"):
        assert words in text
    assert "Esc" not in text


def test_with_every_key_mapped_anew_no_sentence_names_an_old_one() -> None:
    mapped = {
        "approval.approve": "f1", "approval.edit": "f2", "approval.reject": "f3", "approval.comment": "f4",
        "approval.details": "f5", "approval.difference": "f6", "approval.next": "f7", "approval.later": "f8",
        "form.accept": "f9", "form.next": "f10", "form.cancel": "f11", "list.copy": "f12",
        "list.close": "f13",
    }  # fmt: skip
    stale = re.compile(r"(?<![\w=])(y|e|n|c|d|=|>|Esc|Tab|ctrl\+j)(?= [a-zA-Z])|Esc\b")
    desk = Desk()
    graph = asking(editable={"title": "text"}, prompt="?\n" * 20)
    host = Host(desk, pending(desk.run(graph)).id, Hints(mapped))
    seen: list[str] = []

    async def script(pilot: Pilot[Any]) -> None:
        host.set_keymap(mapped)

        async def see(*keys: str) -> None:
            await press(pilot, *keys)
            seen.append(host.text)

        await see("f20")
        assert "F5 shows the rest · read the whole question before you approve" in host.text
        assert "F1 approve" in host.text
        assert "F4 write" in host.text
        for key in ("f5", "f8", "f6", "f8", "f4", "x", "f8", "f2", "f9"):
            await see(key)
        assert "nothing is changed: F11, then F1, approves it unchanged" in host.text
        for key in ("f11", "f1", "f8"):
            await see(key)
        desk.reviews.decide("a-1", Decision.reject(by="ben", comment="too high"))
        host.dialog.look_again()
        await see("f20")
        assert "F12 copies it" in host.text
        await see("f13")
        assert not host.open

    play(host, script, (100, 40))
    found = [line for text in seen for line in text.splitlines() if stale.search(line)]
    assert found == []
