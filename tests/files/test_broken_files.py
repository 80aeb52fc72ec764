"""Files that cannot be read as graph files: one clear problem, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import GraphFileError
from stepgraph.files import read_graph
from stepgraph.values.problems import Problem

from .conftest import WriteText


def refused(path: Path) -> Problem:
    """The one problem that reading ``path`` gives."""
    with pytest.raises(GraphFileError) as caught:
        read_graph(path)
    (problem,) = caught.value.problems
    assert problem.place.file == str(path)
    return problem


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("format = 1\nstart = analyze\n", 2, "'start' is text without quotes", 'write start = "analyze"'),
        ("start = informal\n", 1, "'start' is text without quotes", 'write start = "informal"'),
        ("feedback = True\n", 1, "'feedback' is True", "write feedback = true"),
        ("feedback = off\n", 1, "'feedback' is off", "write feedback = false"),
        ("max_seconds = None\n", 1, "TOML has no such value", "leave the key out"),
        ('name = "a\nstart = "b"\n', 1, "not closed", '"""'),
        ('x = 1\nprompt = """\nhello\n\n', 2, "not closed", '"""'),
        ('path = "C:\\users"\n', 1, "a backslash", "write \\\\"),
        ('path = "a\\d"\n', 1, "a backslash", "write \\\\"),
        ("name = “router”\n", 1, "curly quotes", "use"),
        ('name = "a"\nmax steps = 3\n', 2, "expected key = value: max steps = 3", "quotes"),
        ("name: router\n", 1, "expected key = value", "quotes"),
        ("a = 1\nb = 2\na = 3\nc = 4\n", 3, "'a' is given twice: on line 1 and here", "remove"),
        ("a = 1\nb = 2\na = 3", 3, "'a' is given twice: on line 1 and here", "remove"),
        ("a.b = 1\nc = 2\na = 2", 3, "'a' is given twice: on line 1 and here", "remove"),
        ("[nodes.x]\ntype = 'llm'\n\n[nodes.x]\n", 4, "'nodes.x' is given twice: on line 1", "remove"),
        ("[nodes.x]\nprompt = 'a'\nprompt = 'b'\n", 3, "'nodes.x.prompt' is given twice", "remove"),
        ("[[edges]]\n[edges]\n", 2, "'edges' is given twice", "[[...]]"),
        ("x = {a = 1, a = 2}\n", 1, "'x.a' is given twice", "remove"),
        ("x = {}\n[x.y]\n", 2, "cannot declare ('x', 'y') twice", ""),
        ("[nodes.a]\n[[nodes]]\n", 2, "'nodes' is given twice: on line 1", "remove"),
        ("[nodes.a\ntype = 'llm'\n", 1, "expected ']' at the end of a table", ""),
        ("x = [1, 2\n", 1, "unclosed array", ""),
        ("a = 1 2\n", 1, "a", ""),
        ("a\x00 = 1\n", 1, "expected key = value: a\\u0000 = 1", ""),
    ],
)
def test_what_is_not_toml_is_explained_with_its_line(
    write: WriteText, text: str, line: int, message: str, hint: str
) -> None:
    problem = refused(write(text))
    assert problem.code == "F006"
    assert message in problem.message
    assert hint in problem.hint
    assert problem.place.line == line


def test_a_file_in_a_missing_folder_is_missing(tmp_path: Path) -> None:
    assert refused(tmp_path / "no" / "graph.toml").code == "F001"


def test_a_file_below_a_file_cannot_be_read(write: WriteText) -> None:
    problem = refused(write("format = 1") / "graph.toml")
    assert problem.code == "F003"
    assert "Not a directory" in problem.message


def test_a_path_with_a_null_character_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "a\0b").code == "F003"


def test_the_byte_order_mark_counts_for_the_offset(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes(b"\xef\xbb\xbfa\xe9")
    assert refused(path).message == "it is not UTF-8: byte 4 is 0xe9"


def test_a_newer_format_is_refused_with_its_line(write: WriteText) -> None:
    problem = refused(write("name = 'x'\nformat = 2\n"))
    assert (problem.code, problem.place.line) == ("F009", 2)
    assert "format 2" in problem.message
