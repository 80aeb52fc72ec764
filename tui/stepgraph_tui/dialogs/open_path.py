"""Asking for the path of a graph file, or for the name of a graph in a Python module."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.suggester import Suggester
from textual.widgets import Input, Static

from stepgraph.values import GraphFileError
from stepgraph_tui.commands import dialog_bindings
from stepgraph_tui.commands.live import live_keys
from stepgraph_tui.text.characters import visible
from stepgraph_tui.text.system import written_path
from stepgraph_tui.widgets.chrome.find_bar import LineField

from ..widgets.words import Words
from .dialog import Dialog, key_line, key_text

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

        with suppress(GraphFileError):  # it is told as a path that is not there, or as one without a name
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
