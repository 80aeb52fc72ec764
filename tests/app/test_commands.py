"""The table of keys: each key means one thing wherever it is pressed, and what is bound is there."""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
from functools import cache
from pathlib import Path

from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import ModalScreen

import stepgraph_tui
from stepgraph_tui.commands import COMMANDS, CONTEXTS, PREFIXES
from stepgraph_tui.commands.__main__ import keys_as_markdown, renewed, table
from stepgraph_tui.commands.command import THEN, UNBOUND
from stepgraph_tui.commands.hints import FORMER
from stepgraph_tui.dialogs.help import HEADINGS


@cache
def classes() -> list[type[DOMNode]]:
    """Every widget, screen and app that Stepgraph has."""
    names = [module.name for module in pkgutil.walk_packages(stepgraph_tui.__path__, "stepgraph_tui.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, DOMNode) and value.__module__ == module.__name__
    ]


def test_every_dialog_answers_the_key_of_help() -> None:
    without = {"Dialog", "QuestionDialog", "StepgraphPalette"}  # bases, and what lists commands itself
    dialogs = [each for each in classes() if issubclass(each, ModalScreen) and each.__name__ not in without]
    deaf = [
        each.__name__
        for each in dialogs
        if not any(isinstance(one, Binding) and one.action == "app.help" for one in each.BINDINGS)
    ]
    assert deaf == []


def test_the_table_says_nothing_that_is_not_read() -> None:
    path = Path(stepgraph_tui.__file__).with_name("commands") / "table.toml"
    for name, context in tomllib.loads(path.read_text(encoding="utf-8")).items():
        assert context.keys() <= {"heading", "help", "commands", "sometimes"}, name
        assert CONTEXTS[name].help in HEADINGS, name  # the help has a place for it
        for row in (*context["commands"], *context.get("sometimes", ())):
            if isinstance(row, str):
                assert row.split()[0] in ("list", "scroll"), row
            else:
                words = ("hidden", "moves", "priority")
                assert all(isinstance(more, int) or more in words for more in row[5:]), row


SAID = {
    "a": "Add|New|Insert", "b": "Break|Break at value", "B": "Break with|Break on change",
    "c": "Continue|Run", "C": "Connect", "d": "Delete|Forget", "e": "Edit", "E": "Settings|Edit all|Editor",
    "f": "Fork", "g": "Go", "i": "Step into", "I": "Step out", "J": "Later", "K": "Earlier",
    "L": "Last writer", "m": "Mode", "n": "Next", "N": "Previous", "o": "Out-edge", "O": "In-edge",
    "p": "Paste", "P": "Paste loose", "q": "Quit|Close|Cancel", "r": "Retry|Again", "R": "Rename",
    "s": "Step", "t": "To here", "u": "Undo", "T": "Try node|Test", "U": "Redo", "v": "View|Views|Values",
    "w": "Watch", "x": "The run", "X": "Stop|End run", "y": "Copy", "Y": "Copy command|Copy path",
    "z": "View",
}  # fmt: skip
"""How the one verb of each letter is said in the places where it is pressed."""
QUESTIONS = {
    "approval", "bulk", "confirm", "trust", "live", "conflict", "adopt", "draft", "unsaved", "gap"
}  # fmt: skip
"""Reviews and questions: they have the keys for themselves."""


def test_a_letter_has_one_verb_in_the_whole_program() -> None:
    said = [
        command for command in COMMANDS.values() if command.context not in QUESTIONS and not command.moves
    ]
    for command in said:
        for key in command.keys.split(","):
            if len(key) == 1 and key.isalpha():
                assert command.label in SAID[key].split("|"), command.id


def test_two_keys_are_the_most_and_no_first_one_does_anything_by_itself() -> None:
    for command in COMMANDS.values():
        for key in command.keys.split(","):
            first, *others = key.split(THEN)
            assert len(others) < 2
            assert not others or first in PREFIXES or key.startswith(UNBOUND)
            assert others or first not in PREFIXES or command is PREFIXES[first]


def test_no_key_needs_a_function_key_or_what_many_keyboards_hide() -> None:
    hidden = {"quotation_mark", "dollar_sign", "at", "left_curly_bracket", "right_curly_bracket"}
    hidden |= {"circumflex_accent", "tilde", "grave_accent"}
    for command in COMMANDS.values():
        keys = {key for key in command.keys.split(",") if not set(key.split(THEN)) & hidden}
        assert {
            key for key in keys if not re.fullmatch(r"(shift\+)?f\d+", key)
        } or command.id == "form.editor"


def test_what_keys_did_before_names_commands_that_have_others_now() -> None:
    for key, ids in FORMER.items():
        assert all(key not in COMMANDS[id_].keys.split(",") for id_ in ids), key


def test_the_page_of_keys_and_that_of_the_app_are_made_from_the_table() -> None:
    page = keys_as_markdown()
    for command in COMMANDS.values():
        assert command.moves or f"| {command.tooltip} |" in page
    assert "| `s` `F10` | Run exactly one node | `debug.step` |" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 4 for line in rows if line.count("`") and line.endswith("` |"))
    root = Path(__file__).parents[2]
    assert (root / "KEYS.md").read_text(encoding="utf-8") == page, "make keys"
    guide = (root / "docs" / "app.md").read_text(encoding="utf-8")
    assert table("debug") in guide
    assert renewed(guide) == guide, "make keys"
    behind = guide.replace("| Run exactly one node |", "| Go |").replace("| `p` | Stop a", "| `P` | Stop a")
    assert renewed(behind) == guide != behind
