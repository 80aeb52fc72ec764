"""Lending the terminal while the app waits: to the user's editor, or to a debugger in another thread."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO, cast

from textual.app import SuspendNotSupported

from stepgraph.values import StepgraphError
from stepgraph_tui.node_debugger import numbers_lead_to

from .disk import chosen_editor, editor_command

if TYPE_CHECKING:
    from textual.app import App

_LARGEST = 10_000_000  # bytes of a text that comes back


class SuspendingEditor:
    """Runs ``$VISUAL`` or ``$EDITOR`` on the terminal of the app.

    Args:
        app: The app, which stands still meanwhile.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    def edit(self, path: Path, line: int | None = None) -> None:
        """Open a file, at a line counted from 1, and come back when it is closed.

        Raises:
            StepgraphError: There is no editor, it failed, or the terminal cannot be lent.
        """
        editor = chosen_editor()
        command = editor_command(editor, path, line)
        outcome: int | OSError
        try:
            with self._app.suspend():  # which must be left in the usual way: it would not resume otherwise
                outcome = _run(command)
        except SuspendNotSupported:
            hint = f"open {path.absolute()} in an editor yourself"
            raise StepgraphError("an editor cannot use this terminal", hint=hint) from None
        if isinstance(outcome, OSError):
            reason = outcome.strerror or str(outcome)
            hint = "$VISUAL, or else $EDITOR, names it"
            raise StepgraphError(f"the editor {editor[0]} cannot be started: {reason}", hint=hint)
        if outcome != 0:
            how = f"failed with exit code {outcome}" if outcome > 0 else f"was ended by signal {-outcome}"
            raise StepgraphError(f"the editor {editor[0]} {how}")

    def edit_text(self, text: str, suffix: str = ".txt") -> str | None:
        """Edit a text that is in no file; None when it was left as it is.

        Raises:
            StepgraphError: As for a file; or what came back is not text.
        """
        with tempfile.TemporaryDirectory(prefix="stepgraph-") as folder:  # which its owner alone may read
            file = Path(folder, f"text{suffix}")
            file.touch(mode=0o600)
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            self.edit(file)
            return _edited(file, text)


@contextmanager
def lent_terminal(app: App[Any]) -> Iterator[None]:
    """Lend an app's terminal to the current thread until it leaves; the app stands still meanwhile.

    Raises:
        StepgraphError: It cannot be lent.
    """
    lent, done, back = threading.Event(), threading.Event(), threading.Event()
    refused: list[str] = []

    def stand_still() -> None:
        try:
            with app.suspend(), _interrupts_left_to_it():
                lent.set()
                done.wait()
        except SuspendNotSupported:
            refused.append("there is no terminal that could be lent to a debugger")
        finally:
            back.set()
            lent.set()

    if not app.call_later(stand_still):
        raise StepgraphError("the app is quitting")
    lent.wait()
    if refused:
        raise StepgraphError(refused[0], hint="open the app at a terminal of its own")
    try:
        terminal = [
            cast(TextIO, stream).fileno() for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)
        ]
        with numbers_lead_to(*terminal):
            yield
    finally:
        done.set()
        back.wait()


def _edited(file: Path, before: str) -> str | None:
    try:
        with file.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
        text = data.decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StepgraphError(
            f"the editor saved something that is not text: {error}", hint="save it as UTF-8"
        ) from None
    if len(data) > _LARGEST:
        raise StepgraphError("the editor saved more than 10 MB")
    if text.endswith("\n") and not before.endswith("\n"):
        text = text.removesuffix("\n")  # editors end the last line, whether it was ended or not
    return text if text != before else None


def _run(command: list[str]) -> int | OSError:
    """Run a command on the terminal; what it ended with, or why it could not begin."""
    try:
        with _interrupts_left_to_it():
            done = subprocess.run(  # noqa: S603  # the user's own command
                command, check=False, stdin=sys.__stdin__, stdout=sys.__stdout__, stderr=sys.__stderr__
            )
            return done.returncode
    except (OSError, ValueError) as error:  # ValueError: a null character in it
        return error if isinstance(error, OSError) else OSError(str(error))


@contextmanager
def _interrupts_left_to_it() -> Iterator[None]:
    """Ctrl+C belongs to the program that has the terminal, although it reaches the app as well."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _ignore)  # not SIG_IGN, which the program would inherit
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing."""
