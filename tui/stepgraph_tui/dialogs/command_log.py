"""What was done, as the commands that do the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime

from rich.text import Text

from stepgraph_tui.text.plain import visible
from stepgraph_tui.widgets.lines import wrapped

from .page import Copy, Page

_KEPT = 1_000
_TIME = len("14:02:11  ")
_LEAST = 8  # cells of a command on each line
_EMPTY = "Nothing done yet. Each start, step and decision is noted here."


class CommandLog:
    """The commands that do what was done, the newest last; the oldest go when there are too many."""

    def __init__(self) -> None:
        self._noted: deque[tuple[float, str]] = deque(maxlen=_KEPT)

    def note(self, at: float, text: str) -> None:
        """Note a command.

        Args:
            at: When, in seconds since 1970.
            text: As it can be typed, without secrets.
        """
        self._noted.append((at, visible(text)))

    def __iter__(self) -> Iterator[tuple[float, str]]:
        return iter(self._noted)

    def __len__(self) -> int:
        return len(self._noted)


class CommandLogScreen(Page):
    """Shows the log, from its end.

    Args:
        log: What was noted.
        copy: Copies a text.
    """

    def __init__(self, log: CommandLog, copy: Copy | None = None) -> None:
        super().__init__("THE SAME AS COMMANDS", copy)
        self._log = log

    def on_mount(self) -> None:
        """Begin with what was done last."""
        self.call_after_refresh(self.action_scroll, "bottom")

    def lines(self, width: int) -> list[Text]:
        """Put a command on each line, with the time of day; long ones are wrapped."""
        if not self._log:
            return [Text(line) for line in wrapped(_EMPTY, width)]
        lines = []
        for at, text in self._log:
            first, *others = wrapped(text, max(_LEAST, width - _TIME))
            lines.append(Text.assemble((f"{datetime.fromtimestamp(at):%H:%M:%S}  ", "dim"), first))
            lines += [Text(f"{' ' * _TIME}{other}") for other in others]
        return lines

    def text(self) -> str:
        """Join the commands alone, to be typed again."""
        return "\n".join(text for _, text in self._log)
