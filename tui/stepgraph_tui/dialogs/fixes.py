"""The menu of fixes of a problem, each with the lines of the file that it would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from stepgraph.editing import EditError
from stepgraph.editing.fixes import fixes_for
from stepgraph.editing.text import design_text
from stepgraph_tui.commands import FIXES, dialog_bindings
from stepgraph_tui.documents.difference import changed_lines
from stepgraph_tui.text.plain import visible, visible_lines
from stepgraph_tui.widgets.chrome.key_line import KeyLine

from .dialog import scroll
from .difference import changed_text

if TYPE_CHECKING:
    from stepgraph.editing import Design
    from stepgraph.editing.fixes import Fix
    from stepgraph.values.problems import Problem

_MARKS = {True: "▸ ", False: "  "}
_AROUND = 8  # rows around fixes and lines: the frame, the problem in two lines, the gaps, the keys


@dataclass(frozen=True, slots=True)
class PreviewedFix:
    """A fix with the lines of the file that it would change."""

    fix: Fix
    lines: tuple[str, ...]


def previewed(problem: Problem, design: Design) -> list[PreviewedFix]:
    """List the fixes of a problem that can be made, with what each would change in the file."""
    before, found = design_text(design), []
    for fix in fixes_for(problem, design):
        try:
            after = fix.edit.apply(design).design
        except EditError:
            continue
        found.append(PreviewedFix(fix, changed_lines(before, design_text(after))))
    return found


class FixMenu(ModalScreen["Fix | None"], inherit_bindings=False):
    """Offers the fixes of a problem; hands back the one that was taken, None for none.

    Args:
        problem: What is wrong.
        fixes: At least one.
    """

    AUTO_FOCUS = ""
    BINDINGS = dialog_bindings(FIXES)
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

    def __init__(self, problem: Problem, fixes: Sequence[PreviewedFix]) -> None:
        super().__init__()
        self._problem, self._fixes = problem, fixes
        self._list = OptionList(*(_MARKS[False] + visible(each.fix.label) for each in fixes), markup=False)
        self._list.can_focus = False  # its keys are those of the dialog
        self._lines = Static()
        self._scrolled = VerticalScroll(self._lines, can_focus=False)

    def compose(self) -> ComposeResult:
        """Compose the problem, the fixes, the lines of the one under the cursor, and the keys."""
        longest = max(len(each.lines) for each in self._fixes)
        with Vertical() as frame:
            frame.border_title = Text(f"Mend {self._problem.code}")
            frame.styles.height = len(self._fixes) + longest + _AROUND
            yield Static(Text("\n".join(visible_lines(self._problem.message))), classes="problem")
            yield self._list
            yield self._scrolled
            yield KeyLine()

    def on_mount(self) -> None:
        """Begin at the likeliest."""
        self._list.highlighted = 0

    @property
    def _selected(self) -> PreviewedFix:
        return self._fixes[self._list.highlighted or 0]

    @on(OptionList.OptionHighlighted)
    def _show_lines(self) -> None:
        for at, each in enumerate(self._fixes):
            mark = _MARKS[at == self._list.highlighted]
            self._list.replace_option_prompt_at_index(at, mark + visible(each.fix.label))
        self._lines.update(Text("\n", no_wrap=True).join(changed_text(self._selected.lines)))
        self._scrolled.scroll_home(animate=False)

    def action_move(self, by: int) -> None:
        """Go to another fix."""
        (self._list.action_cursor_down if by > 0 else self._list.action_cursor_up)()

    def action_scroll(self, way: str) -> None:
        """Scroll the lines."""
        scroll(self._scrolled, way)

    @on(OptionList.OptionSelected)
    def action_take(self) -> None:
        """Hand back the fix under the cursor."""
        self.dismiss(self._selected.fix)

    def action_close(self) -> None:
        """Leave the graph as it is."""
        self.dismiss(None)
