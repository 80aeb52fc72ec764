"""Edits and graph files for tests of what stands around the editing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepgraph.editing import Design, Edited

GRAPH = """\
# A graph of one node.
format = 1
name = "small"
note = "as it was"
start = "draft"

[nodes.draft]
type = "llm"
prompt = "Write."
replies = ["Written."]

[[edges]]
from = "draft"
to = "END"
"""
BROKEN = GRAPH.replace("[nodes.draft]", "[nodes.draft")


@dataclass(frozen=True, slots=True)
class Noted:
    """Gives the graph another note."""

    note: str

    def apply(self, design: Design) -> Edited:
        return Edited(design.having({**design.head, "note": self.note}), f"note {self.note}")


def graph_file(folder: Path, text: str = GRAPH, name: str = "small.toml") -> Path:
    """A graph file in a folder."""
    path = folder / name
    path.write_bytes(text.encode())
    return path


def with_note(note: str) -> str:
    """The text of the graph with another note."""
    return GRAPH.replace("as it was", note)
