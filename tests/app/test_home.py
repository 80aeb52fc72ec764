"""The home screen: what it lists, and what its keys do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stepgraph.files import grant, graph_ref, unopened
from stepgraph_tui.dialogs.questions import TrustDialog
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.screens.home import listed_section
from tests.app.at_home import Host, pressed
from tests.app.bench import SMALL, Bench, P, dialog, press, text
from tests.app.playing import play
from tests.app.turning import rest

AGENT = """
from stepgraph import END, StateGraph
graph = StateGraph("g", start="a")
graph.add_node("a", lambda state: {"x": 1})
graph.add_edge("a", END)
second = graph
"""


def test_x_forgets_a_recent_file_for_good_and_leaves_it_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("", encoding="utf-8")
    host = Host(tmp_path, None, file)
    assert "mine.toml" not in pressed(host, "d")
    assert file.exists()
    assert Remembered.load(tmp_path / "remembered.json").recent == []


def test_graphs_of_a_langgraph_json_are_listed_with_whether_they_are_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path / "home"))
    assert listed_section(tmp_path) is None
    graphs = {
        "one": "./src/agent.py:graph",
        "two": "./agent.py:made",
        "gone": "./gone.py:graph",
        "web": "a.ts:x",
    }
    (tmp_path / "langgraph.json").write_text(json.dumps({"graphs": graphs}), encoding="utf-8")
    (tmp_path / "src").mkdir()
    for file in ("src/agent.py", "agent.py"):
        (tmp_path / file).write_text("graph = made = None\n", encoding="utf-8")
    ref = graph_ref(tmp_path / "agent.py:made")
    assert ref is not None
    grant(unopened(ref))
    section = listed_section(tmp_path)
    assert section is not None
    assert [(entry.title, entry.detail, entry.right, entry.off) for entry in section.entries] == [
        ("one", "src/agent.py:graph", "not trusted yet", False),
        ("two", "agent.py:made", "", False),
        ("gone", "gone.py:graph", "missing", True),
    ]
    (tmp_path / "langgraph.json").write_text("{", encoding="utf-8")
    section = listed_section(tmp_path)
    assert section is not None
    assert "it is not JSON" in section.remark


def test_home_opens_a_graph_that_a_langgraph_json_lists(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.folder)
    bench.graph("", "unused.toml", agent=AGENT)
    (bench.folder / "langgraph.json").write_text('{"graphs": {"helper": "agent.py:graph"}}', encoding="utf-8")

    async def script(pilot: P) -> None:
        assert "LANGGRAPH.JSON" in text(pilot)
        assert "helper" in text(pilot)
        await press(pilot, "enter")
        assert "agent.py:graph" in dialog(pilot, TrustDialog).question

    bench.play(script)


def test_of_several_graphs_in_a_module_one_is_picked(bench: Bench) -> None:
    bench.graph("", "unused.toml", agent=AGENT)
    app = bench.app()
    app._choices = [bench.folder / f"agent.py:{name}" for name in ("graph", "second")]

    async def script(pilot: P) -> None:
        await rest(pilot)
        assert "Which graph of agent.py?" in text(pilot)
        await press(pilot, *"sec")
        await press(pilot, "enter")
        assert "agent.py:second" in dialog(pilot, TrustDialog).question

    play(app, script, SMALL)
    app.context.store.close()
