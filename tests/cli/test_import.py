"""``stepgraph import``."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.calling import Cli

GRAPHS = Path(__file__).parents[2] / "graphs"
EXAMPLES = sorted(GRAPHS.glob("*.toml"))


def exported(cli: Cli, file: Path, out: str = "graph.json") -> None:
    assert cli("export", str(file), "-o", out).code == 0


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_example_comes_back_from_node_link_json_as_it_was(cli: Cli, file: Path) -> None:
    exported(cli, file, f"{file.stem}.json")
    for other in EXAMPLES:  # those that it names lie beside it
        if other != file:
            (cli.folder / other.name).write_bytes(other.read_bytes())
    result = cli("import", f"{file.stem}.json", "-o", file.name)
    assert result.code == 0, result.err
    assert cli("diff", str(file), file.name).code == 0


def test_it_says_what_to_do_with_it(cli: Cli) -> None:
    exported(cli, GRAPHS / "review_loop.toml")
    result = cli("import", "graph.json", "-o", "new/review.toml")
    assert (result.code, result.out) == (0, "")
    assert "made new/review.toml of node-link JSON of Stepgraph: " in result.err
    assert "\n  stepgraph check new/review.toml\n  stepgraph run new/review.toml\n" in result.err
    assert cli("check", "new/review.toml").code == 0


def test_without_a_file_to_write_the_graph_goes_to_standard_output(cli: Cli) -> None:
    exported(cli, GRAPHS / "review_loop.toml")
    result = cli("import", "graph.json")
    assert result.code == 0
    (cli.folder / "again.toml").write_text(result.out, encoding="utf-8")
    assert cli("diff", str(GRAPHS / "review_loop.toml"), "again.toml").code == 0


def test_it_reads_from_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    exported(cli, GRAPHS / "review_loop.toml")
    data = (cli.folder / "graph.json").read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert cli("import", "-", "-o", "again.toml").code == 0


def test_what_is_there_is_only_written_over_with_force(cli: Cli) -> None:
    exported(cli, GRAPHS / "review_loop.toml")
    (cli.folder / "mine.toml").write_text("mine", encoding="utf-8")
    result = cli("import", "graph.json", "-o", "mine.toml")
    assert result.code == 1
    assert "mine.toml already exists" in result.err
    assert (cli.folder / "mine.toml").read_text("utf-8") == "mine"
    assert cli("import", "graph.json", "-o", "mine.toml", "--force").code == 0
    assert cli("check", "mine.toml").code == 0


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"", "F030", "it is empty"),
        (b" \n\t\n", "F030", "it is empty"),
        (b"hello", "F030", "Mermaid"),
        (
            b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "&b;&b;">]><x>&a;</x>',
            "F030",
            "XML is never parsed",
        ),
        (b"\n<svg/>", "F030", "in.txt:2: "),
        (b"format = 1\n", "F030", "stepgraph check in.txt"),
        (b"\xff\xfe{\x00", "F005", "UTF-16"),
        (b"{", "F031", "in.txt:1: "),
        (b'{\n"nodes": [1, NaN]}', "F031", "in.txt:2: error F031: it is no JSON: NaN is no number"),
        (
            b'{"a": 1,\n"b": {"a": 1},\n"\\u0061": 2}',
            "F031",
            'in.txt:3: error F031: it is no JSON: the key "a"',
        ),
        (b'{"nodes": ["\\ud800"]}', "F031", "surrogate"),
        (b"[" * 100_000, "F032", "nested too deeply"),
        (b'{"a":' * 100_000, "F032", "nested too deeply"),
        (b"[" * 200 + b"]" * 200, "F031", "nested deeper than 100 levels"),
        (b"[" + b"9" * 5_000 + b"]", "F032", "too long"),
        (b"[]", "F030", "no graph that is known here"),
        (b'{"nodes": []}', "F030", "node-link"),
        (b"[" + b"1," * 5_000_000 + b"1]", "F004", "larger than 10 MB"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_bad_input_is_told_with_its_place_and_writes_nothing(
    cli: Cli, data: bytes, code: str, said: str
) -> None:
    (cli.folder / "in.txt").write_bytes(data)
    result = cli("import", "in.txt", "-o", "out.toml")
    assert (result.code, result.out) == (1, "")
    assert code in result.err
    assert said in result.err
    assert not (cli.folder / "out.toml").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.json",), "there is no such file"),
        ((".",), "it is a folder"),
        (("in.json", "-o", "out.json"), "name it out.json.toml"),
        (("in.json", "-o", "folder.toml"), "folder.toml is a folder"),
        (("langraph", "a:b"), "there is nothing to import from 'langraph'"),
    ],
)
def test_what_cannot_be_read_or_written_is_told(cli: Cli, words: tuple[str, ...], said: str) -> None:
    (cli.folder / "in.json").write_text("{}", encoding="utf-8")
    (cli.folder / "folder.toml").mkdir()
    result = cli("import", *words)
    assert (result.code, result.out) == (1, "")
    assert said in result.err
