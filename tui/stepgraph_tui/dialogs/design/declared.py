"""The list of a graph's state keys, or of its tools, from which they are edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical

from stepgraph.editing import DeleteDeclaration, Design, Edit
from stepgraph_tui.commands import dialog_bindings
from stepgraph_tui.dialogs.forms import EditElsewhere, FormDialog
from stepgraph_tui.text.plain import plural
from stepgraph_tui.widgets.chrome.status_lines import KeyLine
from stepgraph_tui.widgets.lines import Way
from stepgraph_tui.widgets.lines.page import EntryList, ListEntry, Section

from ..dialog import TALKS, Dialog
from .node_form import KeyForm, ToolForm

_FLAGS = ("input", "secret", "side_effects", "requires_approval")
_AROUND = 5  # rows around the entries: the frame, the heading, a blank, the keys
_ROOMY = 16  # rows, below which the list may fill all of them


class DeclaredDialog(Dialog[Edit | None], inherit_bindings=False):
    """Shows what is declared; hands back the edit that was made from here, None for none.

    Args:
        design: The design.
        kind: Keys of the state, or tools.
        selected: Which of them has the cursor at first.
        edit_in_editor: Edits a text in $EDITOR.
    """

    AUTO_FOCUS = "EntryList"
    BINDINGS = dialog_bindings("declared")
    CSS_PATH = "declared.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (_ROOMY, "-roomy")]  # noqa: RUF012  # declared so by Screen

    def __init__(
        self,
        design: Design,
        kind: Literal["state", "tools"],
        *,
        selected: str | None = None,
        edit_in_editor: EditElsewhere | None = None,
    ) -> None:
        super().__init__()
        self._design, self._kind, self._first = design, kind, selected
        self._edit_in_editor = edit_in_editor
        self._list = EntryList()
        self._frame = Vertical()

    def compose(self) -> ComposeResult:
        """Compose the list in a frame, and the keys."""
        with self._frame as frame:
            frame.border_title = Text("State keys" if self._kind == "state" else "Tools")
            yield self._list
            yield KeyLine()

    def begin(self) -> None:
        """Show all, in file order."""
        parts = self._design.keys if self._kind == "state" else self._design.tools
        entries = tuple(
            ListEntry(self._kind, name, _detail(part.table), _right(part.table))
            for name, part in parts.items()
        )
        self._frame.styles.height = len(entries) + _AROUND
        self._list.show(Section(_heading(self._kind, len(parts)), entries))
        if self._first in parts:
            self._list.move(list(parts).index(self._first))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There must be something to edit or to delete."""
        return action not in ("edit", "delete") or self._list.selected is not None

    @on(EntryList.Moved)
    def _look_at_keys(self) -> None:
        self.refresh_bindings()

    def action_to(self, way: Way) -> None:
        """Move to another line."""
        self._list.to(way)

    @on(EntryList.Opened)
    def action_edit(self) -> None:
        """Edit what has the cursor."""
        if self._list.selected is not None:
            self._open_form(self._list.selected.title)

    def action_add(self) -> None:
        """Declare another one."""
        self._open_form(None)

    @work(group=TALKS, exclusive=True)  # keys in one burst ask once
    async def _open_form(self, name: str | None) -> None:
        form = KeyForm if self._kind == "state" else ToolForm
        dialog: FormDialog[Any] = FormDialog(form(self._design, name), self._edit_in_editor)
        edit = await self.app.push_screen_wait(dialog)
        if edit is not None:
            self.dismiss(edit)

    def action_delete(self) -> None:
        """Delete what has the cursor; undo brings it back."""
        if self._list.selected is not None:
            name = self._list.selected.title
            self.dismiss(DeleteDeclaration(self._kind, name))

    def action_close(self) -> None:
        """Close the list; nothing is edited."""
        self.dismiss(None)


def _heading(kind: str, count: int) -> str:
    noun = "key" if kind == "state" else "tool"
    return f"{plural(count, noun)}, in file order" if count else f"no {noun} is declared yet"


def _detail(table: Mapping[str, Any]) -> str:
    """Describe what a key is for, or what a tool does."""
    return " ".join(str(table.get(key)) for key in ("type", "handler", "note") if table.get(key))


def _right(table: Mapping[str, Any]) -> str:
    """Name the flags that are set, and the reducer where it is not the usual one."""
    flags = [flag.replace("_", " ") for flag in _FLAGS if table.get(flag) is True]
    reducer = table.get("reducer", "replace")
    return ", ".join([*flags, *([str(reducer)] if reducer != "replace" else [])])
