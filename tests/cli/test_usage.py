"""What is said to those who type something else than a command."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from stepgraph_tui.cli import main, runs
from stepgraph_tui.cli.parser import parse
from tests.cli.calling import Cli

NEEDED = {
    **dict.fromkeys(
        (
            "new",
            "show",
            "fmt",
            "run",
            "step",
            "resume",
            "retry",
            "edit",
            "breaks",
            "serve",
            "export",
            "import",
        ),
        ("it",),
    ),
    "diff": ("it", "another"),
    "fork": ("it", "--at", "1"),
    "extend": ("it", "1"),
}
HEAVY = ("textual", "networkx", "rich", "pydantic", "jinja2", "apsw")


def test_the_version_is_data(cli: Cli) -> None:
    result = cli("--version")
    assert result.code == 0
    assert result.out.startswith("stepgraph ")
    assert not result.err


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help_and_version_load_nothing_heavy(option: str) -> None:
    code = (
        "import sys\nfrom stepgraph_tui.cli import main\n"
        f"main([{option!r}])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.splitlines()[-1] == "[]"


def test_deciding_loads_no_graph() -> None:
    code = (
        "import sys\nfrom stepgraph_tui.cli import main\n"
        "main(['approvals', 'decide', 'a-1', '--approve', '--store', 'memory:'])\n"
        "print([name for name in ('networkx', 'textual', 'jinja2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_lists_the_commands_and_the_exit_codes(cli: Cli) -> None:
    result = cli("--help")
    assert result.code == 0
    for word in ("approvals", "doctor", " 10  paused", "130  interrupted"):
        assert word in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_each_command_of_the_help_declares_what_it_takes(cli: Cli) -> None:
    commands = re.findall(r"^    ([a-z]+)  ", cli("--help").out.partition("COMMAND\n")[2], re.MULTILINE)
    assert {"new", "check", "retry", "approvals", "doctor"} <= set(commands)
    for command in commands:
        result = cli(command, "--help")
        assert result.code == 0
        assert result.out.startswith(f"usage: stepgraph {command}")
        assert callable(parse([command, *NEEDED.get(command, ())]).command)


def test_an_interrupt_while_a_command_is_loaded_is_one_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(parser: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "runs_options", interrupted)
    assert main(["runs"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_without_a_command_it_says_which_one_to_use(cli: Cli) -> None:
    result = cli()
    assert result.code == 2
    assert "`stepgraph run FILE`" in result.err
    assert not result.out


def test_a_file_alone_is_answered_by_the_commands_for_files(cli: Cli) -> None:
    result = cli("graph.toml")
    assert result.code == 2
    assert "`stepgraph run graph.toml`" in result.err


def test_a_mistyped_command_is_recognised(cli: Cli) -> None:
    result = cli("approvls")
    assert result.code == 2
    assert "did you mean 'approvals'?" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "a.toml", "--bogus"),
        ("fork", "r-1", "--at", "two"),
        ("approvals", "decide", "a-1"),
        ("approvals", "decide", "a-1", "--approve", "--reject"),
        ("approvals", "decide", "a-1", "--app"),
        ("runs", "--status", "lost"),
        ("check",),
    ],
)
def test_what_is_not_understood_gives_exit_2_and_no_traceback(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli(*words)
    assert result.code == 2
    assert result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("approvals decide a-1 --aprove", "there is no option --aprove (did you mean --approve?)"),
        ("run a.toml --inptu n=1", "stepgraph run: there is no option --inptu (did you mean --input?)"),
        ("runs --jsno", "stepgraph runs: there is no option --jsno (did you mean --json?)"),
        ("import a.mmd --format dot", "stepgraph import: there is no option --format\n"),
        ("run a.toml n=1", "stepgraph run: 'n=1' is one argument too many (write --input n=1)"),
        ("extend r-1 2 3", "stepgraph extend: '3' is one argument too many\n"),
        ("fork r-1 --at two", "argument --at: 'two' is not a whole number"),
    ],
)
def test_what_is_not_known_is_named_before_what_is_missing(cli: Cli, words: str, said: str) -> None:
    result = cli(*words.split())
    assert result.code == 2
    assert said in result.err


def test_what_looks_like_an_option_may_be_a_text(cli: Cli) -> None:
    review = cli.paused()
    assert cli("approvals", "decide", review, "--respond", "--why so much?").code == 0
    assert cli("check", "--", "--no-such-file.toml").code == 1


def test_the_store_may_be_named_before_and_after_the_command(cli: Cli) -> None:
    first = f"sqlite:///{cli.folder / 'first.db'}"
    assert cli("run", cli.graph(PLAIN), "--run-id", "r-1", "--store", first).code == 0
    assert [run["id"] for run in cli("--store", first, "runs", "--json").json] == ["r-1"]
    assert [run["id"] for run in cli("runs", "--json", "--store", first).json] == ["r-1"]
    assert cli("runs", "show", "r-1", "--store", first).code == 0
    assert cli("runs", "--json").json == []


PLAIN = """
format = 1
name = "plain"
start = "pick"

[state.amount]
default = 5

[nodes.pick]
type = "router"
key = "amount"
threshold = 100
high = "much"
low = "little"

[[edges]]
from = "pick"
to = "END"
"""


def test_a_word_that_could_fool_the_terminal_is_shown_as_it_is_written(cli: Cli) -> None:
    result = cli("run", "--\x1b[31m\u202e")
    assert result.code == 2
    assert r"--\x1b[31m\u202e" in result.err
    assert "\x1b" not in result.err
