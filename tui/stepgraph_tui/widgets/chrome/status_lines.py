"""The single lines around the panes: hints, keys, notices, titles, and the next step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from rich.text import Text
from textual import events
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ...commands.hints import UNMAPPED, Hints
from ...commands.live import LiveCommand, live_commands
from ..part_styles import MUTED, PartStyles
from ..words import one_line


class HintLine(Static):
    """Describes what is selected; after a key, its outcome, until the next one.

    Nothing is painted that is there already.
    """

    DEFAULT_CSS = """
    HintLine {
        height: 1;
        padding: 0 1;
        color: $text-muted;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        &.-said { height: auto; max-height: 3; text-wrap: wrap; }
        &.-warning { color: $text-warning; }
    }
    """

    def __init__(self) -> None:
        super().__init__(classes="hint")
        self._said: tuple[str, bool] | None = None
        self._about: tuple[str, bool] = "", False
        self._written = ""

    def tell(self, text: str, *, warns: bool = False) -> None:
        """Describe what is selected; ``warns`` when something is wrong."""
        self._about = text, warns
        self._write()

    def say(self, text: str, *, warns: bool = False) -> None:
        """Show a message until the next key; ``warns`` when it explains why something was not done."""
        self._said = text, warns
        self._write()

    def hush(self) -> None:
        """Clear the message, and describe what is selected."""
        if self._said is not None:
            self._said = None
            self._write()

    def _write(self) -> None:
        text, warns = self._said or self._about
        self.set_class(warns, "-warning")
        self.set_class(self._said is not None, "-said")
        if text != self._written:
            self._written = text
            self.update(one_line(text))


class NoticeLine(Static):
    """Says something on one line; nothing is painted that is there already."""

    DEFAULT_CSS = """
    NoticeLine {
        height: 1;
        padding: 0 1;
        color: $text-success;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    def __init__(self) -> None:
        super().__init__(classes="notice")
        self._shown = ""
        self.display = False

    def show(self, text: str) -> bool:
        """Show a text, nothing if it is empty; return whether it is new."""
        if text == self._shown:
            return False
        self._shown = text
        self.display = bool(text)
        self.update(one_line(text))
        return True


_KEYS = {"key": "bold $text-accent", "label": "$foreground"}


class OneLine(Widget):
    """One line of the screen: it never wraps, and never takes the keys."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    OneLine {
        width: 1fr;
        height: 1;
        text-wrap: nowrap;
        text-overflow: clip;
    }
    """
    LOOKS: ClassVar[Mapping[str, str]] = {}
    """The looks of parts of the line, beside those of keys and their labels."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._part_styles = PartStyles(self, {**_KEYS, **self.LOOKS})

    def render(self) -> Text:
        """Render the line, no longer than there is room."""
        width = self.size.width
        line = self.line(width)
        shorten(line, width)
        return line

    def line(self, width: int) -> Text:
        """Return a text of ``width`` cells; what is longer is cut."""
        raise NotImplementedError

    def span(self, text: str, part: str) -> Text:
        """Style a part of the line."""
        return one_line(text, self._part_styles[part])

    def key_and_verb(self, key: str, what: str) -> Text:
        """Name a key with what it does, and two blanks behind."""
        return Text.assemble(self.span(key, "key"), self.span(f" {what}  ", "label"))


def shorten(line: Text, width: int) -> None:
    """Cut a line to ``width`` cells; an ellipsis marks the cut."""
    if line.cell_len > width:
        line.truncate(max(1, width), overflow="ellipsis" if width > 1 else "crop")


def between(left: Text, right: Text, width: int, fill: str = " ") -> Text:
    """Fill a line of ``width`` cells between its two ends; the left one is cut when it must be."""
    shorten(left, max(0, width - right.cell_len))
    return left.copy().append(fill * (width - left.cell_len - right.cell_len)).append_text(right)


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
    }
    """
    LOOKS: ClassVar[Mapping[str, str]] = {
        "graph": "bold",
        "mode": MUTED,
        "dim": MUTED,
        "ready": "bold $text-primary",
        "running": "bold $text-accent",
        "awaiting": "bold $text-warning",
        "live": "bold $text-warning",
        "ended": "bold $text-success",
        "failed": "bold $text-error",
        "viewing": "bold $text-secondary",
        "waiting": "bold reverse $text-warning",
    }

    graph: reactive[str] = reactive("")
    """The graph's name."""
    mode: reactive[str] = reactive("DEBUG")
    status_word: reactive[str] = reactive("NO RUN")
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
        """Write what is at the left and at the right end."""
        parts = [part for part in self._parts(dropped) if part]
        left = Text(" ").append_text(Text(_GAP).join(parts))
        if not {"name", "graph"} & dropped:
            left.append(_GAP)
        return left, Text() if "count" in dropped else self._count("waiting" not in dropped)

    def _parts(self, dropped: frozenset[str]) -> Iterator[Text]:
        costs = self.answers.endswith("LIVE")  # that never goes
        if "graph" not in dropped:
            name = self.span(self.graph, "graph")
            if "name" in dropped:
                shorten(name, _NAME)
            yield name
        if "mode" not in dropped:
            yield self.span(self.mode, "mode")
        yield self.span(self.status_word, self._kind())
        if "step" not in dropped and self.max_steps:
            yield Text(f"step {self.step:,}/{self.max_steps:,}")
        if "answers" not in dropped or costs:
            yield self.span(self.answers, "live" if costs else "dim")
        if "run" not in dropped and self.run_id:
            yield Text(f"run {self.run_id}")
        if "store" not in dropped and self.store:
            yield self.span(f"store {self.store}", "dim")

    def _kind(self) -> str:
        """Choose the class of the status, by its first word."""
        word = self.status_word.partition(" ")[0].lower()
        kind = {"paused": "awaiting", "no": "dim"}.get(word, word)
        return kind if kind in self.LOOKS else "mode"

    def _count(self, in_words: bool) -> Text:
        key = self._hints.key("workbench.approvals")
        count = "?" if self.waiting is None else self.waiting
        text = f" {key} {count}{' waiting' if in_words else ''} "
        return self.span(text, "waiting" if self.waiting else "dim")


_ALWAYS = ("app.help", "app.palette", "app.palette_always")
"""The commands at the right end: with them every other one is found. In a text field only the last one of
the palette works."""
_DECIDES = "approval"
"""The context whose keys a click does not press."""


class KeyLine(OneLine):
    """Names the best keys of what has the focus, as they are mapped, as many as there is room for.

    Below a dialog it names the dialog's help alone: those of its own screen do nothing then.
    """

    DEFAULT_CSS = "KeyLine { background: $panel; }"

    def __init__(self) -> None:
        super().__init__()
        self._live: list[LiveCommand] = []
        self._is_to_look = False
        self._shown: list[tuple[int, int, LiveCommand]] = []

    def on_mount(self) -> None:
        """Keep up with the keys of its screen, and of what lies above that."""
        self._follow(self.screen)
        self.app.screen_change_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[Any]) -> None:
        if self._follows(screen):
            screen.bindings_updated_signal.unsubscribe(self)  # a screen that comes back was followed before
            screen.bindings_updated_signal.subscribe(self, self._look_soon, immediate=True)
            self._look()

    def _follows(self, screen: Screen[Any]) -> bool:
        """Check whether a screen is the line's own one, or a dialog above it."""
        below = next((each for each in reversed(self.app.screen_stack) if not each.is_modal), None)
        return self.screen in (screen, below)

    def _look_soon(self, _: Screen[Any]) -> None:
        """Look once at what several parts of a screen have told at the same time."""
        if not self._is_to_look:
            self._is_to_look = True
            self.call_next(self._look)

    def _look(self) -> None:
        self._is_to_look = False
        screen = self.app.screen
        if self.is_attached and self._follows(screen):
            live = live_commands(screen)
            if live != self._live:
                self._live = live
                self.refresh()

    def line(self, width: int) -> Text:
        """Name the keys by their rank, then help and palette."""
        self._shown.clear()
        always = self._always()
        right = Text()
        for live in always:
            right.append_text(self._key_text(live))
        room = width - right.cell_len
        left = Text(" ")
        # A dialog names its own keys.
        ranked = [live for live in self._live if live.rank and self.screen is self.app.screen]
        ranked.sort(key=lambda live: live.rank)
        if ranked and self.screen.is_modal and room < self._key_text(ranked[0]).cell_len + 1:
            always, right, room = [], Text(), width  # what a dialog is there for comes before its help
        for live in ranked:
            named = self._key_text(live)
            if left.cell_len + named.cell_len > room:
                break
            self._shown.append((left.cell_len, left.cell_len + named.cell_len, live))
            left.append_text(named)
        self._place_at_right_end(always, right, width)
        return between(left, right, width)

    def _always(self) -> list[LiveCommand]:
        """Help and palette, each by the first key that works."""
        found: dict[str, LiveCommand] = {}
        for live in self._live:
            if live.command.id in _ALWAYS:
                found.setdefault(live.action, live)
        return list(found.values())

    def _place_at_right_end(self, always: list[LiveCommand], right: Text, width: int) -> None:
        at = width - right.cell_len
        for live in always:
            end = at + self._key_text(live).cell_len
            self._shown.append((at, end, live))
            at = end

    def _key_text(self, live: LiveCommand) -> Text:
        return self.key_and_verb(live.keys[0], live.wording.label)

    async def on_click(self, event: events.Click) -> None:
        """Run the key under the mouse; deciding is left to the keys."""
        for start, end, live in self._shown:
            if start <= event.x < end and live.command.context != _DECIDES:
                await live.run()
                return


