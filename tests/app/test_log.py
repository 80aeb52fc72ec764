"""The pane that shows what node code printed."""

from __future__ import annotations

from typing import Any, cast

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.log import LogPane, kept
from stepgraph_tui.worker import Printed, Source
from tests.app.playing import play, screen_lines


class Host(App[None]):
    """Holds the pane."""

    CSS = "Screen { overflow: hidden; }"

    def __init__(self) -> None:
        super().__init__()
        self.log_pane = LogPane()
        self.informed = ""
        self.asked: list[tuple[str, str]] = []

    def compose(self) -> ComposeResult:
        yield self.log_pane

    def on_mount(self) -> None:
        self.log_pane.focus()

    def on_log_pane_whole_asked(self, message: LogPane.WholeAsked) -> None:
        self.asked.append((message.title, message.value))

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed = message.text


def printed(
    text: str, step: int = 1, node: str = "work", run: str = "r-1", source: Source = "output"
) -> Printed:
    return Printed(run, step, node, text, source)


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
            " │ one",
            " │ two",
            "step 2  next",
            " │ three",
            " │",
            " │     four",
            "step 2  next  run r-2",
            " │ five",
        ]

    play(Host(), script)


def test_a_line_without_its_end_goes_on_with_what_the_same_step_prints_next() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        for text in ("load", "ing", " ...", "", " done\nnext"):
            pane.add(printed(text))
        pane.add(printed("other\n", step=2))
        assert (await lines(pilot))[1:] == [" │ loading ... done", " │ next", "step 2  work", " │ other"]

    play(Host(), script)


def test_the_end_is_followed_until_somebody_scrolls_up() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        for number in range(20):
            pane.add(printed(f"{number}\n"))
        assert (await lines(pilot))[-1] == " │ 19"
        await pilot.press("k")
        pane.add(printed("20\n"))
        assert (await lines(pilot))[-1] == " │ 19"
        await pilot.press("g")
        pane.add(printed("21\n"))
        assert (await lines(pilot))[0] == "step 1  work  run r-1"
        await pilot.press("G")
        pane.add(printed("22\n"))
        assert (await lines(pilot))[-1] == " │ 22"

    play(Host(), script, size=(40, 5))


def test_both_ends_are_kept_and_a_line_says_what_is_gone_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "FIRST", 520)
    monkeypatch.setattr(kept, "LAST", 10_000)

    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        host: Any = pilot.app
        pane.add(printed("".join(f"{number}\n" for number in range(500)), step=1))
        pane.add(printed("".join(f"{number}\n" for number in range(500, 1_000)), step=7))
        assert (await lines(pilot))[-1] == " │ 999"
        assert host.informed == "1,002 lines"
        await pilot.press("g", "j", "j", "j", "j", "j", "j", "j", "j", "j")
        above, gap, below = (await lines(pilot))[-3:]
        assert above == " │ 7"
        assert gap == "… 805 lines with 2,330 characters of steps 1 to 7 not kept …"
        assert below == " │ 812"
        before = await lines(pilot)
        pane.add(printed("new\n", step=7))
        assert pane.copied() == "813"  # 812 was forgotten, and the cursor was there
        assert before[:3] == (await lines(pilot))[:3]
        assert pane.search.find("999") == "1 of 1"
        for number in range(3):
            pane.add(printed(f"{number}\n", step=7))
        assert pane.search.next(1) == "1 of 1"
        assert pane.copied() == "999"

    play(Host(), script, size=(70, 6))


def test_what_went_to_standard_error_is_marked_without_colour_and_ends_no_line_of_the_output() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        pane.add(printed("half "))
        pane.add(printed("careful\nbro", source="error"))
        pane.add(printed("ken\n", source="error"))
        pane.add(printed("a line\n"))
        assert (await lines(pilot))[1:] == [" │ half", "2│ careful", "2│ broken", " │ a line"]

    play(Host(), script)


def test_long_lines_scroll_sideways_and_enter_shows_the_whole_of_one() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane, host = pane_of(pilot), cast(Host, pilot.app)
        long = " ".join(f"word{number}" for number in range(800))
        pane.add(printed(f"{long}\nshort\n\u6f22\u5b57" + "\u6f22" * 40 + "\n"))
        await pilot.press("g", "j")
        assert (await lines(pilot))[1] == " │ " + long[:36] + "…"
        await pilot.press("l")
        assert (await lines(pilot))[1:3] == [" │ …" + long[19:54] + "…", " │ …"]
        assert all(cell_len(line) <= 40 for line in await lines(pilot))
        await pilot.press("h", "h")
        assert (await lines(pilot))[2] == " │ short"
        pane.search.find("word200")  # far to the right: it is shown
        assert "word200" in (await lines(pilot))[1]
        await pilot.press("enter")
        await pilot.press("g", "enter")  # the heading: all of it
        assert host.asked == [
            ("step 1, stdout", long),
            ("step 1  work  run r-1", f"step 1  work  run r-1\n{long}\nshort\n漢字" + "漢" * 40),
        ]
        await pilot.press("j")
        assert pane.copied() == long
        assert (
            pane.copied_path() == f"step 1  work  run r-1\n{long}\nshort\n" + "\u6f22\u5b57" + "\u6f22" * 40
        )

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
        assert " │ 88 even" in await lines(pilot)
        assert pane.copied() == "88 even"
        assert pane.search.find("no such text") == "not found"
        assert pane.search.next(1) == "not found"
        pane.search.end()
        assert pane.search.next(1) == ""
        assert pane.search.find("") == ""

    play(Host(), script, size=(40, 6))


def test_the_line_is_copied_or_all_that_its_step_printed() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        assert pane.copied() is pane.copied_path() is None
        pane.add(printed("before\n"))
        pane.add(printed("one\n\x1b[1mtwo\n", step=2))
        assert pane.copied() == "\\x1b[1mtwo"
        assert pane.copied_path() == "step 2  work\none\n\\x1b[1mtwo"

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


@pytest.mark.parametrize("words", [25, 26, 12])
def test_a_row_of_a_reply_that_fills_the_pane_is_shown_to_its_last_letter(words: int) -> None:
    said = " ".join(["ab"] * words + ["end"] * 200)  # 25 words of two letters fill a row but for a blank

    async def script(pilot: Pilot[Any]) -> None:
        pane_of(pilot).add(printed(said, source="model"))
        shown = (await lines(pilot))[1:]
        assert not [line for line in shown if "…" in line]
        assert set(" ".join(shown).split()) <= {"m│", "ab", "end"}
        assert pane_of(pilot).copied() == said

    play(Host(), script, size=(79, 12))


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
        assert (await lines(pilot))[1] == " │ \\x1b[31mred\\x1b[0m [b]bold[/b]"

    play(Host(), script)


def test_only_the_keys_of_the_table_are_bound() -> None:
    assert LogPane._merged_bindings is not None
    keys = "j down k up pagedown pageup h left l right g home G end enter"
    assert set(LogPane._merged_bindings.key_to_bindings) == set(keys.split())
