"""A small workbench for tests of what stands around the panes: two panes, a text field, a dialog."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from stepgraph_tui.commands import bindings
from stepgraph_tui.widgets.chrome.status_lines import KeyLine


class StatePaneOfTests(Widget, can_focus=True, inherit_bindings=False):
    """Has the keys of the state pane, and keeps which were pressed."""

    BINDINGS = bindings("state")
    DEFAULT_CSS = "StatePaneOfTests { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def render(self) -> str:
        return "the state"

    def action_whole(self) -> None:
        self.done.append("whole")

    def action_mode(self) -> None:
        self.done.append("mode")


class TracePaneOfTests(Widget, can_focus=True, inherit_bindings=False):
    """Has the keys of the trace."""

    BINDINGS = bindings("trace")
    DEFAULT_CSS = "TracePaneOfTests { height: 1; }"

    def render(self) -> str:
        return "the trace"


class Bench(Screen[None], inherit_bindings=False):
    """A screen with the keys of the workbench and of its Debug mode."""

    BINDINGS = bindings("debug", "workbench")
    AUTO_FOCUS = "StatePaneOfTests"

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        self.busy = False

    def compose(self) -> ComposeResult:
        yield StatePaneOfTests()
        yield TracePaneOfTests()
        yield Input(compact=True)
        yield KeyLine()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        offered = {
            "run.stop": self.busy,
            "run.step": not self.busy,
            "run.retry": False,
            "panes.restore": False,
        }
        return None if action == "find_next" else offered.get(str(parameters[0]) if parameters else "", True)

    def action_do(self, command: str) -> None:
        self.done.append(command)

    def action_find(self) -> None:
        self.done.append("find")


class Review(ModalScreen[None], inherit_bindings=False):
    """A dialog with the keys of an approval."""

    BINDINGS = bindings("approval")
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def compose(self) -> ComposeResult:
        yield KeyLine()

    def action_decide(self, what: str) -> None:
        self.done.append(what)
