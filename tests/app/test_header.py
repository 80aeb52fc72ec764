"""The first line of the workbench."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from stepgraph_tui.widgets.chrome.header import HeaderLine
from tests.app.desktop import Holder
from tests.app.playing import play, widget_lines


def header_of(width: int, **values: object) -> str:
    """The line at a width, with some of its values replaced."""
    line = HeaderLine()
    given: dict[str, object] = {
        "graph": "refund-triage", "standing": "READY", "step": 4, "max_steps": 30, "scripted": "SCRIPTED",
        "run_id": "r-7", "store": "runs.db",
    }  # fmt: skip
    for name, value in (given | values).items():
        setattr(line, name, value)

    async def look(pilot: Pilot[None]) -> str:
        (shown,) = widget_lines(line)
        return shown

    return play(Holder(line), look, (width, 5))


def test_a_wide_screen_shows_all_there_is() -> None:
    shown = header_of(120)
    assert shown.startswith(
        " refund-triage   DEBUG   READY   step 4/30   SCRIPTED   run r-7   store runs.db   "
    )
    assert shown.endswith("   A 0 waiting")
    assert cell_len(shown) == 119


@pytest.mark.parametrize(
    ("width", "kept"),
    [
        (80, " refund-triage   DEBUG   READY   step 4/30   SCRIPTED   run r-7     A 0 waiting"),
        (72, " refund-triage   DEBUG   READY   step 4/30   SCRIPTED   run r-7  A 0"),
        (60, " refund-triage   DEBUG   READY   step 4/30   run r-7    A 0"),
        (40, " refund-triage   READY   step 4/30  A 0"),
        (20, " READY          A 0"),
        (8, " READY"),
    ],
)
def test_what_matters_least_goes_first(width: int, kept: str) -> None:
    assert header_of(width).split() == kept.split()


@pytest.mark.parametrize("width", range(1, 130, 3))
def test_the_status_is_there_at_every_width_that_holds_it(width: int) -> None:
    shown = header_of(width, standing="AWAITING HUMAN", waiting=2)
    assert cell_len(shown) <= width
    assert "AWAITING HUMAN" in shown or width < len(" AWAITING HUMAN")


def test_a_waiting_review_is_named_in_words_where_there_is_room() -> None:
    assert header_of(120, waiting=2).endswith("A 2 waiting")
    assert header_of(80, standing="AWAITING HUMAN", waiting=1).endswith("A 1")


def test_without_a_run_there_is_no_step_and_no_run() -> None:
    shown = header_of(80, standing="NO RUN", run_id="", max_steps=0, scripted="", store="")
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


@pytest.mark.parametrize("standing", ["RUNNING", "PAUSED", "ENDED", "FAILED", "VIEWING 3", "NO RUN", "ODD"])
def test_every_status_is_a_word(standing: str) -> None:
    assert standing in header_of(80, standing=standing, scripted="LIVE")
