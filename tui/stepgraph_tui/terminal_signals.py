"""What a terminal does beside showing a screen: its title, its bell, the desktop's notifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from .text.plain import shortened, visible

Notify = Literal["off", "title", "bell", "osc9", "osc777"]
"""How a person is told that a review has come; all but ``off`` count in the title what waits, too."""
_LONGEST = 200  # characters of a notification
_SAVE_TITLE, _RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"


class TerminalSignals:
    """Writes the sequences for a bell, a title and a notification; what it is told is never part of one.

    Args:
        kind: Which of them are wanted.
        write: Writes to the terminal.
        environment: Of the process: inside tmux, what is meant for the desktop is handed through.
    """

    def __init__(self, kind: Notify, write: Callable[[str], object], environment: Mapping[str, str]) -> None:
        self._kind, self._write = kind, write
        self._in_tmux = "TMUX" in environment
        self._titled: str | None = None

    def show_count(self, waiting: int) -> None:
        """Say in the title how many reviews wait; nothing is written where it says so already."""
        title = f"Stepgraph: {waiting} waiting" if waiting else "Stepgraph"
        if self._kind != "off" and title != self._titled:
            before, self._titled = self._titled, title
            self._write(f"{_SAVE_TITLE if before is None else ''}\x1b]2;{title}\x07")

    def call(self, text: str) -> None:
        """Call a person: by the bell, or by a notification of the desktop that says what has come."""
        said = _plain(text)
        match self._kind:
            case "bell":
                self._write("\x07")
            case "osc9":
                self._write(self._passed_on(f"\x1b]9;Stepgraph: {said}\x07"))
            case "osc777":
                self._write(self._passed_on(f"\x1b]777;notify;Stepgraph;{said}\x07"))

    def _passed_on(self, sequence: str) -> str:
        """Wrap a sequence so that tmux hands it to the terminal around it, where it is allowed to."""
        doubled = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{doubled}\x1b\\" if self._in_tmux else sequence

    def close(self) -> None:
        """Put the title back that was there before."""
        if self._titled is not None:
            self._write(_RESTORE_TITLE)


def _plain(text: str) -> str:
    """Write a text on one line, without what ends a sequence or parts it."""
    return shortened(
        "".join(" " if sign == ";" else sign for sign in visible(text) if sign.isprintable()), _LONGEST
    )
