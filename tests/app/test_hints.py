"""Sentences name the keys that commands have now."""

from __future__ import annotations

from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.commands.hints import UNMAPPED


def test_a_sentence_names_the_first_key_of_a_command_as_people_write_it() -> None:
    assert UNMAPPED("{debug.stop} stops after it, {app.help} helps") == "X stops after it, ? helps"
    assert UNMAPPED.key("approval.later") == "Esc"
    assert all(UNMAPPED.key(command.id) == command.key for command in COMMANDS.values())
