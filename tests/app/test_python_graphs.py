"""Graphs in Python modules, in the app: trusted, imported, stepped, mended in the editor and adopted."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from stepgraph.files import read_graph
from stepgraph_tui.dialogs.adopt import AdoptQuestion
from stepgraph_tui.dialogs.open_path import OpenPath
from stepgraph_tui.dialogs.questions import TrustDialog
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.worker import Capture
from tests.app import gates
from tests.app.bench import (
    LARGE,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    settle,
    start,
    text,
    workbench,
)
from tests.app.python_graphs import (
    AGENT,
    BROKEN_LINE,
    IMPORTED,
    MENDED,
    MENDED_LINE,
    line_of,
    module,
    trust,
)
from tests.app.writing_editor import WritingEditor

MARKED = "from pathlib import Path\nPath(__file__).with_name('imported').touch()\n" + AGENT
"""A module that leaves a mark when it is imported."""


def test_nothing_is_imported_before_somebody_agrees(bench: Bench) -> None:
    path, mark = module(bench.folder, MARKED), bench.folder / "imported"
    bench.capture = Capture(pipe=False)

    async def script(pilot: P) -> None:
        await settle(pilot)
        assert "that you have not trusted yet" in dialog(pilot, TrustDialog).question
        assert "agent.py" in text(pilot)
        await press(pilot, "escape")
        assert not mark.exists()
        await press(pilot, "q")
        assert not mark.exists()

    bench.play(script, path)

    async def agree(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "escape", "4")
        shown = " ".join(text(pilot).replace("│", " ").split())
        assert shown.count("agent.py is not imported: nobody has") == 2  # in the graph and beside it
        assert "c asks again." in shown
        assert "no graph to draw" not in shown
        await press(pilot, "2")
        assert "not imported: c imports it" in said(pilot)
        await press(pilot, "c")
        dialog(pilot, TrustDialog)
        await press(pilot, "y")
        assert mark.exists()
        assert "Start a run of agent" in text(pilot)  # what the key asked for
        await press(pilot, "escape", "9")
        assert IMPORTED in text(pilot)
        assert "import of agent.py" in text(pilot)

    bench.play(agree, path)


def test_a_failed_step_is_mended_in_the_editor_and_the_run_goes_to_its_end(bench: Bench) -> None:
    path = module(bench.folder, trusted=True)
    bench.editor = WritingEditor(lambda old: old.replace(BROKEN_LINE, MENDED_LINE))

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        await press(pilot, "s", "s")
        assert "FAILED" in header(pilot)
        assert "the shelf" in text(pilot)
        await press(pilot, "E")
        assert bench.editor.opened == [(bench.folder / "agent.py", line_of(AGENT, "raise RuntimeError"))]
        assert "has changed since you trusted it" in dialog(pilot, TrustDialog).question
        question = text(pilot)
        assert '-    raise RuntimeError("the shelf is empty")' in question
        assert '+    return {"found": "a book"}' in question
        await press(pilot, "y")
        assert "imported again" in said(pilot)
        await press(pilot, "1", "o", "E")  # of an edge it is the call that adds that
        assert bench.editor.opened[1:] == [
            (bench.folder / "agent.py", line_of(MENDED, 'add_edge("look_up", END'))
        ]
        await press(pilot, "r")
        assert "ENDED" in header(pilot)

    bench.play(script, path)
    (run,) = bench.store.runs()
    assert bench.store.values(run.head.id, run.pointer.version)["found"] == "a book"
    assert run.head.source == str(path)


def test_with_a_folder_that_is_trusted_the_edited_code_runs_at_once(bench: Bench) -> None:
    path = module(bench.folder)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "f")
        await start(pilot)
        await press(pilot, "s")
        module(bench.folder, MENDED)
        workbench(pilot).controllers.files.look_at_disk()
        await settle(pilot)
        assert "imported again" in said(pilot)
        await press(pilot, "s")
        assert "ENDED" in header(pilot)

    bench.play(script, path)


def test_a_run_goes_by_an_older_version_until_it_adopts_the_new_one(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)
    other = MENDED.replace('add_edge("look_up", END)', 'add_edge("look_up", END, when="count > 1")')

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        await press(pilot, "s")
        module(bench.folder, other, trusted=True)
        workbench(pilot).controllers.files.look_at_disk()
        await settle(pilot)
        assert "agent (older)" in header(pilot)
        assert "= shows what differs" in said(pilot)
        await press(pilot, "s")
        assert "READY" in header(pilot)
        assert "= shows what differs, and adopts it" in said(pilot)
        await press(pilot, "equals_sign")
        assert "agent.py:graph" in dialog(pilot, AdoptQuestion).question
        await press(pilot, "a")
        assert "(older)" not in header(pilot)
        await press(pilot, "s")
        assert "ENDED" in header(pilot)

    bench.play(script, path, size=LARGE)


def test_a_module_that_an_edit_has_broken_keeps_the_last_good_graph(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)
    broken = MENDED + "\ngraph.add_edge(nothing, END)\n"
    bench.editor = WritingEditor(lambda old: MENDED)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        module(bench.folder, broken, trusted=True)
        workbench(pilot).controllers.files.look_at_disk()
        await settle(pilot)
        shown = text(pilot)
        assert "NameError" in shown
        assert "analyze" in shown
        assert "look_up" in shown
        assert workbench(pilot).grid.groups[2].active == "problems"
        await press(pilot, "s")
        assert "READY" in header(pilot)
        await press(pilot, "m")
        assert "NOT IMPORTED" in header(pilot)
        trust_before = len(bench.editor.opened)
        await press(pilot, "E")
        assert bench.editor.opened[trust_before:] == [
            (bench.folder / "agent.py", line_of(broken, "nothing, END"))
        ]
        assert "PYTHON" in header(pilot)
        await press(pilot, "m", "c")
        assert "ENDED" in header(pilot)

    bench.play(script, path, size=LARGE)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import sys\nprint('bye')\nsys.exit(3)\n", "ends the program"),
        ("raise RuntimeError('no config')\n", "no config"),
        ("def f(:\n", "SyntaxError"),
        ("graph = 3\n", "not a graph"),
        ("other = 3\n", "there is no 'graph'"),
        ("def graph():\n    raise SystemExit\n", "graph"),
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("import os\nos.write(1, b'NOISE')\nraise BaseException('odd')\n", "odd"),
    ],
)
def test_what_goes_wrong_with_a_module_is_told_and_ends_nothing(bench: Bench, code: str, told: str) -> None:
    path = module(bench.folder, code, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        assert told in said(pilot)
        assert workbench(pilot).grid.groups[2].active == "problems"
        assert workbench(pilot).file.checked.errors == 1
        module(bench.folder, MENDED, trusted=True)
        await press(pilot, "c")
        assert "Start a run of agent" in text(pilot)

    bench.play(script, path, size=LARGE)


def test_a_module_that_is_gone_is_told(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        await press(pilot, "s")

    bench.play(script, path)
    (bench.folder / "agent.py").unlink()

    async def again(pilot: P) -> None:
        (recent,) = [line for line in text(pilot).split("\n") if "agent.py:graph" in line]
        assert "missing" in recent
        await press(pilot, "R", "enter")
        await settle(pilot)
        assert "READY" in header(pilot)
        await press(pilot, "s")
        assert "READY" in header(pilot)
        assert "there is no such file" in said(pilot)

    bench.play(again, size=LARGE)


@pytest.mark.parametrize("mode", ["debug", "design"])
def test_an_import_that_does_not_end_can_be_left(bench: Bench, gate: gates.Gate, mode: str) -> None:
    hangs = f"from tests.app import gates\ngates.gate.pass_through()\n{MENDED}"
    path = module(bench.folder, hangs, trusted=True)

    async def script(pilot: P) -> None:
        while not gate.reached.is_set():
            await pilot.pause()
        assert "IMPORTING" in header(pilot)
        assert "IMPORTS agent.py" in said(pilot)
        await pilot.press(*(["m"] if mode == "design" else []), "2")
        assert "X stops waiting for it" in said(pilot)
        assert "agent.py is being imported." in text(pilot)
        assert "what the graph will say" in text(pilot)
        await pilot.press("X")
        await settle(pilot)
        assert "agent.py cannot be imported: 6 tells why." in text(pilot)
        assert "you stopped waiting for the import of agent.py" in text(pilot)
        module(bench.folder, MENDED, trusted=True)
        await press(pilot, "c")
        assert "Start a run of agent" in text(pilot)

    bench.play(script, path, size=LARGE)

    async def close(pilot: P) -> None:
        while not gate.reached.is_set():
            await pilot.pause()
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HomeScreen)

    gate.reached.clear()
    bench.play(close, module(bench.folder, hangs + "\n", trusted=True))


# Design


def test_in_design_each_edit_says_why_it_does_nothing(bench: Bench) -> None:
    path = module(bench.folder, trusted=True)
    keys = ("a", "r", "t", "d", "x", "p", "D", "space", "S", "s", "f6", "f7", "u", "C")

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "m")
        assert "PYTHON" in header(pilot)
        for key in keys:
            workbench(pilot).surface.say("nothing yet")
            await press(pilot, key)
            does = "this graph is Python: E opens your editor there, F3 exports it"
            assert said(pilot).endswith(does), key
            assert pilot.app.screen is workbench(pilot), key

    bench.play(script, path)
    assert (bench.folder / "agent.py").read_text() == AGENT


def test_in_design_nodes_and_edges_are_looked_at_with_their_code(bench: Bench) -> None:
    path = module(bench.folder, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "m", "enter")
        shown = workbench(pilot).panes.node_pane.copied() or ""
        assert "counts the words" in shown
        assert f"agent.py, line {line_of(AGENT, 'def analyze')}" in shown
        assert f"{line_of(AGENT, 'def analyze')}  def analyze(state):" in shown
        assert '"""Count the words."""' in shown
        await press(pilot, "1", "o")  # the first edge out of it
        shown = workbench(pilot).panes.node_pane.copied() or ""
        assert "def is_long(context):" in shown

    bench.play(script, path, size=LARGE)


@pytest.mark.parametrize(
    ("keys", "part"),
    [
        ((), "def analyze"),
        (("o",), 'add_edge("analyze", "look_up"'),
        (("o", "o"), 'add_edge("analyze", END)'),
    ],
    ids=["node", "edge", "second edge"],
)
def test_the_editor_opens_where_the_selected_part_is_written(
    bench: Bench, keys: tuple[str, ...], part: str
) -> None:
    path = module(bench.folder, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, *keys, "E")
        assert bench.editor.opened == [(bench.folder / "agent.py", line_of(AGENT, part))]

    bench.play(script, path)


DECLARED = """
from stepgraph import END, StateGraph

