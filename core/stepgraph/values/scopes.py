"""The names of a graph inside another one: ``sub/draft`` is the node, or the key, ``draft`` of ``sub``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

SEPARATOR = "/"
"""What stands between the name of a subgraph's node and a name inside it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """How the names inside of a subgraph are told apart from all others.

    Args:
        node: The node that is the subgraph.
    """

    node: str

    @property
    def prefix(self) -> str:
        """What stands before a name outside."""
        return self.node + SEPARATOR

    @property
    def exit(self) -> str:
        """The node at which the run leaves the subgraph."""
        return f"{self.prefix}END"

    def outer(self, name: str) -> str:
        """Give the name outside of what is called so inside; of a path, and of END, as well."""
        return self.prefix + name

    def has(self, name: str) -> bool:
        """Tell whether a name outside is one of the inside."""
        return name.startswith(self.prefix)

    def within(self, table: Mapping[str, T]) -> dict[str, T]:
        """Give what belongs to the inside, by the names that it has there."""
        cut = len(self.prefix)
        return {name[cut:]: item for name, item in table.items() if self.has(name)}

    def without(self, table: Mapping[str, T]) -> dict[str, T]:
        """Give the names outside to a table of the inside."""
        return {self.prefix + name: item for name, item in table.items()}
