"""The pane that shows what node code printed."""

from __future__ import annotations

from typing import Any, cast

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets import log as kept
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.log import LogPane
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
        await pilot.press("home", "j", "j", "j", "j", "j", "j", "j", "j", "j")
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


def test_a_reply_is_broken_into_rows_again_when_the_pane_has_another_width() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane = pane_of(pilot)
        pane.add(printed("a line of the node that is not broken into rows\n"))
        pane.add(printed("one two three four five six seven eight\nnine ten", source="model"))
        await pilot.press("end")
        assert (await lines(pilot))[2:] == [
            "m│ one two three",
            "m│ four five six",
            "m│ seven eight",
            "m│ nine ten",
        ]
        await pilot.press("k", "k")
        await pilot.resize_terminal(60, 8)
        wide = ["m│ one two three four five six seven eight", "m│ nine ten"]
        assert (await lines(pilot))[2:] == wide
        assert pane.copied() == wide[0][3:]
        pane.add(printed(" eleven\n", source="model"))
        pane.add(printed("asks default\n", source="call"))
        assert (await lines(pilot))[3:] == ["m│ nine ten eleven", " ▸ asks default"]
        await pilot.resize_terminal(20, 9)
        assert (await lines(pilot))[4:] == ["m│ seven eight", "m│ nine ten eleven", " ▸ asks default"]

    play(Host(), script, size=(20, 8))


def test_long_lines_scroll_sideways_and_enter_shows_the_whole_of_one() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        pane, host = pane_of(pilot), cast(Host, pilot.app)
        long = " ".join(f"word{number}" for number in range(800))
        pane.add(printed(f"{long}\nshort\n\u6f22\u5b57" + "\u6f22" * 40 + "\n"))
        await pilot.press("home", "j")
        assert (await lines(pilot))[1] == " │ " + long[:36] + "…"
        await pilot.press("l")
        assert (await lines(pilot))[1:3] == [" │ …" + long[19:54] + "…", " │ …"]
        assert all(cell_len(line) <= 40 for line in await lines(pilot))
        await pilot.press("h", "h")
        assert (await lines(pilot))[2] == " │ short"
        pane.search.find("word200")  # far to the right: it is shown
        assert "word200" in (await lines(pilot))[1]
        await pilot.press("enter")
        await pilot.press("home", "enter")  # the heading: all of it
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
