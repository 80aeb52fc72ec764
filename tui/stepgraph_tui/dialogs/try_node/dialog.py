"""The dialog that shows what came of trying a node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text

from stepgraph_tui.commands import LIST, TRIED, bindings
from stepgraph_tui.dialogs.page import Copy, Page
from stepgraph_tui.widgets.lines.page_lines import row_parts, rows_of
from stepgraph_tui.words.text import visible

from .lines import tried_lines

if TYPE_CHECKING:
    from rich.style import Style

    from stepgraph.runs.trial import Tried
    from stepgraph_tui.stepping import Try
    from stepgraph_tui.widgets.lines import Role
    from stepgraph_tui.words.masks import Mask


class TriedDialog(Page, inherit_bindings=False):
    """Shows what came of a trial.

    Args:
        work: The trial.
        tried: What came of it.
        mask: Hides the secrets of the graph and of the state.
        again: Asks how to try the node once more.
        copy: Copies a text; nothing can be copied without it.
    """

    BINDINGS = bindings([*TRIED, *LIST])
    DEFAULT_CSS = """
    TriedDialog {
        & > .tried--title { text-style: bold; }
        & > .tried--name { text-style: bold; color: $text-primary; }
        & > .tried--dim, & > .tried--rule { color: $text-muted; }
        & > .tried--value { color: $text-accent; }
        & > .tried--good { color: $text-success; text-style: bold; }
        & > .tried--bad { color: $text-error; text-style: bold; }
        & > .tried--warn { color: $text-warning; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"tried--{part}" for part in ("title", "name", "dim", "rule", "value", "good", "bad", "warn")
    }

    def __init__(
        self, work: Try, tried: Tried, mask: Mask, again: Callable[[], None], copy: Copy | None = None
    ) -> None:
        super().__init__(f"Tried {visible(tried.node)}", copy)
        self._told = list(tried_lines(work, tried, mask))
        self._again = again

    def lines(self, width: int) -> Sequence[Text]:
        """All of it, wrapped."""
        return [
            Text.assemble(*((text, self._style(role)) for text, role in row_parts(line, row, width)))
            for line in self._told
            for row in rows_of(line, 0, width)
        ]

    def text(self) -> str:
        """What ``y`` copies: the lines as they are without a width."""
        return "\n".join(line.plain for line in self._told)

    def _style(self, role: Role) -> Style:
        return self.rich_style if role == "plain" else self.get_component_rich_style(f"tried--{role}")

    def action_again(self) -> None:
        """Try it once more."""
        self.dismiss()
        self._again()
