"""Files that are made to hurt: refused clearly, and quickly."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stepgraph import GraphFileError
from stepgraph.files import read_graph

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


@contextmanager
def within_two_seconds() -> Iterator[None]:
    """Processor time counts, not the wall's: the machine may be busy. Measuring coverage takes longer."""
    limit = 2 if sys.gettrace() is None else 20
    started = time.process_time()
    yield
    assert time.process_time() - started < limit


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_quickly(write: WriteText, name: str) -> None:
    text, code, message = HOSTILE[name]
    path = write(text)
    with within_two_seconds(), pytest.raises(GraphFileError) as caught:
        read_graph(path)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert message in problem.message
    assert len(str(caught.value)) < 600


def test_a_number_that_python_refuses_is_no_crash(write: WriteText) -> None:
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(700)  # as PYTHONINTMAXSTRDIGITS does
    try:
        with pytest.raises(GraphFileError, match="F006: it is not valid TOML: Exceeds the limit"):
            read_graph(write("a = " + "1" * 1_000))
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


def test_a_file_at_the_limits_is_read_in_two_seconds(tmp_path: Path) -> None:
    nodes = "".join(f'[nodes.n{i}]\ntype = "approval"\nprompt = "Go on?"\n' for i in range(5_000))
    edges = "".join(f'[[edges]]\nfrom="n{i % 5000}"\nto="END"\n' for i in range(20_000))
    path = tmp_path / "graph.toml"
    path.write_text('format = 1\nname = "x"\nstart = "n0"\n' + nodes + edges, encoding="utf-8")
    program = (
        "import sys, time, pathlib\n"
        "from stepgraph.files import read_graph\n"
        "graph = read_graph(pathlib.Path(sys.argv[1]))\n"
        "assert not graph.noted and len(graph.edges) == 20_000\n"
        "print(time.process_time())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 4  # two seconds, and the imports of a busy machine


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{i} = 3\n" for i in range(20_000)),
        "[state.x]\ndefault = [" + "nan, " * 20_000 + "]",
        "".join(f'[[edges]]\nfrom = "a"\nto = "END"\nwhen = {i}\nlable = 3\n' for i in range(10_000)),
        "no_feedback = [" + "3, " * 20_000 + "]",
    ],
)
def test_of_very_many_problems_the_first_thousand_are_told(write: WriteText, text: str) -> None:
    with within_two_seconds():
        noted = read_graph(write("format = 1\n" + text)).noted
    assert len(noted) == 1_001
    assert noted[-1].message == "there are 19,000 more problems than are told here"
