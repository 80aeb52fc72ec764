"""The last line of the screen: the verbs that work now, or how long it is until they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text

from stepgraph_tui.widgets.chrome.one_line import OneLine

_GAP = 2  # cells behind each key; none behind the last one
_KEPT = 1
"""How many entries at the end stay where there is little room: Esc."""


class VerbLine(OneLine):
    """Names keys, as many as there is room for. A click on it does nothing: nothing here is pressed."""

    DEFAULT_CSS = """
    VerbLine {
        background: $panel;
        & > .verb-line--key { color: $text-accent; text-style: bold; }
        & > .verb-line--label { color: $foreground; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"verb-line--key", "verb-line--label"}

    def __init__(self) -> None:
        super().__init__()
        self._keys: Sequence[tuple[str, str]] = ()
        self._instead = ""

    @property
    def waits(self) -> bool:
        """Whether something else than keys is said."""
        return bool(self._instead)

    def show(self, keys: Sequence[tuple[str, str]], instead: str = "") -> None:
        """Name these keys with what they do, or say something else instead of all but the last of them."""
        if (self._keys, self._instead) != (keys, instead):
            self._keys, self._instead = keys, instead
            self.refresh()

    def line(self, width: int) -> Text:
        """The keys, the last one always."""
        last = [self._named(key, label) for key, label in self._keys[-_KEPT:]]
        room = width - 1 + _GAP - sum(named.cell_len for named in last)
        if self._instead:
            first = [self.span(f"{self._instead}  ", "verb-line--label")]
        else:
            first = []
            for key, label in self._keys[:-_KEPT]:
                named = self._named(key, label)
                room -= named.cell_len
                if room < 0:
                    break
                first.append(named)
        line = Text.assemble(" ", *first, *last)
        line.rstrip()
        return line

    def _named(self, key: str, label: str) -> Text:
        return Text.assemble(
            self.span(key, "verb-line--key"), self.span(f" {label}{' ' * _GAP}", "verb-line--label")
        )
