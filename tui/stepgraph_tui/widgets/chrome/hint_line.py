"""The line below a list that tells more of what is selected."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static


class HintLine(Static):
    """Tells of what is selected; what became of a key is said instead, until the next one.

    Texts are safe to show. Nothing is painted that stands there already.
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
        """Tell of what is selected; ``warns`` when something is wrong."""
        self._about = text, warns
        self._write()

    def say(self, text: str, *, warns: bool = False) -> None:
        """Say something until the next key; ``warns`` when it is why something was not done."""
        self._said = text, warns
        self._write()

    def hush(self) -> None:
        """Say no more what was said, and tell of what is selected."""
        if self._said is not None:
            self._said = None
            self._write()

    def _write(self) -> None:
        text, warns = self._said or self._about
        self.set_class(warns, "-warning")
        self.set_class(self._said is not None, "-said")
        if text != self._written:
            self._written = text
            self.update(Text(text))
