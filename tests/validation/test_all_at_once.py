"""Everything is reported at once, in order, with file and line; and what ``compile`` makes of it."""

from __future__ import annotations

from pathlib import Path

from stepgraph import Problem, StateGraph, check
from stepgraph.values.problems import Place

from .building import Part, codes, from_text, nothing, sound


def ten_faults() -> StateGraph:
    graph = StateGraph(" ", start="begin", max_steps=0, no_feedback=["nobody"])
    graph.add_key("log", reducer="append", default={})
    graph.add_tool("pay", handler="pay")
    graph.add_node("draft", None)  # type: ignore[arg-type]  # that is the point
    graph.add_node("stuck", nothing)
    graph.add_edge("draft", "stuck", when="n >")
    graph.add_edge("draft", "nowhere")
    return graph


# acceptance 40, e9 7
def test_a_graph_with_ten_faults_reports_all_ten() -> None:
    assert codes(ten_faults()) == [
        *("G001", "G008", "G006", "G015"),
        *("G022", "G021", "G018", "G014", "G016", "G011"),
    ]


def test_checking_twice_finds_the_same() -> None:
    graph = ten_faults()
    assert check(graph) == check(graph)


TEXT = """\
format = 1
name = "late"
start = "drafts"
max_steps = 0

[[edges]]
from = "draft"
to = "revew"
when = "n >"

[nodes.draft]
type = "part"
prompt = '''
two {{ lines'''

[state.log]
reducer = "append"
default = {}
"""


def from_file(folder: Path) -> StateGraph:
    bad_prompt = Problem("G034", "error", "no template", Place(key="prompt"))
    graph = StateGraph("late", start="drafts", max_steps=0)
    graph.add_node("draft", Part(problems=(bad_prompt,)))
    graph.add_edge("draft", "revew", when="n >")
    graph.add_key("log", reducer="append", default={})
    return from_text(graph, TEXT, folder)


def test_problems_of_a_file_come_in_its_order_with_their_lines(tmp_path: Path) -> None:
    found = [(problem.place.line, problem.code) for problem in check(from_file(tmp_path))]
    assert found == [
        *((3, "G008"), (4, "G006"), (8, "G011"), (9, "G016")),
        *((11, "G104"), (13, "G034"), (18, "G022")),
    ]


def test_a_problem_that_was_noted_earlier_gets_file_and_line_too(tmp_path: Path) -> None:
    graph = from_file(tmp_path)
    graph.add_key("log")
    found = next(problem for problem in check(graph) if problem.code == "G023")
    assert found.place == Place(str(tmp_path / "graph.toml"), 16, key="state.log")


def test_without_a_file_there_is_neither_file_nor_line() -> None:
    assert all(problem.place.file is None and problem.place.line is None for problem in check(ten_faults()))


def test_a_graph_is_short_when_it_is_printed() -> None:
    graph = sound()
    assert repr(graph) == f"StateGraph({graph.name!r}, nodes=2, edges={len(graph.edges)})"
    assert repr(graph.compile()) == f"CompiledGraph({graph.name!r}, nodes=2, edges={len(graph.edges)})"
