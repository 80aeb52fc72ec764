"""The first line of the workbench: which graph, which run, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.reactive import reactive

from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.text.plain import visible

from .one_line import OneLine, between, shorten

_GAP = "   "
_DROPPED = ("store", "waiting", "run", "mode", "name", "step", "graph", "count", "answers")
"""What goes first when there is no room; ``waiting`` is the word, ``name`` the end of a long name of a graph,
``count`` how many reviews wait."""
_NAME = 16  # cells of a graph's name that was cut


class HeaderLine(OneLine):
    """Says what is shown; the less important parts go where there is no room, the status never does.

    Args:
        hints: Names the key of the reviews that wait.
    """

    DEFAULT_CSS = """
    HeaderLine {
        background: $panel;
        color: $foreground;
        & > .header--graph { text-style: bold; }
        & > .header--mode { color: $text-muted; }
        & > .header--dim { color: $text-muted; }
        & > .header--ready { color: $text-primary; text-style: bold; }
        & > .header--running { color: $text-accent; text-style: bold; }
        & > .header--awaiting, & > .header--live { color: $text-warning; text-style: bold; }
        & > .header--ended { color: $text-success; text-style: bold; }
        & > .header--failed { color: $text-error; text-style: bold; }
        & > .header--viewing { color: $text-secondary; text-style: bold; }
        & > .header--waiting { color: $text-warning; text-style: bold reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"header--{part}"
        for part in (
            "graph", "mode", "dim", "ready", "running", "awaiting", "live", "ended", "failed", "viewing",
            "waiting",
        )
    }  # fmt: skip

    graph: reactive[str] = reactive("")
    """The graph's name."""
    mode: reactive[str] = reactive("DEBUG")
    standing: reactive[str] = reactive("NO RUN")
    """Where the run stands, in a word or two: READY, RUNNING, PAUSED, AWAITING HUMAN, ENDED, FAILED,
    VIEWING 3."""
    step: reactive[int] = reactive(0)
    max_steps: reactive[int] = reactive(0)
    """How many steps the run may take; 0 without a run."""
    answers: reactive[str] = reactive("")
    """Who answers where a node asks a model: SCRIPTED, CODE (Python runs), LIVE, REPLAY or MIXED."""
    run_id: reactive[str] = reactive("")
    store: reactive[str] = reactive("")
    """Where the runs are, when that is worth saying."""
    waiting: reactive[int | None] = reactive(None)
    """How many reviews of the store wait for a person; None while nobody could read it."""

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self._hints = hints
        self._count_at = 0  # where the count begins that was painted last

    async def on_click(self, event: events.Click) -> None:
        """List the reviews that are counted."""
        if event.x >= self._count_at:
            await self.app.run_action("app.inbox")

    def line(self, width: int) -> Text:
        """As much as there is room for."""
        for count in range(len(_DROPPED) + 1):
            left, right = self._ends(frozenset(_DROPPED[:count]))
            if left.cell_len + right.cell_len <= width:
                break
        self._count_at = width - right.cell_len
        return between(left, right, width)

    def _ends(self, dropped: frozenset[str]) -> tuple[Text, Text]:
        """Write what stands at the left and at the right end."""
        parts = [part for part in self._parts(dropped) if part]
        left = Text(" ").append_text(Text(_GAP).join(parts))
        if not {"name", "graph"} & dropped:
            left.append(_GAP)
        return left, Text() if "count" in dropped else self._count("waiting" not in dropped)

    def _parts(self, dropped: frozenset[str]) -> Iterator[Text]:
        costs = self.answers.endswith("LIVE")  # that never goes
        if "graph" not in dropped:
            name = self.span(visible(self.graph), "header--graph")
            if "name" in dropped:
                shorten(name, _NAME)
            yield name
        if "mode" not in dropped:
            yield self.span(self.mode, "header--mode")
        yield self.span(self.standing, f"header--{self._kind()}")
        if "step" not in dropped and self.max_steps:
            yield Text(f"step {self.step}/{self.max_steps}")
        if "answers" not in dropped or costs:
            yield self.span(self.answers, f"header--{'live' if costs else 'dim'}")
        if "run" not in dropped and self.run_id:
            yield Text(f"run {visible(self.run_id)}")
        if "store" not in dropped and self.store:
            yield self.span(f"store {visible(self.store)}", "header--dim")

    def _kind(self) -> str:
        """Choose the class of the status, by its first word."""
        word = self.standing.partition(" ")[0].lower()
        kind = {"paused": "awaiting", "no": "dim"}.get(word, word)
        return kind if f"header--{kind}" in self.COMPONENT_CLASSES else "mode"

    def _count(self, in_words: bool) -> Text:
        key = self._hints.key("workbench.approvals")
        count = "?" if self.waiting is None else self.waiting
        text = f" {key} {count}{' waiting' if in_words else ''} "
        return self.span(text, f"header--{'waiting' if self.waiting else 'dim'}")
