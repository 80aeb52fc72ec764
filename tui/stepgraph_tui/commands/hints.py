"""Sentences that name keys as the user has mapped them, and what old keys did for one more release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from . import COMMANDS
from .command import key_names

_COMMAND = re.compile(r"\{([a-z]+\.[a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Hints:
    """Name keys in sentences of ours.

    The app has one, made from the user's settings; screens hand it down to whatever tells somebody a key.
    """

    mapped: Mapping[str, str] = field(default_factory=dict)
    """The user's keys for commands, by the command's id; several have commas between."""

    def keys(self, command: str) -> list[str]:
        """Name the keys of a command, as people write them.

        Raises:
            KeyError: There is no such command.
        """
        return key_names(self.mapped.get(command) or COMMANDS[command].keys)

    def key(self, command: str) -> str:
        """Name the first key of a command: the one that people see.

        Raises:
            KeyError: There is no such command.
        """
        return self.keys(command)[0]

    def together(self, *commands: str) -> str:
        """Name the first key of each command: ``hjkl``, or ``F1 F2`` where they have longer names.

        Raises:
            KeyError: There is no such command.
        """
        keys = list(map(self.key, commands))
        return ("" if all(len(key) == 1 for key in keys) else " ").join(keys)

    def __call__(self, sentence: str) -> str:
        """Fill the keys in: ``{debug.stop} stops after it`` becomes ``X stops after it``.

        What others wrote does not belong into the sentence, but around what this makes of it.

        Raises:
            KeyError: There is no such command.
        """
        return _COMMAND.sub(lambda found: self.key(found[1]), sentence)


UNMAPPED = Hints()
"""Names the keys as they are without a user's settings."""


FORMER: dict[str, tuple[str, ...]] = {
    "A": ("workbench.approvals", "app.inbox"),
    "D": ("debug.loop", "edit.duplicate"),
    "E": ("workbench.editor",),
    "F": ("graph.follow",),
    "H": ("graph.pan_left",),
    "I": ("debug.into",),
    "L": ("graph.pan_right",),
    "M": ("graph.map",),
    "R": ("workbench.runs", "home.runs", "inbox.runs"),
    "S": ("debug.start_over", "edit.start"),
    "W": ("state.break_changes",),
    "Z": ("graph.less",),
    "at": ("app.log",),
    "dollar_sign": ("debug.live",),
    "equals_sign": ("debug.version",),
    "greater_than_sign": ("workbench.wider",),
    "less_than_sign": ("workbench.narrower",),
    "o": ("home.open",),
    "p": ("debug.pause_after",),
    "quotation_mark": ("debug.replay",),
    "r": ("edit.rename",),
    "s": ("design.settings", "runs.sort", "inbox.sort"),
    "t": ("edit.type", "runs.totals"),
    "underscore": ("workbench.restore",),
    "v": ("graph.direction",),
    "x": ("home.forget",),
}
"""The commands that a key had, by the key as Textual names it."""
