"""The table of keys: each key means one thing wherever it is pressed, and what is bound is there."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from textual.actions import parse
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, Keys, key_to_character
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

import stepgraph_tui
from stepgraph_tui.commands import (
    COMMANDS,
    CONTEXTS,
    WORKBENCH,
    Command,
    Context,
    bindings,
    dialogs,
    everywhere,
    panes,
    reviews,
    screens,
    workbench,
)
from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.commands.markdown import keys_as_markdown, renewed, table
from stepgraph_tui.widgets.chrome.pane import Pane
from tests.app.playing import play

PANES = tuple(str(parse(command.action)[2][0]) for command in WORKBENCH if "panes.show" in command.action)
"""The contexts of the panes: each is named as the tab that a key of the workbench shows."""
TOGETHER: tuple[tuple[str, ...], ...] = (
    *((pane, mode, "workbench", "app") for pane in PANES for mode in ("debug", "design")),
    ("graph", "edit", "design", "workbench", "app"),
    ("find", "debug", "workbench", "app"),
    ("home", "app"),
    ("runs", "app"),
    ("inbox", "app"),
    ("choice", "form"),
    ("tried", "list"),
)
"""The contexts that hold together, the nearest first."""
CHAINS = (*TOGETHER, *((name,) for name in CONTEXTS if not any(name in chain for chain in TOGETHER)))
"""All of them: dialogs keep the keys below them out."""
REFINED: dict[tuple[str, str], str] = {
    ("find.close", "workbench.back"): "Esc leaves what was begun last, and that is the search",
    ("workbench.approvals", "app.inbox"): "the review of this run, if it waits for one, else the inbox",
    ("state.break", "debug.break"): "a breakpoint on the selected value",
    ("why.break", "debug.break"): "a breakpoint on the selected edge",
    ("state.edit_whole", "workbench.editor"): "$EDITOR opens what has the focus: the state, not the file",
}
"""Where a nearer context takes a key: the same verb, on what has the focus."""
NAMED = {key.value for key in Keys}
MODIFIERS = {"ctrl", "shift", "alt"}
NEVER = {"ctrl+a", "ctrl+b"}  # screen's and tmux's own keys


def keys_of(command: Command) -> list[str]:
    return command.keys.split(",")


def in_context(context: str) -> list[Command]:
    return [command for command in COMMANDS.values() if command.context == context]


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


def test_a_key_means_one_thing_in_a_context() -> None:
    for context in CONTEXTS:
        keys = Counter(key for command in in_context(context) for key in keys_of(command))
        assert [key for key, count in keys.items() if count > 1] == [], context


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain[0])
def test_a_nearer_context_takes_a_key_only_for_a_reason(chain: tuple[str, ...]) -> None:
    taken: dict[str, Command] = {}
    for context in chain:
        for command in in_context(context):
            for key in keys_of(command):
                nearer = taken.get(key)
                if nearer is not None:
                    assert (nearer.id, command.id) in REFINED, f"{key}: {nearer.id} hides {command.id}"
        taken |= {
            key: command for command in in_context(context) for key in keys_of(command) if key not in taken
        }


def test_the_reasons_are_of_use() -> None:
    for nearer, other in REFINED:
        assert set(keys_of(COMMANDS[nearer])) & set(keys_of(COMMANDS[other]))


def test_a_command_says_what_it_does() -> None:
    for command in COMMANDS.values():
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", command.id)
        assert command.label
        assert re.fullmatch(r"[A-Z].*[^.\s]", command.tooltip), command.id
        assert not set("[]|") & set(command.tooltip + command.label), command.id  # markup, README's tables
        assert len(command.label) <= 20, command.id
        assert len(command.tooltip) <= 90, command.id


def test_a_key_is_one_that_textual_knows_and_that_terminals_leave_to_us() -> None:
    for command in COMMANDS.values():
        for key in keys_of(command):
            *modifiers, bare = key.split("+")
            assert set(modifiers) <= MODIFIERS, key
            named = key in NAMED or bare in NAMED
            assert named or key_to_character(REPLACED_KEYS.get(bare, bare)) is not None, key
            assert key not in NEVER
            assert len(key) > 1 or key.isalnum(), key  # signs by their names


def test_what_is_declared_is_registered_once_and_in_the_context_that_its_id_names() -> None:
    declared = [
        context
        for module in (screens, workbench, panes, reviews, dialogs, everywhere)
        for context in vars(module).values()
        if isinstance(context, Context)
    ]
    assert [context.name for context in declared] == list(CONTEXTS)
    commands = [command for context in declared for command in (*context, *context.sometimes)]
    assert [command.id for command in commands] == list(COMMANDS)
    for context in declared:
        assert {command.context for command in (*context, *context.sometimes)} == {context.name}


def test_every_screen_dialog_and_pane_is_walked() -> None:
    assert {kind.__name__ for kind in classes()} >= {"HomeScreen", "Workbench", "ReviewScreen", "GraphView"}


def test_panes_have_no_keys_but_those_of_the_table() -> None:
    panes = [kind for kind in classes() if issubclass(kind, Pane)]
    assert len(panes) >= len(PANES)
    strange = {(kind.__name__, key) for kind in panes for key, one in kind._merge_bindings() if not one.id}
    assert strange == set()


def test_only_quit_and_palette_hold_before_what_has_the_focus() -> None:
    found = {
        (binding.key, binding.action)
        for kind in classes()
        for _, binding in kind._merge_bindings()
        if binding.priority
    }
    found |= {(command.keys, command.action) for command in COMMANDS.values() if command.priority}
    assert found == {("ctrl+q", "quit"), ("ctrl+p", "command_palette")}


def test_what_is_bound_is_in_the_table_and_has_its_action() -> None:
    for kind in classes():
        for binding in Binding.make_bindings(vars(kind).get("BINDINGS", [])):
            assert binding.id in COMMANDS, f"{kind.__name__} binds {binding.key} outside the table"
            name = binding.action.partition("(")[0]
            namespace, _, name = name.rpartition(".")
            assert namespace or _has_action(kind, name), f"{kind.__name__} has no action_{name}"


def _has_action(kind: type[DOMNode], name: str) -> bool:
    """Whether the class, or one below it on the way to what is shown, can do it."""
    heirs = [kind, *(heir for heir in classes() if issubclass(heir, kind))]
    return any(hasattr(heir, f"action_{name}") or hasattr(heir, f"_action_{name}") for heir in heirs)


class Everything(App[None], inherit_bindings=False):
    """A text field below every command of the table."""

    BINDINGS = bindings([*COMMANDS.values()])

    def __init__(self, field: Input | TextArea) -> None:
        super().__init__()
        self.field = field

    def compose(self) -> ComposeResult:
        yield self.field


@pytest.mark.parametrize("field", [Input, TextArea])
def test_in_a_text_field_every_printable_key_types(field: type[Input | TextArea]) -> None:
    app = Everything(field())

    async def look(pilot: Pilot[None]) -> list[str]:
        app.field.focus()
        await pilot.pause()
        return [key for live in live_commands(app.screen) for key in live.keys]

    keys = play(app, look)
    assert [key for key in keys if len(key) == 1 and key not in "↑↓←→"] == []
    assert "ctrl+q" in keys


def test_signs_that_textual_renames_type_into_a_field_too() -> None:
    app = Everything(Input())

    async def look(pilot: Pilot[None]) -> str:
        app.field.focus()
        await pilot.press("slash", "at", "plus", "underscore", "s", "question_mark", "colon")
        assert isinstance(app.field, Input)
        return app.field.value

    assert play(app, look) == "/@+_s?:"


def test_the_page_of_keys_and_the_readme_are_made_from_the_table() -> None:
    page = keys_as_markdown()
    for command in COMMANDS.values():
        assert f"| {command.tooltip} |" in page
    assert "| `s` `F10` | Run exactly one node | `debug.step` |" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 4 for line in rows)
    root = Path(__file__).parents[2]
    assert (root / "KEYS.md").read_text(encoding="utf-8") == page, "make keys"
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert table("debug") in readme
    assert renewed(readme) == readme, "make keys"
    behind = readme.replace("| Run exactly one node |", "| Go |").replace("| `p` | Stop a", "| `P` | Stop a")
    assert renewed(behind) == readme != behind
