"""Asking, once, whether the Python code that a graph names may run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from stepgraph.values.errors import TrustError
from stepgraph_tui.text.changed_lines import changed_lines

if TYPE_CHECKING:
    from stepgraph.files import TrustQuestion
    from stepgraph.files.agreed import FileChange
    from stepgraph.graphs.plan import CompiledGraph

    from .output import Output

_COMPARED = 1_000  # lines of a file that are compared: it is foreign text, and may take long on purpose
_SHOWN = 300  # lines of a file
_STYLES = {"-": "red", "+": "green"}


def ensure_trusted(output: Output, app: CompiledGraph, granted: bool) -> None:
    """Go on only with a graph that is trusted; ask when there is a terminal to ask at.

    Args:
        output: Where to ask.
        app: The graph.
        granted: Whether ``--trust`` was given.

    Raises:
        TrustError: It is not trusted, and was not now.
    """
    from stepgraph.files import grant, is_trusted, require_trust, trust_question

    if is_trusted(app):
        return
    question = trust_question(app)
    if granted:
        grant(app, question)
    elif _at_a_terminal():
        if not _ask(output, app.name, question):
            raise TrustError(f"graph {app.name!r} is not trusted; nothing ran")
        grant(app, question)
    require_trust(app)


def _at_a_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _ask(output: Output, name: str, question: TrustQuestion) -> bool:
    why = "has changed since you trusted it" if question.changes else "you have not trusted yet"
    output.narrate(f"Graph {name!r} names Python code that {why}:")
    for file in question.told:
        output.narrate(f"  {file}")
    for change in question.changes:
        _show(output, change)
    output.narrate(
        "If you trust it, these files may run as they are now. What they import is not covered: "
        "look at it too."
    )
    output.told_stream.write("Trust these files and run them? [y/N] ")
    output.told_stream.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _show(output: Output, change: FileChange) -> None:
    """Show the lines of a file that differ from those that were agreed to."""
    lines = changed_lines(change.before or "", change.after or "", compared=_COMPARED)
    if not lines:
        return
    output.narrate(f"\n{change.name} {change.said}", "bold")
    for line in lines[:_SHOWN]:
        output.narrate(line.replace("\t", "    "), _STYLES.get(line[:1], "dim"))
    if len(lines) > _SHOWN:
        output.narrate(f"… and {len(lines) - _SHOWN:,} lines more")
    output.narrate()
