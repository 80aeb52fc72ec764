"""The pane that lists what is wrong with a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph.values.problems import Place, Problem
from stepgraph_tui.commands import PROBLEMS
from stepgraph_tui.documents import Buffer
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.problems import ProblemsPane
from tests.app.playing import play, screen_lines

WARNING = Problem("G030", "warning", "nothing leads here", Place(node="lonely"))
UNKNOWN = Problem(
    "G011",
    "error",
    "edge 2 (a -> reviw) leads to 'reviw', which is not a node of the graph",
    Place(file="g.toml", line=12, edge=1),
    "did you mean 'review'?",
)
CARET = Problem("G016", "error", "edge 1 (a -> b): a single '=' assigns", Place(edge=0), excerpt="x = 1\n  ^")
ALL = (WARNING, UNKNOWN, CARET)


class Host(App[None]):
    """Holds the pane, and keeps what it says."""

    CSS = "Screen { overflow: hidden; }"

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.pane = ProblemsPane()
        self.given = problems
        self.chosen: list[Problem] = []
        self.informed: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.focus()
        self.pane.problems = self.given

    def on_problems_pane_chosen(self, message: ProblemsPane.Chosen) -> None:
        self.chosen.append(message.problem)

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed.append(message.text)


def lines(pilot: Pilot[Any]) -> list[str]:
    return "\n".join(screen_lines(pilot.app)).rstrip().splitlines()


def test_errors_come_before_warnings_each_with_its_place_and_its_hint() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert lines(pilot) == [
            "▸ ✗ G011 error  line 12: edge 2 (a → reviw) leads to 'reviw', which is not a",
            "    node of the graph",
            "    did you mean 'review'?",
            "  ✗ G016 error  edge 1 (a → b): a single '=' assigns",
            "      x = 1",
            "        ^",
            "  ! G030 warning  node lonely: nothing leads here",
        ]
        host: Any = pilot.app
        assert host.informed[-1] == "2 errors, 1 warning"

    play(Host(*ALL), script)


def test_enter_chooses_the_problem_with_the_cursor() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.press("k", "enter", "j", "down", "down", "enter", "up", "enter")
        assert host.chosen == [UNKNOWN, WARNING, CARET]

    play(Host(*ALL), script)


def test_where_nothing_is_wrong_no_key_goes_there() -> None:
    host = Host()

    async def script(pilot: Pilot[Any]) -> list[bool | None]:
        nothing = host.pane.check_action("go_there", ())
        host.pane.problems = ALL
        return [nothing, host.pane.check_action("go_there", ())]

    assert play(host, script) == [False, True]


def test_a_click_selects_and_a_second_one_chooses() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.click(ProblemsPane, offset=(20, 5))
        assert lines(pilot)[3].startswith("▸ ✗ G016")
        await pilot.click(ProblemsPane, offset=(20, 20))  # below the last one
        assert host.chosen == []
        await pilot.click(ProblemsPane, offset=(20, 6), times=2)
        assert host.chosen == [WARNING]

    play(Host(*ALL), script)


def test_the_cursor_stays_on_its_problem_when_others_are_mended() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.press("j", "j")
        host.pane.problems = (CARET, WARNING)
        assert host.pane.selected == WARNING
        host.pane.problems = (CARET,)
        assert host.pane.selected == CARET
        host.pane.problems = ()
        await pilot.press("j", "k", "enter")
        assert host.pane.selected is None
        assert host.chosen == []
        assert lines(pilot) == ["Nothing is wrong."]
        assert host.informed[-1] == ""

    play(Host(*ALL), script)


def test_the_problem_with_the_cursor_is_in_view() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("j", "j")
        assert lines(pilot)[-2].startswith("▸ ! G030")
        await pilot.press("k")
        assert lines(pilot)[0].startswith("▸ ✗ G016")
        await pilot.press("k")
        assert lines(pilot)[0].startswith("▸ ✗ G011")

    play(Host(*ALL), script, size=(40, 4))


def test_the_keys_of_every_list_go_to_its_ends_and_by_pages() -> None:
    problems = [Problem("G030", "warning", f"nothing leads here, {number}") for number in range(20)]

    async def script(pilot: Pilot[Any]) -> None:
        pane = pilot.app.query_one(ProblemsPane)
        seen = []
        for key in ("G", "pageup", "pageup", "pagedown", "home", "end", "g", "pageup"):
            await pilot.press(key)
            seen.append(pane.lines.at)
        assert seen == [19, 14, 9, 14, 0, 19, 0, 0]

    play(Host(*problems), script, size=(60, 5))


def test_a_search_goes_from_problem_to_problem() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pilot.app.query_one(ProblemsPane)
        assert pane.search.find("EDGE") == "1 of 2"
        assert pane.search.next(1) == "2 of 2"
        assert pane.selected == CARET
        assert pane.search.next(-1) == "1 of 2"
        assert pane.search.find("did you mean") == "1 of 1"
        assert pane.search.find("no such text") == "not found"
        assert pane.selected == UNKNOWN
        assert pane.search.find("") == ""
        assert pane.search.next(1) == ""

    play(Host(*ALL), script)


def test_what_is_copied_is_what_the_command_line_prints_and_the_command_that_explains_it() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pilot.app.query_one(ProblemsPane)
        assert pane.copied() == str(UNKNOWN)
        assert pane.copied_path() == "stepgraph check --explain G011"
        pane.problems = ()
        assert (pane.copied(), pane.copied_path()) == (None, None)

    play(Host(*ALL), script)


def test_a_file_that_cannot_be_read_is_a_problem_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("format = 1\nname =\n", encoding="utf-8")

    async def script(pilot: Pilot[Any]) -> None:
        assert lines(pilot)[0].startswith("▸ ✗ F006 error  line 2: it is not valid TOML")

    play(Host(*Buffer(path).checked.problems), script)


EVIL = "\x1b[2J[red]\u202eevil[/red] 日本語 " * 20


@pytest.mark.parametrize("size", [(80, 24), (10, 3)])
def test_texts_of_a_graph_are_data_and_no_line_is_wider_than_the_pane(size: tuple[int, int]) -> None:
    evil = Problem("G0\x1b", "error", EVIL + "\n" + EVIL, Place(node="\x1bn", key=EVIL, line=3), EVIL)
    key = Problem("G022", "warning", "x" * 1_000_000, Place(key="state.[b]"))

    async def script(pilot: Pilot[Any]) -> None:
        pilot.app.query_one(ProblemsPane).search.find("red")
        await pilot.press("j", "k")
        text = "".join(lines(pilot))
        assert all(cell_len(line) <= size[0] for line in lines(pilot))
        assert not {"\x1b", "\u202e"} & set(text)
        if size[0] == 80:
            assert "\\x1b[2J[red]\\u202eevil[/red]" in text
            assert "node \\x1bn: " in text

    play(Host(evil, key), script, size=size)


def test_only_the_keys_of_the_table_are_bound() -> None:
    assert ProblemsPane._merged_bindings is not None
    keys = {key for command in PROBLEMS for key in command.keys.split(",")}
    assert set(ProblemsPane._merged_bindings.key_to_bindings) == keys
