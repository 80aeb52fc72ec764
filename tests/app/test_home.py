"""The home screen: what it lists, and what its keys do."""

from __future__ import annotations

from pathlib import Path

from stepgraph_tui.remembered import Remembered
from tests.app.at_home import Host, pressed


def test_x_forgets_a_recent_file_for_good_and_leaves_it_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("", encoding="utf-8")
    host = Host(tmp_path, None, file)
    assert "mine.toml" not in pressed(host, "x")
    assert file.exists()
    assert Remembered.load(tmp_path / "remembered.json").recent == []
