"""The menu of fixes of a problem, each with the lines of the file that it would change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import OptionList, Static

from stepgraph.editing import design_text
from stepgraph_tui.commands import dialog_bindings
from stepgraph_tui.text.diffs import changed_lines
from stepgraph_tui.text.plain import visible_lines, with_arrows
from stepgraph_tui.widgets.chrome.status_lines import KeyLine
from stepgraph_tui.widgets.scrolling import scroll

from ..text.characters import visible
from .dialog import Dialog
from .pages import looks

if TYPE_CHECKING:
    from stepgraph.editing import Design
    from stepgraph.editing.fixes import Fix
    from stepgraph.values import Problem
    from stepgraph_tui.widgets.lines import Way

_MARKS = {True: "▸ ", False: "  "}
_PREVIEWED = 11  # rows of lines that are seen at once
_AROUND = 8  # rows around fixes and lines: the frame, the problem in two lines, the gaps, the keys


class FixMenu(Dialog["Fix | None"], inherit_bindings=False):
    """Offers the fixes of a problem; hands back the one that was taken, None for none.

    Args:
        problem: What is wrong.
        design: In which it is.
        fixes: At least one, each of which can be made.
    """

    BINDINGS = dialog_bindings("fixes")
    DEFAULT_CSS = """
    FixMenu {
        align: center middle;
        & > Vertical {
            width: 90;
            max-width: 100%;
            max-height: 100%;
            padding: 0 1;
            border: heavy $primary;
            border-title-style: bold;
            background: $surface;
        }
        OptionList {
            height: auto;
            max-height: 50%;
            margin: 1 0;
            padding: 0;
            border: none;
            background: $surface;
        }
        .option-list--option-highlighted {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
        .problem { height: auto; max-height: 3; }
        VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
        VerticalScroll > Static { height: auto; }
    }
    """

    def __init__(self, problem: Problem, design: Design, fixes: Sequence[Fix]) -> None:
        super().__init__()
        self._problem, self._design, self._fixes = problem, design, fixes
        self._previews: dict[
            int, list[Text]
        ] = {}  # made when they are seen: writing a large graph takes long
        self._labels = [visible(each.label) for each in fixes]
        self._list = OptionList(*(_MARKS[False] + label for label in self._labels), markup=False)
        self._list.can_focus = False  # its keys are those of the dialog
        self._lines = Static()
        self._scrolled = VerticalScroll(self._lines, can_focus=False)

    def compose(self) -> ComposeResult:
        """Compose the problem, the fixes, the lines of the one under the cursor, and the keys."""
        with Vertical() as frame:
            frame.border_title = Text(f"Fix {self._problem.code}")
            frame.styles.height = len(self._fixes) + _PREVIEWED + _AROUND
            yield Static(
                Text("\n".join(visible_lines(with_arrows(self._problem.message)))), classes="problem"
            )
            yield self._list
            yield self._scrolled
            yield KeyLine()

    def begin(self) -> None:
        """Begin at the likeliest."""
        self._list.highlighted = 0

    @property
    def _selected(self) -> Fix:
        return self._fixes[self._list.highlighted or 0]

    @cached_property
    def _text(self) -> str:
        return design_text(self._design)

    def _preview(self, at: int) -> list[Text]:
        """Show which lines of the file a fix would change."""
        if at not in self._previews:
            mended = self._fixes[at].edit.apply(self._design).design
            self._previews[at] = list(looks(changed_lines(self._text, design_text(mended))))
        return self._previews[at]

    @on(OptionList.OptionHighlighted)
    def _show_lines(self) -> None:
        for at, label in enumerate(self._labels):
            mark = _MARKS[at == self._list.highlighted]
            self._list.replace_option_prompt_at_index(at, mark + label)
        self._lines.update(Text("\n", no_wrap=True).join(self._preview(self._list.highlighted or 0)))
        self._scrolled.scroll_home(animate=False)

    def action_to(self, way: Way) -> None:
        """Move to another fix."""
        (self._list.action_cursor_down if way == "next" else self._list.action_cursor_up)()

    def action_scroll(self, way: str) -> None:
        """Scroll the lines."""
        scroll(self._scrolled, way)

    @on(OptionList.OptionSelected)
    def action_take(self) -> None:
        """Return the fix under the cursor."""
        self.dismiss(self._selected)

    def action_close(self) -> None:
        """Leave the graph as it is."""
        self.dismiss(None)
