"""``stepgraph fmt``."""

from __future__ import annotations

from tests.cli.calling import Cli


def test_a_file_of_a_newer_format_is_left_alone(cli: Cli) -> None:
    path = cli.graph("format=99\n")
    result = cli("fmt", "graph.toml")
    assert result.code == 1
    assert "error F009" in result.err
    assert path.read_text(encoding="utf-8") == "format=99\n"


def test_a_file_must_be_named(cli: Cli) -> None:
    assert cli("fmt").code == 2
