"""The strip of a watch: bars of numbers, marks of changes, and what has no value."""

from __future__ import annotations

import pytest

from stepgraph import StateGraph
from stepgraph.runs.debug.watches import WatchPoint
from stepgraph.runs.masks import Mask
from stepgraph_tui.widgets.watches.sparkline import cell_of_step, cells_for, sparkline, step_of_cell


def mask(*secrets: str) -> Mask:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_key("secret", secret=True)
    graph.add_edge("a", "END")
    return Mask(graph.compile(), *({"secret": secret} for secret in secrets))


def number(step: int, value: float) -> WatchPoint:
    return WatchPoint(step, str(value), value, False)


def word(step: int, text: str) -> WatchPoint:
    return WatchPoint(step, text, None, False)


def error(step: int) -> WatchPoint:
    return WatchPoint(step, "no key", None, True)


def drawn(points: list[WatchPoint], last: int, room: int = 40, *, plain: bool = False) -> str:
    return "".join(text for text, _ in sparkline(points, last, room, mask(), plain=plain))


@pytest.mark.parametrize(
    ("points", "last", "strip"),
    [
        ([number(0, 0), number(1, 1), number(2, 7)], 3, "▁▂██"),
        ([number(0, 5)], 2, "▅▅▅"),  # never changed: neither small nor large
        ([number(0, -1e308), number(1, 1e308)], 1, "▁█"),  # their difference is no float
        ([number(0, 0), number(1, 10**400)], 1, "▁█"),
        ([number(0, 1), number(1, 1.5), number(2, 2)], 2, "▁▄█"),
        ([word(0, "a"), word(2, "b")], 3, "··●·"),
        ([error(0), word(1, "a"), number(2, 3)], 2, "!●▅"),
        ([word(0, "a")], 0, "·"),
    ],
)
def test_each_step_has_a_cell_while_there_is_room(points: list[WatchPoint], last: int, strip: str) -> None:
    assert drawn(points, last) == strip


def test_bars_have_a_form_in_ascii() -> None:
    points = [number(step, step) for step in range(8)]
    assert drawn(points, 7, plain=True) == "_.-~=+*#"


def test_a_long_run_is_shown_in_the_cells_there_are_and_no_change_is_left_out() -> None:
    assert drawn([word(0, "a"), word(501, "b"), word(502, "a")], 999, 10) == "·····●····"
    assert drawn([word(0, "a"), word(999, "b")], 999, 10) == "·········●"


@pytest.mark.parametrize(("last", "room"), [(0, 5), (4, 5), (9, 4), (999, 7), (3, 0)])
def test_the_steps_of_the_cells_are_all_steps_in_order(last: int, room: int) -> None:
    cells = cells_for(last, room)
    ends = [step_of_cell(cell, cells, last) for cell in range(cells)]
    assert ends == sorted(set(ends))
    assert not cells or ends[-1] == last
    assert all(cell_of_step(end, cells, last) == cell for cell, end in enumerate(ends))
    assert all(cell_of_step(end + 1, cells, last) == cell + 1 for cell, end in enumerate(ends[:-1]))


def test_a_number_that_became_a_secret_has_no_bar() -> None:
    points = [number(0, 1), number(1, 12345), number(2, 2)]
    strip = sparkline(points, 2, 10, mask("12345"))
    assert "".join(text for text, _ in strip) == "▁●█"
