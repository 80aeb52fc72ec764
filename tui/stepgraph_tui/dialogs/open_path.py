"""Asking for a graph to open, by path or by name in a Python module, or for a new file to make."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.suggester import Suggester
from textual.widgets import Input, Static

from stepgraph.files.templates import DEFAULT, TEMPLATES, create_graph, graph_file
from stepgraph.files.templates import refusal as name_refusal
from stepgraph.values import GraphFileError, StepgraphError

from ..commands import dialog_bindings
from ..commands.live import live_keys
from ..text.cells import cut_front
from ..text.characters import visible
from ..text.system import people_path, written_path
from ..widgets.chrome.find_bar import LineField
from ..widgets.chrome.status_lines import KeyLine
from ..widgets.words import Words
from .dialog import Dialog, key_line, key_text
from .pick import PickField, PickList, PickOption

_NO_PATH, _FOLDER = "write the path of a .toml file", "this is a folder"
_MODULE = ".py:"
"""What is between the file of a module and the graph in it."""
_LISTED = 5  # names of a module
_LARGEST = 1_000_000  # characters of a module
_LOOKED_AT = 2_000  # files of a folder


class PathSuggester(Suggester):
    """Completes the names of folders and of graph files.

    Args:
        modules: Whether to complete those of Python modules, too, and of the graphs in one.
    """

    def __init__(self, *, modules: bool = False) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._modules = modules

    async def get_suggestion(self, value: str) -> str | None:
        """Suggest the first name, in order, that begins like the text."""
        return await asyncio.to_thread(
            completed, value, modules=self._modules
        )  # the folder may be on a slow disk


def completed(text: str, *, modules: bool = False) -> str | None:
    """Complete a text to the path that it begins: the first folder or file, in order; nothing is imported."""
    if modules and _MODULE in text:
        module, _, begun = text.rpartition(":")
        found = next((one for one in _graphs_in(written_path(module)) if one.startswith(begun)), None)
        return f"{module}:{found}" if found is not None else None
    typed, name = os.path.split(text)
    suffixes = (os.sep, ".toml", *((".py",) if modules else ()))
    names = _names(written_path(typed or "."), suffixes, hidden=name.startswith("."))
    found = next((one for one in names if one.startswith(name) and visible(one) == one), None)
    return f"{text[: len(text) - len(name)]}{found}" if found is not None and text else None


def _names(folder: Path, suffixes: tuple[str, ...], hidden: bool) -> list[str]:
    """List the files that end so, and folders, each with a slash after it."""
    try:
        with os.scandir(folder) as entries:
            looked_at = [entry for entry, _ in zip(entries, range(_LOOKED_AT), strict=False)]
            names = [f"{entry.name}{os.sep}" if entry.is_dir() else entry.name for entry in looked_at]
    except (OSError, ValueError):
        return []
    fitting = (name for name in names if name.endswith(suffixes))
    return sorted(name for name in fitting if hidden or not name.startswith("."))


def _graphs_in(module: Path) -> list[str]:
    """List what may be a graph in a module, which is read and not imported."""
    from stepgraph_tui.documents.python_graph import graph_names

    try:
        with module.open(encoding="utf-8", errors="replace") as stream:
            return graph_names(stream.read(_LARGEST))
    except (OSError, ValueError):
        return []


class OpenPath(Dialog["Path | None"], inherit_bindings=False):
    """Asks for a graph file, or a graph in a Python module; None when it is cancelled.

    Args:
        heading: What is asked for.
        verb: What Enter does with it.
        refuse: Says why a path cannot be taken; None when it can be tried.
        text: The path that is there at first.
    """

    AUTO_FOCUS = "Input"
    BINDINGS = dialog_bindings("form")
    CSS_PATH = "open_path.tcss"

    def __init__(
        self,
        heading: str = "Open a graph file",
        verb: str = "Open",
        refuse: Callable[[Path | None], str | None] | None = None,
        text: str = "",
    ) -> None:
        super().__init__()
        self._heading, self._verb, self._text = heading, verb, text
        self._refuse = refuse or refusal

    def compose(self) -> ComposeResult:
        """Show the field, what is wrong below it, and the keys."""
        opens = self._refuse is refusal
        with Vertical(classes="form") as frame:
            frame.border_title = self._heading
            yield LineField(
                self._text,
                placeholder=f"path/to/graph.toml{', or my_agent.py:graph' if opens else ''}",
                suggester=PathSuggester(modules=opens),
                compact=True,
            )
            yield Words(classes="error")
            yield Static(classes="keys")

    def begin(self) -> None:
        """Show what the keys do."""
        live = live_keys(self)
        complete = " ".join(("→", *live.get("form.next", ())[:1]))
        keys = [key_text("Enter", self._verb), key_text(complete, "Complete")]
        keys += [key_text(key, "Cancel") for key in live.get("form.cancel", ())[:1]]
        self.query_one(".keys", Static).update(key_line(keys))

    @on(Input.Changed)
    def _forget_error(self) -> None:
        self.query_one(Words).say("")

    def action_next_field(self) -> None:
        """Accept the completion that is shown."""
        field = self.query_one(LineField)
        field.action_end()
        field.action_cursor_right()

    def action_previous_field(self) -> None:
        """There is one field only."""

    @on(Input.Submitted)
    def action_accept(self) -> None:
        """Accept the path, if it can be taken."""
        text = self.query_one(LineField).value.strip()
        path = _path_of(text) if text else None
        wrong = self._refuse(path)
        if path is None or wrong:
            self.query_one(Words).say(wrong or "", wrong=True)
        else:
            self.dismiss(path)

    def action_cancel(self) -> None:
        """Return nothing."""
        self.dismiss(None)


def _path_of(text: str) -> Path:
    """Read what somebody wrote: a path, or ``package.module:graph``, which is looked up."""
    is_module = text.endswith(".py")
    if is_module or (":" in text and os.sep not in text):
        from stepgraph.files import located

        with suppress(GraphFileError):  # it is reported as a path that is not there, or as one without a name
            return located(str(written_path(text)) if is_module else text)
    return written_path(text)


def refusal(path: Path | None) -> str | None:
    """Explain why a file cannot be opened; None when it can be tried."""
    if path is None:
        return _NO_PATH
    file = path
    if _MODULE in path.name:
        from stepgraph.files import graph_ref

        ref = graph_ref(path)
        if ref is None:
            return "a graph in a module is written as my_agent.py:graph"
        file = ref.file
    try:
        if path.is_dir():
            return _FOLDER
        if path.suffix == ".py" and path.is_file():
            names = _graphs_in(path)
            there = f", such as {', '.join(names[:_LISTED])}" if names else ""
            return f"write the graph's name behind it: {path.name}:NAME{there}"  # the only one needs none
        return None if file.is_file() else "there is no such file"
    except (OSError, ValueError) as error:
        return f"this cannot be opened: {getattr(error, 'strerror', None) or error}"


def new_refusal(path: Path | None) -> str | None:
    """Explain why no new file can be made there; None when it can be tried."""
    if path is None or path.suffix != ".toml":
        return _NO_PATH
    try:
        if path.is_dir():
            return _FOLDER
        if os.path.lexists(path):
            return "there is a file of this name: choose another one"
        return None if path.parent.is_dir() else "there is no such folder"
    except (OSError, ValueError) as error:
        return f"nothing can be written there: {getattr(error, 'strerror', None) or error}"


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
    CSS_PATH = "pick.tcss"

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
        """In very little room only mistakes are shown."""
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
        refused = name_refusal(path) if path is not None else None
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
