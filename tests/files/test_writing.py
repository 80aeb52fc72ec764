"""Writing graph files: what is written reads back the same, and nothing is ever lost by it."""

from __future__ import annotations

import errno
import tomllib
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, GraphError, GraphFileError, StateGraph
from stepgraph.documents.loader import from_document
from stepgraph.files import read_graph, write_graph

from .conftest import WriteText

TEXT = '''format = 1
name = "router"
start = "ask"
no_feedback = ["ask"]

[state.ticket]
default = "first\\r\\nsecond"
input = true

[tools.look]
handler = "tools:look"

[tools.look_up.returns]
first = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
second = ["bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", { c = 1 }]

[nodes.ask]
type = "approval"
prompt = """
Hello "you",
go on?
"""
show = [
    "a path that is long enough to make the whole list too long for one line",
    "another path, so that it is too long",
]
editable = { "order.amount" = "number" }

[[edges]]
from = "ask"
to = "END"
when = { key = "decision", equals = "approve" }
label = "yes"

[[edges]]
from = "ask"
to = "END"
'''


def problem_of(caught: pytest.ExceptionInfo[Any]) -> tuple[str, str]:
    (problem,) = caught.value.problems
    return problem.code, problem.message


def test_what_a_file_cannot_hold_is_named_before_anything_is_written(tmp_path: Path) -> None:
    graph = StateGraph("python", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_key("k", default=None)
    graph.add_tool("t", tool=lambda: {})
    graph.add_edge("a", END, when=lambda context: True)
    graph.add_conditional_edge("a", END, "k", [None])
    with pytest.raises(GraphError) as caught:
        write_graph(graph, tmp_path / "graph.toml")
    assert [problem.message for problem in caught.value.problems] == [
        "node 'a' is a Python object",
        "tool 't' is a Python object",
        "the condition of edge 'a' -> 'END' is a Python function",
        "state.k.default is null, and TOML has no null",
        "edges.1.when.equals.0 is null, and TOML has no null",
    ]
    assert {problem.code for problem in caught.value.problems} == {"F012"}
    assert not (tmp_path / "graph.toml").exists()


def test_a_value_that_is_no_json_is_refused_by_its_path(tmp_path: Path) -> None:
    graph = StateGraph("x", start="a")
    graph.add_key("k", default={"a": {1, 2}})
    with pytest.raises(GraphError, match=r'the default of state\["k"\]\["a"\] is a set'):
        write_graph(graph, tmp_path / "graph.toml")


@pytest.mark.parametrize("bad", ["\ud800", object()])
def test_a_name_that_no_file_can_hold_is_refused(tmp_path: Path, bad: Any) -> None:
    graph = StateGraph(bad, start="a")
    with pytest.raises(GraphError, match="cannot be written as a file"):
        write_graph(graph, tmp_path / "graph.toml")


def test_what_could_not_be_read_is_not_written_away(write: WriteText) -> None:
    path = write(TEXT + "lable = 3\n")
    with pytest.raises(GraphError) as caught:
        write_graph(read_graph(path), path)
    assert problem_of(caught)[0] == "F020"
    assert path.read_text(encoding="utf-8") == TEXT + "lable = 3\n"


def test_a_file_that_changed_on_disk_is_left_alone(write: WriteText) -> None:
    path = write(TEXT)
    graph = read_graph(path)
    write(TEXT + "# mine\n")
    with pytest.raises(GraphFileError) as caught:
        write_graph(graph, path)
    assert problem_of(caught) == ("F011", "it changed on disk since it was read")
    assert path.read_text(encoding="utf-8") == TEXT + "# mine\n"


def test_a_file_that_is_gone_is_written_anew(write: WriteText) -> None:
    path = write(TEXT)
    graph = read_graph(path)
    path.unlink()
    write_graph(graph, path)
    assert read_graph(path).name == "router"


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_when_the_disk_is_full_the_old_file_stays(
    write: WriteText, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = write(TEXT)
    graph = read_graph(path)
    graph.add_edge("ask", END)
    monkeypatch.setattr("os.fsync" if call == "fsync" else "pathlib.Path.replace", full)
    with pytest.raises(GraphFileError) as caught:
        write_graph(graph, path)
    assert problem_of(caught) == ("F010", "it cannot be written: No space left on device")
    assert path.read_text(encoding="utf-8") == TEXT
    assert [item.name for item in path.parent.iterdir()] == ["graph.toml"]


def test_a_missing_folder_is_told(write: WriteText, tmp_path: Path) -> None:
    graph = read_graph(write(TEXT))
    with pytest.raises(GraphFileError, match="No such file or directory"):
        write_graph(graph, tmp_path / "no" / "graph.toml")


def test_a_file_beyond_the_limits_is_never_written(tmp_path: Path) -> None:
    graph = from_document(tomllib.loads(TEXT))
    graph.add_key("long", default="x" * 1_000_000)
    with pytest.raises(GraphFileError) as caught:
        write_graph(graph, tmp_path / "graph.toml")
    assert problem_of(caught)[0] == "F004"
