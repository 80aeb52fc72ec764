"""Ways through the trace: keys, clicks, searches, copies."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import Decision
from stepgraph_tui.widgets.trace import TracePane
from tests.app.playing import play, screen_lines
from tests.app.tracing import refreshed, refund, ring, shown


def test_enter_shows_more_of_a_step_and_less_again() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("k", "enter")
        text = shown(pilot)
        assert "     visit    1 of amount_check" in text
        assert "     key      r-1:4" in text
        assert '     edge     1 of 2: route == "high"' in text
        assert '     changed  route = "high"' in text
        await pilot.press("enter")
        assert "visit" not in shown(pilot)

    play(refund().host(), script)


def test_the_question_of_a_pause_is_shown_below_its_line() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        assert "     asks     │ Refund 240 EUR to Ana for order 8812?" in shown(pilot)
        assert "     action   │ pay(order_id=" in shown(pilot)

    play(refund().host(), script)


def test_expanded_steps_are_read_from_their_first_line_on() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("k", "k", "enter")  # draft: a letter of many lines
        assert screen_lines(pilot.app)[0].startswith("▸ 3  draft")

    play(refund().host(), script, size=(80, 6))


def test_a_step_is_viewed_by_a_click_on_any_of_its_lines() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.click(TracePane, offset=(10, 3))
        assert host.said == [2]
        await pilot.click(TracePane, offset=(10, 3), times=2)
        assert "visit    1 of lookup" in shown(pilot)
        await pilot.click(TracePane, offset=(10, 5))  # a detail of step 2
        await pilot.click(TracePane, offset=(10, 0))  # the titles
        assert host.said == [2]

    play(refund().host(), script)


def test_a_click_on_what_belongs_to_the_next_step_views_the_present() -> None:
    driven = refund()
    driven.executor.decide(driven.run.id, Decision.approve(by="ana"))

    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.press("k")
        assert "decision by ana" in screen_lines(pilot.app)[6]
        await pilot.click(TracePane, offset=(10, 6))
        assert host.said == [4, None]
        await pilot.click(TracePane, offset=(10, 15))  # below the last line
        assert host.said == [4, None]

    play(driven.host(), script)


def test_a_search_goes_through_nodes_edges_and_outputs() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        trace = host.trace
        assert trace.search.find("BILLING") == "1 of 1"
        await pilot.pause()
        assert host.said == [1]
        assert trace.search.find("five working days") == "1 of 1"  # only in the output of `draft`
        await pilot.pause()
        assert host.said == [1, 3]
        assert trace.search.find("lookup") == "1 of 2"  # behind the cursor only: the first is next
        await pilot.pause()
        assert host.said == [1, 3, 1]
        before = list(host.said)
        assert trace.search.find("no such text") == "not found"
        assert trace.search.next(1) == "not found"
        await pilot.pause()
        assert host.said == before
        assert trace.search.find("") == ""
        assert trace.search.next(1) == ""

    play(refund().host(), script)


def test_the_next_match_is_found_among_steps_that_came_later() -> None:
    driven = ring(50)
    driven.executor.step(driven.run)

    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        assert host.trace.search.find("on") == "1 of 1"
        for _ in range(2):
            driven.executor.step(driven.run)
        await refreshed(pilot)
        assert host.trace.search.next(1) == "2 of 2"
        await pilot.pause()
        assert host.said == [1, 3]
        assert host.trace.search.next(1) == "1 of 2"
        assert host.trace.search.next(-1) == "2 of 2"

    play(driven.host(), script)


def test_what_is_copied_is_the_line_and_the_command_that_shows_the_step() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        trace = pilot.app.query_one(TracePane)
        assert trace.copied() == "► review  waits for a person, 1m"
        assert trace.copied_path() == "stepgraph runs show r-1"
        await pilot.press("k")
        assert trace.copied() == "4  amount_check  1 high → review  0.0 ms  + route"
        assert trace.copied_path() == "stepgraph runs show r-1 --step 4"

    play(refund().host(), script)


def test_only_the_keys_of_the_table_are_bound() -> None:
    bound = set(TracePane._merged_bindings.key_to_bindings) if TracePane._merged_bindings else set()
    assert bound == {"j", "down", "k", "up", "g", "G", "enter", "space"}
