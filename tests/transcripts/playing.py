"""Transcripts of the command line: sessions of commands, each with all that it printed and its exit code.

A session is a text file. ``$`` begins a command, ``>`` a line of its standard output, ``!`` one of its
standard error, ``=`` its exit code, ``#`` a comment; ``>~`` and ``!~`` begin a last line without a break.
Beside ``stepgraph`` there are ``cat``, ``cp`` and ``rm``, each of them for files of the session's own
folder, and ``< FILE`` behind a command is what it reads from its standard input.
"""

from __future__ import annotations

import io
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.calling import Cli, Result
from tests.transcripts.settling import ROOT, Settling, hold_clocks

FILES = Path(__file__).parent / "files"
SESSIONS = Path(__file__).parent / "sessions"


@dataclass
class Played:
    """One command, with what it printed and its exit code."""

    command: str
    comments: list[str] = field(default_factory=list)
    result: Result = field(default_factory=lambda: Result(0, "", ""))

    def lines(self) -> Iterator[str]:
        """Write it as the lines of a session."""
        yield from self.comments
        yield f"$ {self.command}"
        for sign, text in ((">", self.result.out), ("!", self.result.err)):
            *lines, last = text.split("\n")
            yield from (
                f"{sign} {line}".rstrip(" ") if not line.strip(" ") else f"{sign} {line}" for line in lines
            )
            if last:
                yield f"{sign}~ {last}"
        yield f"= {self.result.code}"


def commands(session: Path) -> Iterator[Played]:
    """Read the commands of a session, each with the comments above it."""
    comments: list[str] = []
    for line in session.read_text(encoding="utf-8").split("\n"):
        if line.startswith("#"):
            comments.append(line)
        elif line.startswith("$ "):
            yield Played(line[2:], comments)
            comments = []


class Player:
    """Plays a session in a folder of its own, at a time that stands still while a command runs."""

    def __init__(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        self._cli = cli
        self._patch = monkeypatch
        self._settling = Settling(cli.folder)

    def play(self, session: Path) -> str:
        """Run the commands of a session, and write it anew."""
        shutil.copytree(FILES, self._cli.folder, dirs_exist_ok=True)
        shutil.copytree(
            ROOT / "graphs", self._cli.folder / "graphs", ignore=shutil.ignore_patterns("__pycache__")
        )
        played = []
        for number, each in enumerate(commands(session)):
            hold_clocks(self._patch, number)
            code, out, err = self._run(each.command)
            each.result = Result(code, self._settling.settled(out), self._settling.settled(err))
            played.append("\n".join(each.lines()))
        return "\n\n".join(played) + "\n"

    def _run(self, command: str) -> tuple[int, str, str]:
        program, *words = shlex.split(self._settling.real(command))
        folder = self._cli.folder
        if program == "cat":
            return 0, "".join((folder / word).read_text(encoding="utf-8") for word in words), ""
        if program == "cp":
            shutil.copy(folder / words[0], folder / words[1])
            return 0, "", ""
        if program == "rm":
            for word in words:
                (folder / word).unlink()
            return 0, "", ""
        assert program == "stepgraph", f"a session has no {program}"
        if "<" in words:
            *words, _, source = words
            given = io.TextIOWrapper(io.BytesIO((folder / source).read_bytes()), encoding="utf-8")
            self._patch.setattr(sys, "stdin", given)
        done = self._cli(*words)
        return done.code, done.out, done.err
