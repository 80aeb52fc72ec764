"""What docs/python.md shows is what happens: its modules, its edits, and what the commands print."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

from stepgraph import Executor, StepgraphError
from tests.cli.calling import Cli
from tests.cli.test_documented import ROOT, pattern, without_times

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def written(folder: Path, block: str) -> None:
    """Write a module as it is shown, without the remark that names it."""
    name, _, text = block.removeprefix("# ").partition("\n")
    (folder / name).write_text(text, encoding="utf-8")


def edited(folder: Path, block: str) -> None:
    """Change a module as it is shown."""
    name, _, lines = block.removeprefix("# ").partition("\n")
    sides = {sign: "".join(line[1:] for line in lines.splitlines(True) if line[0] == sign) for sign in "-+"}
    text = (folder / name).read_text(encoding="utf-8")
    assert text.count(sides["-"]) == 1
    (folder / name).write_text(text.replace(sides["-"], sides["+"]), encoding="utf-8")


def test_the_commands_print_what_is_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEPGRAPH_STORE")  # a person's is the usual one, which no command names
    (cli.folder / "broken.py").write_text("\n\nlimit = 80 / 0\n", encoding="utf-8")
    ran = 0
    for kind, block in BLOCKS:
        if kind == "python":
            written(cli.folder, block)
        elif kind == "diff":
            edited(cli.folder, block)
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:] if kind == "console" else []:
            command, _, printed = part.partition("\n")
            done = cli(*shlex.split(command)[1:])
            said = without_times((done.err + done.out).replace(str(cli.folder), "/..."))
            assert re.fullmatch(pattern(printed), said), f"{command} printed:\n{said}"
            ran += 1
    assert ran == 9


class App(ModuleType):
    """Stands for the app, in which a person runs what is left of a run that was not seen before."""

    def __init__(self, terminal: bool) -> None:
        super().__init__("stepgraph_tui.debugging_here")
        self.terminal = terminal

    def require_terminal(self) -> None:
        if not self.terminal:
            raise StepgraphError("there is no terminal")

    def open_here(self, executor: Executor, run_id: str | None) -> str | None:
        assert run_id is not None
        executor.run(executor.load(run_id))
        return run_id


def program(folder: Path, monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> None:
    monkeypatch.setitem(sys.modules, "stepgraph_tui.debugging_here", App(terminal))
    monkeypatch.syspath_prepend(folder)
    (module,) = (block for kind, block in BLOCKS if kind == "python" and block.startswith("# my_agent.py"))
    (script,) = (block for kind, block in BLOCKS if kind == "python" and block.startswith("# debugged.py"))
    written(folder, module.replace('state["longest"]', "80"))
    try:
        exec(compile(script, "debugged.py", "exec"), {})  # noqa: S102  # our own example
    finally:
        sys.modules.pop("my_agent", None)


def test_the_program_debugs_its_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path, monkeypatch, terminal=True)
    assert capsys.readouterr().out.splitlines() == [
        "{'name': 'Noor', 'letter': 'Dear Noor, your refund is on its way.', 'fits': True}",
        "end",
    ]


def test_without_a_terminal_the_program_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StepgraphError, match="there is no terminal"):
        program(tmp_path, monkeypatch, terminal=False)
    assert capsys.readouterr().out == ""
