"""Where a server of tools is, what it is given of our environment, and what it tells of itself."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ...models.messages import ToolSpec
from ...values.errors import StepgraphError
from ..secrets import hidden, without_secrets
from .settings import McpSettings

T = TypeVar("T")


class ServerDied(StepgraphError):
    """A server has ended, or cannot be spoken to any more."""


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool as its server describes it."""

    spec: ToolSpec
    repeatable: bool
    """Whether a call may be made again when nobody knows whether it was done."""


@dataclass(frozen=True, slots=True)
class ServerPlace:
    """A server of the settings, as this machine finds it: program or address, variables and key."""

    name: str
    """What it is called in the settings."""
    settings: McpSettings

    def environment(self) -> dict[str, str]:
        """Give what the program gets of our environment: what it needs to start, and what is listed."""
        needed = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
        names = (*needed, *self.settings.env)
        return {name: os.environ[name] for name in names if name in os.environ}

    def words(self) -> list[str]:
        """Give the program, where it is, and its arguments.

        Raises:
            StepgraphError: There is no such program.
        """
        program, *arguments = self.settings.command or [""]
        found = shutil.which(Path(program).expanduser(), path=os.environ.get("PATH", os.defpath))
        if found is None:
            raise StepgraphError(
                f"the server {self.name!r} cannot be started: there is no program {program!r}",
                hint=f"install it, or correct the command of [mcp.{self.name}] in the settings",
            )
        return [found, *arguments]

    def folder(self) -> Path | None:
        """Give the folder that the program starts in; None for where we are."""
        return Path(self.settings.folder).expanduser() if self.settings.folder is not None else None

    def key(self) -> str | None:
        """Read the key of its address.

        Raises:
            StepgraphError: The variable that holds it is not set.
        """
        name = self.settings.key_env
        if name is None:
            return None
        if not os.environ.get(name):
            raise StepgraphError(
                f"the server {self.name!r} needs a key, and the variable {name} is not set",
                hint=f"set {name} before you start Stepgraph",
            )
        return os.environ[name]

    def hidden(self, text: str) -> str:
        """Take the values of the variables that it is given out of a text."""
        return hidden(text, [*self.settings.env, *self._keys])

    def without_secrets(self, answer: T) -> T:
        """Take its secrets out of what it answers."""
        return without_secrets(answer, self.settings.env, self._keys)

    @property
    def _keys(self) -> list[str]:
        return [self.settings.key_env] if self.settings.key_env else []
