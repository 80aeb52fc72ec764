"""Everything is reported at once, in order, with file and line; and what ``compile`` makes of it."""

from __future__ import annotations

import dataclasses
import difflib
from pathlib import Path

import pytest

from stepgraph import END, GraphError, Problem, StateGraph, check
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


def test_compile_raises_once_with_all_errors_and_without_the_warnings() -> None:
    graph = ten_faults()
    graph.add_node("lost", nothing)
    graph.add_edge("lost", "lost")
    graph.settings = dataclasses.replace(graph.settings, start="draft")
    assert "G102" in codes(graph)
    with pytest.raises(GraphError, match="has 9 errors") as caught:
        graph.compile()
    assert len(caught.value.problems) == 9
    assert all(problem.is_error for problem in caught.value.problems)
    for problem in caught.value.problems:
        assert str(problem) in str(caught.value)


def test_warnings_do_not_stop_compile() -> None:
    graph = sound()
    graph.add_node("lost", nothing)
    graph.add_edge("lost", "lost")
    assert set(codes(graph)) == {"G100", "G102"}
    assert list(graph.compile().nodes) == ["draft", "review", "lost"]


def test_a_refused_graph_can_be_put_right_and_compiled() -> None:
    graph = sound()
    graph.add_node("pay", nothing)
    graph.add_edge("draft", "pay", when="n > 1")
    with pytest.raises(GraphError):
        graph.compile()
    graph.add_edge("pay", END)
    assert [edge.target for edge in graph.compile().edges_from("pay")] == [END]


def test_a_plan_does_not_change_and_does_not_see_later_changes_of_its_builder() -> None:
    graph = sound()
    app = graph.compile()
    graph.add_node("pay", nothing)
    graph.add_edge("review", "pay")
    graph.add_key("late")
    graph.add_tool("late", returns={})
    assert (list(app.nodes), len(app.edges), dict(app.keys), dict(app.tools)) == (
        ["draft", "review"],
        2,
        {},
        {},
    )
    assert len(app.edges_from("review")) == 1
    for parts in (app.nodes, app.keys, app.tools):
        with pytest.raises(TypeError):
            parts["x"] = None  # type: ignore[index]  # that is the point
    with pytest.raises(dataclasses.FrozenInstanceError):
        app.settings = graph.settings  # type: ignore[misc]  # that is the point


def test_checking_twice_finds_the_same() -> None:
    graph = ten_faults()
    assert check(graph) == check(graph)


def test_a_check_changes_nothing_in_the_graph() -> None:
    graph = ten_faults()
    noted, nodes, edges = list(graph.noted), graph.nodes, graph.edges
    check(graph)
    assert (graph.noted, graph.nodes, graph.edges) == (noted, nodes, edges)


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


def test_the_file_is_named_as_a_person_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = from_file(tmp_path / "graphs")
    monkeypatch.chdir(tmp_path)
    assert {problem.place.file for problem in check(graph)} == {str(Path("graphs") / "graph.toml")}
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert {problem.place.file for problem in check(graph)} == {str(tmp_path / "graphs" / "graph.toml")}


def test_a_problem_that_was_noted_earlier_gets_file_and_line_too(tmp_path: Path) -> None:
    graph = from_file(tmp_path)
    graph.add_key("log")
    found = next(problem for problem in check(graph) if problem.code == "G023")
    assert found.place == Place(str(tmp_path / "graph.toml"), 16, key="state.log")


def test_without_a_file_there_is_neither_file_nor_line() -> None:
    assert all(problem.place.file is None and problem.place.line is None for problem in check(ten_faults()))


def crowd(size: int) -> StateGraph:
    graph = StateGraph("crowd", start="node_0")
    for number in range(size):
        graph.add_node(f"node_{number}", nothing)
    for number in range(size):
        graph.add_edge(f"node_{number}", f"node_{(number * 7 + 3) % size}", when="n > 1")
        graph.add_edge(f"node_{number}", f"node_{(number + 1) % size}", when="m > 1")
        graph.add_edge(f"node_{number}", END)
    return graph


def test_thousands_of_unknown_names_do_not_take_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    start = difflib.SequenceMatcher.set_seq1

    def counted(matcher: difflib.SequenceMatcher[str], name: str) -> None:
        nonlocal compared
        compared += 1
        start(matcher, name)

    monkeypatch.setattr(difflib.SequenceMatcher, "set_seq1", counted)
    graph = crowd(2000)
    for number in range(6000):
        graph.add_edge(f"node_{number % 2000}", f"nod_{number}_")
    problems = check(graph)
    assert 0 < compared <= 20_000  # a nearest name for each is 12 million
    unknown = [problem for problem in problems if problem.code == "G011"]
    assert len(unknown) == 6000
    assert all(problem.hint for problem in unknown)


def test_very_long_names_are_cut_in_messages() -> None:
    graph = StateGraph("long", start="a" * 500_000)
    graph.add_node("a" * 499_999, nothing)
    graph.add_edge("a" * 499_999, "b" * 500_000)
    for problem in check(graph):
        assert len(str(problem)) < 600


def test_control_characters_of_names_do_not_reach_the_terminal() -> None:
    graph = StateGraph("control", start="x\x1b[31m")
    graph.add_node("\x1b[2Jdraft", nothing)
    graph.add_edge("\x1b[2Jdraft", "\x9b1m")
    problems = check(graph)
    assert len(problems) == 2
    for problem in problems:
        assert str(problem).isprintable(), problem


def test_a_graph_is_short_when_it_is_printed() -> None:
    graph = sound()
    assert repr(graph) == f"StateGraph({graph.name!r}, nodes=2, edges={len(graph.edges)})"
    assert repr(graph.compile()) == f"CompiledGraph({graph.name!r}, nodes=2, edges={len(graph.edges)})"
