"""The session with curl that docs/server.md shows is what the server answers."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from stepgraph_tui.server.api import OPERATIONS
from tests.cli.calling import REFUND
from tests.rest.serving import Running, serving

DOCUMENT = Path(__file__).parents[2] / "docs" / "server.md"
REVIEW = "a-7fk2m9qa"
"""The review's id in the document; each run has another."""


def session() -> Iterator[tuple[list[str], str]]:
    """List the requests, each with what is said to be answered."""
    for block in re.findall(
        r"^```console\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.M
    ):
        command, _, answered = block.removeprefix("$ ").partition("\n")
        yield shlex.split(command), answered


def asked(server: Running, words: list[str]) -> str:
    """Send what a command of curl sends, and lay the answer out as the document does."""
    method, headers, body, target = "GET", {}, None, ""
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = next(rest)
        elif not word.startswith("-"):
            target = word.removeprefix("http://127.0.0.1:8000")
    answer = server.raw(method, target, body, headers)
    return f"{json.dumps(json.loads(answer), indent=4)}\n" if answer.startswith("{") else answer


def test_the_session_is_answered_as_it_is_shown(tmp_path: Path) -> None:
    told = list(session())
    assert len(told) == 5
    real = REVIEW
    with serving(REFUND, tmp_path / "runs.db", STEPGRAPH_HOME=str(tmp_path / "home")) as server:
        for words, shown in told:
            assert words[0] == "curl"
            answer = asked(server, [word.replace(REVIEW, real) for word in words])
            found = re.search(r'"id": "(a-\w+)"', answer)
            real = found[1] if found is not None else real
            lines = shown.splitlines(keepends=True)
            pattern = "".join(r"(?:.*\n)*?" if line == "...\n" else re.escape(line) for line in lines)
            assert re.fullmatch(pattern, answer.replace(real, REVIEW)), f"{words} answered:\n{answer}"


def test_every_endpoint_is_in_the_document() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for each in OPERATIONS:
        assert f"`{each.method} {each.path}" in text
