"""Sentences name the keys that commands have now."""

from __future__ import annotations

from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.commands.hints import UNMAPPED, Hints


def test_a_sentence_names_the_first_key_of_a_command_as_people_write_it() -> None:
    assert UNMAPPED("{debug.stop} stops after it, {app.help} helps") == "X stops after it, ? helps"
    assert UNMAPPED.key("approval.later") == "Esc"
    assert all(UNMAPPED.key(command.id) == command.key for command in COMMANDS.values())


def test_a_mapped_command_is_named_by_its_own_keys() -> None:
    hints = Hints({"debug.stop": "f12,ctrl+x", "app.help": "left_square_bracket"})
    assert hints.keys("debug.stop") == ["F12", "ctrl+x"]
    assert hints("{debug.stop} stops, {debug.step} steps, {app.help}") == "F12 stops, s steps, ["
