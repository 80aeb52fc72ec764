"""Asking, once, whether the Python code that a graph names may run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stepgraph.values.errors import TrustError

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph

    from .output import Output


def ensure_trusted(output: Output, app: CompiledGraph, granted: bool) -> None:
    """Go on only with a graph that is trusted; ask when there is a terminal to ask at.

    Args:
        output: Where to ask.
        app: The graph.
        granted: Whether ``--trust`` was given.

    Raises:
        TrustError: It is not trusted, and was not now.
    """
    from stepgraph.files import agreement, grant, is_trusted, require_trust, trust_question

    if is_trusted(app):
        return
    seen = agreement(app)
    if granted:
        grant(app, seen)
    elif _at_a_terminal():
        if not _ask(output, app.name, trust_question(app)):
            raise TrustError(f"graph {app.name!r} is not trusted; nothing ran")
        grant(app, seen)
    require_trust(app)


def _at_a_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _ask(output: Output, name: str, files: list[str]) -> bool:
    output.narrate(f"Graph {name!r} names Python code that you have not trusted yet:")
    for file in files:
        output.narrate(f"  {file}")
    output.narrate(
        "If you trust it, these files may run as they are now. What they import is not covered: "
        "look at it too."
    )
    output.told_stream.write("Trust these files and run them? [y/N] ")
    output.told_stream.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
