"""With every command on another key, no screen names a key that does nothing any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import stepgraph_tui
from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.commands.hints import Hints
from stepgraph_tui.commands.names import key_names
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.settings import Settings
from tests.app.bench import REFUND, Bench, P, press, settle, until, workbench
from tests.app.gates import GATED, WORK, Gate
from tests.app.letters import BROKEN, LETTERS
from tests.app.playing import screen_lines
from tests.app.turning import rest

_MODIFIERS = (
    "ctrl", "alt", "ctrl+shift", "alt+shift", "ctrl+alt", "super", "hyper", "meta", "ctrl+super",
    "ctrl+hyper", "alt+super", "alt+hyper", "alt+meta", "shift+super", "shift+hyper", "shift+meta",
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
            if isinstance(screen, Workbench) and screen.bottom.next_line.passing is not None:
                screen.surface.clear()
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


SOURCES = sorted(
    file
    for file in Path(stepgraph_tui.__file__).parent.rglob("*.py")
    if not {"cli", "commands"} & set(file.parts[-3:-1])
)


def sentences(file: Path) -> Iterator[str]:
    """List the texts of a module, docstrings left out."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_every_key_that_a_sentence_names_is_that_of_a_command() -> None:
    named = [
        name for file in SOURCES for text in sentences(file) for name in re.findall(r"\{(\w+\.\w+)\}", text)
    ]
    assert len(named) > 50
    assert set(named) <= COMMANDS.keys()


def test_no_sentence_has_a_key_written_into_it() -> None:
    texts = [(file.name, text) for file in SOURCES for text in sentences(file) if " " in text]
    assert [text for text in texts if list(stale(text[1]))] == []


def test_home_names_no_key_of_before(mapped: Bench) -> None:
    async def script(pilot: P) -> None:
        reader = Reader(pilot)
        await rest(pilot)
        await reader.do("home.down", "home.filter", "r", "home.back", "home.back", "home.open", "form.cancel")
        await reader.do("home.new", "x", "form.cancel", "confirm.yes", "app.help", "list.close")
        await reader.do("app.palette", "escape", "app.log", "list.close")
        reader.says(
            "No recent graphs. {home.new} makes a new one, {home.open} opens a file.",
            "{home.enter} opens the graph. Then {debug.go} starts a run, and {debug.step} runs one node.",
            "Enter opens, {home.up} {home.down} choose, {home.back} leaves the filter",
        )

    mapped.play(script, size=ROOMY)


def test_a_run_names_no_key_of_before(mapped: Bench) -> None:
    async def script(pilot: P) -> None:
        reader = Reader(pilot)
        panes = [
            f"workbench.{pane}" for pane in ("state", "why", "node", "trace", "problems", "log", "graph")
        ]
        await reader.do(*panes, "debug.retry", "edit.add", "app.help", "list.close", "app.palette", "escape")
        await reader.do("debug.go", "form.next", "form.accept", "debug.step", *panes, "debug.earlier", *panes)
        await reader.do(
            "debug.step", "workbench.find", "r", "find.next", "workbench.find_next", "workbench.back"
        )
        await reader.do("workbench.state", "state.whole", "workbench.find", "e", "find.next", "list.close")
        await reader.do("list.close", "workbench.graph", "debug.pause_after", "debug.pause_after", "debug.go")
        await reader.do("approval.details", "approval.later", "approval.later", *panes, "debug.step")
        await reader.do(
            "workbench.try", "form.cancel", "workbench.approvals", "approval.reject", *"no", "enter"
        )
        await reader.do("enter", "debug.go", *panes, "debug.step", "workbench.mode", "workbench.close")
        reader.says(
            "no run yet: {debug.go} starts one, {workbench.mode} edits the graph",
            "there is no run yet: {debug.go} starts one",
            "a key of Design; {workbench.mode} goes there",
            "{debug.go} starts a run",
            "{debug.step} runs it",
            "{workbench.back} goes back to the latest step",
            "{workbench.find_next} {workbench.find_previous} next  {workbench.back} close",
            "{workbench.find_next} {workbench.find_previous} next  {list.close} close",
            "{find.next} next  {find.close} close",
            "{debug.go} pauses after it",
            "{debug.go} runs on after it",
            "asks a person: {workbench.approvals} opens the review",
            "waits for a person: {workbench.approvals} opens the review",
            "{approval.approve} approve",
            " {workbench.approvals} 1 waiting",
            "has ended: {debug.start_over} starts over",
            "; {debug.start_over} starts over",
            "[{workbench.state} State]",
        )

    mapped.play(script, REFUND, size=ROOMY)


def test_a_run_that_works_or_failed_names_no_key_of_before(mapped: Bench, gate: Gate) -> None:
    fails = "def count(state):\n    raise ValueError('closed')\n\ndef wait(state):\n    return {}\n"
    slow = mapped.trusted(GATED, work=WORK)
    broken = mapped.trusted(GATED.replace("work:", "shop:"), "shop.toml", shop=fails)

    async def failed(pilot: P) -> None:
        reader = Reader(pilot)
        await reader.do("debug.go", "form.accept", "debug.step", "workbench.why", "debug.retry", "debug.step")
        await reader.do("workbench.try", "form.accept", "tried.again", "form.cancel")
        reader.says(
            "{debug.retry} tries again",
            "has failed: {debug.retry} tries it again",
            "{debug.retry} retries it",
        )

    async def works(pilot: P) -> None:
        reader = Reader(pilot)
        await pilot.press(KEYS["debug.go"])
        await gate.is_reached()
        await until(pilot, lambda: workbench(pilot).runs.running)
        for command in ("debug.step", "workbench.close", "workbench.try", "workbench.editor"):
            await pilot.press(KEYS[command])
            await reader.look()
        gate.open()
        await settle(pilot)
        reader.says(
            "is still running: {debug.stop} stops after it",
            ": {debug.stop} stops after it",
            "{debug.stop} stops after it, {app.quit} leaves at once",
            "a node is still running: {debug.stop} stops after it; the file is",
        )

    mapped.play(failed, broken, size=ROOMY)
    run = mapped.run(slow)
    mapped.play(works, slow, run=run.id, size=ROOMY)


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
            "nothing was copied: {workbench.copy} copies, {edit.cut} cuts",
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


def test_a_file_that_is_empty_or_broken_names_no_key_of_before(mapped: Bench) -> None:
    empty = mapped.graph('format = 1\nname = "new"\nstart = "a"\n', "empty.toml")
    broken = mapped.graph(BROKEN)

    async def blank(pilot: P) -> None:
        reader = Reader(pilot)
        await reader.look()
        reader.says(
            "{edit.add} adds the first node", "There are no nodes yet: {edit.add} adds the first one."
        )

    async def unread(pilot: P) -> None:
        reader = Reader(pilot)
        await reader.do("workbench.node", "workbench.graph", "edit.add", "pick.take")
        reader.says("{workbench.editor} opens it there", "{workbench.editor} opens it in your editor")

    mapped.play(blank, empty, design=True, size=ROOMY)
    mapped.play(unread, broken, design=True, size=ROOMY)
