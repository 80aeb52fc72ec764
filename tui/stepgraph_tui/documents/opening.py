"""Opening a graph for the screen, whatever it is written in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph_tui.commands.hints import UNMAPPED, Hints

from .buffer import Buffer

if TYPE_CHECKING:
    from stepgraph_tui.connections import Connections

    from .disk import GraphDrafts
    from .python_graph import PythonGraph


def graph_at(
    path: Path | None,
    *,
    drafts: GraphDrafts | None = None,
    hints: Hints = UNMAPPED,
    connections: Connections | None = None,
) -> Buffer | PythonGraph:
    """Open what is at a path: a graph file is read at once, a Python module is not even looked at.

    Args:
        path: The file; None for a run that has none.
        drafts: Where edits are kept until they are saved; nowhere when None.
        hints: Names the keys.
        connections: The models and tools of the user's settings; None where nobody has looked.
    """
    if path is not None and ":" in path.name:
        from stepgraph.files import graph_ref

        ref = graph_ref(path)
        if ref is not None:
            from .python_graph import PythonGraph

            return PythonGraph(ref, hints, connections)
    return Buffer(path, drafts=drafts, hints=hints, connections=connections)
