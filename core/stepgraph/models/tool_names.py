"""The names of tools as providers take them, and schemas of their arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .messages import ToolSpec

_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64


class WireNames:
    """Names of tools on their way to a provider and back: ``files/read`` goes out as ``files_read``."""

    def __init__(self) -> None:
        self._out: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def out(self, name: str) -> str:
        """Write a name as providers take it; always the same for one name, and another for another."""
        if name not in self._out:
            plain = _OTHER.sub("_", name)[:_LONGEST] or "_"
            number, found = 1, plain
            while self._back.get(found, name) != name:
                number += 1
                found = f"{plain[: _LONGEST - 4]}_{number}"
            self._out[name], self._back[found] = found, name
        return self._out[name]

    def back(self, name: str) -> str:
        """Read a name that a provider wrote; one that it made up stays."""
        return self._back.get(name, name)

    def described(self, tool: ToolSpec, parameters: str) -> dict[str, Any]:
        """Describe a tool; ``parameters`` is what the provider calls the schema of its arguments."""
        told: dict[str, Any] = {"name": self.out(tool.name)}
        if tool.description:
            told["description"] = tool.description
        schema = dict(tool.parameters) if tool.parameters is not None else {"type": "object"}
        return {**told, parameters: {"properties": {}, **schema, "type": "object"}}
