"""Ways through the state: folding, asking who wrote a key, copies, searches, the mouse."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph_tui.widgets.state import StatePane
from tests.app.playing import play, widget_lines
from tests.app.state_panes import NARROW, WIDE, Host, chain, made
from tests.app.telling import Driven


def landed(driven: Driven, *keys: str) -> tuple[str, str | None]:
    """The heading, and the path under the cursor, after keys in a pane that shows the step it asks for."""
    host = Host(driven.now())

    async def press(pilot: Pilot[Any]) -> tuple[str, str | None]:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            asked = [said for said in host.said if isinstance(said, int)]
            host.said.clear()
            for step in asked:
                host.pane.moment = driven.at(step)
                await pilot.pause()
        return widget_lines(host.pane)[0].strip(), host.pane.copied_path()

    return play(host, press, WIDE)


def test_l_lands_on_the_value_where_that_very_part_was_written() -> None:
    order = {"order": {"id": 1, "amount": 5}}
    driven = Driven(chain({"order": {"id": 1, "amount": 1}}, order, {"order": {"id": 2, "amount": 5}})).step(
        3
    )
    # the amount was last written at step 2, though the last step wrote its table anew
    found = landed(driven, "v", "l", "j", "j", "L")
    assert found == ("after step 2  n2", "order.amount")


def test_a_search_unfolds_what_did_not_change_and_pages_of_changes() -> None:
    first = {f"k{i}": 1 for i in range(500)} | {"order": {"items": ["a", "gold"]}}
    host = Host(made(first, {f"k{i}": {"at": i} for i in range(500)}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        await pilot.press("G", "h", "h")
        assert pane.search.find("gold") == "1 of 1"
        assert pane.copied_path() == "order.items[1]"
        assert pane.search.find("499") == "1 of 2"
        assert pane.copied_path() == "k499"
        pane.search.next(1)
        assert pane.copied_path() == "k499.at"

    play(host, script, NARROW)


def test_a_click_selects_and_one_on_the_mark_unfolds() -> None:
    host = Host(made({"a": 1, "order": {"b": 2}}))

    async def script(pilot: Pilot[Any]) -> None:
        pane = host.pane
        await pilot.click(StatePane, offset=(8, 3))
        assert pane.copied_path() == "order"
        assert pane.lines.count == 2
        await pilot.click(StatePane, offset=(3, 3))
        await pilot.pause()
        assert pane.lines.count == 3
        await pilot.click(StatePane, offset=(8, 0))
        await pilot.click(StatePane, offset=(8, 9))
        assert pane.copied_path() == "order"
        await pilot.click(StatePane, offset=(8, 2), times=2)
        await pilot.pause()
        assert pane.copied_path() == "a"

    play(host, script, NARROW)
    assert host.said == [("a", 1)]