Severity = Literal["information", "warning", "error"]

_TWIN_FROM = 100  # cells: narrower screens need the line for its text
_SECONDS = {"information": 4.0, "warning": 6.0, "error": 10.0}
_MARKS = {"information": "", "warning": "! ", "error": "✗ "}


class NextLine(OneLine):
    """Says what comes next; a passing word takes its place for a few seconds."""

    DEFAULT_CSS = """
    NextLine {
        background: $surface;
    }
    """
    LOOKS: ClassVar[Mapping[str, str]] = {
        "what": "bold $text-primary",
        "what-failed": "bold $text-error",
        "what-waits": "bold $text-warning",
        "twin": MUTED,
        "information": "$text-accent",
        "warning": "bold $text-warning",
        "error": "bold $text-error",
    }

    what: reactive[str] = reactive("")
    """The first word: NEXT, RUNS, WAITS, FAILED, ENDED, VIEWING, HINT."""
    text: reactive[str] = reactive("")
    twin: reactive[str] = reactive("")
    """The command that does the same as the next key."""
    passing: reactive[tuple[str, Severity] | None] = reactive(None)
    """The message that is shown for now."""

    _timer: Timer | None = None

    def say(self, text: str, severity: Severity = "information") -> None:
        """Show a message for a few seconds; the newest one wins."""
        self.clear()
        self.passing = (text, severity)
        self._timer = self.set_timer(_SECONDS[severity], self.clear)

    def says(self, text: str) -> bool:
        """Check whether this is the message that is shown now."""
        return self.passing is not None and self.passing[0] == text

    def clear(self) -> None:
        """Show only what comes next again."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.passing = None

    def line(self, width: int) -> Text:
        """Return the passing message, else what comes next."""
        if self.passing is not None:
            text, severity = self.passing
            return self.span(f" {_MARKS[severity]}{text}", severity)
        kind = self.what.lower()
        first = f"what-{kind}" if kind in {"failed", "waits"} else "what"
        line = Text.assemble(" ", self.span(self.what, first), " ", one_line(self.text))
        line.highlight_words(["(!)"], self._part_styles["warning"])
        twin = self.span(f"   $ {self.twin} ", "twin")
        if not self.twin or width < _TWIN_FROM or line.cell_len + twin.cell_len > width:
            return line
        return between(line, twin, width)


class TitleLine(OneLine):
    """Says what is listed, and at its right end how many reviews of the store wait.

    Args:
        hints: Names the key of the inbox.
    """

    DEFAULT_CSS = """
    TitleLine {
        background: $panel;
    }
    """
    LOOKS: ClassVar[Mapping[str, str]] = {"waiting": "bold reverse $text-warning", "none": MUTED}

    def __init__(self, hints: Hints) -> None:
        super().__init__()
        self._hints = hints
        self._shown: tuple[Text, int] = Text(), 0
        self._count_at = 0  # where the count begins that was painted last

    async def on_click(self, event: events.Click) -> None:
        """List the reviews that are counted."""
        if event.x >= self._count_at:
            await self.app.run_action("app.inbox")

    def show(self, title: Text, waiting: int) -> None:
        """Show a title; nothing is painted where it says so already."""
        if self._shown != (title, waiting):
            self._shown = title, waiting
            self.refresh()

    def line(self, width: int) -> Text:
        """Write the title and the count; where there is little room, the count without words."""
        title, waiting = self._shown
        key, part = self._hints.key("app.inbox"), "waiting" if waiting else "none"
        left = Text.assemble(" ", title)
        for words in (" waiting ", " "):
            right = self.span(f" {key} {waiting}{words}", part)
            if left.cell_len + right.cell_len < width:
                break
        shorten(left, max(0, width - right.cell_len - 1))
        self._count_at = width - right.cell_len
        return between(left, right, width)
