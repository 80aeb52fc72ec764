"""``stepgraph demo`` and ``stepgraph doctor``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Cli


# acceptance 88
def test_the_demo_tells_the_whole_story_on_one_screen(cli: Cli) -> None:
    result = cli("demo")
    assert result.code == 0
    lines = result.out.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    for words in (
        "Paused at review",
        "scripted reviewer",
        "approve -> pay ! -> notify -> END",
        'route == "high" (route is "high")',
        "stepgraph run ",
    ):
        assert words in result.out
    assert not (cli.folder / "runs.db").exists()


@pytest.mark.parametrize("command", [("runs",), ("doctor",)])
def test_a_data_folder_that_may_not_be_read_is_one_message(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setenv("STEPGRAPH_STORE", f"sqlite:///{cli.folder}")  # a folder: it cannot be opened
    monkeypatch.setattr(Path, "exists", refused)
    result = cli(*command)
    assert result.code == 1
    assert "cannot be opened" in " ".join((result.err + result.out).split())  # it may be wrapped
    assert "bug" not in result.err
