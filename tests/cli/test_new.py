"""``stepgraph new``."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from stepgraph import StateGraph
from stepgraph.files import templates
from stepgraph.files.templates import TEMPLATES, template_text
from tests.cli.calling import Cli


def test_a_new_file_is_blank_unless_a_template_is_named(cli: Cli) -> None:
    result = cli("new", "refunds.toml")
    assert (result.code, result.out) == (0, "")
    assert (cli.folder / "refunds.toml").read_text("utf-8") == template_text("blank", "refunds")
    assert "made refunds.toml: no node yet: draw it yourself" in result.err
    assert "\n  stepgraph refunds.toml\n" in result.err


@pytest.mark.parametrize("template", [name for name in TEMPLATES if name != "blank"])
def test_a_template_runs_by_the_command_that_is_told(cli: Cli, template: str) -> None:
    result = cli("new", "my graph.toml", "--template", template)
    assert result.code == 0
    assert cli("check", "my graph.toml").err.startswith("my graph.toml: ok, ")
    told = next(line for line in result.err.splitlines() if line.startswith("  stepgraph run "))
    assert cli(*shlex.split(told)[1:]).code == (10 if template in ("approval", "agent") else 0)
    assert cli("show", "my graph.toml").code == 0


def test_the_help_lists_the_templates_and_says_which_one_is_usual(cli: Cli) -> None:
    text = " ".join(cli("new", "--help").out.split())
    assert "(default: blank)" in text
    for name, what in TEMPLATES.items():
        assert f"{name} {what}" in text
    assert max(map(len, cli("new", "--help").out.splitlines())) <= 80


def test_as_json_it_tells_file_name_and_template(cli: Cli) -> None:
    result = cli("new", "a.toml", "--template", "approval", "--json")
    assert result.json == {"file": "a.toml", "name": "a", "template": "approval"}
    assert result.err == ""


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("there.toml", "there.toml already exists"),
        ("folder.toml", "folder.toml already exists"),
        ("link.toml", "link.toml already exists"),
        ("no such/x.toml", "make it first: mkdir -p 'no such'"),
        ("there.toml/x.toml", "there.toml is not a folder"),
        ("x", "name it x.toml"),
        ("x.txt", "name it x.txt.toml"),
        (".toml", "the file has no name"),
        ("", "the file has no name"),
        (f"{'x' * 300}.toml", "File name too long"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_touched(cli: Cli, file: str, said: str) -> None:
    (cli.folder / "folder.toml").mkdir()
    (cli.folder / "there.toml").write_text("mine", encoding="utf-8")
    (cli.folder / "link.toml").symlink_to("nowhere")
    before = sorted(path.name for path in cli.folder.iterdir())
    result = cli("new", file)
    assert (result.code, result.out) == (1, "")
    assert said in result.err
    assert "Traceback" not in result.err
    assert sorted(path.name for path in cli.folder.iterdir()) == before
    assert (cli.folder / "there.toml").read_text("utf-8") == "mine"


@pytest.mark.parametrize("words", [("new",), ("new", "a.toml", "--template", "none"), ("new", "a.toml", "b")])
def test_what_is_not_understood_makes_nothing(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli(*words).code == 2
    assert list(cli.folder.glob("*.toml")) == []


@pytest.mark.parametrize(
    "name",
    [
        "two words",
        'it\'s "quoted"',
        "a.b.c",
        "naïve-漢字-🚀",
        "x" * 200,
        "line\nbreak",
        "\x1b[31mred",
        "back\\slash",
    ],
)
def test_the_graph_is_named_after_its_file_whatever_that_is_called(cli: Cli, name: str) -> None:
    result = cli("new", f"{name}.toml", "--template", "critique-loop")
    assert result.code == 0
    assert "\x1b" not in result.err
    assert StateGraph.from_file(cli.folder / f"{name}.toml").compile().name == name


def test_a_name_that_is_no_text_is_written_with_replacement_signs(cli: Cli) -> None:
    path = Path("bad\udcff.toml")
    try:
        path.touch()
    except OSError:
        pytest.skip("this file system takes text alone")
    path.unlink()
    assert cli("new", path).code == 0
    assert StateGraph.from_file(path).name == "bad\ufffd"


def test_a_file_that_somebody_else_makes_meanwhile_stays_theirs(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cli.folder / "a.toml").write_text("theirs", encoding="utf-8")
    monkeypatch.setattr(templates, "refusal", lambda path: None)
    result = cli("new", "a.toml")
    assert result.code == 1
    assert "a.toml already exists" in result.err
    assert (cli.folder / "a.toml").read_text("utf-8") == "theirs"


def test_a_full_disk_leaves_no_half_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = cli("new", "a.toml")
    assert result.code == 1
    assert "a.toml cannot be written: No space left on device" in result.err
    assert not (cli.folder / "a.toml").exists()
