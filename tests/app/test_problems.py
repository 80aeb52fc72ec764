"""The pane that lists what is wrong with a graph."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph.values.problems import Place, Problem
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.problems import ProblemsPane
from tests.app.playing import play, screen_lines

WARNING = Problem("G030", "warning", "nothing leads here", Place(node="lonely"))
UNKNOWN = Problem(
    "G011",
    "error",
    "edge 2 (a -> reviw) leads to 'reviw', which is not a node of the graph",
    Place(file="g.toml", line=12, edge=1),
    "did you mean 'review'?",
)
CARET = Problem("G016", "error", "edge 1 (a -> b): a single '=' assigns", Place(edge=0), excerpt="x = 1\n  ^")
ALL = (WARNING, UNKNOWN, CARET)


class Host(App[None]):
    """Holds the pane, and keeps what it says."""

    CSS = "Screen { overflow: hidden; }"

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.pane = ProblemsPane()
        self.given = problems
        self.chosen: list[Problem] = []
        self.informed: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.pane.focus()
        self.pane.problems = self.given

    def on_problems_pane_chosen(self, message: ProblemsPane.Chosen) -> None:
        self.chosen.append(message.problem)

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed.append(message.text)


def lines(pilot: Pilot[Any]) -> list[str]:
    return "\n".join(screen_lines(pilot.app)).rstrip().splitlines()


def test_a_click_selects_and_a_second_one_chooses() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        host: Any = pilot.app
        await pilot.click(ProblemsPane, offset=(20, 5))
        assert lines(pilot)[3].startswith("▸ ✗ G016")
        await pilot.click(ProblemsPane, offset=(20, 20))  # below the last one
        assert host.chosen == []
        await pilot.click(ProblemsPane, offset=(20, 6), times=2)
        assert host.chosen == [WARNING]

    play(Host(*ALL), script)
