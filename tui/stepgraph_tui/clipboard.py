"""Copying to the clipboard by every way that there is, saying which one it was."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.app import App

from stepgraph.values import make_data_folder

if TYPE_CHECKING:
    from pathlib import Path

    from textual.widget import Widget

_SECONDS = 1.0  # that a tool may take
_OSC_52_LIMIT = 50_000  # bytes; terminals drop longer ones, and some print them
_FILE = "copied.txt"


@dataclass(frozen=True, slots=True)
class ClipboardTool:
    """A program that copies what it reads."""

    words: Sequence[str]
    needs: str = ""
    """The variable of the environment without which it cannot work."""
    encoding: str = "utf-8"


_TOOLS = (
    ClipboardTool(("wl-copy",), "WAYLAND_DISPLAY"),
    ClipboardTool(("xclip", "-selection", "clipboard"), "DISPLAY"),
    ClipboardTool(("xsel", "--clipboard", "--input"), "DISPLAY"),
    ClipboardTool(("pbcopy",)),
    ClipboardTool(("clip.exe",), encoding="utf-16"),
)

Runner = Callable[[Sequence[str], bytes], bool]
"""Runs a program on some input, and says whether that went well."""


def run_tool(words: Sequence[str], data: bytes) -> bool:
    """Run a program, for at most a second.

    It gets no pipe to answer on: such programs stay in the background, and would keep it open.
    """
    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(words, input=data, stdout=quiet, stderr=quiet, timeout=_SECONDS)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def copy(
    app: App[Any],
    text: str,
    *,
    run: Runner = run_tool,
    find: Callable[[str], str | None] = shutil.which,
    environment: Mapping[str, str] = os.environ,
) -> str:
    """Copy a text; the terminal is asked (OSC 52), and a tool of the system where there is one.

    Nobody hears whether the terminal did it, so without a tool the text is put into a file as well.

    Args:
        app: Whose terminal is asked.
        text: Secrets in it are masked already.
        run: Runs a tool.
        find: Finds a tool's program.
        environment: Says which tools can work.

    Returns:
        What was done, in words.
    """
    data = text.encode("utf-8", "backslashreplace")
    asked = len(data) <= _OSC_52_LIMIT
    if asked:
        app.copy_to_clipboard(data.decode())
    for tool in () if app.is_web else _TOOLS:  # the clipboard of a server is not that of its browsers
        program = find(tool.words[0]) if not tool.needs or environment.get(tool.needs) else None
        if program and run([program, *tool.words[1:]], data.decode().encode(tool.encoding)):
            return f"copied by {tool.words[0]}"
    try:
        file = _keep(data)
    except OSError as error:
        reason = error.strerror or str(error)
        return "copied by the terminal, if it can (OSC 52)" if asked else f"could not be copied: {reason}"
    return f"copied by the terminal, if it can (OSC 52), and to {file}" if asked else f"copied to {file}"


def copy_and_say(owner: App[Any] | Widget, text: str, say: Callable[[str], object]) -> None:
    """Copy a text in a thread, for the programs that do it may take their time; then say by which way.

    Args:
        owner: Whose work it is: it ends with it.
        text: Secrets in it are masked already.
        say: Says one line, in the thread of the app.
    """
    app = owner if isinstance(owner, App) else owner.app

    def work() -> None:
        app.call_from_thread(say, copy(app, text))

    owner.run_worker(work, thread=True, exit_on_error=False, group="clipboard")


def _keep(data: bytes) -> Path:
    """Write the text to a file that only its owner can read."""
    file = make_data_folder() / _FILE
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
    return file
