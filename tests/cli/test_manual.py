"""What the manual shows works as it stands: its commands are known, and its Python runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Executor, MemoryStore, StateGraph
from tests.cli.calling import Cli

DOCS = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
COMMANDS = [
    pytest.param(shlex.split(line[2:], comments=True), id=f"{path.stem}: {line[2:]}")
    for path in DOCS
    for line in path.read_text("utf-8").splitlines()
    if line.startswith("$ stepgraph ")
]


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_has_the_options_that_it_is_shown_with(cli: Cli, words: list[str]) -> None:
    shown = cli(*words[1:], "--help")
    assert (shown.code, shown.err) == (0, "")
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    assert [option for option in options if option not in shown.out] == []


def test_the_python_of_the_debugger_runs_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    graph = StateGraph("essay", start="draft", max_steps=9)
    graph.add_key("score", default=0)
    graph.add_node("draft", lambda state: {"score": state["score"] + 1})
    graph.add_node("review", lambda state: {})
    graph.add_edge("draft", "review")
    graph.add_edge("review", "draft", when="score < 3")
    graph.add_edge("review", END)
    store = MemoryStore()
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({}, "r-1"))
    names: dict[str, Any] = {"executor": executor, "store": store}
    text = next(path for path in DOCS if path.stem == "debugging").read_text("utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        exec(compile(block, "debugging.md", "exec"), names)  # noqa: S102  # our own example
    assert capsys.readouterr().out.startswith("hit BreakpointHit(")
    assert names["stop"].describe() == "step 5: score changed; breakpoint before review hit"
    assert (names["reading"].now.value, names["reading"].before.value) == (3, 2)
