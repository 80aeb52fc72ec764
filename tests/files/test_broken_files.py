"""Files that cannot be read as graph files: one clear problem, with its line."""

from __future__ import annotations

import errno
import os
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


def test_the_message_and_the_problem_are_one_clear_text(write: WriteText) -> None:
    path = write("start = analyze")
    with pytest.raises(GraphFileError) as caught:
        read_graph(path)
    assert str(caught.value) == (
        "this graph file cannot be read\n"
        f"  {path}:1: error F006: the value of 'start' is text without quotes: analyze"
        ' (write start = "analyze")'
    )


def test_a_missing_file_names_its_neighbours(tmp_path: Path, write: WriteText) -> None:
    write("format = 1", "router.toml")
    problem = refused(tmp_path / "roter.toml")
    assert (problem.code, problem.hint) == ("F001", "did you mean 'router.toml'?")


def test_a_file_in_a_missing_folder_is_missing(tmp_path: Path) -> None:
    assert refused(tmp_path / "no" / "graph.toml").code == "F001"


def test_a_folder_is_no_graph_file(tmp_path: Path) -> None:
    problem = refused(tmp_path)
    assert (problem.code, problem.message) == ("F002", "it is a folder")


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    assert refused(tmp_path / "pipe.toml").message == "it is not a regular file"


def test_a_file_below_a_file_cannot_be_read(write: WriteText) -> None:
    problem = refused(write("format = 1") / "graph.toml")
    assert problem.code == "F003"
    assert "Not a directory" in problem.message


def test_a_file_without_permission_says_so(write: WriteText, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: Path, mode: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = write("format = 1")
    monkeypatch.setattr(Path, "open", denied)
    problem = refused(path)
    assert (problem.code, problem.message) == ("F003", "it cannot be read: Permission denied")


def test_a_path_with_a_null_character_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "a\0b").code == "F003"


def test_a_file_that_is_not_utf8_names_byte_and_line(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes(b"format = 1\nname = 'caf\xe9'\n")
    problem = refused(path)
    assert (problem.code, problem.place.line) == ("F005", 2)
    assert problem.message == "it is not UTF-8: byte 22 is 0xe9"


def test_the_byte_order_mark_counts_for_the_offset(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes(b"\xef\xbb\xbfa\xe9")
    assert refused(path).message == "it is not UTF-8: byte 4 is 0xe9"


def test_utf16_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes("format = 1".encode("utf-16"))
    assert "UTF-16" in refused(path).hint


def test_a_newer_format_is_refused_with_its_line(write: WriteText) -> None:
    problem = refused(write("name = 'x'\nformat = 2\n"))
    assert (problem.code, problem.place.line) == ("F009", 2)
    assert "format 2" in problem.message


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes(b"\xef\xbb\xbfformat = 1\nname = 'x'\n")
    assert read_graph(path).name == "x"


def test_windows_line_ends_keep_line_numbers_right(tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_bytes(b"format = 1\r\nname = x\r\n")
    problem = refused(path)
    assert (problem.place.line, problem.hint) == (2, 'write name = "x"')
