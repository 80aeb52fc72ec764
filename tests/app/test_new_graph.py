"""Making a graph file, from a dialog and from the home screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual import on
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph import MemoryStore
from stepgraph.files import templates
from stepgraph.files.templates import TEMPLATES, template_text
from stepgraph_tui.dialogs.new_graph import NewGraph
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.screens.home import HomeScreen
from tests.app.asking import Asking, Told, answered_in_turn
from tests.app.playing import play, screen_lines
from tests.app.turning import rest


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(*cases: Sequence[str], size: tuple[int, int] = (80, 24)) -> list[Told]:
    """What was handed back after some keys, and the screen; one dialog a case."""
    return answered_in_turn(lambda _: NewGraph(), *cases, size=size)


def made_of(*texts: str, size: tuple[int, int] = (120, 24)) -> list[tuple[str, list[Any], str]]:
    """What is said of each text in the field, what Enter hands back then, and what is said after it."""
    host = Asking()

    async def script(pilot: Pilot[None]) -> list[tuple[str, list[Any], str]]:
        told = []
        for text in texts:
            answers: list[Any] = []
            dialog = NewGraph()
            host.push_screen(dialog, answers.append)
            await pilot.pause()
            dialog.query_one(Input).value = text
            await rest(pilot)
            before = host.text
            await pilot.press("enter")
            await pilot.pause()
            told.append((before, list(answers), host.text))
            if dialog in host.screen_stack:
                dialog.dismiss(None)
                await pilot.pause()
        return told

    return play(host, script, size)


def test_one_enter_makes_a_blank_graph_with_a_name_that_is_free(folder: Path) -> None:
    told = made(["enter"], ["enter"], ["enter"])
    names = ["graph.toml", "graph-2.toml", "graph-3.toml"]
    assert [answers for answers, _ in told] == [[Path(name)] for name in names]
    assert (folder / "graph.toml").read_text("utf-8") == template_text("blank", "graph")


def test_of_a_long_path_the_end_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = folder / ("deep" * 12) / "漢字" / "last"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert re.search(r"makes …[dep]+/漢 ?字 ?/last/graph\.toml", made([])[0][1])


def test_it_tells_what_there_is_to_begin_with() -> None:
    ((_, text),) = made([])
    assert all(name in text and what in text for name, what in TEMPLATES.items())
    assert "Enter Accept  ↓ Down  ↑ Up  Tab Complete  Esc Cancel" in text


def test_a_name_that_is_typed_takes_the_place_of_the_one_that_stands_there(folder: Path) -> None:
    told = made([*"one.toml", "enter"], [*"two", "enter"], [*"x", "escape"], ["backspace", "enter"])
    assert [answers for answers, _ in told] == [[Path("one.toml")], [Path("two.toml")], [None], []]
    assert "write the path of the new file" in told[-1][1]
    assert 'name = "two"' in (folder / "two.toml").read_text("utf-8")
    assert sorted(path.name for path in folder.iterdir()) == ["one.toml", "two.toml"]


def test_the_arrows_choose_the_template_while_the_path_is_typed(folder: Path) -> None:
    made([*"one", "down", "enter"], ["down", "down", *"two", "enter"])
    assert (folder / "one.toml").read_text("utf-8") == template_text("tool-router", "one")
    assert (folder / "two.toml").read_text("utf-8") == template_text("approval", "two")


def test_what_cannot_be_made_is_told_while_typing_and_leaves_all_as_it_was(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "there.toml").write_text("mine", encoding="utf-8")
    messages = {
        "there.toml": "✗ there.toml already exists",
        "there": "✗ there.toml already exists",
        "none/x.toml": "✗ there is no folder none; make it first: mkdir -p none",
        "there.toml/x": "✗ there.toml is not a folder",
        "x.txt": "✗ graph files end in .toml, and x.txt does not; name it x.txt.toml",
        "sub/": "write the path of the new file",
        "..": "write the path of the new file",
        "~": "write the path of the new file",
    }
    for message, (before, answers, after) in zip(messages.values(), made_of(*messages), strict=True):
        assert message in before
        assert answers == []
        assert message in after
    assert sorted(path.name for path in folder.rglob("*")) == ["sub", "there.toml"]
    assert (folder / "there.toml").read_text("utf-8") == "mine"


def test_folders_are_completed_and_the_home_folder_is_a_tilde(folder: Path, own_home: Path) -> None:
    (folder / "graphs").mkdir()
    (completed, _), (answers, _), (_, text) = made([*"gr", "tab", *"x", "enter"], [*"~/m", "enter"], [*"~/n"])
    assert completed == [Path("graphs/x.toml")]
    assert answers == [own_home / "m.toml"]
    assert "makes ~/n.toml" in text


def test_a_file_that_cannot_be_written_is_told_and_the_path_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(templates, "_write_new", full)
    ((answers, text),) = made([*"mine", "enter"], size=(120, 24))
    assert answers == []
    assert "✗ mine.toml cannot be written: No space left on device" in text


@pytest.mark.parametrize("size", [(20, 5), (1, 1)])
def test_it_fits_any_screen(folder: Path, size: tuple[int, int]) -> None:
    assert made([*"x", "down", "enter"], size=size)[0][0] == [Path("x.toml")]


def test_odd_names_are_made_and_too_long_ones_told(folder: Path) -> None:
    (_, answers, text), (_, odd, _) = made_of("x" * 300, "é 'q'.b.toml", size=(80, 24))
    assert answers == []
    assert "File name too long" in " ".join(text.replace("┃", "").split())
    assert odd == [Path("é 'q'.b.toml")]
    assert "name = \"é 'q'.b\"" in (folder / "é 'q'.b.toml").read_text("utf-8")


class Home(App[None]):
    """Has the home screen, and keeps what was chosen on it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.home = HomeScreen(MemoryStore(), Remembered.load(folder / "remembered.json"), folder)
        self.chosen: list[tuple[Path | None, bool]] = []

    def on_mount(self) -> None:
        self.push_screen(self.home)

    @on(HomeScreen.GraphChosen)
    def keep(self, message: HomeScreen.GraphChosen) -> None:
        self.chosen.append((message.path, message.design))


def at_home(folder: Path, *keys: str) -> tuple[list[tuple[Path | None, bool]], str]:
    app = Home(folder)

    async def press(pilot: Pilot[None]) -> str:
        for key in keys:
            await pilot.press(key)
            await rest(pilot)
        return "\n".join(screen_lines(app))

    text = play(app, press)
    return app.chosen, text


def test_a_on_the_home_screen_makes_a_graph_that_is_to_be_drawn(folder: Path) -> None:
    assert at_home(folder, "a", *"mine", "enter")[0] == [(Path("mine.toml"), True)]
    assert (folder / "mine.toml").is_file()


def test_a_newcomer_is_told_the_key_and_esc_leads_back(folder: Path) -> None:
    chosen, text = at_home(folder, "a", "escape")
    assert chosen == []
    assert "No recent graphs. a makes a new one, o opens a file." in text
    assert "a New" in text