graph = StateGraph("plain", start="draft")
graph.declare_node("draft", "llm", {"prompt": "Write.", "replies": ["A letter."]})
graph.add_edge("draft", END)
"""


def test_a_graph_without_python_objects_becomes_a_graph_file(bench: Bench) -> None:
    path = module(bench.folder, DECLARED, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "m")
        assert "F12 makes a graph file of it" in said(pilot)
        await press(pilot, "f12")
        dialog(pilot, OpenPath).query_one(Input).value = str(bench.folder / "plain.toml")
        await press(pilot, "enter")
        assert workbench(pilot).file.path == bench.folder / "plain.toml"

    bench.play(script, path, size=LARGE)
    assert not [each for each in read_graph(bench.folder / "plain.toml").compile().nodes if each != "draft"]


def test_one_with_python_objects_says_that_no_file_can_hold_it(bench: Bench) -> None:
    path = module(bench.folder, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "f12")
        assert "no graph file can hold them" in said(pilot)

    bench.play(script, path)


# Found again


def test_what_is_kept_for_a_graph_is_found_again(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        await press(pilot, "s", "b", "p")

    bench.play(script, path)

    async def again(pilot: P) -> None:
        assert "agent.py:graph" in text(pilot)
        await press(pilot, "enter")
        await settle(pilot)
        assert "step 1/50" in header(pilot)
        runs = workbench(pilot).runs
        assert [each.node for each in runs.breaks.entries] == ["look_up"]
        assert runs.pauses.nodes == {"look_up"}

    bench.play(again)


def test_its_runs_open_again_from_the_list(bench: Bench) -> None:
    path = module(bench.folder, MENDED, trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        await press(pilot, "s")

    bench.play(script, path)

    async def again(pilot: P) -> None:
        await press(pilot, "R", "enter")
        await settle(pilot)
        assert workbench(pilot).file.path == path
        await press(pilot, "s")
        assert "ENDED" in header(pilot)

    bench.play(again)


def test_another_graph_of_the_same_module_is_another_graph(bench: Bench) -> None:
    two = f"""{MENDED}
