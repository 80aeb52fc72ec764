"""The parts of the layout, one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from stepgraph_tui.drawing import Diagram, lay_out, least_width
from stepgraph_tui.drawing.layout.channel import Channel
from stepgraph_tui.drawing.layout.crossing_reduction import inversions, pair_crossings
from stepgraph_tui.drawing.layout.layering import assign_layers, back_arcs
from stepgraph_tui.drawing.model import Direction
from tests.drawing.diagrams import diagrams

_ARCS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20)


def test_what_leads_back_follows_the_order_of_declaration() -> None:
    assert back_arcs(3, [(0, 1), (1, 2), (2, 0), (2, 1), (1, 1)]) == {2, 3, 4}
    assert back_arcs(3, [(0, 2), (2, 1), (1, 2)]) == {2}


@given(_ARCS)
def test_without_the_arcs_that_lead_back_every_arc_leads_to_a_later_layer(
    arcs: list[tuple[int, int]],
) -> None:
    back = back_arcs(8, arcs)
    onwards = [arc for number, arc in enumerate(arcs) if number not in back]
    layer = assign_layers(8, onwards)
    assert all(layer[source] < layer[target] for source, target in onwards)
    assert sorted(set(layer)) == list(range(max(layer) + 1))


@given(st.lists(st.integers(0, 9)))
def test_crossings_are_the_pairs_that_stand_the_wrong_way_round(values: list[int]) -> None:
    assert inversions(values) == sum(first > second for first, second in combinations(values, 2))


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_two_neighbors_cross_where_their_links_do(left: list[int], right: list[int]) -> None:
    expected = sum(one > other for one in left for other in right)
    assert pair_crossings(sorted(left), sorted(right)) == expected


@given(
    st.lists(st.integers(0, 25), unique=True, min_size=1, max_size=12).flatmap(
        lambda tops: st.tuples(st.just(tops), st.permutations([*tops, *range(26, 30)]))
    )
)
def test_no_two_links_of_a_channel_share_a_cell_except_where_they_cross(
    ends: tuple[list[int], list[int]],
) -> None:
    pairs = [(top, bottom) for top, bottom in zip(ends[0], ends[1], strict=False) if top != bottom]
    channel = Channel([top for top, _ in pairs], [bottom for _, bottom in pairs], [])
    upright: set[tuple[int, int]] = set()
    lying: set[tuple[int, int]] = set()
    for number, (top, bottom) in enumerate(pairs):
        way = channel.ways[number]
        runs = [(top, -1, way.lane)]
        if way.last >= 0:
            runs += [(way.column, way.lane, way.last), (bottom, way.last, channel.lanes)]
            levels = [(way.lane, top, way.column), (way.last, way.column, bottom)]
        else:
            runs.append((bottom, way.lane, channel.lanes))
            levels = [(way.lane, top, bottom)]
        down = {(column, row) for column, first, last in runs for row in range(first, last + 1)}
        across = {(x, row) for row, one, other in levels for x in range(min(one, other), max(one, other) + 1)}
        assert not down & upright
        assert not across & lying
        corners = down & across
        assert not corners & (upright | lying)
        upright |= down
        lying |= across


def test_two_links_that_change_places_need_a_dog_leg() -> None:
    channel = Channel([3, 9], [9, 3], [])
    assert sorted(way.last >= 0 for way in channel.ways.values()) == [False, True]


@given(diagrams())
def test_no_layout_is_narrower_than_the_least_width(diagram: Diagram) -> None:
    for direction in get_args(Direction):
        turned = replace(diagram, direction=direction)
        assert least_width(turned) <= lay_out(turned).width
