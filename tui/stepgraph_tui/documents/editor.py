"""The user's own editor: which program it is, and how it is told the line."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from stepgraph.values.errors import StepgraphError

_PLUS = frozenset(
    (
        "vi",
        "vim",
        "nvim",
        "view",
        "vimx",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "micro",
        "kak",
        "joe",
        "ne",
        "jed",
    )
)
_COLON = frozenset(("hx", "helix"))
_VISUAL_STUDIO = frozenset(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"))
_WAITS = frozenset(("-w", "--wait"))


class Editor(Protocol):
    """Lets a person edit a text elsewhere."""

    def edit(self, path: Path, line: int | None = None) -> None:
        """Open a file, at a line counted from 1, and come back when it is closed.

        Raises:
            StepgraphError: It cannot be opened, or the editor failed.
        """
        ...

    def edit_text(self, text: str, suffix: str = ".txt") -> str | None:
        """Edit a text that is in no file; None when it was left as it is.

        Args:
            text: The text.
            suffix: The end of a name that tells the editor what it is.

        Raises:
            StepgraphError: It cannot be edited, or the editor failed.
        """
        ...


def chosen_editor(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Read the words of the command in ``$VISUAL``, else in ``$EDITOR``.

    Raises:
        StepgraphError: There is none, or it cannot be read as a command.
    """
    for name in ("VISUAL", "EDITOR"):
        command = environment.get(name, "").strip()
        if command:
            try:
                return shlex.split(command)
            except ValueError as error:
                raise StepgraphError(
                    f"${name} is not a command: {error}", hint=f"it is {command!r}"
                ) from None
    raise StepgraphError(
        "there is no editor: neither $VISUAL nor $EDITOR is set", hint="such as export EDITOR=nano"
    )


def editor_command(editor: list[str], path: Path, line: int | None = None) -> list[str]:
    """Spell the command that opens a file at a line; an editor that is not known just opens it.

    Args:
        editor: Its words, as ``chosen_editor`` tells them.
        path: The file.
        line: Counted from 1.
    """
    file, program = str(path.absolute()), Path(editor[0]).name.removesuffix(".exe")
    if program in _VISUAL_STUDIO:
        wait = [] if _WAITS & set(editor) else ["--wait"]
        return [*editor, *wait, "--goto", f"{file}:{line}"] if line is not None else [*editor, *wait, file]
    if line is None:
        return [*editor, file]
    if program in _PLUS:
        return [*editor, f"+{line}", file]
    if program in _COLON:
        return [*editor, f"{file}:{line}"]
    return [*editor, file]
