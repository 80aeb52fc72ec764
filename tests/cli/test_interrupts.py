"""Ctrl-C, SIGTERM and kill -9 while a node runs. The node waits on a pipe, so nothing depends on time."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.calling import COMMAND, COUNT, Cli, Result

WAITS = """
from pathlib import Path

def work(state):
    here = Path(__file__).parent
    with open(here / "began", "w") as began:
        began.write("x")
    with open(here / "go") as go:
        go.read()
    return {"count": state["count"] + 1}
"""


@contextmanager
def ctrl_c_heard() -> Iterator[None]:
    """Let children hear Ctrl-C that are begun meanwhile: in a script, `make test &` is deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Waiting:
    """A run in another process, whose first node waits until it is let go."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        (folder / "graph.toml").write_text(COUNT, encoding="utf-8")
        (folder / "work.py").write_text(WAITS, encoding="utf-8")
        os.mkfifo(folder / "began")
        os.mkfifo(folder / "go")
        words = ["run", str(folder / "graph.toml"), "--trust", "--run-id", "r-1", *options]
        with ctrl_c_heard():
            self.process = subprocess.Popen(
                [*COMMAND, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
            )
        (folder / "began").read_text(encoding="utf-8")  # blocks until the node runs

    def told(self, upto: str = "stopping after") -> str:
        """The narration up to the answer to the first signal, or another text."""
        assert self.process.stderr is not None
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if upto in line:
                break
        return "".join(lines)

    def let_go(self) -> None:
        (self._folder / "go").write_text("", encoding="utf-8")

    def end(self) -> Result:
        out, err = self.process.communicate(timeout=60)
        return Result(self.process.returncode, out, err)


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Waiting]:
    monkeypatch.setenv("STEPGRAPH_STORE", str(tmp_path / "runs.db"))
    run = Waiting(tmp_path)
    yield run
    run.process.kill()
    run.process.communicate()


def test_the_second_ctrl_c_leaves_at_once_and_says_what_is_not_recorded(cli: Cli, waiting: Waiting) -> None:
    waiting.process.send_signal(signal.SIGINT)
    waiting.told()
    waiting.process.send_signal(signal.SIGINT)
    result = waiting.end()
    assert result.code == 130
    assert "the step of node work is not recorded" in result.err
    assert "r-1 is READY at that node" in result.err
    run = cli("runs", "--json").json[0]
    assert (run["step"], run["status"], run["current"]) == (0, "ready", "work")


# acceptance 129
def test_a_killed_run_is_ready_at_the_node_that_did_not_complete(cli: Cli, waiting: Waiting) -> None:
    waiting.process.kill()
    assert waiting.end().code == -signal.SIGKILL
    run = cli("runs", "--json").json[0]
    assert (run["step"], run["status"], run["current"]) == (0, "ready", "work")
    assert cli("doctor", "--json").json["store"]["health"] == "ok"


# acceptance 122
def test_who_loses_against_another_process_gets_exit_3(cli: Cli, waiting: Waiting) -> None:
    assert cli("extend", "r-1", 1).code == 0
    waiting.let_go()
    result = waiting.end()
    assert result.code == 3
    assert cli("runs", "--json").json[0]["step"] == 0
