"""The sessions at the command line that the documents show are what the commands print."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph.formats.reading import READERS
from stepgraph_tui.exports import FORMATS
from tests.cli.calling import Cli

ROOT = Path(__file__).parents[2]
_TOOK = re.compile(r" +[\d.]+ ?m?s\b")
"""What takes longer on another machine, with the blanks before it."""


def _session(document: str, heading: str) -> Iterator[tuple[list[str], str]]:
    """List the commands of a section, each with what it is said to print."""
    text = (ROOT / document).read_text(encoding="utf-8")
    [section] = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    for block in re.findall(r"^```console\n(.*?)^```$", section, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield shlex.split(command), printed


def without_times(text: str) -> str:
    """Put the same time for each that something took."""
    return _TOOK.sub(" 0 s", text)


def pattern(printed: str) -> str:
    """Match what a command printed; a line of three dots stands for any lines."""
    lines = without_times(printed).splitlines(keepends=True)
    return "".join(r"(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in lines)


def test_the_run_that_is_debugged_from_end_to_end_is_printed_as_it_is_shown(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEPGRAPH_STORE")  # a person's is the usual one, which no command names
    shutil.copytree(ROOT / "graphs", cli.folder / "graphs", ignore=shutil.ignore_patterns("__pycache__"))
    session = list(_session("docs/debugging.md", "One run from end to end"))
    assert len(session) >= 10
    for words, printed in session:
        assert words[0] == "stepgraph"
        done = cli(*words[1:])
        assert done.code in (0, 10), done.err
        said = without_times(done.err + done.out)
        assert re.fullmatch(pattern(printed), said), f"{words} printed:\n{said}"


def test_the_page_of_exports_names_every_format_and_all_that_is_read() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.split("\n") if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {each.name for each in FORMATS} <= named
    assert set(READERS.values()) <= set(rows)
