"""The rule with tabs above a pane, and the line between two columns."""

from __future__ import annotations

from textual import on
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.pilot import Pilot
from textual.widgets import Static

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.chrome.divider import Divider
from stepgraph_tui.widgets.chrome.pane_head import PaneHead
from tests.app.playing import play, screen_lines, widget_lines

TABS = [("state", "State", "2"), ("why", "Why", "3"), ("problems", "Problems", "6")]


class Host(App[None]):
    """A head, and which tabs were chosen."""

    def __init__(self, head: PaneHead) -> None:
        super().__init__()
        self.head = head
        self.chosen: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.head

    def on_pane_head_chosen(self, message: PaneHead.Chosen) -> None:
        self.chosen.append(message.id)


def head_at(width: int, **values: object) -> str:
    """The line at a width."""
    head = PaneHead(TABS)
    for name, value in values.items():
        setattr(head, name, value)

    async def look(pilot: Pilot[None]) -> str:
        (shown,) = widget_lines(head)
        return shown

    return play(Host(head), look, (width, 4))


def test_the_active_tab_stands_in_brackets_on_a_rule_that_is_full() -> None:
    assert head_at(40, active="why") == "─ 2 State [3 Why]─ 6 Problems ──────────"
    assert head_at(40) == "─[2 State]─ 3 Why  6 Problems ──────────"


def test_what_the_pane_says_stands_at_the_right_end() -> None:
    assert head_at(44, info="diff") == "─[2 State]─ 3 Why  6 Problems ────── diff ──"


def test_what_the_pane_says_is_whole_or_long_enough_to_tell_something() -> None:
    said = {width: head_at(width, info="12 steps, 4 ms work") for width in range(30, 60)}
    assert {line[32:].strip("─ ") for line in said.values() if "…" not in line} == {"", "12 steps, 4 ms work"}
    assert min(line.index("…") - line.index("12") for line in said.values() if "…" in line) >= 7


def test_three_spaces_part_what_stands_beside_the_tabs() -> None:
    shown = head_at(70, info="compact  TB   ↑ 3  ↓ 2")
    assert "6 Problems ─ compact  TB ──" in shown
    assert shown.endswith("── ↑ 3  ↓ 2 ──")


def test_counts_stand_beside_their_labels() -> None:
    assert "6 Problems 2 ─" in head_at(60, counts={"problems": "2"})


def test_it_is_exactly_as_long_as_the_screen_at_every_width() -> None:
    head = PaneHead(TABS)
    head.info, head.counts, head.focused = "\x1b[31m 漢字漢字   ↑ 300", {"problems": "120"}, True

    async def look(pilot: Pilot[None]) -> None:
        for width in range(len("─[2 State]─"), 90):
            line = head.line(width)
            assert cell_len(line.plain) == width
            assert "\x1b" not in line.plain

    play(Host(head), look, (40, 4))


def test_a_head_without_room_is_cut() -> None:
    assert head_at(5) == "─[2 …"


def test_a_narrow_head_keeps_the_digits_then_the_active_tab_alone() -> None:
    assert head_at(24) == "─[2 State]─ 3  6 ───────"
    assert head_at(14) == "─[2 State]────"


def test_a_click_chooses_the_tab_under_it() -> None:
    app = Host(PaneHead(TABS))

    async def click(pilot: Pilot[None]) -> None:
        for x in (2, 13, 0, 20, 38):
            await pilot.click(PaneHead, offset=(x, 0))

    play(app, click, (40, 4))
    assert app.chosen == ["state", "why", "problems"]


def test_focus_is_seen_without_colour_and_only_its_tab_is_in_reverse() -> None:
    assert head_at(44, focused=True, info="diff") == "━[2 State]━ 3 Why  6 Problems ━━━━━━ diff ━━"
    head = PaneHead(TABS)

    async def look(pilot: Pilot[None]) -> tuple[bool, bool]:
        calm = head.get_component_rich_style("pane-head--active")
        bright = head.get_component_rich_style("pane-head--active-focused")
        return bool(calm.reverse), bool(bright.reverse)

    assert play(Host(head), look) == (False, True)


class Columns(App[None]):
    """Two columns with a divider, which follows the mouse."""

    def __init__(self) -> None:
        super().__init__()
        self.divider = Divider()
        self.divider.joints = {0: "┬", 2: "├", -1: "┴"}
        self.left = Static("left")
        self.moves: list[int] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            self.left.styles.width = 10
            yield self.left
            yield self.divider
            yield Static("right")

    @on(Divider.Moved)
    def follow(self, message: Divider.Moved) -> None:
        self.moves.append(message.by)
        self.left.styles.width = self.divider.region.x + message.by


def test_the_divider_joins_the_rules_that_touch_it() -> None:
    async def look(pilot: Pilot[None]) -> str:
        return "".join(line[10] for line in screen_lines(pilot.app))

    assert play(Columns(), look, (30, 5)) == "┬│├│┴"


def test_the_mouse_drags_the_divider_and_lets_it_go() -> None:
    app = Columns()

    async def drag(pilot: Pilot[None]) -> int:
        await pilot.mouse_down(Divider)
        await pilot.hover(offset=(13, 2))
        await pilot.hover(offset=(8, 2))
        await pilot.mouse_up(offset=(8, 2))
        await pilot.hover(offset=(20, 2))
        return app.divider.region.x

    assert play(app, drag, (30, 5)) == 8
    assert sum(app.moves) == -2
