"""``stepgraph fmt``."""

from __future__ import annotations

import errno

import pytest

from stepgraph.files import writer
from tests.cli.calling import COUNT, REFUND, Cli

ROUGH = "# mine\n\nformat=1\nname='x'\n"
SMOOTH = '# mine\n\nformat = 1\nname = "x"\n'


def test_a_file_is_formatted_in_place(cli: Cli) -> None:
    path = cli.graph(ROUGH)
    result = cli("fmt", "graph.toml")
    assert (result.code, result.out, result.err) == (0, "", "graph.toml: formatted\n")
    assert path.read_text(encoding="utf-8") == SMOOTH
    assert cli("fmt", "graph.toml").err == "graph.toml: is already in standard form\n"


def test_check_writes_nothing_and_names_what_would_change(cli: Cli) -> None:
    path = cli.graph(ROUGH)
    result = cli("fmt", "--check", "graph.toml", REFUND)
    assert result.code == 1
    assert "graph.toml: would change" in result.err
    assert "refund_triage.toml: is already in standard form" in result.err
    assert path.read_text(encoding="utf-8") == ROUGH
    cli.graph(SMOOTH)
    assert cli("fmt", "--check", "graph.toml").code == 0


def test_json_tells_what_changed(cli: Cli) -> None:
    cli.graph(ROUGH)
    cli.graph(COUNT.lstrip(), "count.toml")
    result = cli("fmt", "graph.toml", "count.toml", "--json")
    assert result.code == 0
    assert result.json == [{"file": "graph.toml", "changed": True}, {"file": "count.toml", "changed": False}]


def test_a_file_that_is_no_toml_is_left_alone_and_the_others_are_formatted(cli: Cli) -> None:
    bad, good = cli.graph("name = x\n", "bad.toml"), cli.graph(ROUGH)
    result = cli("fmt", "bad.toml", "missing.toml", "graph.toml")
    assert result.code == 1
    assert "bad.toml:1: error F006" in result.err
    assert "error F001" in result.err
    assert bad.read_text(encoding="utf-8") == "name = x\n"
    assert good.read_text(encoding="utf-8") == SMOOTH


def test_a_file_of_a_newer_format_is_left_alone(cli: Cli) -> None:
    path = cli.graph("format=99\n")
    result = cli("fmt", "graph.toml")
    assert result.code == 1
    assert "error F009" in result.err
    assert path.read_text(encoding="utf-8") == "format=99\n"


def test_a_disk_that_is_full_leaves_the_old_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writer, "write_atomically", full)
    path = cli.graph(ROUGH)
    result = cli("fmt", "graph.toml")
    assert result.code == 1
    assert "it cannot be written: No space left on device" in result.err
    assert path.read_text(encoding="utf-8") == ROUGH


def test_a_file_must_be_named(cli: Cli) -> None:
    assert cli("fmt").code == 2
