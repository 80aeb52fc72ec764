"""Whole processes: what a person waits for at the shell."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from stepgraph.editing.text import design_text
from stepgraph.files import read_graph
from stepgraph_tui.drawing import lay_out
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

from .design import large_design
from .measure import Timed, process, processor, take_turns, work_folder
from .table import Line

COLD_START = 0.7
"""The cold start of LangGraph, in seconds, where it is not measured beside ours."""
VERSION_GOAL = 0.2
RUN_GOAL = 0.9
PROCESSOR_GOALS = {"check": 10.5, "run": 11.6}
"""Times an interpreter that starts and ends: half of what they took when they loaded pydantic and Rich."""

_NODES = 2_000
_LAYOUTS = 1.5
GRAPH = "graphs/threshold_router.toml"


def ask_version() -> Timed:
    """``stepgraph --version``."""
    return process([_command(), "--version"])


def check_graph() -> Timed:
    """``stepgraph check`` of a small graph."""
    return process([_command(), "check", GRAPH])


def run_graph(folder: Path) -> Timed:
    """``stepgraph run`` of a small graph, into a store of its own."""
    return process([_command(), "run", GRAPH, "--store", f"sqlite:///{folder / 'runs.db'}"])


def bare_python() -> Timed:
    """An interpreter that starts and ends."""
    return process([sys.executable, "-c", "pass"])


def show_line(folder: Path) -> Line:
    """``stepgraph show`` of a large graph, beside what it cannot do without: a check and a layout."""
    path = folder / "large.toml"
    path.write_text(design_text(large_design(_NODES)), encoding="utf-8")
    drawing = GraphDrawing(read_graph(path), zoom="chip")

    def layout() -> float:
        began = time.perf_counter()
        lay_out(drawing.diagram())
        return time.perf_counter() - began

    contenders = {
        "show": process([_command(), "show", str(path)]),
        "check": process([_command(), "check", str(path)], expect=(0, 1)),
        "layout": layout,
    }
    rounds = take_turns(contenders, rounds=5)
    goal = rounds.median("check") + _LAYOUTS * rounds.median("layout")
    work = f"stepgraph show of {_NODES:,} nodes; at most as check and {_LAYOUTS} layouts"
    return Line(work, rounds.median("show"), "s", goal)


def processor_lines(folder: Path) -> list[Line]:
    """What ``check`` and ``run`` of a small graph take of a processor, beside a bare interpreter."""
    store = f"sqlite:///{folder / 'processor.db'}"
    rounds = take_turns(
        {
            "check": processor([_command(), "check", GRAPH]),
            "run": processor([_command(), "run", GRAPH, "--store", store]),
            "floor": processor([sys.executable, "-c", "pass"]),
        },
        rounds=15,
    )
    floor = rounds.median("floor")
    return [
        Line(
            f"stepgraph {work} {GRAPH}, processor time",
            rounds.median(work),
            "s",
            goal * floor,
            rounds.ratio(work, "floor"),
        )
        for work, goal in PROCESSOR_GOALS.items()
    ]


def lines() -> list[Line]:
    """What a person types most, beside a bare interpreter."""
    with work_folder() as folder:
        contenders = {
            "version": ask_version(),
            "check": check_graph(),
            "run": run_graph(folder),
            "floor": bare_python(),
        }
        rounds = take_turns(contenders, rounds=9)
        taken = processor_lines(folder)
        show = show_line(folder)
    goals = {
        "version": VERSION_GOAL * COLD_START,
        "check": RUN_GOAL * COLD_START,
        "run": RUN_GOAL * COLD_START,
    }
    names = {
        "version": "stepgraph --version, whole process",
        "check": f"stepgraph check {GRAPH}, whole process",
        "run": f"stepgraph run {GRAPH}, whole process",
    }
    return [
        *(
            Line(names[work], rounds.median(work), "s", goals[work], rounds.ratio(work, "floor"))
            for work in goals
        ),
        *taken,
        show,
    ]


def _command() -> str:
    """The command that is installed beside this interpreter."""
    return str(Path(sys.executable).with_name("stepgraph"))
