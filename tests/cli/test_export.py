"""``stepgraph export``."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import networkx as nx
import pytest

from tests.cli.calling import Cli

GRAPHS = Path(__file__).parents[2] / "graphs"
REFUND = str(GRAPHS / "refund_triage.toml")


def test_a_graph_goes_to_standard_output_and_nothing_else_does(cli: Cli) -> None:
    result = cli("export", REFUND, "--to", "json")
    assert (result.code, result.err) == (0, "")
    assert set(nx.node_link_graph(json.loads(result.out), edges="edges")) >= {"classify", "END"}


def test_the_option_that_other_programs_have_for_it_names_the_format_as_well(cli: Cli) -> None:
    assert cli("export", REFUND, "--format", "dot").out.startswith("digraph")
    wrong = cli("export", REFUND, "--format", "dott")
    assert wrong.code == 1
    assert "did you mean 'dot'?" in wrong.err


def test_a_file_is_written_with_its_folders_and_told_of(cli: Cli) -> None:
    result = cli("export", REFUND, "-o", "new/folder/refund.json")
    assert (result.code, result.out) == (0, "")
    assert result.err == "wrote new/folder/refund.json: refund-triage as json\n"
    written = json.loads((cli.folder / "new/folder/refund.json").read_text("utf-8"))
    assert written == json.loads(cli("export", REFUND, "--to", "json").out)


def test_what_is_there_is_only_written_over_with_force(cli: Cli) -> None:
    (cli.folder / "mine.json").write_text("mine", encoding="utf-8")
    result = cli("export", REFUND, "-o", "mine.json")
    assert result.code == 1
    assert "mine.json already exists" in result.err
    assert "--force" in result.err
    assert (cli.folder / "mine.json").read_text("utf-8") == "mine"
    assert cli("export", REFUND, "-o", "mine.json", "--force").code == 0
    assert json.loads((cli.folder / "mine.json").read_text("utf-8"))["directed"] is True


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


@pytest.mark.parametrize("name", ["jsonl", "otel"])
def test_what_tells_of_a_run_says_so_of_a_graph(cli: Cli, name: str) -> None:
    result = cli("export", REFUND, "--to", name)
    assert result.code == 1
    assert f"{name} tells of a run" in result.err


def test_a_device_is_never_replaced(cli: Cli) -> None:
    os.mkfifo(cli.folder / "pipe.json")
    for words in ((), ("--force",)):
        result = cli("export", REFUND, "-o", "pipe.json", *words)
        assert result.code == 1
        assert "pipe.json is no plain file" in result.err
    assert (cli.folder / "pipe.json").is_fifo()


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


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((REFUND,), 2, "say it with --to: "),
        ((REFUND, "-o", "x.nothing"), 2, "say it with --to: "),
        ((REFUND, "--to", "jsn"), 1, "did you mean 'json'?"),
        (("refund", "--to", "json"), 4, "did you mean 'refunds.toml'?"),
        (("no-such-run", "--to", "json"), 4, "'no-such-run' is neither a graph file nor a run"),
        (("nothing.toml", "--to", "json"), 1, "there is no such file"),
    ],
)
def test_what_cannot_be_is_told_with_what_to_do(
    cli: Cli, words: tuple[str, ...], code: int, said: str
) -> None:
    (cli.folder / "refunds.toml").write_text("", encoding="utf-8")
    result = cli("export", *words)
    assert (result.code, result.out) == (code, "")
    assert said in result.err


def test_a_graph_with_errors_is_not_exported(cli: Cli) -> None:
    cli("new", "blank.toml")
    result = cli("export", "blank.toml", "--to", "json")
    assert (result.code, result.out) == (1, "")
    assert "G0" in result.err


def test_as_json_it_tells_what_was_written(cli: Cli) -> None:
    result = cli("export", REFUND, "-o", "a.json", "--json")
    assert result.json == {"graph": "refund-triage", "run": None, "format": "json", "written": ["a.json"]}
    inside = cli("export", REFUND, "--to", "json", "--json").json
    assert inside["text"] == (cli.folder / "a.json").read_text("utf-8")
    assert inside["beside"] == {}


def test_the_help_lists_the_formats(cli: Cli) -> None:
    from stepgraph_tui.exports import FORMATS

    lines = cli("export", "--help").out.splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    for each in FORMATS:
        assert f"{each.name} {each.about}" in text
