"""What each way into Stepgraph may load: a start must stay quick, and the engine must not need a terminal."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from stepgraph import Executor
from stepgraph.files import read_graph
from stepgraph.stores import open_store
from stepgraph_tui.screens import home
from stepgraph_tui.screens.workbench import screen

HEAVY = frozenset({"apsw", "jinja2", "networkx", "pydantic", "rich", "textual", "watchfiles"})

REPORT = "import json, sys; print(json.dumps(sorted(sys.modules)))"
ROOT = Path(__file__).parents[2]

FIRST_FRAME = """
import json, sys
from pathlib import Path
from stepgraph.stores import open_store
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.settings import Settings
from {screen} import __name__ as screen

async def tell(_):
    app.exit(sorted(sys.modules))

sys.modules[screen].preload = tell
store = open_store("memory:")
app = StepgraphApp(AppContext(store, lambda: store, Settings(), Remembered(Path({remembered!r}))), {path})
print(json.dumps(app.run(headless=True)))
"""
"""Tells what is loaded when the first frame is painted: that is when a screen begins to load the rest."""


def modules_after(code: str) -> frozenset[str]:
    """All modules that a fresh interpreter names on its last line after the code."""
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60, cwd=ROOT
    )
    assert process.returncode == 0, process.stderr
    return frozenset(json.loads(process.stdout.splitlines()[-1]))


def loaded_by(code: str) -> frozenset[str]:
    """The top-level modules that a fresh interpreter has loaded after the code."""
    return frozenset(name.partition(".")[0] for name in modules_after(f"{code}\n{REPORT}"))


def among(loaded: frozenset[str], *packages: str) -> set[str]:
    """Those of the modules that are one of the packages, or in one."""
    return {name for name in loaded if any(name == one or name.startswith(f"{one}.") for one in packages)}


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
    loaded = modules_after(f"{command(option)}\n{REPORT}")
    assert "stepgraph_tui.cli.parser" in loaded
    assert not among(
        loaded, "textual", "networkx", "pydantic", "jinja2", "stepgraph.reviews", "stepgraph.runs"
    )


EDITING = ("stepgraph.editing.edges", "stepgraph.editing.fixes", "stepgraph.editing.renaming")
RUNNING = ("stepgraph.runs.executor", "stepgraph_tui.worker.worker", "watchfiles", "multiprocessing")
DIALOGS = (
    "stepgraph_tui.dialogs.approval.deciding",
    "stepgraph_tui.dialogs.approval.screen",
    "stepgraph_tui.dialogs.design",
    "stepgraph_tui.dialogs.forms",
    "stepgraph_tui.dialogs.help",
    "stepgraph_tui.dialogs.pick",
    "stepgraph_tui.dialogs.questions",
    "stepgraph_tui.dialogs.try_node",
    "stepgraph_tui.palette",
    "textual.widgets._text_area",
)


def test_the_first_frame_of_home_loads_nothing_that_reads_shows_or_runs_graphs(tmp_path: Path) -> None:
    remembered = str(tmp_path / "remembered.json")
    code = FIRST_FRAME.format(screen="stepgraph_tui.screens.home", remembered=remembered, path=None)
    loaded = modules_after(code)
    assert "stepgraph_tui.widgets.lines.page" in loaded, "the check looks at no frame of home"
    graphs = ("stepgraph.graphs", "stepgraph.editing", "stepgraph_tui.screens.workbench")
    libraries = ("pydantic", "jinja2", "networkx")
    words = ("stepgraph_tui.text.inbox", "stepgraph_tui.text.reviews", "stepgraph_tui.view.runs")
    assert not among(loaded, *libraries, *graphs, *words, *RUNNING, *DIALOGS)


def test_the_first_frame_of_a_graph_loads_nothing_that_edits_asks_or_runs(tmp_path: Path) -> None:
    code = FIRST_FRAME.format(
        screen="stepgraph_tui.screens.workbench.screen",
        remembered=str(tmp_path / "remembered.json"),
        path="Path('graphs/refund_triage.toml')",
    )
    loaded = modules_after(code)
    assert "stepgraph_tui.drawing.layout.pipeline" in loaded, "the check looks at no frame of a graph"
    assert not among(loaded, "networkx", "pydantic", *EDITING, *RUNNING, *DIALOGS)


def test_what_is_loaded_behind_the_first_frame_is_there() -> None:
    for name in (*home.REST, *screen.REST):
        assert importlib.util.find_spec(name) is not None, name


def test_checking_a_graph_loads_neither_a_terminal_library_nor_what_edits_or_runs() -> None:
    loaded = modules_after(f"{command('check', 'graphs/threshold_router.toml')}\n{REPORT}")
    libraries = ("apsw", "jinja2", "networkx", "pydantic", "rich", "textual", "watchfiles")
    assert "importlib.metadata" not in loaded
    ours = ("stepgraph.editing", "stepgraph.runs", "stepgraph.stores.sqlite", "stepgraph.toml.values")
    described = ("stepgraph.models.client", "stepgraph.tools.functions")
    assert "stepgraph.graphs.validation" in loaded
    assert not among(loaded, *libraries, *ours, *described)


ASKED_FOR = (
    "stepgraph.graphs.subgraphs",
    "stepgraph.models.client",
    "stepgraph.nodes.calls",
    "stepgraph.reviews.inbox",
    "stepgraph.reviews.model",
    "stepgraph.runs.asking",
    "stepgraph.runs.debug.compiled",
    "stepgraph.runs.forking",
    "stepgraph.runs.loops",
    "stepgraph.runs.spending",
    "stepgraph.stores.serving",
    "stepgraph.stores.sqlite.checking",
    "stepgraph_tui.text.reviews",
)
"""What only some runs need: they ask a model or a person, halt somewhere, go round, or lose their store."""


def test_running_a_graph_loads_neither_the_app_nor_what_edits_nor_what_it_does_not_ask_for(
    tmp_path: Path,
) -> None:
    words = ["run", "graphs/threshold_router.toml", "--store", f"sqlite:///{tmp_path / 'runs.db'}"]
    run = f"from stepgraph_tui.cli import main; main({words})"  # which gives standard output back afterwards
    loaded = modules_after(f"{run}\n{REPORT}")
    assert {"stepgraph.runs.executor", "stepgraph.nodes.tool", "stepgraph.stores.sqlite.store"} <= loaded
    libraries = ("jinja2", "networkx", "pydantic", "rich.console", "socket", "textual", "watchfiles")
    assert "importlib.metadata" not in loaded
    assert not among(loaded, *libraries, "stepgraph.editing", *ASKED_FOR)


def test_what_only_some_runs_need_is_there() -> None:
    for name in ASKED_FOR:
        assert importlib.util.find_spec(name) is not None, name


def test_looking_at_a_run_and_forking_it_loads_neither_pydantic_nor_what_runs_a_node(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    with open_store(store) as made:
        executor = Executor(read_graph(ROOT / "graphs" / "threshold_router.toml").compile(), made)
        executor.step(executor.start({"confidence": 0.5}, "r-1"))
    for words in (["runs", "show", "r-1"], ["fork", "r-1"]):
        run = f"from stepgraph_tui.cli import main; assert main({[*words, '--store', store]}) == 0"
        loaded = modules_after(f"{run}\nprint()\n{REPORT}")
        assert "stepgraph.runs.views" in loaded
        libraries = ("jinja2", "networkx", "pydantic", "rich.console", "rich.table", "textual")
        assert not among(loaded, *libraries, "stepgraph.editing")


def test_what_is_right_in_the_examples_needs_no_pydantic() -> None:
    graphs = [str(path) for path in sorted((ROOT / "graphs").glob("*.toml"))]
    assert "pydantic" not in loaded_by(command("check", *graphs))
