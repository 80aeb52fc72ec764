"""``stepgraph export``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.calling import Cli

GRAPHS = Path(__file__).parents[2] / "graphs"
REFUND = str(GRAPHS / "refund_triage.toml")


# acceptance 84, 85
def test_in_a_folder_the_file_is_named_after_the_graph_or_the_run_and_the_time(cli: Cli) -> None:
    folder = cli.folder / "there.json"
    folder.mkdir()
    assert cli("export", REFUND, "-o", "there.json", "--to", "dag").code == 0
    assert cli("run", REFUND, "--run-id", "r-1", "--trust").code == 10
    assert cli("export", "r-1", "-o", "there.json", "--to", "dag").code == 0
    names = sorted(re.sub(r"\d{8}-\d{6}", "TIME", path.name) for path in folder.iterdir())
    assert names == ["r-1-TIME.dag.json", "r-1-TIME.trace.json", "refund-triage-TIME.dag.json"]


@pytest.mark.parametrize("name", ["dag", "python", "jsonl", "otel"])
def test_a_run_is_written_in_the_formats_that_tell_of_it(cli: Cli, name: str) -> None:
    assert cli("run", REFUND, "--run-id", "r-1", "--trust").code == 10
    result = cli("export", "r-1", "--to", name)
    assert result.code == 0
    assert "classify" in result.out


def test_secrets_are_masked_and_what_is_left_can_be_read_again(cli: Cli) -> None:
    text = """format = 1
name = "about hunter22"
start = "ask"

[state.token]
type = "text"
default = "hunter22"
secret = true

[state.pin]
type = "number"
default = 998877
secret = true

[nodes.ask]
type = "llm"
prompt = "say hunter22 or 998877"
replies = ["hunter22", "it is 998877"]

[[edges]]
from = "ask"
to = "END"
label = "with hunter22"
"""
    (cli.folder / "secret.toml").write_text(text, encoding="utf-8")
    assert cli("run", "secret.toml", "--run-id", "r-1").code == 0
    from stepgraph_tui.exports import FORMATS

    for source in ("secret.toml", "r-1"):
        for each in FORMATS:
            if source == "r-1" or not each.needs_run:
                written = cli("export", source, "--to", each.name)
                assert written.code == 0, each.name
                assert "hunter22" not in written.out + written.err, each.name
                assert "998877" not in written.out + written.err, each.name
        assert cli("export", source, "-o", "out.json", "--force").code == 0
        assert cli("import", "out.json", "-o", "back.toml", "--force").code == 0
        assert "***" in (cli.folder / "back.toml").read_text("utf-8")


def test_a_run_is_read_without_trust(cli: Cli) -> None:
    assert cli("run", REFUND, "--run-id", "r-1", "--trust").code == 10
    result = cli("export", "r-1", "-o", "run.json")
    assert result.code == 0
    assert "wrote run.json: run r-1 of refund-triage as json" in result.err
