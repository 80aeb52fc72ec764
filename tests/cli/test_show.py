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


def test_a_graph_is_drawn_with_its_start_marked(cli: Cli) -> None:
    result = cli("show", REFUND)
    assert (result.code, result.err) == (0, "")
    assert "● L classify" in result.out
    assert "( END )" in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_a_run_marks_what_it_has_taken(cli: Cli) -> None:
    cli("run", REFUND, "--run-id", "r-1")
    result = cli("show", REFUND, "--run", "r-1")
    assert result.code == 0
    assert "✓ L classify" in result.out
    assert "┃ ► A review" in result.out
    assert result.out.count("┰") == 4


def test_a_card_tells_of_the_last_visit(cli: Cli) -> None:
    cli("run", REFUND, "--run-id", "r-1")
    result = cli("show", REFUND, "--run", "r-1", "--zoom", "card")
    assert "router · done" in result.out
    assert " ms  high " in result.out


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


def test_an_unknown_run_is_told_by_its_exit_code(cli: Cli) -> None:
    assert cli("show", REFUND, "--run", "nope").code == 4


def test_a_narrow_place_gets_smaller_boxes_and_shorter_labels(cli: Cli) -> None:
    result = cli("show", REFUND, "--width", 36)
    assert "[● classify ]" in result.out
    assert max(map(len, result.out.splitlines())) <= 36
    assert result.err == ""


def test_what_is_too_wide_is_drawn_whole_with_a_remark(cli: Cli) -> None:
    result = cli("show", REFUND, "--direction", "LR", "--zoom", "card", "--width", 40)
    assert "2 rejected" in result.out
    assert "less -S" in result.err
    assert "--zoom chip" in result.err


def test_labels_that_are_cut_are_told_whole_below(cli: Cli) -> None:
    when = """category == "billing" and ticket != '' """.strip()
    text = REFUND.read_text(encoding="utf-8").replace('label = "billing"', "")
    text = text.replace("""'category == "billing"'""", f'"""{when}"""')
    result = cli("show", cli.graph(text))
    assert ' 1 category == "billing"… ' in result.out
    assert f"  classify: 1 {when}" in result.out


@pytest.mark.parametrize("zoom", ["card", "compact", "chip"])
def test_ascii_pictures_have_no_other_characters(cli: Cli, zoom: str) -> None:
    result = cli("show", REFUND, "--ascii", "--zoom", zoom)
    assert result.code == 0
    assert result.out.isascii()
    assert "classify" in result.out


def test_a_terminal_without_lines_gets_ascii() -> None:
    for env in ({"TERM": "linux"}, {"PYTHONIOENCODING": "latin-1", "TERM": "xterm"}):
        assert call("show", REFUND, env=env).out.isascii()


def test_the_picture_as_data(cli: Cli) -> None:
    data = cli("show", REFUND, "--json").json
    assert {node["id"] for node in data["nodes"]} >= {"classify", "review"}
    first = data["edges"][0]
    assert (first["source"], first["target"], first["text"]) == ("classify", "lookup", "1 billing")
    assert first["points"][0][1] < first["points"][-1][1]


def test_a_broken_graph_is_drawn_and_its_errors_are_counted(cli: Cli) -> None:
    text = 'format = 1\nname = "x"\nstart = "a"\n[nodes.a]\ntype = "tool"\n[[edges]]\nfrom = "a"\nto = "b"\n'
    result = cli("show", cli.graph(text))
    assert result.code == 0
    assert "? b" in result.out
    assert "stepgraph check" in result.err


def test_a_file_that_is_none_and_a_width_that_is_none_are_refused(cli: Cli) -> None:
    assert cli("show", "nowhere.toml").code == 1
    assert cli("show", REFUND, "--width", 0).code == 2
    assert cli("show", REFUND, "--zoom", "huge").code == 2


def test_an_empty_graph_says_so(cli: Cli) -> None:
    result = cli("show", cli.graph('format = 1\nname = "x"\nstart = "a"\n'))
    assert result.out == ""
    assert "no nodes" in result.err


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


def test_a_graph_too_large_for_a_picture_is_written_as_its_outline(cli: Cli, tmp_path: Path) -> None:
    names = ["a", *(f"n{number}" for number in range(60))]
    path = many_edges(tmp_path, [(one, other) for one in names for other in names if one != other])
    result = cli("show", path)
    assert result.code == 0
    assert "note: 3,660 lines between 61 boxes are too many for a picture; this is its outline" in result.err
    assert result.out.splitlines()[:3] == ["● L a", "    ↓ n0  [1 way 0]", "    ↓ n1  [2 way 1]"]
    assert call("show", path, "--ascii").out.isascii()
    as_data = call("show", path, "--json")
    assert (as_data.code, as_data.out) == (1, "")
    assert "too many for a picture" in as_data.err