second = StateGraph("second", start="a")
second.add_node("a", look_up)
second.add_edge("a", END)
"""
    path = module(bench.folder, two, trusted=True)
    other = Path(f"{bench.folder / 'agent.py'}:second")
    trust(other)

    async def script(pilot: P) -> None:
        await settle(pilot)
        await press(pilot, "ctrl+o")
        dialog(pilot, OpenPath).query_one(Input).value = str(other)
        await press(pilot, "enter")
        await settle(pilot)
        assert header(pilot).startswith(" second")
        await start(pilot)
        await press(pilot, "s", "q")
        assert header(pilot).startswith(" agent")

    bench.play(script, path)


def test_what_a_neighbour_of_the_module_fails_at_is_mended_there(bench: Bench) -> None:
    helper = bench.folder / "shelf.py"
    helper.write_text("def find():\n    raise LookupError('nothing there')\n", encoding="utf-8")
    uses = AGENT.replace(BROKEN_LINE, '    return {"found": shelf.find()}').replace(
        "from stepgraph", "import shelf\nfrom stepgraph", 1
    )
    path = module(bench.folder, uses, trusted=True)
    bench.editor = WritingEditor(lambda old: "def find():\n    return 'a book, at last'\n")

    async def script(pilot: P) -> None:
        await settle(pilot)
        await start(pilot)
        await press(pilot, "s", "s")
        assert "FAILED" in header(pilot)
        await press(pilot, "E")
        assert bench.editor.opened == [(helper, 2)]
        assert "imported again" in said(pilot)  # nobody is asked: only the module itself was agreed to
        await press(pilot, "r")
        assert "ENDED" in header(pilot)

    bench.play(script, path)
    (run,) = bench.store.runs()
    assert bench.store.values(run.head.id, run.pointer.version)["found"] == "a book, at last"


def test_the_handlers_of_a_graph_file_follow_their_neighbours_too(bench: Bench) -> None:
    helper = bench.folder / "shelf.py"
    helper.write_text("def find():\n    raise LookupError('nothing there')\n", encoding="utf-8")
    code = "import shelf\n\ndef count(state):\n    return {'found': shelf.find()}\n\nwait = count\n"
    path = bench.trusted(gates.GATED, work=code)

    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        assert "FAILED" in header(pilot)
        helper.write_text("def find():\n    return 'a book, at last'\n", encoding="utf-8")
        await press(pilot, "r")
        assert "step 1/50" in header(pilot)

    bench.play(script, path)


def test_a_neighbour_that_breaks_the_import_is_told_once_and_mended(bench: Bench) -> None:
    helper = bench.folder / "shelf.py"
    helper.write_text("title = 'a book'\n", encoding="utf-8")
    path = module(bench.folder, f"import shelf\n{MENDED}", trusted=True)

    async def script(pilot: P) -> None:
        await settle(pilot)
        files = workbench(pilot).controllers.files
        helper.write_text("title = = 1\n", encoding="utf-8")
        files.look_at_disk()
        await settle(pilot)
        assert "SyntaxError" in said(pilot)
        await press(pilot, "2")
        files.look_at_disk()
        assert not workbench(pilot).runs.busy
        await press(pilot, "E")
        assert bench.editor.opened == [(helper, 1)]
        helper.write_text("title = 'another book'\n", encoding="utf-8")
        files.look_at_disk()
        await settle(pilot)
        assert "imported again" in said(pilot)

    bench.play(script, path)
