"""A page that shows what differs between two texts of a graph file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from stepgraph_tui.text.plain import visible, with_arrows
from stepgraph_tui.widgets.lines import wrapped

from .page import Copy, Page

if TYPE_CHECKING:
    from stepgraph_tui.documents import TextDifference

_MOST = 5_000  # lines
_LOOKS = {"-": "", "+": "bold"}  # and all that is the same is dim


class DifferencePage(Page):
    """Shows a difference: first what it means for runs, then the lines.

    Args:
        title: What is compared: ``refund.toml on disk, and as it is here``.
        difference: What differs.
        copy: Copies a text; nothing can be copied without it.
    """

    def __init__(self, title: str, difference: TextDifference, copy: Copy | None = None) -> None:
        super().__init__(visible(title), copy)
        self._difference = difference

    def lines(self, width: int) -> list[Text]:
        """Wrap the meaning, and cut the lines."""
        return [*self._meaning(width), Text(), *looks(self._difference.lines)]

    def _meaning(self, width: int) -> Iterator[Text]:
        found = self._difference
        if found.unread:
            yield Text("Cannot show what it means:", "bold")
            yield from (Text(line) for line in wrapped(visible(found.unread), width))
        elif found.meaning:
            yield Text("What it means:", "bold")
            for sentence in found.meaning:
                first, *others = wrapped(with_arrows(visible(sentence)), max(1, width - 2))
                yield Text(f"· {first}")
                yield from (Text(f"  {line}") for line in others)
        elif found.lines:
            yield Text("It means the same: runs will not notice.", "bold")
        else:
            yield Text("There is no difference.", "bold")


def looks(lines: Sequence[str]) -> Iterator[Text]:
    """Write lines that differ: the new ones stand out, and those that are the same step back."""
    for line in lines[:_MOST]:
        yield Text(visible(line.replace("\t", "    ")), _LOOKS.get(line[:1], "dim"))
    if len(lines) > _MOST:
        yield Text(f"… and {len(lines) - _MOST:,} more lines")
