"""The first line of the workbench."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from textual.pilot import Pilot

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.chrome.header import HeaderLine
from tests.app.desktop import Holder
from tests.app.playing import play, widget_lines


def headers_at(widths: Iterable[int], **values: object) -> list[str]:
    """The line at some widths, with some of its values replaced."""
    line = HeaderLine()
    given: dict[str, object] = {
        "graph": "refund-triage", "standing": "READY", "step": 4, "max_steps": 30, "answers": "SCRIPTED",
        "run_id": "r-7", "store": "runs.db", "waiting": 0,
    }  # fmt: skip
    for name, value in (given | values).items():
        setattr(line, name, value)

    async def look(pilot: Pilot[None]) -> list[str]:
        return [line.line(width).plain.rstrip() for width in widths]

    return play(Holder(line), look, (40, 5))


def header_of(width: int, **values: object) -> str:
    """The line at a width."""
    return headers_at([width], **values)[0]


def test_a_wide_screen_shows_all_there_is() -> None:
    shown = header_of(120)
    assert shown.startswith(
        " refund-triage   DEBUG   READY   step 4/30   SCRIPTED   run r-7   store runs.db   "
    )
    assert shown.endswith("   A 0 waiting")
    assert cell_len(shown) == 119


def test_what_matters_least_goes_first() -> None:
    kept = {
        80: " refund-triage   DEBUG   READY   step 4/30   SCRIPTED   run r-7     A 0 waiting",
        72: " refund-triage   DEBUG   READY   step 4/30   SCRIPTED   run r-7  A 0",
        60: " refund-triage   READY   step 4/30   SCRIPTED   A 0",
        40: " refund-triage   READY   SCRIPTED    A 0",
        20: " READY   SCRIPTED",
        8: " READY",
    }
    assert [shown.split() for shown in headers_at(kept)] == [text.split() for text in kept.values()]


def test_the_status_is_there_at_every_width_that_holds_it() -> None:
    widths = range(len(" AWAITING HUMAN"), 130)
    for width, shown in zip(widths, headers_at(widths, standing="AWAITING HUMAN", waiting=2), strict=True):
        assert "AWAITING HUMAN" in shown
        assert cell_len(shown) <= width


def test_a_line_too_narrow_for_all_still_warns_of_live_models() -> None:
    assert header_of(14, answers="LIVE").split() == ["READY", "LIVE"]
    assert header_of(21, answers="MIXED, LIVE").split() == ["READY", "MIXED,", "LIVE"]


def test_on_the_screen_the_line_is_cut_at_its_end() -> None:
    line = HeaderLine()
    line.graph, line.standing = "refund-triage", "AWAITING HUMAN"

    async def look(pilot: Pilot[None]) -> list[str]:
        return widget_lines(line)

    assert play(Holder(line), look, (8, 5)) == [" AWAITI…"]


def test_a_waiting_review_is_named_in_words_where_there_is_room() -> None:
    assert header_of(120, waiting=2).endswith("A 2 waiting")
    assert header_of(80, standing="AWAITING HUMAN", waiting=1).endswith("A 1")


def test_without_a_run_there_is_no_step_and_no_run() -> None:
    shown = header_of(80, standing="NO RUN", run_id="", max_steps=0, answers="", store="")
    assert shown.split() == ["refund-triage", "DEBUG", "NO", "RUN", "A", "0", "waiting"]


def test_names_are_data() -> None:
    shown = header_of(120, graph="[red]x[/]\x1b[31m\u202e", run_id="漢字", store="a\nb")
    assert r"[red]x[/]\x1b[31m\u202e" in shown
    assert "run 漢字" in shown
    assert r"store a\nb" in shown


@pytest.mark.parametrize("name", ["x" * 5_000, "漢" * 5_000])
def test_a_long_name_hides_nothing_but_itself(name: str) -> None:
    shown = header_of(80, graph=name)
    assert cell_len(shown) <= 80
    assert "…" in shown
    assert "READY" in shown
    assert "step 4/30" in shown


def test_every_status_is_a_word() -> None:
    line = HeaderLine()

    async def look(pilot: Pilot[None]) -> None:
        for line.standing in ("RUNNING", "PAUSED", "ENDED", "FAILED", "VIEWING 3", "NO RUN", "ODD"):
            for line.answers in ("LIVE", "SCRIPTED"):
                assert line.standing in line.line(80).plain

    play(Holder(line), look)
