"""The exit codes, the same for every command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a command tells the program that called it."""

    DONE = 0
    """It did what was asked; a run ended with any outcome, or was stopped where it was told to."""
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
