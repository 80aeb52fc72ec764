"""A run at the shell that is answered by what another one has recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Cli

GRAPH = """
format = 1
name = "poems"
start = "write"

[state.topic]
input = true

[nodes.write]
type = "llm"
prompt = "Write about {{ topic }}."
output = "draft"

[[edges]]
from = "write"
to = "END"
"""
SETTINGS = """
[models.default]
provider = "scripted"
replies = ["A poem."]
"""


@pytest.fixture
def poems(cli: Cli, tmp_path: Path) -> Path:
    """A graph whose run r-1 was answered by a model; the model is gone since."""
    settings = tmp_path / "home" / "settings.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(SETTINGS)
    graph = cli.graph(GRAPH)
    assert cli("run", graph, "--input", "topic=cats", "--live", "--run-id", "r-1").code == 0
    settings.write_text("")
    return graph


def test_a_replay_begins_as_its_recording_did_and_asks_no_model(cli: Cli, poems: Path) -> None:
    done = cli("run", poems, "--replay", "r-1", "--run-id", "r-2", "--json")
    assert done.code == 0
    assert done.json["values"]["topic"] == "cats"
    assert done.json["values"]["draft"] == "A poem."
    assert "answered by what run r-1 recorded" in done.err
