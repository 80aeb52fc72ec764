"""One person runs a graph, another decides from elsewhere, and a third comes too late."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.calling import REFUND, Result, call


# acceptance 121
# acceptance 138
def test_a_refund_is_decided_at_a_second_terminal_and_no_node_runs_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    for file in REFUND.parent.iterdir():
        if file.is_file():
            shutil.copy(file, first)
    store = f"sqlite:///{tmp_path / 'runs.db'}"

    def here(*words: object) -> Result:
        return call(*words, "--store", store, cwd=first)

    def there(*words: object) -> Result:
        return call(*words, cwd=second, env={"HOME": str(second), "XDG_DATA_HOME": str(second)})

    paused = here("run", "refund_triage.toml", "--run-id", "r-1", "--trust")
    assert paused.code == 10
    typed = next(line.split() for line in paused.err.splitlines() if " decide " in line)
    assert typed[0] == "stepgraph"

    hidden = first.rename(tmp_path / "hidden")
    shown = there("approvals", "show", typed[3], "--store", store)
    assert "approve -> pay ! -> notify -> END" in shown.out
    decided = there(*typed[1:], "--as", "ana")
    assert decided.code == 0
    late = there("approvals", "decide", typed[3], "--reject", "--as", "ben", "--store", store)
    assert late.code == 3
    assert "approve by ana (cli)" in late.err

    hidden.rename(first)
    ended = here("resume", "r-1", "--json")
    assert ended.code == 0
    nodes = [step["node"] for step in ended.json["trace"]["steps"]]
    assert nodes == ["classify", "lookup", "draft", "amount_check", "review", "pay", "notify"]
    again = here("resume", "r-1", "--json")
    assert [step["node"] for step in again.json["trace"]["steps"]] == nodes
