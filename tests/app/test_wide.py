"""Large screens: State, Why and Node side by side, Watches below Trace."""

from __future__ import annotations

from tests.app.bench import LARGE, REFUND, Bench, P, press, text, workbench

WIDE, TALL = (160, 44), (120, 46)


def titles(pilot: P) -> list[str]:
    """The line of heads below the header."""
    return [word for word in ("2 State", "3 Why", "4 Node") if f"[{word}]" in text(pilot).split("\n")[1]]


def test_on_a_wide_screen_state_why_and_node_stand_side_by_side(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        screen = workbench(pilot)
        assert titles(pilot) == ["2 State", "3 Why", "4 Node"]
        assert "first match wins" in text(pilot)
        assert "─ This run" in text(pilot)
        panes, seen = screen.panes, []
        for key in ("3", "tab", "tab", "shift+tab", "shift+tab", "shift+tab"):
            await press(pilot, key)
            seen.append(screen.focused)
        why, node, trace, state = panes.why_pane, panes.node_pane, panes.trace_pane, panes.state_pane
        assert seen == [why, node, trace, node, why, state]

    bench.run(REFUND)
    bench.play(script, REFUND, run="r-1", size=WIDE)


def test_a_pane_with_the_whole_screen_is_alone_and_comes_back_among_the_others(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "3", "z z")
        assert "first match wins" in text(pilot)
        assert "4 Node]" not in text(pilot)
        assert "[5 Trace]" not in text(pilot)
        await press(pilot, "z z")
        assert titles(pilot) == ["2 State", "3 Why", "4 Node"]

    bench.run(REFUND)
    bench.play(script, REFUND, run="r-1", size=WIDE)


def test_a_screen_that_becomes_narrower_shows_one_of_them_behind_tabs(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "4")
        await pilot.resize_terminal(*LARGE)
        await press(pilot)
        assert titles(pilot) == ["4 Node"]
        await pilot.resize_terminal(*WIDE)
        await press(pilot)
        assert titles(pilot) == ["2 State", "3 Why", "4 Node"]
        assert workbench(pilot).grid.pane is workbench(pilot).panes.node_pane

    bench.run(REFUND)
    bench.play(script, REFUND, run="r-1", size=WIDE)


def test_on_a_tall_screen_watches_open_below_trace_once_there_are_any(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "5")
        assert "[7 Watches" not in text(pilot)
        await press(pilot, "7", "a", *"route", "ctrl+j", "5")
        assert "[5 Trace]" in text(pilot)
        assert "[7 Watches 1]" in text(pilot)
        await press(pilot, "6")
        assert "[7 Watches" not in text(pilot)
        await press(pilot, "7", "d")
        await press(pilot, "5")
        assert "[7 Watches" not in text(pilot)

    bench.run(REFUND)
    bench.play(script, REFUND, run="r-1", size=TALL)
