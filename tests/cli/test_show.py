"""``stepgraph show``: graphs as pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from stepgraph_tui import drawing
from stepgraph_tui.cli import show
from stepgraph_tui.drawing import Diagram, Picture, lay_out

from .calling import REFUND, Cli, call


def test_a_graph_that_cannot_fit_is_laid_out_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    diagrams: list[Diagram] = []

    def note(diagram: Diagram) -> Picture:
        diagrams.append(diagram)
        return lay_out(diagram)

    monkeypatch.setattr(drawing, "lay_out", note)
    narrow = cli("show", REFUND, "--width", "10")
    assert len(diagrams) == 1
    cli("show", REFUND, "--width", "200")
    assert len(diagrams) == 2
    monkeypatch.setattr(
        drawing, "least_width", lambda diagram: 0
    )  # as of one with long lines beside each other
    monkeypatch.setattr(show, "_LARGE", 5)
    assert cli("show", REFUND, "--width", "10").out == narrow.out
    assert len(diagrams) == 3


def test_marks_of_a_run_of_another_version_say_so(cli: Cli) -> None:
    cli("run", REFUND, "--run-id", "r-1")
    text = REFUND.read_text(encoding="utf-8").replace("max_steps = 30", "max_steps = 31")
    result = cli("show", cli.graph(text), "--run", "r-1")
    assert result.code == 0
    assert "another version of this graph (1 difference)" in result.err
    assert "✓ L classify" in result.out


def test_a_file_that_is_none_and_a_width_that_is_none_are_refused(cli: Cli) -> None:
    assert cli("show", "nowhere.toml").code == 1
    assert cli("show", REFUND, "--width", 0).code == 2
    assert cli("show", REFUND, "--zoom", "huge").code == 2


def many_edges(folder: Path, pairs: Iterable[tuple[str, str]]) -> Path:
    """A graph file with so many edges, each with a label and a condition."""
    edges = [*pairs]
    names = dict.fromkeys(name for pair in edges for name in pair if name != "END")
    text = ['format = 1\nname = "many"\nstart = "a"\n\n[state.n]\ntype = "number"\ndefault = 30']
    text += [f'[nodes.{name}]\ntype = "llm"\nprompt = "hi"\nreplies = ["ok"]' for name in names]
    text += [
        f'[[edges]]\nfrom = "{source}"\nto = "{target}"\nlabel = "way {number}"\nwhen = "n == {number}"'
        for number, (source, target) in enumerate(edges)
    ]
    path = folder / "many.toml"
    path.write_text("\n\n".join(text) + "\n", encoding="utf-8")
    return path


def test_many_parallel_edges_are_one_line_and_listed_below_it(cli: Cli, tmp_path: Path) -> None:
    path = many_edges(tmp_path, [("a", "END")] * 50)
    cli("run", path, "--run-id", "r-1")
    lines = cli("show", path, "--run", "r-1").out.splitlines()
    assert sum("x50: 1 way 0" in line for line in lines) == 1
    assert lines[-23:-20] == ["  a: 50 edges lead to END", "    1 way 0", "    2 way 1"]
    assert lines[-2:] == ["    31 way 30  taken", "    … 29 more; `stepgraph show --json` has all"]
    (edge,) = json.loads(call("show", path, "--json").out)["edges"]
    assert edge["text"] == "x50: 1 way 0, 2 way 1, …"
    assert edge["texts"] == [f"{number + 1} way {number}" for number in range(50)]
