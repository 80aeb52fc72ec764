"""What the commands print, their errors and exit codes are as the sessions have them.

``STEPGRAPH_RECORD=1 make test PYTEST_ARGS=tests/transcripts`` writes the sessions anew. What has then changed
in them is for the eyes of whoever commits it.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.calling import Cli
from tests.transcripts.playing import SESSIONS, Player, commands

ALL = sorted(SESSIONS.glob("*.txt"))


@pytest.fixture
def player(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Iterator[Player]:
    """A player on a store of its own, in a terminal that is 120 cells wide, in UTC."""
    monkeypatch.setenv("COLUMNS", "120")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield Player(cli, monkeypatch)
    time.tzset()


@pytest.mark.parametrize("session", ALL, ids=lambda session: session.stem)
def test_a_session_is_printed_as_it_was(session: Path, player: Player) -> None:
    if session == _HELP and sys.version_info >= (3, 13):
        pytest.skip("from Python 3.13 on, argparse writes `-o, --output FILE`")
    printed = player.play(session)
    if os.environ.get("STEPGRAPH_RECORD"):
        session.write_text(printed, encoding="utf-8")
    assert printed == session.read_text(encoding="utf-8")


_HELP = SESSIONS / "help.txt"
_BRIEF = {
    "": {"--json", "--version"},
    "run": {"--detach"},  # to workers, which need PostgreSQL
    "resume": {"--detach"},
    "retry": {"--detach"},
    "import": {"--trust"},  # of a LangGraph program: tests/langgraph
    "doctor": {"--json", "--repair"},  # versions and sizes: tests/cli/test_demo_and_doctor.py
    "models add": {"--keyring", "--base-url"},  # the system's keyring; a server
}
"""Options that no session gives, by their commands."""


def _options() -> dict[str, set[str]]:
    """Read which options each command has, from the help that it prints."""
    found: dict[str, set[str]] = {}
    for block in _HELP.read_text(encoding="utf-8").split("$ stepgraph ")[1:]:
        command = block.partition("--help")[0].strip()
        found[command] = set(re.findall(r"^>   (--?[\w-]+)", block, re.MULTILINE))
    return found


def test_every_option_of_every_command_stands_in_a_session() -> None:
    options = _options()
    given: dict[str, set[str]] = defaultdict(set)
    for session in ALL:
        for each in commands(session):
            words = each.command.removeprefix("stepgraph ")
            command = max(
                (name for name in options if f"{words} ".startswith(f"{name} ")), key=len, default=""
            )
            given[command].update(word.partition("=")[0] for word in words.split() if word.startswith("-"))
    missing = {
        command: lacking
        for command, names in options.items()
        if command not in ("serve", "worker")  # they run until they are ended: tests/rest and tests/workers
        and (lacking := names - given[command] - _BRIEF.get(command, set()) - {"--engine", "--store", "-h"})
    }
    assert not missing


def test_the_help_of_every_command_is_in_a_session() -> None:
    first = _HELP.read_text(encoding="utf-8").partition("\n\n$ ")[0]
    listed = set(re.findall(r"^>   ([a-z]+) {2,}", first, re.MULTILINE))
    assert len(listed) > 20
    assert listed <= set(_options())
