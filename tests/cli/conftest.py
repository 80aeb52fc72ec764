"""The command line on a store of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Cli


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command, called in this process."""
    monkeypatch.setenv("STEPGRAPH_STORE", f"sqlite:///{tmp_path / 'runs.db'}")
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return Cli(capsys, tmp_path)
