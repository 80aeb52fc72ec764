"""Graph files to read, in a folder of their own, and a data folder that is empty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

WriteText = Callable[..., Path]


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what is trusted away from the user's own folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("STEPGRAPH_HOME", str(home))
    return home


@pytest.fixture
def write(tmp_path: Path) -> WriteText:
    """Write a text to a file, ``graph.toml`` unless named, and return its path."""

    def write_text(text: str, name: str = "graph.toml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_text
