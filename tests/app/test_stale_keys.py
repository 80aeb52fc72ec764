"""With every command on another key, no screen names a key that does nothing any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.commands.command import key_names
from stepgraph_tui.commands.hints import Hints
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.settings import Settings
from tests.app.bench import Bench, P, press
from tests.app.letters import BROKEN, LETTERS
from tests.app.playing import screen_lines

_MODIFIERS = (
    "ctrl", "alt", "ctrl+shift", "alt+shift", "ctrl+alt", "super", "hyper", "meta", "ctrl+super",
    "ctrl+hyper", "ctrl+meta", "alt+super", "alt+hyper", "alt+meta", "shift+super", "shift+hyper",
    "shift+meta", "ctrl+alt+shift", "super+alt+ctrl", "hyper+alt+ctrl", "meta+alt+ctrl", "super+hyper",
)  # fmt: skip
KEYS = dict(zip(COMMANDS, (f"{held}+f{n}" for held in _MODIFIERS for n in range(1, 25)), strict=False))
"""Another key for each command, which none has as it comes."""
HINTS = Hints(KEYS)
ROOMY = (250, 60)

_OLD = {name for command in COMMANDS.values() for name in key_names(command.keys)}
_LETTERS = "|".join(sorted(re.escape(name) for name in _OLD if re.fullmatch(r"[A-Za-z]|Enter|[.]", name)))
_LABELS = "|".join(
    sorted({command.label for command in COMMANDS.values()} - {"END", "No"}, key=len, reverse=True)
)
_VERB = r"(?!has|is|was|this)[a-z]+s\b|move\b|next\b|in the graph|there\b"
_SIGNS = "|".join(map(re.escape, sorted(_OLD)))
_STALE = re.compile(
    r"(?<!\+)\bF1?\d\b|\bEsc\b|\bTab\b|\bSpace\b|\bctrl\+[a-z]\b|\bhjkl\b"
    rf"|(?<![^\s(])(?:{_LETTERS})(?: [A-Za-z])? (?={_VERB})"
    rf"|(?<!\S)(?:{_SIGNS}) (?:{_LABELS}|Cancel|Choose|Complete|Accept)(?!\S)"
    r"|! (?:has (?:a fix|\d)|offers)\b|(?<!\S)\d (?:shows|goes|opens)\b|(?<!\S)A \d+( waiting)?\s*$"
    r"|[↑↓←] [↑↓→] |←→"
)
_FIXED = re.compile(r"Enter (?=[A-Z])|Enter opens, |Enter goes to the list, |↓↑ Choose|; Enter tries again")
"""What the fields themselves do with keys that no command has."""


def stale(text: str) -> Iterator[str]:
    """List the lines of a text that name keys which commands had before they were mapped."""
    for line in text.splitlines():
        if _STALE.search(_FIXED.sub("", line)):
            yield line.strip()


class Reader:
    """Presses the keys of commands, and keeps all that was on the screen."""

    def __init__(self, pilot: P) -> None:
        self.pilot = pilot
        self.stale: list[str] = []
        self.read = ""

    async def do(self, *commands: str) -> None:
        """Press the keys of commands, or others, and read the screen after each."""
        for command in commands:
            await press(self.pilot, KEYS.get(command, command))
            await self.pilot.pause()
            await self.look()

    async def look(self) -> None:
        """Read the screen: with the passing word, and with what comes next behind it."""
        self._read()
        for screen in self.pilot.app.screen_stack:
            if isinstance(screen, Workbench) and screen.next_line.passing is not None:
                screen.clear()
                await self.pilot.pause()
                self._read()

    def _read(self) -> None:
        text = "\n".join(screen_lines(self.pilot.app))
        self.read += text
        self.stale += stale(text)

    def says(self, *sentences: str) -> None:
        """Hold that each was on the screen, and nothing stale."""
        assert not self.stale, "\n".join(dict.fromkeys(self.stale))
        for sentence in sentences:
            assert HINTS(sentence) in self.read, f"{HINTS(sentence)} was not said:\n{self.read}"


@pytest.fixture
def mapped(bench: Bench) -> Bench:
    """The app with every command on another key."""
    bench.settings = Settings(name="ana", keys=KEYS)
    return bench


def test_there_is_another_key_for_every_command() -> None:
    assert len(set(KEYS.values())) == len(COMMANDS)
    assert not _OLD & {name for keys in KEYS.values() for name in key_names(keys)}


@pytest.mark.parametrize(
    "line",
    [
        "RUNS wait: X stops after it", "; Esc goes back", "no run yet: c starts one", "6 shows them",
        "m goes there", "a: Enter edits it", "K J move it", "n N next", "1 Graph", "A 2 waiting",
        "ctrl+q leaves", "! has 2 fixes", "Tab Next", "hjkl select a node", ". goes there",
        "t in the graph changes it", "(j k there, or a click)", "←→ Another state", "F4 $EDITOR",
    ],
)  # fmt: skip
def test_a_stale_letter_is_found(line: str) -> None:
    assert list(stale(line)) == [line]


def sentences(file: Path) -> Iterator[str]:
    """List the texts of a module, docstrings left out."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_designing_names_no_key_of_before(mapped: Bench) -> None:
    path = mapped.graph(LETTERS.replace('to = "send"', 'to = "sent"'))

    async def script(pilot: P) -> None:
        reader = Reader(pilot)
        await reader.do(
            "edit.paste",
            "edit.earlier",
            "design.next_problem",
            "design.fix",
            "fixes.take",
            "design.undo",
            "graph.out",
        )
        await reader.do(
            "graph.enter", "form.next", "form.cancel", "workbench.back", "graph.start", "graph.enter"
        )
        await reader.do("form.next", "form.next", "form.cancel", "edit.rename", "form.cancel", "edit.type")
        await reader.do(
            "pick.leave", "design.settings", "form.cancel", "design.keys", "declared.add", "form.cancel"
        )
        await reader.do(
            "declared.close", "edit.add", "pick.take", "pick.take", "form.accept", "app.help", "list.close"
        )
        await reader.do("workbench.mode", "workbench.mode", "workbench.close", "unsaved.stay")
        path.write_text(BROKEN, encoding="utf-8")
        await reader.do("workbench.save", "conflict.difference", "list.close", "conflict.reload")
        path.write_text(LETTERS, encoding="utf-8")
        await reader.do("workbench.save", "conflict.reload")
        reader.says(
            "nothing was copied: {workbench.copy} copies, {edit.delete} keeps what it deletes",
            "select an edge first: {graph.out} selects the edges of the node",
            "{design.next_problem} goes there, {design.fix} offers fixes",
            "{graph.enter} edits it, {edit.earlier} {edit.later} move it, {edit.add} adds a node on it",
            "{graph.enter} edits it, {edit.add} adds one after it, {edit.connect} connects it",
            "to fix before it can run: {workbench.problems} shows them",
            "{design.fix} has 2 fixes: ",
            "{edit.type} in the graph changes it",
            "reloaded from disk; {design.undo} brings your edits back",
        )

    mapped.play(script, path, design=True, size=ROOMY)
