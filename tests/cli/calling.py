"""Calling the command in this process and in others, and graphs to call it on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stepgraph_tui.cli import main

COMMAND = [sys.executable, "-P", "-m", "stepgraph_tui"]
"""What the script ``stepgraph`` does, which does not look for modules in the current folder either."""
REFUND = Path(__file__).parents[2] / "graphs" / "refund_triage.toml"

COUNT = """
format = 1
name = "count"
start = "work"
max_steps = 9

[state.count]
type = "number"
default = 0

[nodes.work]
type = "handler"
handler = "work:work"

[[edges]]
from = "work"
to = "work"
when = "count < 3"
label = "again"

[[edges]]
from = "work"
to = "END"
"""

ASK = """
format = 1
name = "ask"
start = "ask"

[state.order]
default = { id = "8812", amount = 240 }

[state.token]
default = "hunter2-secret"
secret = true

[nodes.ask]
type = "approval"
prompt = "Pay {{ order.amount }}?"
action = "pay(amount={{ order.amount }})"
show = ["order.id", "token"]
editable = { "order.amount" = "number" }
allow = ["approve", "edit", "reject", "respond"]
risk = "high"

[nodes.pay]
type = "router"
key = "order.amount"
threshold = 100
high = "much"
low = "little"
side_effects = true

[nodes.refuse]
type = "router"
key = "order.amount"
threshold = 100
high = "much"
low = "little"

[[edges]]
from = "ask"
to = "pay"
when = 'decision == "approve" and order.amount > 0'
label = "approved"

[[edges]]
from = "ask"
to = "refuse"

[[edges]]
from = "pay"
to = "END"

[[edges]]
from = "refuse"
to = "END"
"""


@dataclass(frozen=True)
class Result:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Cli:
    """The command, called in this process on a store of the test's own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self._capsys = capsys
        self.folder = folder

    def __call__(self, *words: object) -> Result:
        self._capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = self._capsys.readouterr()
        return Result(int(code), out, err)

    def graph(self, text: str, name: str = "graph.toml", **modules: str) -> Path:
        """A graph file, with the handler modules that it names beside it."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        for module, code in modules.items():
            (self.folder / f"{module}.py").write_text(code, encoding="utf-8")
        return path

    def module(self, text: str, name: str = "agent.py") -> Path:
        """A Python module."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def count(self, body: str = "return {'count': state['count'] + 1}", head: str = "") -> Path:
        """The counting graph, with a body for its one node."""
        return self.graph(COUNT, work=f"{head}\n\ndef work(state):\n    {body}\n")

    def paused(self, run_id: str = "r-1") -> str:
        """The id of the review of a new run of the asking graph."""
        result = self("run", self.graph(ASK), "--run-id", run_id, "--json")
        assert result.code == 10
        return str(result.json["review"]["id"])


def call(*words: object, env: Mapping[str, str] | None = None, **settings: Any) -> Result:
    """Call the command in a process of its own, without a terminal."""
    settings.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(
        [*COMMAND, *map(str, words)],
        capture_output=True,
        check=False,
        env={**os.environ, **(env or {})},
        encoding="utf-8",
        timeout=60,
        **settings,
    )
    return Result(done.returncode, done.stdout, done.stderr)
