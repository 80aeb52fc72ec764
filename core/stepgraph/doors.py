"""Doors: what a package offers to others, each name loaded from its module when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def homes_in(stub: str) -> dict[str, str]:
    """Read a stub of lines ``from .module import Name as Name``: the module of each name."""
    lines = (line.split() for line in stub.splitlines() if line.startswith("from ."))
    return {line[3]: line[1] for line in lines}


def door(
    package: str, *, keep: bool = False
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Build ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    The stub beside its ``__init__`` is the one list of what it offers, for type checkers as well.

    Args:
        package: Its full name.
        keep: Whether a name stays in the package once it is loaded, for programs that write ``stepgraph.END``
            in their nodes. Where it does not stay, what a test puts into the module is what others get.
    """
    module: Any = sys.modules[package]
    stub: str = module.__loader__.get_data(f"{module.__path__[0]}/__init__.pyi").decode()  # in a zip too
    homes = homes_in(stub)

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name], package), name)
        if keep:
            setattr(module, name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(module), *homes})

    return sorted(homes), load, names
