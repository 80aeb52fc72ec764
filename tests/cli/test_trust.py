"""Trust: asked once, at a terminal, for a file and for a definition from the store alike."""

from __future__ import annotations

import io

import pytest

from tests.cli.calling import Cli


class Terminal(io.StringIO):
    """Standard input with somebody at it."""

    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(text))


def test_the_option_trusts_from_now_on(cli: Cli) -> None:
    path = cli.count()
    assert cli("run", path, "--trust").code == 0
    assert cli("run", path).code == 0


def test_it_asks_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.count()
    answer(monkeypatch, "y\n")
    assert cli("run", path).code == 0
    answer(monkeypatch, "")
    result = cli("run", path)
    assert result.code == 0
    assert "[y/N]" not in result.err


def test_a_question_shows_what_changed_since_it_was_answered(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("run", cli.count(), "--trust").code == 0
    cli.count("return {'count': 9}  # \x1b[2J")
    answer(monkeypatch, "n\n")
    result = cli("run", cli.folder / "graph.toml")
    assert result.code == 6
    assert "has changed since you trusted it" in result.err
    assert f"{cli.folder / 'work.py'} has changed" in result.err
    assert f"{cli.folder / 'graph.toml'}\n" in result.err
    assert "+    return {'count': 9}  # \\x1b[2J" in result.err
    monkeypatch.undo()
