"""Making a graph file, from a dialog and from the home screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual import on
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph import MemoryStore
from stepgraph.files.templates import TEMPLATES, creating, template_text
from stepgraph_tui.dialogs.new_graph import NewGraph
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.screens.home import HomeScreen
from tests.app.playing import play, screen_lines


class Host(App[None]):
    """Asks for a new graph, and keeps its path."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[Path | None] = []

    def on_mount(self) -> None:
        self.push_screen(NewGraph(), self.answers.append)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(
    *keys: str, text: str | None = None, size: tuple[int, int] = (80, 24)
) -> tuple[list[Path | None], str]:
    """What was handed back after some keys, and the screen.

    Args:
        keys: The keys.
        text: What stands in the field before them.
        size: Of the screen, in cells.
    """
    host = Host()

    async def press(pilot: Pilot[None]) -> str:
        if text is not None:
            host.screen.query_one(Input).value = text
            await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        return "\n".join(screen_lines(host))

    screen = play(host, press, size)
    return host.answers, screen


def test_one_enter_makes_a_blank_graph_with_a_name_that_is_free(folder: Path) -> None:
    assert made("enter")[0] == [Path("graph.toml")]
    assert (folder / "graph.toml").read_text("utf-8") == template_text("blank", "graph")
    assert made("enter")[0] == [Path("graph-2.toml")]
    assert made("enter")[0] == [Path("graph-3.toml")]


def test_of_a_long_path_the_end_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = folder / ("deep" * 12) / "漢字" / "last"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert re.search(r"makes …[dep]+/漢 ?字 ?/last/graph\.toml", made()[1])


def test_it_tells_what_there_is_to_begin_with() -> None:
    text = made()[1]
    assert all(name in text and what in text for name, what in TEMPLATES.items())
    assert "Enter Accept  ↓ Down  ↑ Up  Tab Complete  Esc Cancel" in text


def test_a_name_that_is_typed_takes_the_place_of_the_one_that_stands_there(folder: Path) -> None:
    assert made(*"refunds", "enter")[0] == [Path("refunds.toml")]
    assert 'name = "refunds"' in (folder / "refunds.toml").read_text("utf-8")


def test_the_arrows_choose_the_template_while_the_path_is_typed(folder: Path) -> None:
    made(*"one", "down", "enter")
    made("down", "down", *"two", "enter")
    assert (folder / "one.toml").read_text("utf-8") == template_text("tool-router", "one")
    assert (folder / "two.toml").read_text("utf-8") == template_text("approval", "two")


def test_esc_makes_nothing(folder: Path) -> None:
    assert made(*"x", "escape")[0] == [None]
    assert list(folder.iterdir()) == []


CANNOT_BE_MADE = {
    "there.toml": "✗ there.toml is there already",
    "there": "✗ there.toml is there already",
    "none/x.toml": "✗ there is no folder none; make it first: mkdir -p none",
    "there.toml/x": "✗ there.toml is no folder",
    "x.txt": "✗ graph files end in .toml, and x.txt does not; name it x.txt.toml",
    "sub/": "write the path of the new file",
    "..": "write the path of the new file",
    "~": "write the path of the new file",
}


def test_what_cannot_be_made_is_told_while_typing_and_leaves_all_as_it_was(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "there.toml").write_text("mine", encoding="utf-8")
    host = Host()

    async def type_all(pilot: Pilot[None]) -> None:
        field = host.screen.query_one(Input)
        for typed, message in CANNOT_BE_MADE.items():
            field.value = typed
            await pilot.pause()
            assert message in "\n".join(screen_lines(host))
            await pilot.press("enter")
            await host.workers.wait_for_complete()
            await pilot.pause()
            assert message in "\n".join(screen_lines(host))
            assert host.answers == []

    play(host, type_all, (120, 24))
    assert sorted(path.name for path in folder.rglob("*")) == ["sub", "there.toml"]
    assert (folder / "there.toml").read_text("utf-8") == "mine"


def test_without_a_name_there_is_nothing_to_make() -> None:
    answers, text = made("backspace", "enter")
    assert answers == []
    assert "write the path of the new file" in text


def test_folders_are_completed_and_the_home_folder_is_a_tilde(folder: Path, own_home: Path) -> None:
    (folder / "graphs").mkdir()
    assert made(*"gr", "tab", *"x", "enter")[0] == [Path("graphs/x.toml")]
    assert "makes ~/mine.toml" in made(*"~/mine")[1]
    assert made(*"~/mine", "enter")[0] == [own_home / "mine.toml"]


def test_a_file_that_cannot_be_written_is_told_and_the_path_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(creating, "_write_new", full)
    answers, text = made(*"mine", "enter", size=(120, 24))
    assert answers == []
    assert "✗ mine.toml cannot be written: No space left on device" in text


@pytest.mark.parametrize("size", [(120, 40), (20, 5), (1, 1)])
def test_it_fits_any_screen(folder: Path, size: tuple[int, int]) -> None:
    assert made(*"x", "down", "enter", size=size)[0] == [Path("x.toml")]


def test_a_name_of_300_characters_is_told_to_be_too_long() -> None:
    answers, text = made("enter", text="x" * 300)
    assert answers == []
    assert "File name too long" in " ".join(text.replace("┃", "").split())


def test_an_odd_name_is_made(folder: Path) -> None:
    assert made("enter", text="é 'q'.b.toml")[0] == [Path("é 'q'.b.toml")]
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
            await app.workers.wait_for_complete()
        await pilot.pause()
        return "\n".join(screen_lines(app))

    text = play(app, press)
    return app.chosen, text


def test_a_on_the_home_screen_makes_a_graph_that_is_to_be_drawn(folder: Path) -> None:
    assert at_home(folder, "a", *"mine", "enter")[0] == [(Path("mine.toml"), True)]
    assert (folder / "mine.toml").is_file()


def test_esc_leads_back_to_the_home_screen(folder: Path) -> None:
    chosen, text = at_home(folder, "a", "escape")
    assert chosen == []
    assert "a New" in text


def test_a_newcomer_is_told_the_key(folder: Path) -> None:
    text = at_home(folder)[1]
    assert "No graph was opened yet. a makes a new one, o opens a file." in text
    assert "a New" in text
