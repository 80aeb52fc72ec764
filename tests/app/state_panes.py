"""The state alone on a screen, and moments for it to show."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph import END, StateGraph
from stepgraph.files import read_graph
from stepgraph.values.state import StateKey
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.state import StatePane
from tests.app.playing import play, widget_lines
from tests.app.telling import Driven

REFUND = Path("graphs/refund_triage.toml")


NARROW, WIDE = (36, 15), (62, 28)


class Host(App[None]):
    """Holds a state pane, and keeps what it says."""

    AUTO_FOCUS = "StatePane"

    def __init__(self, moment: RunSnapshot | None = None, keys: Mapping[str, StateKey] | None = None) -> None:
        super().__init__()
        self.pane = StatePane()
        self.pane.keys = keys or {}
        self.pane.moment = moment
        self.said: list[object] = []
        self.informed = ""

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_state_pane_writer_asked(self, message: StatePane.WriterAsked) -> None:
        self.said.append(message.step)

    def on_state_pane_whole_asked(self, message: StatePane.WholeAsked) -> None:
        self.said.append((message.title, message.value))

    def on_state_pane_told(self, message: StatePane.Told) -> None:
        self.said.append(message.text)

    def on_pane_informed(self, message: Pane.Informed) -> None:
        self.informed = message.text


def chain(*updates: Mapping[str, object], **keys: Any) -> StateGraph:
    """A graph whose first step makes the first updates, and so on."""
    graph = StateGraph("chain", start="n1")
    for name, declared in keys.items():
        graph.add_key(name, **declared)
    for number, update in enumerate(updates, 1):
        graph.add_node(f"n{number}", lambda state, update=update: dict(update))
        graph.add_edge(f"n{number}", f"n{number + 1}" if number < len(updates) else END)
    return graph


def made(
    *updates: Mapping[str, object], start: Mapping[str, object] | None = None, **keys: Any
) -> RunSnapshot:
    """The moment after steps with these updates."""
    return Driven(chain(*updates, **keys), start or {}).step(len(updates)).now()


def refund(steps: int = 4) -> Driven:
    return Driven(read_graph(REFUND)).step(steps)


def stages(host: Host, *stages: str, size: tuple[int, int] = NARROW) -> list[tuple[list[str], str | None]]:
    """What the pane shows, and the path of what is selected, after each of some groups of keys.

    Args:
        host: It has the pane.
        stages: Keys with blanks between them.
        size: The screen's.
    """

    async def press(pilot: Pilot[Any]) -> list[tuple[list[str], str | None]]:
        seen = []
        for keys in stages:
            await pilot.press(*keys.split())
            await pilot.pause()
            lines = [line[: size[0] - 1].rstrip() for line in widget_lines(host.pane)]  # no scroll bar
            while lines and not lines[-1]:
                lines.pop()
            seen.append((lines, host.pane.copied_path()))
        return seen

    return play(host, press, size)


def shown(host: Host, *keys: str, size: tuple[int, int] = NARROW) -> list[str]:
    """What the pane shows after some keys, without its empty last lines."""
    return stages(host, " ".join(keys), size=size)[0][0]


def selected(host: Host, *keys: str, size: tuple[int, int] = NARROW) -> str | None:
    """The path of what is selected after some keys."""
    return stages(host, " ".join(keys), size=size)[0][1]
