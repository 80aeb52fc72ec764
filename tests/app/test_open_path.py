"""Asking for the path of a graph file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from stepgraph_tui.dialogs.open_path import OpenPath, refusal
from tests.app.asking import Told, answered_in_turn


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with graph files and others; the current one."""
    for name in ("refund.toml", "refunds.txt", "graphs/a.toml", ".hidden.toml", "other.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(*cases: Sequence[str], size: tuple[int, int] = (80, 24)) -> list[Told]:
    """What was handed back after some keys, and the screen; one dialog a case."""
    return answered_in_turn(lambda _: OpenPath(), *cases, size=size)


MODULE = """
import os

limit = 3
graph = object()

def grown():
    return graph

raise SystemExit("never imported")
"""


@pytest.fixture
def module(folder: Path) -> Path:
    """A module with graphs, beside the files."""
    file = folder / "zebra.py"
    file.write_text(MODULE, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("zebra.py:graph", None),
        ("zebra.py:", "a graph in a module is written as my_agent.py:graph"),
        ("zebra.py:my graph", "a graph in a module is written as my_agent.py:graph"),
        ("gone.py:graph", "there is no such file"),
        ("zebra.py", "write the graph's name behind it: zebra.py:NAME, such as limit, graph, grown"),
    ],
)
def test_what_cannot_be_opened_of_a_module_is_told(module: Path, path: str, why: str | None) -> None:
    assert refusal(Path(path)) == why


def test_tab_goes_from_the_module_to_the_graph_in_it(module: Path) -> None:
    told = asked([*"zeb", "tab", *":gr", "tab", "enter"])
    assert [answers[0] for answers, _ in told] == [Path(f"{module}:graph")]
