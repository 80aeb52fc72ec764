"""Whatever happens, a person reads one message, and never a traceback."""

from __future__ import annotations

from argparse import Namespace

import pytest

from stepgraph_tui.cli import runs
from stepgraph_tui.cli.output import Output
from tests.cli.calling import Cli


def broken(args: Namespace, output: Output) -> int:
    raise ZeroDivisionError("a slip of ours")


def test_the_report_goes_elsewhere_when_the_data_folder_cannot_be_written(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cli.folder / "home").write_text("a file in the way", encoding="utf-8")
    elsewhere = cli.folder / "tmp"
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    monkeypatch.setattr(runs, "list_runs", broken)
    assert str(elsewhere) in cli("runs").err
    assert list(elsewhere.glob("crash-*.txt"))
