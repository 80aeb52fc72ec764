"""Doors: what a package offers to others, each name loaded from its module when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def door(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    The stub beside its ``__init__`` is the one list of what it offers, for type checkers as well: lines of
    ``from .module import Name as Name``.

    Args:
        package: Its full name.
    """
    module: Any = sys.modules[package]
    stub: str = module.__loader__.get_data(f"{module.__path__[0]}/__init__.pyi").decode()  # in a zip too
    lines = [line.split() for line in stub.splitlines() if line.startswith("from .")]
    homes = {line[3]: line[1] for line in lines}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name], package), name)

    def names() -> list[str]:
        return sorted({*vars(module), *homes})

    return sorted(homes), load, names
