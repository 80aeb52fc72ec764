"""Whatever happens, a person reads one message, and never a traceback."""

from __future__ import annotations

import os
from argparse import Namespace

import pytest

from stepgraph_tui.cli import runs
from stepgraph_tui.cli.output import Output
from tests.cli.calling import Cli


def broken(args: Namespace, output: Output) -> int:
    raise ZeroDivisionError("a slip of ours")


def stopped(args: Namespace, output: Output) -> int:
    raise KeyboardInterrupt


def test_a_bug_of_ours_says_so_and_names_the_file_with_its_traceback(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "list_runs", broken)
    result = cli("runs")
    assert result.code == 1
    assert "this is a bug in Stepgraph: ZeroDivisionError: a slip of ours" in result.err
    assert "Traceback" not in result.err
    (report,) = (cli.folder / "home").glob("crash-*.txt")
    assert str(report) in result.err
    assert "raise ZeroDivisionError" in report.read_text(encoding="utf-8")
    assert report.stat().st_mode & 0o777 == 0o600


def test_a_report_never_writes_over_a_file_or_through_a_link(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.strftime", lambda _: "now")
    theirs = cli.folder / "theirs"
    theirs.write_text("kept", encoding="utf-8")
    (cli.folder / "home").mkdir(exist_ok=True)
    (cli.folder / "home" / f"crash-now-{os.getpid()}.txt").symlink_to(theirs)
    monkeypatch.setattr("tempfile.tempdir", str(cli.folder / "tmp"))
    monkeypatch.setattr(runs, "list_runs", broken)
    assert str(cli.folder / "tmp") in cli("runs").err
    assert theirs.read_text(encoding="utf-8") == "kept"


def test_the_report_goes_elsewhere_when_the_data_folder_cannot_be_written(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cli.folder / "home").write_text("a file in the way", encoding="utf-8")
    elsewhere = cli.folder / "tmp"
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    monkeypatch.setattr(runs, "list_runs", broken)
    assert str(elsewhere) in cli("runs").err
    assert list(elsewhere.glob("crash-*.txt"))


def test_ctrl_c_outside_of_a_node_gives_exit_130(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "list_runs", stopped)
    result = cli("runs")
    assert (result.code, result.err) == (130, "interrupted\n")
