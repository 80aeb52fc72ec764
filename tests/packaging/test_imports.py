"""What each way into Stepgraph may load: a start must stay quick, and the engine must not need a terminal."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = frozenset({"apsw", "jinja2", "networkx", "pydantic", "rich", "textual", "watchfiles"})

REPORT = "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"


def loaded_by(code: str) -> frozenset[str]:
    """The top-level modules that a fresh interpreter has loaded after the code."""
    process = subprocess.run(
        [sys.executable, "-c", f"{code}\n{REPORT}"], capture_output=True, text=True, check=False, timeout=60
    )
    assert process.returncode == 0, process.stderr
    return frozenset(json.loads(process.stdout.splitlines()[-1]))


def command(*arguments: str) -> str:
    """Code that runs the command with the arguments and lives on."""
    return (
        f"import sys; sys.argv = ['stepgraph', *{list(arguments)!r}]\n"
        "from stepgraph_tui.cli import main\n"
        "try: status = main()\n"
        "except SystemExit as leaving: status = leaving.code\n"
        "assert not status, status"
    )


def test_importing_the_engine_loads_nothing_heavy() -> None:
    assert not loaded_by("import stepgraph") & HEAVY


def test_the_whole_engine_runs_without_a_terminal_library() -> None:
    everything = "import stepgraph\nfor name in stepgraph.__all__: getattr(stepgraph, name)"
    loaded = loaded_by(everything)
    assert "pydantic" in loaded, "the check looks at an engine that was not loaded"
    assert not loaded & {"rich", "textual", "stepgraph_tui"}


def test_pausing_and_deciding_need_no_graph_library() -> None:
    assert not loaded_by("from stepgraph import Decision, Reviews") & {"networkx", "pydantic", "jinja2"}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_asking_about_the_command_loads_neither_the_app_nor_the_graph_library(option: str) -> None:
    assert not loaded_by(command(option)) & {"textual", "networkx", "pydantic", "jinja2"}
