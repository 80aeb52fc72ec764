"""The table of keys: each key means one thing wherever it is pressed, and what is bound is there."""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from functools import cache
from pathlib import Path

from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import ModalScreen

import stepgraph_tui
from stepgraph_tui.commands import COMMANDS, CONTEXTS
from stepgraph_tui.commands.__main__ import keys_as_markdown, renewed, table
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
                assert all(isinstance(more, int) or more in ("hidden", "priority") for more in row[5:]), row


def test_the_page_of_keys_and_that_of_the_app_are_made_from_the_table() -> None:
    page = keys_as_markdown()
    for command in COMMANDS.values():
        assert f"| {command.tooltip} |" in page
    assert "| `s` `F10` | Run exactly one node | `debug.step` |" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 4 for line in rows)
    root = Path(__file__).parents[2]
    assert (root / "KEYS.md").read_text(encoding="utf-8") == page, "make keys"
    guide = (root / "docs" / "app.md").read_text(encoding="utf-8")
    assert table("debug") in guide
    assert renewed(guide) == guide, "make keys"
    behind = guide.replace("| Run exactly one node |", "| Go |").replace("| `p` | Stop a", "| `P` | Stop a")
    assert renewed(behind) == guide != behind
