"""``stepgraph check``."""

from __future__ import annotations

import pytest

from stepgraph_tui.cli.streams import Stream
from tests.cli.calling import COUNT, REFUND, Cli


def test_a_good_file_is_ok(cli: Cli) -> None:
    result = cli("check", REFUND)
    assert (result.code, result.out) == (0, "")
    assert "ok, 9 nodes, 12 edges" in result.err


def test_each_problem_is_a_line_with_file_line_code_and_hint(cli: Cli) -> None:
    cli.graph(COUNT.replace('start = "work"', 'start = "wrk"').replace('to = "END"', 'to = "ENDE"'))
    result = cli("check", "graph.toml")
    assert result.code == 1
    assert "graph.toml:4: error G008: " in result.out
    assert "did you mean 'work'?" in result.out
    assert "error G011: " in result.out
    assert "2 errors" in result.err


def test_warnings_alone_give_exit_0(cli: Cli) -> None:
    extra = '\n[[edges]]\nfrom = "work"\nto = "work"\n'
    cli.graph(COUNT + extra)
    result = cli("check", "graph.toml")
    assert result.code == 0
    assert ": warning G1" in result.out


def test_several_files_are_a_list_of_json(cli: Cli) -> None:
    cli.graph("this is no toml", "bad.toml")
    result = cli("check", REFUND, "bad.toml", "missing.toml", "--json")
    assert result.code == 1
    assert [(file["ok"], len(file["problems"])) for file in result.json] == [
        (True, 0),
        (False, 1),
        (False, 1),
    ]
    problem = result.json[1]["problems"][0]
    assert problem["severity"] == "error"
    assert problem["line"] == 1


def test_a_code_is_explained(cli: Cli) -> None:
    result = cli("check", "--explain", "g008")
    assert result.code == 0
    assert result.out.startswith("G008: ")
    assert cli("check", "--explain", "G008", "--json").json["code"] == "G008"


@pytest.mark.parametrize("code", ["F001", "F007", "F008", "G035", "G011"])
def test_an_explanation_does_not_say_its_title_twice(cli: Cli, code: str) -> None:
    title, *rest = cli("check", "--explain", code).out.split("\n\n")
    assert title.removeprefix(f"{code}: ")[:40] not in " ".join(rest)
    assert rest[0][0].isupper()


def test_on_a_terminal_problems_wrap_between_words_and_carets_stay(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stream, "isatty", lambda self: True)
    monkeypatch.setenv("COLUMNS", "50")
    cli.graph(COUNT.replace('start = "work"', 'start = "wrk"').replace("count < 3", "count < 3 && True"))
    lines = cli("check", "graph.toml").out.splitlines()
    assert lines[0].startswith("graph.toml:4: error G008: ")
    assert lines[1].startswith("    ")
    assert max(map(len, lines)) <= 50
    caret = next(number for number, line in enumerate(lines) if line.strip(" |") == "^")
    assert lines[caret].index("^") == lines[caret - 1].index("&")
    assert lines[caret - 2].endswith("and)")


def test_an_unknown_code_is_refused(cli: Cli) -> None:
    result = cli("check", "--explain", "G999")
    assert result.code == 1
    assert "there is no code 'G999'" in result.err
