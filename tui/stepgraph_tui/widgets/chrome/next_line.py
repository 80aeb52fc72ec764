"""The line above the keys: what the next key will do, or what just happened."""

from __future__ import annotations

from typing import ClassVar, Literal

from rich.text import Text
from textual.reactive import reactive
from textual.timer import Timer

from stepgraph_tui.text.plain import visible

from .one_line import OneLine, between

Severity = Literal["information", "warning", "error"]

_TWIN_FROM = 100  # cells: narrower screens need the line for its text
_SECONDS = {"information": 4.0, "warning": 6.0, "error": 10.0}
_MARKS = {"information": "", "warning": "! ", "error": "✗ "}


class NextLine(OneLine):
    """Says what comes next; a passing word takes its place for a few seconds."""

    DEFAULT_CSS = """
    NextLine {
        background: $surface;
        & > .next-line--what { text-style: bold; color: $text-primary; }
        & > .next-line--what-failed { text-style: bold; color: $text-error; }
        & > .next-line--what-waits { text-style: bold; color: $text-warning; }
        & > .next-line--twin { color: $text-muted; }
        & > .next-line--information { color: $text-accent; }
        & > .next-line--warning { color: $text-warning; text-style: bold; }
        & > .next-line--error { color: $text-error; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"next-line--{part}"
        for part in ("what", "what-failed", "what-waits", "twin", "information", "warning", "error")
    }

    what: reactive[str] = reactive("")
    """The first word: NEXT, RUNS, WAITS, FAILED, ENDED, VIEWING, HINT."""
    text: reactive[str] = reactive("")
    twin: reactive[str] = reactive("")
    """The command that does the same as the next key."""
    passing: reactive[tuple[str, Severity] | None] = reactive(None)
    """The word that is said for now."""

    _timer: Timer | None = None

    def say(self, text: str, severity: Severity = "information") -> None:
        """Say something for a few seconds; the newest word wins."""
        self.clear()
        self.passing = (text, severity)
        self._timer = self.set_timer(_SECONDS[severity], self.clear)

    def says(self, text: str) -> bool:
        """Tell whether this is the word that is said now."""
        return self.passing is not None and self.passing[0] == text

    def clear(self) -> None:
        """Say again what comes next, and nothing else."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.passing = None

    def line(self, width: int) -> Text:
        """Say the passing word, else what comes next."""
        if self.passing is not None:
            text, severity = self.passing
            return self.span(f" {_MARKS[severity]}{visible(text)}", f"next-line--{severity}")
        kind = self.what.lower()
        first = f"next-line--what-{kind}" if kind in {"failed", "waits"} else "next-line--what"
        line = Text.assemble(" ", self.span(self.what, first), " ", visible(self.text))
        line.highlight_words(["(!)"], self.get_component_rich_style("next-line--warning"))
        twin = self.span(f"   $ {visible(self.twin)} ", "next-line--twin")
        if not self.twin or width < _TWIN_FROM or line.cell_len + twin.cell_len > width:
            return line
        return between(line, twin, width)
