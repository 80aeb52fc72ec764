"""Files that are made to hurt: refused clearly, and quickly.

Their calls are counted; what is slow without a call (a pattern that looks back again and again) meets the
time limit of every test.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stepgraph import GraphFileError, StateGraph
from stepgraph.files import read_graph
from tests.counting import calls_of

from .conftest import WriteText

HOSTILE = {
    "a dotted key of 40 KB": ("a." * 20_000 + "a = 1", "F007", "a key has more than 32 parts"),
    "a dotted header": ("[" + "a." * 20_000 + "a]", "F007", "a key has more than 32 parts"),
    "a dotted key of quotes and spaces": ("'a' . " * 7_000 + "a = 1", "F007", "more than 32 parts"),
    "a dotted key below texts": ("x = '''\n\n'''\n" + "a." * 20_000 + "a = 1", "F007", "32 parts"),
    "nested arrays": ("a = " + "[" * 5_000 + "]" * 5_000, "F007", "nested too deep"),
    "nested tables": ("a = " + "{a = " * 5_000 + "1" + "}" * 5_000, "F007", "nested too deep"),
    "a number of 5,000 digits": ("a = " + "1" * 5_000, "F007", "a number has more than 4,000 digits"),
    "a number with underscores": ("a = " + "1_" * 4_000 + "1", "F007", "more than 4,000 digits"),
    "a hexadecimal number": ("format = 0x" + "f" * 3_001, "F007", "a number has more than 3,000 digits"),
    "a binary number": ("a = 0b" + "1_" * 3_000 + "1", "F007", "a number has more than 3,000 digits"),
    "50,000 edges": (
        "[[edges]]\n" * 50_000,
        "F007",
        "it has 50,000 edges; a graph file may have at most 20,000",
    ),
    "30,000 nodes": ("".join(f"[nodes.n{i}]\n" for i in range(30_000)), "F007", "it has 30,000 nodes"),
    "6,000 state keys": ("".join(f"[state.k{i}]\n" for i in range(6_000)), "F007", "it has 6,000 state keys"),
    "6,000 tools": ("".join(f"[tools.k{i}]\n" for i in range(6_000)), "F007", "it has 6,000 tools"),
    "templates": ("a = '" + "{{x}}" * 30_000 + "'", "F007", "have 150,000 characters between braces"),
    "one long template": ("a = '{{" + "x~" * 70_000 + "'", "F007", "characters between braces"),
    "over 1 MB": ("# " + "x" * 1_000_000, "F004", "larger than 1 MB"),
    "open texts": ('"""\\"""\\' * 100_000, "F006", ""),
    "open brackets": ("[" * 900_000, "F006", ""),
    "open brackets of a value": ("a = " + "[" * 900_000, "F007", "nested too deep"),
    "dots": ("." * 900_000, "F006", ""),
    "quotes": ('"' * 900_001, "F006", ""),
    "backslashes": ('a = "' + "\\" * 900_000, "F006", ""),
}


def honest(nodes: int, edges: int) -> str:
    """A file without a fault; 5,000 nodes and 20,000 edges are 0.9 MB."""
    head = 'format = 1\nname = "x"\nstart = "n0"\n'
    steps = "".join(f'[nodes.n{i}]\ntype = "approval"\nprompt = "Go on?"\n' for i in range(nodes))
    return head + steps + "".join(f'[[edges]]\nfrom="n{i % nodes}"\nto="END"\n' for i in range(edges))


def calls_to_read(path: Path) -> tuple[int, StateGraph | None, GraphFileError | None]:
    """Count the calls that it takes to read a file, or to refuse it; with the graph or the error."""
    graph: StateGraph | None = None
    error: GraphFileError | None = None

    def read() -> None:
        nonlocal graph, error
        try:
            graph = read_graph(path)
        except GraphFileError as caught:
            error = caught

    return calls_of(read)[0], graph, error


@pytest.fixture(scope="module")
def calls_per_byte(tmp_path_factory: pytest.TempPathFactory) -> float:
    """Count what a small honest file takes for each of its bytes."""
    path = tmp_path_factory.mktemp("honest") / "honest.toml"
    path.write_text(honest(60, 240), encoding="utf-8")
    read_graph(path)  # what is imported once is not counted
    return calls_to_read(path)[0] / path.stat().st_size


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_quickly(write: WriteText, calls_per_byte: float, name: str) -> None:
    text, code, message = HOSTILE[name]
    calls, _, error = calls_to_read(write(text))
    assert calls < 3 * 1_000_000 * calls_per_byte
    assert error is not None
    (problem,) = error.problems
    assert problem.code == code
    assert message in problem.message
    assert len(str(error)) < 600


def test_a_number_that_python_refuses_is_no_crash(write: WriteText) -> None:
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(700)  # as PYTHONINTMAXSTRDIGITS does
    try:
        with pytest.raises(GraphFileError, match="F006: it is not valid TOML: Exceeds the limit"):
            read_graph(write("a = " + "1" * 1_000))
    finally:
        sys.set_int_max_str_digits(digits)


def test_a_format_of_very_many_digits_is_no_crash(write: WriteText) -> None:
    with pytest.raises(GraphFileError, match=r"F009: it is written in format [0-9]{100},"):
        read_graph(write("format = 0x" + "f" * 3_000))
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(700)
    try:
        with pytest.raises(GraphFileError, match="F009: it is written in format <int that cannot be shown>"):
            read_graph(write("format = 0x" + "f" * 3_000))
    finally:
        sys.set_int_max_str_digits(digits)


def test_prose_with_many_dots_and_brackets_is_no_key(write: WriteText) -> None:
    prose = "a.b." * 100 + "[" * 6_000 + "9" * 5_000
    path = write(f'format = 1\nname = "x" # {prose}\nnote = """\n{prose}"""\n')
    assert read_graph(path).settings.note == prose


def test_a_deep_value_is_reported_by_its_place(write: WriteText) -> None:
    graph = read_graph(write("format = 1\n[state.x]\ndefault = " + "[" * 150 + "]" * 150))
    (problem,) = graph.noted
    assert (problem.code, problem.place.line) == ("F023", 3)
    assert "nested deeper than 100 levels" in problem.message


def test_a_file_at_the_limits_takes_no_longer_than_its_size(write: WriteText) -> None:
    little, more = write(honest(125, 500), "little.toml"), write(honest(1_250, 5_000), "more.toml")
    read_graph(little)  # what is imported once is not counted
    assert calls_to_read(more)[0] < 11 * calls_to_read(little)[0]
    graph = read_graph(write(honest(5_000, 20_000), "whole.toml"))
    assert not graph.noted
    assert len(graph.edges) == 20_000


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("".join(f"k{i} = 3\n" for i in range(20_000)), 20_000),
        ("[state.x]\ndefault = [" + "nan, " * 20_000 + "]", 20_000),
        (
            "".join(f'[[edges]]\nfrom = "a"\nto = "END"\nwhen = {i}\nlable = 3\n' for i in range(5_000)),
            10_000,
        ),
        ("no_feedback = [" + "3, " * 20_000 + "]", 20_000),
    ],
    ids=["keys", "numbers", "edges", "names"],
)
def test_of_very_many_problems_the_first_thousand_are_told(
    write: WriteText, calls_per_byte: float, text: str, count: int
) -> None:
    calls, graph, _ = calls_to_read(write("format = 1\n" + text))
    assert calls < 3 * 1_000_000 * calls_per_byte
    assert graph is not None
    noted = graph.noted
    assert len(noted) == 1_001
    assert noted[-1].message == f"there are {count - 1_000:,} more problems than are shown here"
