"""Whole processes: what a person waits for at the shell."""

from __future__ import annotations

import sys
from pathlib import Path

from .measure import Timed, process, take_turns, work_folder
from .table import Line

COLD_START = 0.7
"""The cold start of LangGraph, in seconds, where it is not measured beside ours."""
VERSION_GOAL = 0.2
RUN_GOAL = 0.9

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
        Line(names[work], rounds.median(work), "s", goals[work], rounds.ratio(work, "floor"))
        for work in goals
    ]


def _command() -> str:
    """The command that is installed beside this interpreter."""
    return str(Path(sys.executable).with_name("stepgraph"))
