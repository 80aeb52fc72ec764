"""What the tests of LangGraph graphs share: a data folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what is trusted away from the user's own folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("STEPGRAPH_HOME", str(home))
    return home
