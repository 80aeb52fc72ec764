"""Asking, once, whether the Python code that a graph names may run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from stepgraph_tui.words.text import visible

from .confirm import Confirm

_QUIET = 0.5
"""Seconds without a key or click before ``y`` counts: it may have been typed for another window."""


class TrustDialog(Confirm):
    """Asks whether a graph's code may run; no is the default.

    Args:
        name: The graph.
        files: What would be trusted, as ``stepgraph.files.trust_question`` lists it.
        stamp: When an event happened, in seconds of any clock.
    """

    def __init__(
        self,
        name: str,
        files: Sequence[str],
        *,
        stamp: Callable[[events.Event], float] = lambda event: event.time,
    ) -> None:
        super().__init__(f"Graph {name!r} names Python code that you have not trusted yet:", "Trust and run")
        self._files = files
        self._stamp = stamp
        self._last = float("inf")
        self._counts = False

    def details(self) -> ComposeResult:
        """The files, and what the answer covers."""
        yield Static(Text("\n".join(map(visible, self._files))), classes="files")
        yield Static(
            "If you trust them, these files may run as they are now; any change asks again. What they "
            "import is not looked at and not covered: look at it too.",
            markup=False,
            classes="muted",
        )

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Wait for a moment of quiet once it can be seen."""
        self._last = self._stamp(event)

    def on_key(self, event: events.Key) -> None:
        """Let ``y`` count only after a moment of quiet."""
        self._touch(event)

    def on_click(self, event: events.Click) -> None:
        """A click says nothing, and ends the quiet."""
        self._touch(event)

    def _touch(self, event: events.Event) -> None:
        at = self._stamp(event)
        self._counts = at - self._last >= _QUIET
        self._last = at

    def action_yes(self) -> None:
        """Trust the files."""
        if self._counts:
            super().action_yes()
        else:
            self.say_verbs("Trust and run (press it again, after a moment)")
            self.app.bell()
