"""Reviews that wait, and an app that holds the dialog in which they are decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Static

from stepgraph import END, Executor, Run, StateGraph
from stepgraph.files import read_graph
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Review
from stepgraph.stores.memory import MemoryStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.dialogs.approval import ReviewDrafts, ReviewScreen
from stepgraph_tui.worker import Decide
from tests.app.playing import screen_lines

REFUND = Path("graphs/refund_triage.toml")
ORDER = {"amount": 240, "express": True, "items": ["tea"], "note": "two\nlines"}
EDITABLE = {
    "order.amount": "number",
    "order.express": "boolean",
    "order.items": "list",
    "order.note": "text",
    "title": "text",
}


def asking(state: dict[str, Any] | None = None, secret: tuple[str, ...] = (), **settings: Any) -> StateGraph:
    """A graph whose node ``review`` asks at once, and after which money moves or does not."""
    graph = StateGraph("asking", start="review")
    for name, value in {"order": ORDER, "title": "a title", **(state or {})}.items():
        graph.add_key(name, default=value, secret=name in secret)
    chosen = {"prompt": "Go on?", "action": "pay(amount={{ order.amount }})", "risk": "low", **settings}
    graph.declare_node("review", "approval", chosen)
    graph.add_node("pay", lambda state: {}, side_effects=True)
    graph.add_node("refuse", lambda state: {})
    graph.add_edge("review", "pay", 'decision == "approve" and order.amount < 1000', label="approved")
    graph.add_edge("review", "refuse")
    graph.add_edge("pay", END)
    graph.add_edge("refuse", END)
    return graph


class Desk:
    """A store with runs that wait, and all that was asked of whoever records decisions."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore()
        self.ids = sequential_ids()
        self.drafts = ReviewDrafts()
        self.sent: list[Decide] = []
        self.copied: list[str] = []
        self.said: list[str] = []
        self.bells = 0
        self.busy = False
        self.reviews = Reviews(self.store, self.clock.time)

    def executor(self, graph: StateGraph) -> Executor:
        return Executor(graph.compile(), self.store, clock=self.clock, ids=self.ids)

    def run(self, graph: StateGraph) -> Run:
        executor = self.executor(graph)
        return executor.run(executor.start({}))

    def refund(self) -> Run:
        return self.run(read_graph(REFUND))

    def decide(self, work: Decide) -> bool:
        if not self.busy:
            self.sent.append(work)
        return not self.busy

    def record(self, by: str | None = None) -> Review:
        """Do what the stepping thread does with what was sent last."""
        work = self.sent[-1]
        return self.reviews.decide(work.review, work.decision, expect_hash=work.expect_hash)


class Host(App[None]):
    """An app with the dialog above a plain screen, and with time that passes when it is told to."""

    CSS = "Screen > Static { height: 1; }"

    def __init__(self, desk: Desk, review_id: str, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self.desk = desk
        self.at = 100.0
        self.dialog = ReviewScreen(
            desk.store,
            review_id,
            decide=desk.decide,
            me="ana",
            drafts=desk.drafts,
            copy=desk.copied.append,
            say=lambda line, review: desk.said.append(line),
            hints=hints,
            time=desk.clock.time,
            now=lambda: self.at,
            stamp=self.stamp,
            store_stamp=lambda: desk.store.stamp(),
        )

    def stamp(self, event: events.Event) -> float:
        return self.at

    def compose(self) -> ComposeResult:
        yield Static("below")

    def on_mount(self) -> None:
        self.push_screen(self.dialog)

    def bell(self) -> None:
        self.desk.bells += 1

    @property
    def open(self) -> bool:
        return self.dialog in self.screen_stack

    @property
    def text(self) -> str:
        return "\n".join(screen_lines(self))


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys slowly: each one after a moment of quiet, in which the screen is painted."""
    host = pilot.app
    assert isinstance(host, Host)
    for key in keys:
        screen_lines(host)
        host.at += 1.0
        await pilot.press(key)
        await pilot.pause()


async def burst(pilot: Pilot[Any], *keys: str) -> None:
    """Have keys arrive in one read of the terminal: nothing happens between them."""
    host = pilot.app
    assert isinstance(host, Host)
    screen_lines(host)
    host.at += 1.0
    for key in keys:
        char = key if len(key) == 1 else None
        host.post_message(events.Key(_character_to_key(char) if char is not None else key, char))
    await pilot.pause()


def pending(run: Run) -> Review:
    assert run.pending is not None
    return run.pending


def refund() -> tuple[Desk, Host]:
    desk = Desk()
    return desk, Host(desk, pending(desk.refund()).id)


def low(**settings: Any) -> tuple[Desk, Host]:
    desk = Desk()
    return desk, Host(desk, pending(desk.run(asking(**settings))).id)
