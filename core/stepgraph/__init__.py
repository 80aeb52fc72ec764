"""Stepgraph: state graphs that orchestrate AI agents, run one node at a time.

Everything that most programs need is importable from here. What only some writers need is in modules of its
own: ``stepgraph.nodes.settings`` for node types, ``stepgraph.conditions`` for conditions,
``stepgraph.stores`` for stores, ``stepgraph.testing`` for tests.

Each name loads its module when it is first used, so that ``import stepgraph`` stays cheap. The stub beside
this file is the one list of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"


def _homes() -> dict[str, str]:
    """Read the stub, of lines ``from .module import Name as Name``, for the module of each name."""
    stub: str = __loader__.get_data(f"{__path__[0]}/__init__.pyi").decode()  # works in a zip too
    lines = [line.split() for line in stub.splitlines() if line.startswith("from .")]
    return {line[3]: line[1] for line in lines}


_HOMES = _homes()
__all__ = sorted(_HOMES)  # the stub lists them


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
