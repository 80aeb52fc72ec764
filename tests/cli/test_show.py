"""``stepgraph show``: graphs as pictures."""

from __future__ import annotations

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
