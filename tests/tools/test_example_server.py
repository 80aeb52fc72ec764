"""The server of tools that ships with the examples, and the example that reads through it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph import Executor, StateGraph, StepgraphError, ToolRegistry
from stepgraph.models.client import ScriptedModel
from stepgraph.tools.mcp.server import McpServer
from stepgraph.tools.mcp.settings import read_servers

pytest.importorskip("mcp")

GRAPHS = Path(__file__).parents[2] / "graphs"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "shown"
    place.mkdir()
    (place / "hours.md").write_text("Closed on Sundays.", encoding="utf-8")
    (place / "image.png").write_bytes(b"\x89PNG\xff")
    (tmp_path / "secret.md").write_text("no", encoding="utf-8")
    (place / "link.md").symlink_to(tmp_path / "secret.md")
    return place


@pytest.fixture
def tools(folder: Path) -> Iterator[ToolRegistry]:
    command = [sys.executable, str(GRAPHS / "servers" / "files_server.py"), str(folder)]
    settings = read_servers({"files": {"command": command}}, lambda where, what: pytest.fail(what))
    registry = ToolRegistry()
    registry.add_source("files", McpServer("files", settings["files"]))
    yield registry
    registry.close()


def test_the_server_shows_one_folder_and_nothing_else(tools: ToolRegistry) -> None:
    listed: Any = tools.call("files/list", {})
    assert [file["path"] for file in listed["files"]][:2] == ["hours.md", "image.png"]
    assert tools.call("files/read", {"path": "hours.md"})["text"] == "Closed on Sundays."
    for path, said in (
        ("../secret.md", "outside of the folder"),
        ("link.md", "outside of the folder"),
        ("/etc/passwd", "outside of the folder"),
        ("gone.md", "there is no file"),
        ("image.png", "is not text"),
    ):
        with pytest.raises(StepgraphError, match=said):
            tools.call("files/read", {"path": path})


def test_live_the_example_reads_through_the_server(tools: ToolRegistry) -> None:
    app = StateGraph.from_file(GRAPHS / "mcp_files.toml").compile()
    model = ScriptedModel(['CALL_TOOL: files/read {"path": "hours.md"}', "On Sundays."])
    executor = Executor(app, tools=tools, models={"default": model}, live=True)
    run = executor.run(executor.start({}))
    assert run.values["page"] == {"path": "hours.md", "text": "Closed on Sundays."}
    assert [call["name"] for record in run.history for call in record.calls] == [
        "files/list",
        "default",
        "files/read",
        "default",
    ]
