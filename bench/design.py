"""Designing: what an edit of a large graph costs until its graph stands and is checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from stepgraph.documents.loader import GraphRebuilder
from stepgraph.editing import Design, Edit, EditHistory, Part
from stepgraph.editing.edges import Connect, EditPart
from stepgraph.editing.nodes import AddNode
from stepgraph.graphs.validation import check

from .measure import take_turns
from .table import Line

_NODES = 2_000
_GOAL = 0.05


def lines() -> list[Line]:
    """Edit a graph of 2,000 nodes in three ways."""
    editor, numbers = _Editor(large_design(_NODES)), count()
    edits: dict[str, Callable[[int], Edit]] = {
        "a prompt": lambda number: EditPart(
            "nodes", "node_7", "node_7", _node(7) | {"prompt": f"No. {number}"}
        ),
        "a new edge": lambda number: Connect("node_9", "node_3", f"step == {number}"),
        "a new node": lambda number: AddNode("llm", after="node_5"),
    }
    work = {name: partial(_timed, editor, edit, numbers) for name, edit in edits.items()}
    rounds = take_turns(work, rounds=9)
    return [
        Line(f"{name} in {_NODES:,} nodes: edit, build, check", rounds.median(name), "s", _GOAL)
        for name in work
    ]


class _Editor:
    """What the workbench does at every edit, without its screen."""

    def __init__(self, design: Design) -> None:
        self.history = EditHistory(design)
        self._builder = GraphRebuilder()
        self.look()

    def look(self) -> None:
        check(self._builder.build(self.history.design.document(), Path("/graphs/large.toml")))


def _timed(editor: _Editor, edit: Callable[[int], Edit], numbers: count[int]) -> float:
    made = edit(next(numbers))
    began = time.perf_counter()
    editor.history.do(made)
    editor.look()
    took = time.perf_counter() - began
    editor.history.undo()
    editor.look()
    return took


def large_design(size: int) -> Design:
    """A graph of prompts, each with two edges on a condition: every node has its warnings."""
    keys = [Part("state", "question", {"input": True}), Part("state", "response_0", {"default": ""})]
    nodes = [Part("nodes", f"node_{number}", _node(number)) for number in range(size)]
    edges = []
    for number in range(size):
        onward = f"node_{number + 1}" if number + 1 < size else "END"
        for target, when in (
            (onward, f'response_{number + 1} == "go on" and visits.node_{number} < 3'),
            (f"node_{max(0, number - 5)}", f'next_action == "RUN_TOOL" and step < {number}'),
        ):
            edges.append(Part("edges", "", {"from": f"node_{number}", "to": target, "when": when}))
    head = {"format": 1, "name": "large", "start": "node_0"}
    return Design(head, (*keys, *nodes, *edges))


def _node(number: int) -> dict[str, Any]:
    prompt = f"Question {number}: {{{{ question }}}}. So far: {{{{ response_{number} }}}}"
    return {"type": "llm", "system": "You are brief.", "prompt": prompt, "output": f"response_{number + 1}"}
