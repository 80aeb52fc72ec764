"""``stepgraph schema``, and the line by which editors find what it wrote."""

from __future__ import annotations

import json
import os

import pytest

from stepgraph.documents.json_schema import graph_schema
from stepgraph.editing.renaming import Rename
from stepgraph.editing.text import design_text, read_design
from stepgraph.files.schema_line import schema_line
from tests.cli.calling import REFUND, Cli

LINE = "#:schema ./stepgraph.schema.json\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("#:schema x y \t\n", "x y"),
        ("# note\n\n \t#:schema\t./a\n", "./a"),
        ("#:schema\n#:schemas a\n# b\n#:schema c", "c"),
        ("a = 1\n#:schema x\n", None),
        ("#:schema x" + " " * 500_000 + "y", "x" + " " * 500_000 + "y"),
    ],
)
def test_the_line_is_found_above_the_first_key(text: str, name: str | None) -> None:
    assert schema_line(text) == name


def test_the_schema_is_printed_as_it_is_made(cli: Cli) -> None:
    result = cli("schema")
    assert (result.code, result.err) == (0, "")
    assert result.json == graph_schema()


def test_a_schema_is_written_and_written_anew_and_nothing_else_is_written_over(cli: Cli) -> None:
    assert cli("schema", "-o", "new/graph.json").code == 0
    file = cli.folder / "new/graph.json"
    file.write_text(json.dumps({**graph_schema(), "old": True}), encoding="utf-8")
    assert cli("schema", "-o", "new/graph.json").code == 0
    assert json.loads(file.read_text("utf-8")) == graph_schema()
    for content in ("{}", "[]", "my own notes", "[" * 100_000):
        file.write_text(content, encoding="utf-8")
        result = cli("schema", "-o", "new/graph.json")
        assert result.code == 1
        assert "already exists" in result.err
        assert file.read_text("utf-8") == content
    assert cli("schema", "-o", "new/graph.json", "--force").code == 0
    assert json.loads(file.read_text("utf-8")) == graph_schema()


def test_files_are_given_the_schema_and_the_line_once(cli: Cli) -> None:
    text = REFUND.read_text("utf-8")
    files = [cli.graph(text, "one.toml"), cli.graph(text.replace("\n", "\r\n"), "two.toml")]
    files[1].write_bytes(b"\xef\xbb\xbf" + files[1].read_bytes())
    result = cli("schema", "--for", *files)
    assert result.code == 0
    assert files[0].read_text("utf-8") == LINE + text
    assert files[1].read_bytes() == b"\xef\xbb\xbf" + (LINE + text).replace("\n", "\r\n").encode()
    assert json.loads((cli.folder / "stepgraph.schema.json").read_text("utf-8")) == graph_schema()
    before = [file.read_bytes() for file in files]
    again = cli("schema", "--for", *files)
    assert again.err.count("is up to date") == 2
    assert [file.read_bytes() for file in files] == before
    assert cli("check", *files).code == 0


def test_a_line_that_names_another_schema_stays(cli: Cli) -> None:
    file = cli.graph("#:schema https://example.com/mine.json\n" + REFUND.read_text("utf-8"))
    before = file.read_bytes()
    result = cli("schema", "--for", file)
    assert "https://example.com/mine.json, which stays" in " ".join(result.err.split())
    assert file.read_bytes() == before


def test_nothing_is_written_where_a_file_is_missing_or_the_name_is_taken(cli: Cli) -> None:
    assert cli("schema", "--for", "missing.toml").code == 1
    assert not os.listdir(cli.folder)  # noqa: PTH208  # names
    file = cli.graph("format = 1\n")
    (cli.folder / "stepgraph.schema.json").write_text("mine", encoding="utf-8")
    result = cli("schema", "--for", file)
    assert result.code == 1
    assert "stepgraph.schema.json already exists" in result.err
    assert file.read_text("utf-8") == "format = 1\n"
    assert cli("schema", "--for", file, "-o", "x.json").code == 2


def test_a_new_file_has_the_line_where_that_was_asked_for(cli: Cli) -> None:
    assert cli("new", "mine.toml", "--template", "agent", "--schema").code == 0
    assert (cli.folder / "mine.toml").read_text("utf-8").startswith(LINE)
    assert cli("check", "mine.toml").code == 0


@pytest.mark.parametrize("name", ["refund_triage.toml", "supplier_payment.toml"])
def test_the_line_survives_edits_and_formatting(cli: Cli, name: str) -> None:
    text = LINE + (REFUND.parent / name).read_text("utf-8")
    design = read_design(text)
    for node in [*design.nodes]:
        design = Rename("nodes", node, f"{node}_renamed").apply(design).design
    assert design_text(design).startswith(LINE)
    file = cli.graph(text.replace(" = ", "  =   "))
    assert cli("fmt", file).code == 0
    assert file.read_text("utf-8").startswith(LINE)
