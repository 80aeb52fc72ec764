"""The exit codes, the same for every command, and errors on standard error: never a traceback."""

from __future__ import annotations

import os
import tempfile
import time
import traceback
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.files import GraphNotNamed
from stepgraph.values import data_folder, errors

if TYPE_CHECKING:
    from .output import Output


class Exit(IntEnum):
    """What a command tells the program that called it."""

    DONE = 0
    """It did what was asked; a run ended with any outcome, or stopped where it was asked to."""
    FAILED = 1
    """A run failed, the input was bad, or problems were found."""
    USAGE = 2
    """The command was not understood."""
    DECIDED = 3
    """Somebody else was first: the review was decided, or the run moved on."""
    UNKNOWN = 4
    """There is no such run or review."""
    CHANGED = 5
    """The review is not the one that was looked at."""
    UNTRUSTED = 6
    """The graph names Python code that nobody has trusted."""
    PAUSED = 10
    """The run waits for a person."""
    INTERRUPTED = 130
    """It was stopped, after the current node."""


_EXITS: tuple[tuple[type[errors.StepgraphError], Exit], ...] = (
    (errors.AlreadyDecided, Exit.DECIDED),
    (errors.Conflict, Exit.DECIDED),
    (errors.UnknownRun, Exit.UNKNOWN),
    (errors.UnknownReview, Exit.UNKNOWN),
    (errors.PayloadChanged, Exit.CHANGED),
    (errors.TrustError, Exit.UNTRUSTED),
    (GraphNotNamed, Exit.USAGE),
)


def tell(output: Output, error: Exception) -> Exit:
    """Print the error and return the exit code."""
    try:
        return _tell(output, error)
    except OSError:  # standard error cannot be written either
        return Exit.FAILED


def _tell(output: Output, error: Exception) -> Exit:
    if isinstance(error, errors.StepgraphError):
        tell_error(output, error)
        return next((code for kind, code in _EXITS if isinstance(error, kind)), Exit.FAILED)
    if isinstance(error, OSError) and error.filename is None and error.strerror:
        output.error(f"the output cannot be written: {error.strerror}", "is the disk full?")
        return Exit.FAILED
    report = report_file(error)
    output.error(
        f"this is a bug in Stepgraph: {type(error).__name__}: {error}",
        f"please report it with the file {report}" if report else "please report it",
    )
    return Exit.FAILED


def tell_error(output: Output, error: errors.StepgraphError) -> None:
    """Print one of the engine's errors, with every problem or file that it lists."""
    output.error(error.message, error.hint)
    if isinstance(error, (errors.GraphError, errors.GraphFileError)):
        for problem in error.problems:
            output.narrate(str(problem))
    if isinstance(error, errors.TrustError):
        for file in error.files:
            output.narrate(f"  {file}")


def report_file(error: BaseException) -> Path | None:
    """Write the traceback to a file, and return its path; None when nothing can be written.

    It is a new file, and its owner's alone: what failed may have quoted a secret, and in a folder that
    others write to, a file or link of that name could be theirs.
    """
    text = "".join(traceback.format_exception(error))
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (data_folder(), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(text)
        except OSError:
            continue
        return folder / name
    return None
