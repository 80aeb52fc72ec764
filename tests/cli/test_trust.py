"""Trust: asked once, at a terminal, for a file and for a definition from the store alike."""

from __future__ import annotations

import io
import sys

import pytest

from stepgraph.files import examples_dir
from tests.cli.calling import Cli


class Terminal(io.StringIO):
    """Standard input with somebody at it."""

    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(text))


def test_without_a_terminal_exit_6_names_the_option_and_the_files(cli: Cli) -> None:
    result = cli("run", cli.count())
    assert result.code == 6
    assert "--trust" in result.err
    assert str(cli.folder / "graph.toml") in result.err
    assert str(cli.folder / "work.py") in result.err
    assert cli("runs", "--json").json == []


def test_the_option_trusts_from_now_on(cli: Cli) -> None:
    path = cli.count()
    assert cli("run", path, "--trust").code == 0
    assert cli("run", path).code == 0


@pytest.mark.parametrize(
    ("typed", "code"), [("y\n", 0), ("YES\n", 0), ("n\n", 6), ("\n", 6), ("", 6), ("ok\n", 6)]
)
def test_at_a_terminal_it_asks_and_the_default_is_no(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, typed: str, code: int
) -> None:
    answer(monkeypatch, typed)
    result = cli("run", cli.count())
    assert result.code == code
    assert "Trust these files and run them? [y/N]" in result.err
    assert "What they import is not covered" in result.err
    assert ("is not trusted; nothing ran" in result.err) == (code == 6)
    assert not result.out or code == 0


def test_what_changes_while_it_asks_does_not_run(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.count()

    def edited(question: str) -> int:
        if "[y/N]" in question:
            cli.count("raise AssertionError('ran')")
        return write(question)

    answer(monkeypatch, "y\n")
    write = sys.stderr.write
    monkeypatch.setattr(sys.stderr, "write", edited)
    assert cli("run", path).code == 6


def test_a_link_to_an_example_does_not_run_what_is_beside_it(cli: Cli) -> None:
    link = cli.folder / "mine.toml"
    link.symlink_to(examples_dir() / "refund_triage.toml")
    (cli.folder / "refund_tools.py").write_text("raise AssertionError('imported')", encoding="utf-8")
    result = cli("run", link)
    assert result.code == 6
    assert str(cli.folder / "refund_tools.py") in result.err


def test_it_asks_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.count()
    answer(monkeypatch, "y\n")
    assert cli("run", path).code == 0
    answer(monkeypatch, "")
    result = cli("run", path)
    assert result.code == 0
    assert "[y/N]" not in result.err


def test_code_that_changed_is_asked_for_again(cli: Cli) -> None:
    assert cli("run", cli.count(), "--trust", "--run-id", "r-1").code == 0
    cli.count("return {'count': 9}")
    assert cli("run", cli.folder / "graph.toml").code == 6
    assert cli("fork", "r-1", "--at", 0, "--run-id", "r-2").code == 0
    for verb in ("step", "resume"):
        assert cli(verb, "r-2").code == 6
    assert cli("resume", "r-2", "--trust").code == 0


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


def test_looking_and_checking_import_nothing(cli: Cli) -> None:
    assert cli("run", cli.count(), "--trust", "--run-id", "r-1").code == 0
    cli.graph(
        (cli.folder / "graph.toml").read_text(encoding="utf-8"), work="raise AssertionError('imported')"
    )
    for words in (("check", "graph.toml"), ("runs", "show", "r-1"), ("runs", "show", "r-1", "--step", 1)):
        assert cli(*words).code == 0
