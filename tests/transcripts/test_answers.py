"""What the server answers is as the sessions in ``answers`` have it.

``$`` begins a request: its method, its target, and its body where it has one; ``-`` a header of it, ``=`` the
status and the headers of the answer, ``>`` a line of its body, JSON laid out. They are recorded as sessions
of the command line are, see ``test_transcripts``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fastapi.routing import APIRoute

from stepgraph_tui.server.api import router
from tests.rest.client import Answer, Client
from tests.rest.conftest import Serve
from tests.transcripts.playing import FILES
from tests.transcripts.settling import Settling, hold_clocks

ANSWERS = Path(__file__).parent / "answers"
ALL = sorted(ANSWERS.glob("*.txt"))
GRAPHS = ("ask", "terms", "circle", "dead_end", "hostile", "count")
TOKENS = {"token": "a-token-of-many-letters"}
"""The sessions whose server wants a token."""
_TOLD = (
    "content-type",
    "location",
    "allow",
    "www-authenticate",
    "retry-after",
    "set-cookie",
    "cache-control",
)
"""The headers that are compared; an answer has others, which are the same for all."""


@dataclass
class Asked:
    """A request, and what was answered."""

    method: str
    target: str
    body: str
    comments: list[str]
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, client: Client, settling: Settling) -> str:
        """Ask the server, and write both as the lines of a session."""
        headers = {name: settling.real(value) for name, value in self.headers.items()}
        body = settling.real(self.body).encode() if self.body else None
        answer = client(self.method, settling.real(self.target), body, **headers)
        request = f"$ {self.method} {self.target} {self.body}".rstrip()
        given = [f"- {name}: {value}" for name, value in self.headers.items()]
        told = [f"{name}: {answer.headers[name]}" for name in _TOLD if name in answer.headers]
        head = "; ".join((f"= {answer.status}", *told))
        lines = [*self.comments, request, *given, head, *(f"> {line}".rstrip() for line in _lines(answer))]
        return settling.settled("\n".join(lines))


def _lines(answer: Answer) -> list[str]:
    text = answer.body.decode()
    if answer.headers.get("content-type", "").startswith("application/json"):
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    return text.splitlines()


def requests(session: Path) -> Iterator[Asked]:
    """Read the requests of a session."""
    comments: list[str] = []
    asked: Asked | None = None
    for line in session.read_text(encoding="utf-8").split("\n"):
        if line.startswith("#"):
            comments.append(line)
        elif line.startswith("$ "):
            if asked is not None:
                yield asked
            method, target, body = f"{line[2:]}  ".split(" ", 2)
            asked, comments = Asked(method, target, body.strip(), comments), []
        elif line.startswith("- ") and asked is not None:
            name, _, value = line[2:].partition(": ")
            asked.headers[name] = value
    if asked is not None:
        yield asked


@pytest.mark.parametrize("session", ALL, ids=lambda session: session.stem)
def test_a_session_is_answered_as_it_was(
    session: Path, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [(FILES / f"{name}.toml").read_text(encoding="utf-8") for name in GRAPHS]
    hold_clocks(monkeypatch, 0)
    served = serve(*texts, work=(FILES / "work.py").read_text(encoding="utf-8"))
    client, settling = served.client(token=TOKENS.get(session.stem)), Settling(tmp_path)
    answered = []
    for number, asked in enumerate(requests(session)):
        hold_clocks(monkeypatch, number)
        answered.append(asked.send(client, settling))
    text = "\n\n".join(answered) + "\n"
    assert not served.failures
    if os.environ.get("STEPGRAPH_RECORD"):
        session.write_text(text, encoding="utf-8")
    assert text == session.read_text(encoding="utf-8")


def test_every_operation_stands_in_a_session_answered_and_refused() -> None:
    answered: set[str] = set()
    refused: set[str] = set()
    routes = [each for each in router.routes if isinstance(each, APIRoute)]
    for session in ALL:
        for block in re.split(r"^\$ ", session.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            method, target = block.split()[:2]
            status = re.search(r"^= (\d+)", block, re.MULTILINE)
            assert status is not None
            for each in routes:
                path = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(each.path))
                if method in (each.methods or ()) and re.fullmatch(path, target.partition("?")[0]):
                    (refused if int(status[1]) >= 400 else answered).add(each.path)
    assert {each.path for each in routes} == answered == refused
