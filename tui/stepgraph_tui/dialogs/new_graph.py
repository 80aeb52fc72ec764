"""Asking what new graph file to make, and making it."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from stepgraph.files.templates import DEFAULT, TEMPLATES, create_graph, graph_file, refusal
from stepgraph.values import StepgraphError
from stepgraph_tui.commands import dialog_bindings
from stepgraph_tui.text.cells import cut_front
from stepgraph_tui.text.system import people_path, written_path
from stepgraph_tui.widgets.chrome.status_lines import KeyLine

from ..widgets.words import Words
from .dialog import Dialog
from .open_path import PathSuggester
from .pick import PickField, PickList, PickOption

_ROWS = len(TEMPLATES) + 6
"""Rows of the dialog: the frame, the field, two lines about it, the templates, the keys."""
_SHOWN = 60
"""Cells of the path that will be made."""
_LOW = 8
"""Rows, below which only field, list and keys have room."""


class NewGraph(Dialog[Path | None], inherit_bindings=False):
    """Asks for the path and the template of a new graph file, and makes it; None when it is cancelled."""

    BINDINGS = dialog_bindings()
    AUTO_FOCUS = "PickField"
    CSS_PATH = "pick/pick.tcss"

    def __init__(self) -> None:
        super().__init__()
        self._list = PickList([PickOption(name, name, what) for name, what in TEMPLATES.items()], DEFAULT)

    def compose(self) -> ComposeResult:
        """Show the field, where the file will be, the templates, and the keys."""
        with Vertical(classes="pick") as frame:
            frame.border_title = "New graph"
            yield PickField(self._list, _free_name(), "path/to/graph.toml", PathSuggester())
            yield Words(classes="wrong")
            yield self._list
            yield KeyLine()

    def on_resize(self, event: events.Resize) -> None:
        """In very little room nothing is said but what is wrong."""
        self.set_class(event.size.height < _LOW, "-low")
        self.query_one(".pick").styles.height = min(event.size.height, _ROWS)

    @property
    def path(self) -> Path | None:
        """The file that the field names; its end may be left out."""
        text = self.query_one(PickField).value.strip()
        if os.path.split(text)[1] in ("", ".", "..", "~"):
            return None
        return graph_file(written_path(text))

    @on(Input.Changed)
    def say_where(self) -> None:
        """Show below the field which file will be created, or why it cannot be."""
        path = self.path
        refused = refusal(path) if path is not None else None
        if refused is not None:
            self._tell(refused)
        else:
            self._say(f"makes {_whole(path)}" if path is not None else "write the path of the new file")

    def _say(self, text: str, wrong: bool = False) -> None:
        self.query_one(Words).say(text, wrong=wrong)

    def _tell(self, error: StepgraphError) -> None:
        self._say(f"{error.message}; {error.hint}" if error.hint else error.message, wrong=True)

    @on(Input.Submitted)
    @on(PickList.Taken)
    def make(self) -> None:
        """Create the file."""
        path, template = self.path, self._list.selected
        if path is None or template is None:
            self.app.bell()
            return
        try:
            create_graph(path, template.id)
        except StepgraphError as error:
            self._tell(error)
            self.app.bell()
        else:
            self.dismiss(path)

    @on(PickField.Left)
    def leave(self) -> None:
        """Create nothing."""
        self.dismiss(None)


def _free_name() -> str:
    """Find the first name that no file of the current folder has yet."""
    names = (f"graph{'' if number == 1 else f'-{number}'}.toml" for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def _whole(path: Path) -> str:
    """Show the path from the root or from the home folder; of a long one the end."""
    try:
        text = people_path(path.absolute())
    except OSError:  # the current folder is gone
        text = str(path)
    return cut_front(text, _SHOWN)
