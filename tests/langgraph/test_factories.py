"""Functions that make a graph and hold something open for it, which MCP's sessions and databases need."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("langgraph")

from stepgraph import Executor, GraphFileError
from stepgraph.files.graph_refs import names_of_graphs
from tests.langgraph.side_by_side import GRAPHS, opened

HELD = GRAPHS / "held.py"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A copy of the module, which writes its notes beside itself."""
    return Path(shutil.copy(HELD, tmp_path / "held.py"))


def answer_of(name: str, module: Path) -> object:
    executor = Executor(opened(f"held:{name}", module.with_suffix("")).compile())
    run = executor.run(executor.start({}))
    run.raise_for_status()
    return run.values["answer"]


def edit(module: Path) -> None:
    module.write_text(module.read_text(encoding="utf-8").replace("41", "42"), encoding="utf-8")


def notes(module: Path) -> str:
    return module.with_name("notes.txt").read_text(encoding="utf-8").strip()


@pytest.mark.parametrize("name", ["awaited", "plain"])
def test_it_is_entered_once_for_all_runs(name: str, module: Path) -> None:
    assert [answer_of(name, module) for _ in range(2)] == [41, 41]
    assert notes(module) == "opened"


@pytest.mark.parametrize("name", ["awaited", "plain"])
def test_it_is_left_when_the_edited_module_is_loaded(name: str, module: Path) -> None:
    answer_of(name, module)
    edit(module)
    assert answer_of(name, module) == 42
    assert notes(module) == "opened closed opened"


@pytest.mark.parametrize("name", ["awaited", "plain"])
def test_it_is_left_when_the_process_ends(name: str, module: Path) -> None:
    command = ["-m", "stepgraph_tui", "run", f"held.py:{name}", "--trust", "--store", "runs.db"]
    ended = subprocess.run(
        [sys.executable, *command], cwd=module.parent, capture_output=True, text=True, check=True
    )
    assert "Traceback" not in ended.stderr
    assert notes(module) == "opened closed"


def test_it_is_entered_anew_where_other_threads_await_its_nodes(module: Path) -> None:
    graph = opened("held:awaited", module.with_suffix(""))
    executor = Executor(graph.compile())
    with ThreadPoolExecutor(1) as threads:  # which a server has, and another loop
        runs = [*threads.map(executor.run, [executor.start({}) for _ in range(2)])]
    assert [run.values["answer"] for run in runs] == [41, 41]
    assert notes(module) == "opened closed opened"


def test_one_that_cannot_be_entered_says_why(module: Path) -> None:
    with pytest.raises(GraphFileError, match="no server there"):
        answer_of("fails", module)


def test_one_that_cannot_be_left_does_not_stand_in_the_way(module: Path) -> None:
    answer_of("fails_to_close", module)
    edit(module)
    assert answer_of("fails_to_close", module) == 42


def test_it_is_found_without_importing_it() -> None:
    names = names_of_graphs(
        ast.parse("@asynccontextmanager\nasync def make():\n    yield create_agent(model)\n")
    )
    assert names == ["make"]
