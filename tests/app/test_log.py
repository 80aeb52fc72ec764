"""The pane that shows what node code printed."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.log import LogPane
from stepgraph_tui.worker import Printed
from tests.app.playing import play, screen_lines


class Host(App[None]):
    """Holds the pane."""

    CSS = "Screen { overflow: hidden; }"

    def __init__(self) -> None:
        super().__init__()
        self.log_pane = LogPane()
        self.informed = ""

    def compose(self) -> ComposeResult:
        yield self.log_pane

    def on_mount(self) -> None:
        self.log_pane.focus()

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed = message.text


def printed(text: str, step: int = 1, node: str = "work", run: str = "r-1") -> Printed:
    return Printed(run, step, node, text)


async def lines(pilot: Pilot[Any]) -> list[str]:
    await pilot.pause()
    shown = [line.rstrip(" ▁▂▃▄▅▆▇") for line in screen_lines(pilot.app)]  # without the scrollbar
    return "\n".join(shown).rstrip().splitlines()


def pane_of(pilot: Pilot[Any]) -> LogPane:
    return pilot.app.query_one(LogPane)


def test_each_step_has_its_heading_above_what_it_printed() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        assert await lines(pilot) == ["What the nodes print or log will appear here, step by step."]
        pane = pane_of(pilot)
        pane.add(printed("one\ntwo\r\n"))
        pane.add(printed("three\n", step=2, node="next"))
        pane.add(printed("\n\tfour\n", step=2, node="next"))
        pane.add(printed("five\n", step=2, node="next", run="r-2"))
        assert await lines(pilot) == [
            "step 1  work  run r-1",
            "  one",
            "  two",
            "step 2  next",
            "  three",
            "",
            "      four",
            "step 2  next  run r-2",
            "  five",
        ]

    play(Host(), script)


def test_a_line_without_its_end_goes_on_with_what_the_same_step_prints_next() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        for text in ("load", "ing", " ...", "", " done\nnext"):
            pane.add(printed(text))
        pane.add(printed("other\n", step=2))
        assert (await lines(pilot))[1:] == ["  loading ... done", "  next", "step 2  work", "  other"]

    play(Host(), script)


def test_the_end_is_followed_until_somebody_scrolls_up() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        for number in range(20):
            pane.add(printed(f"{number}\n"))
        assert (await lines(pilot))[-1] == "  19"
        await pilot.press("k")
        pane.add(printed("20\n"))
        assert (await lines(pilot))[-1] == "  18"
        await pilot.press("g")
        pane.add(printed("21\n"))
        assert (await lines(pilot))[0] == "step 1  work  run r-1"
        await pilot.press("G")
        pane.add(printed("22\n"))
        assert (await lines(pilot))[-1] == "  22"

    play(Host(), script, size=(40, 5))


def test_the_oldest_lines_are_forgotten_and_a_line_says_so() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        host: Any = pilot.app
        pane.add(printed("".join(f"{number}\n" for number in range(25_000))))
        assert (await lines(pilot))[-1] == "  24999"
        assert host.informed == "25,001 lines"
        await pilot.press("g")
        assert (await lines(pilot))[:2] == ["15,001 older lines not kept", "  15000"]
        await pilot.press("j", "j", "j")
        before = await lines(pilot)
        pane.add(printed("new\n"))
        assert await lines(pilot) == before  # what is read stays where it is
        assert pane.search.find("24999") == "1 of 1"
        for number in range(3):
            pane.add(printed(f"{number}\n"))
        assert pane.search.next(1) == "1 of 1"
        assert pane.copied() == "24999"

    play(Host(), script, size=(40, 6))


def test_a_search_marks_lines_and_goes_from_one_to_the_next() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        assert pane.search.find("x") == "not found"
        pane.add(
            printed("".join(f"{number} {'even' if number % 2 == 0 else 'odd'}\n" for number in range(90)))
        )
        await pilot.press("g")
        assert pane.search.find("EVEN") == "1 of 45"
        assert pane.search.next(-1) == "45 of 45"
        assert "  88 even" in await lines(pilot)
        assert pane.copied() == "88 even"
        assert pane.search.find("no such text") == "not found"
        assert pane.search.next(1) == "not found"
        pane.search.end()
        assert pane.search.next(1) == ""
        assert pane.search.find("") == ""

    play(Host(), script, size=(40, 6))


def test_all_lines_are_copied_when_none_is_searched_for() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        assert pane.copied() is None
        pane.add(printed("one\n\x1b[1mtwo\n"))
        assert pane.copied() == "step 1  work  run r-1\n  one\n  \\x1b[1mtwo"

    play(Host(), script)


def test_secrets_are_hidden_also_those_that_are_known_only_later_or_come_in_two_pieces() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        pane.add(printed("later secret-two\n"))
        pane.mask = lambda text: text.replace("secret-one", "***").replace("secret-two", "***")
        pane.add(printed("now secret-one\nhalf sec"))
        pane.add(printed("ret-one\n"))
        pane.add(printed("-" * 1_995 + "secret-one\n"))
        pane.add(printed("by secret-two\n", step=2, node="secret-one"))
        text = "\n".join(await lines(pilot))
        assert text.count("***") == 5
        assert "secret" not in (pane.copied() or "")
        assert pane.search.find("secret") == "not found"

    play(Host(), script)


@pytest.mark.parametrize("size", [(80, 24), (2, 2)])
def test_what_is_printed_is_data_and_no_line_is_wider_than_the_pane(size: tuple[int, int]) -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        evil = "\x1b[31mred\x1b[0m [b]bold[/b] \u202e\u05e9\u05dc\x07\n日本語" * 40
        pane.add(printed(evil, node="[b]\x1b\n"))
        pane.add(printed("x" * 10_000_000))
        pane.add(printed("y" * 10_000_000 + "\n" * 50_000))
        await pilot.press("g")
        pane.search.find("bold")
        shown = await lines(pilot)
        assert all(cell_len(line) <= size[0] for line in shown)
        assert not {"\x1b", "\u202e", "\x07"} & set("".join(shown))

    play(Host(), script, size=size)


def test_control_sequences_and_markup_are_shown_as_what_they_are() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane_of(pilot).add(printed("\x1b[31mred\x1b[0m [b]bold[/b]\n"))
        assert (await lines(pilot))[1] == "  \\x1b[31mred\\x1b[0m [b]bold[/b]"

    play(Host(), script)


def test_only_the_keys_of_the_table_are_bound() -> None:
    assert LogPane._merged_bindings is not None
    assert set(LogPane._merged_bindings.key_to_bindings) == {"j", "down", "k", "up", "g", "G"}
