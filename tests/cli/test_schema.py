"""``stepgraph schema``, and the line by which editors find what it wrote."""

from __future__ import annotations

import json

from stepgraph.documents.json_schema import graph_schema
from tests.cli.calling import REFUND, Cli

LINE = "#:schema ./stepgraph.schema.json\n"


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
