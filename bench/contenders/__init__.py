"""The engines that are compared. Each is a module with the same functions, loaded by its name.

A contender imports nothing that its own environment lacks, so that each may have an environment of its own.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

NUMBER_STATE = 100_000
"""The size of the state of which one number changes, in characters."""

ITEM = "x" * 1_000
"""What is appended in each step where the state grows."""


class Contender(Protocol):
    """What every contender can do."""

    COLD: str
    """A program that loads the engine, runs a graph of two nodes in memory, and ends."""

    def memory_step(self, steps: int) -> float:
        """Seconds a step: a cycle of two nodes, a number in the state, two edges a node."""
        ...

    def durable_step(self, folder: Path, steps: int) -> float:
        """Seconds a step: the same, each step on the disk before the next begins."""
        ...

    def number_size(self, folder: Path, steps: int) -> int:
        """Bytes of database after steps that each change one number of a state of NUMBER_STATE."""
        ...

    def growing_size(self, folder: Path, steps: int) -> int:
        """Bytes of database after steps that each append ITEM to a list."""
        ...


def contender(name: str) -> Contender:
    """The contender of that name."""
    return cast(Contender, import_module(f".{name}", __name__))


def database_size(folder: Path) -> int:
    """All bytes in a folder: the database and whatever its engine keeps beside it."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
