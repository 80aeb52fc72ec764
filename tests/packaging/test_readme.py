"""What the front page and the pages of docs show is what Stepgraph does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stepgraph
from stepgraph import Decision, Executor, Outcome, RunStatus, StateGraph, StepgraphError
from stepgraph.files import located
from stepgraph.values import errors
from stepgraph_tui.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def block(language: str, page: str) -> str:
    """The one block of a page in that language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return str(found)


def test_the_front_page_is_read_in_five_minutes() -> None:
    assert len(PAGES[0].read_text(encoding="utf-8").split()) <= 1200


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_to_something(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(#[^)\s]*)?\)", page.read_text(encoding="utf-8"))
    paths = [path for path, _ in links if "://" not in path]
    assert [path for path in paths if not (page.parent / path).exists()] == []


def test_the_front_page_makes_a_graph_in_ten_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    example = block("python", "README.md")
    assert len([line for line in example.splitlines() if line]) <= 10
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102  # our own example
    assert capsys.readouterr().out == "paused Publish draft 1?\n"
    (tmp_path / "writer.py").write_text(example, encoding="utf-8")
    assert str(located("writer.py")) == f"{tmp_path / 'writer.py'}:graph"


# e9 19
def test_the_python_example_runs_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block("python", "docs/library.md"), "library.md", "exec"), {})  # noqa: S102  # our own example
    assert capsys.readouterr().out.splitlines() == [
        "1 draft {'text': 'draft 1'} -> review",
        "2 review {'verdict': 'reject'} -> draft",
        "3 draft {'text': 'draft 2'} -> review",
        "4 review {'verdict': 'approve'} -> END",
    ]


# e9 19
def test_the_graph_file_of_the_example_runs_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "greeter.toml"
    path.write_text(block("toml", "docs/graph-files.md"), encoding="utf-8")
    executor = Executor(StateGraph.from_file(path).compile())
    run = executor.run(executor.start({}, "r-1"))
    assert run.status is RunStatus.PAUSED
    run = executor.resume("r-1", Decision.reject(by="ana"))
    assert (run.status, run.visits) == (RunStatus.PAUSED, {"greet": 2, "review": 1})
    run = executor.resume("r-1", Decision.edit({"greeting": "Hi Ana!"}, by="ana"))
    assert (run.outcome, run.values["greeting"]) == (Outcome.END, "Hi Ana!")


# e9 19
@pytest.mark.parametrize("name", stepgraph.__all__)
def test_every_public_name_is_there_and_says_what_it_is_for(name: str) -> None:
    found = getattr(stepgraph, name)
    assert name == "END" or found.__doc__


def test_every_error_is_importable_from_the_package_and_stands_in_the_tree_of_errors() -> None:
    found = {
        name: error
        for name, error in vars(errors).items()
        if isinstance(error, type) and issubclass(error, StepgraphError) and not name.startswith("_")
    }
    assert found.keys() <= set(stepgraph.__all__)
    tree = (errors.__doc__ or "").partition("Each error")[0]
    told = dict(re.findall(r"(\w+) +([A-Z]\d{3}) ", tree))
    assert told == {name: error.code for name, error in found.items() if not error.code.endswith("000")}


def test_the_picture_is_what_show_draws(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["show", "graphs/refund_triage.toml"]) == 0
    assert capsys.readouterr().out == block("text", "docs/cli.md")
