"""Poisoned graph files give a graph, or problems with their places; nothing that they name is looked for."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given

from stepgraph import GraphError, GraphFileError, StateGraph, check
from stepgraph.explain import all_codes
from stepgraph.files import is_trusted, read_graph
from stepgraph.values.problems import Problem
from stepgraph_tui.cli import main
from tests.fuzz.graph_files import SENTINEL, graph_files

CODES = set(all_codes())


class Lookout:
    """Hears of every module that somebody looks for, and finds none."""

    def __init__(self) -> None:
        self.asked_for: list[str] = []

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        self.asked_for.append(name)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph file's path, beside the module that it should like to run."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / f"{SENTINEL}.py").write_text("raise SystemExit('it ran')", encoding="utf-8")
    return folder / "graph.toml"


@pytest.fixture(scope="module")
def lookout(path: Path) -> Iterator[Lookout]:
    """Hears what is looked for, while the module could be found."""
    lookout = Lookout()
    sys.meta_path.insert(0, lookout)
    sys.path.insert(0, str(path.parent))
    yield lookout
    sys.path.remove(str(path.parent))
    sys.meta_path.remove(lookout)


def read(path: Path) -> tuple[StateGraph | None, list[Problem]]:
    """The graph of a file, or why there is none, and all that is wrong with it."""
    try:
        graph = read_graph(path)
    except GraphFileError as error:
        return None, list(error.problems)
    return graph, check(graph)


def shown(path: Path, *words: str) -> tuple[int, str, str]:
    """What a command prints."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*words, str(path)])
    return code, out.getvalue(), err.getvalue()


@given(graph_files())
def test_a_poisoned_file_gives_a_graph_or_problems_with_their_places(
    path: Path, lookout: Lookout, data: bytes
) -> None:
    path.write_bytes(data)
    graph, problems = read(path)
    assert graph is not None or problems
    for problem in problems:
        assert problem.code in CODES
        assert problem.place.file == str(path)
        assert problem.message
        assert str(problem).encode()
    errors = any(problem.is_error for problem in problems)
    if graph is not None:
        with pytest.raises(GraphError) if errors else nullcontext():
            is_trusted(graph.compile())
    code, _, err = shown(path, "check")
    assert (code, "bug" in err) == (1 if errors else 0, False), err
    code, out, err = shown(path, "show", "--width", "100")
    assert (code, "bug" in err) == (1 if graph is None else 0, False), err
    assert "\x1b" not in out + err
    assert not [name for name in lookout.asked_for if name.startswith(SENTINEL)]
