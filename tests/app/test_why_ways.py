"""Ways through an explanation: keys, clicks, searches, copies; and what it costs to paint it."""

from __future__ import annotations

from textual.pilot import Pilot

from stepgraph import END
from stepgraph.testing import sequential_ids
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.why import WhyPane
from tests.app.playing import play, widget_lines
from tests.app.telling import Driven, Host, graph_of, pressed, text_of, told


def test_j_and_k_move_over_the_edges_and_enter_shows_one_in_the_graph() -> None:
    moment = Driven().step(4).now()
    low = next(edge.index for edge in moment.view.plan.edges if edge.label == "low")
    host = pressed(WhyPane(), moment, "j", "enter")
    assert [message.edge for message in host.heard if isinstance(message, WhyPane.EdgeChosen)] == [low]
    assert [line[0] for line in host.seen if "low" in line] == ["┃"]
    host = pressed(WhyPane(), moment, "j", "k", "k", "enter")
    assert [message.edge for message in host.heard if isinstance(message, WhyPane.EdgeChosen)] == [low - 1]


def test_every_line_can_be_reached_in_20_by_5() -> None:
    pane = WhyPane()

    async def walk(pilot: Pilot[None]) -> None:
        pane.moment = Driven().step(5).now()
        await pilot.pause()
        first, seen = widget_lines(pane), set[str]()
        for _ in range(80):
            pane.action_to("next")
            seen.update(pane.render_line(y).text for y in range(5))
        for line in ("first match wins", "would match", "effects: pay", "A opens the review"):
            assert any(line in each for each in seen), line
        for _ in range(90):
            pane.action_to("previous")
        await pilot.pause()
        assert widget_lines(pane) == first

    play(Host(pane), walk, (20, 5))


def test_pages_are_turned() -> None:
    moment = Driven().step(5).now()
    keys = ["pagedown"] * 4
    assert "step 4" in text_of(pressed(WhyPane(), moment, size=(37, 10)).seen)
    assert "A opens" in text_of(pressed(WhyPane(), moment, *keys, size=(37, 10)).seen)
    assert "step 4" in text_of(pressed(WhyPane(), moment, *keys, *["pageup"] * 4, size=(37, 10)).seen)


def test_a_click_selects_an_edge_and_a_double_click_shows_it() -> None:
    moment = Driven().step(4).now()
    pane = WhyPane()
    host = Host(pane)

    async def click(pilot: Pilot[None]) -> None:
        pane.moment = moment
        await pilot.pause()
        row = next(y for y, line in enumerate(widget_lines(pane)) if "low" in line)
        await pilot.click(WhyPane, offset=(12, row))
        assert pane.cursor == 1
        assert host.heard == []
        await pilot.click(WhyPane, offset=(12, 0))  # the head is no edge
        await pilot.click(WhyPane, offset=(12, row), times=2)
        await pilot.pause()

    play(host, click)
    assert len(host.heard) == 1


def test_an_edge_that_the_graph_has_no_more_is_not_shown_but_said() -> None:
    driven = Driven(graph_of(("a", "n == 1", "old"), (END, None, None), returns={"n": 1})).step()
    changed = graph_of((END, "n == 1", "new"), returns={"n": 1}).compile()
    type(driven.executor)(changed, driven.store, ids=sequential_ids()).load(driven.run.id, adopt=True)
    for keys in (["enter"], ["j", "enter"]):
        host = pressed(WhyPane(), driven.now(), *keys)
        assert "1 old → a" in text_of(host.seen)
        assert [type(message) for message in host.heard] == [WhyPane.Told]


def test_without_a_run_its_keys_do_nothing() -> None:
    pane = WhyPane()
    assert pressed(pane, None, "j", "k", "enter", "pagedown").heard == []
    assert pane.copied_path() is None


def test_it_copies_the_explanation_and_the_command_that_shows_the_step() -> None:
    pane = WhyPane()
    moment = Driven().step(4).now()
    told(pane, moment, (37, 10))
    assert "TAKEN  1 high → review  true" in (pane.copied() or "").splitlines()
    assert pane.copied_path() == f"stepgraph runs show {moment.view.run_id} --step 4"


def test_find_goes_to_the_matches_in_turn_and_esc_leaves_them() -> None:
    pane = WhyPane()
    host = Host(pane)

    async def search(pilot: Pilot[None]) -> None:
        pane.moment = Driven().step(5).now()
        await pilot.pause()
        assert pane.search.find("NOTIFY") == "1 of 3"
        await pilot.pause()
        assert "notify" in text_of(widget_lines(pane))
        assert pane.search.next(1) == "2 of 3"
        assert pane.search.next(-2) == "3 of 3"
        assert pane.search.find("nowhere") == "not found"
        assert pane.search.find("") == ""
        assert not pane.back()
        pane.search.find("review")
        assert pane.back()
        assert not pane.back()

    play(host, search, (37, 6))


def test_it_draws_only_what_has_changed_and_only_while_it_is_seen() -> None:
    class Counting(WhyPane):
        made = 0

        def show(self, moment: RunSnapshot | None) -> None:
            self.made += 1
            super().show(moment)

    pane = Counting()
    driven = Driven().step(2)

    async def look(pilot: Pilot[None]) -> None:
        pane.moment = driven.now()
        await pilot.pause()
        before = pane.made
        pane.moment = pane.moment
        pane.display = False
        await pilot.pause()
        pane.moment = driven.step().now()
        pane.moment = driven.step().now()
        await pilot.pause()
        assert pane.made == before
        pane.display = True
        await pilot.pause()
        assert pane.made == before + 1
        assert "step 4" in widget_lines(pane)[0]

    play(Host(pane), look)


def test_a_wider_pane_wraps_the_page_anew() -> None:
    pane = WhyPane()
    host = Host(pane)

    async def resize(pilot: Pilot[None]) -> None:
        pane.moment = Driven().step(4).now()
        await pilot.resize_terminal(37, 20)
        await pilot.pause()
        assert "written" not in widget_lines(pane)[5]
        await pilot.resize_terminal(62, 20)
        await pilot.pause()
        assert "written" in widget_lines(pane)[4]

    play(host, resize)


def test_another_theme_paints_the_page_anew() -> None:
    pane = WhyPane()
    host = Host(pane)

    async def change(pilot: Pilot[None]) -> None:
        pane.moment = Driven().step(4).now()
        await pilot.pause()
        before = pane.render_line(2)
        assert pane.render_line(2) is before
        host.theme = "textual-light"
        await pilot.pause()
        assert pane.render_line(2).text == before.text
        assert pane.render_line(2) != before

    play(host, change)
