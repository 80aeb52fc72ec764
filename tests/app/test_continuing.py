"""Runs that continue in the background once they are decided, in the inbox, at home and without an app."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from stepgraph import Decision, Executor, StateGraph
from stepgraph.files import graph_ref, load_graph
from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.dialogs.approval import Onward
from stepgraph_tui.dialogs.questions import Confirm
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.screens.inbox import InboxScreen
from stepgraph_tui.screens.review_dialog import Continuing
from stepgraph_tui.store_look import reopening
from stepgraph_tui.worker import BackgroundRuns, Capture
from stepgraph_tui.worker.background import THREADS
from tests.app.bench import Bench, P, dialog, press, text, until
from tests.app.gates import WORK, Gate
from tests.app.hearing import PATIENCE
from tests.app.python_graphs import module

DEPLOY = """
format = 1
name = "deploy"
start = "ok"
[state.count]
default = 0
[nodes.ok]
type = "approval"
prompt = "Deploy it?"
action = "deploy"
risk = "low"
[nodes.push]
type = "handler"
handler = "work:NODE"
side_effects = true
[[edges]]
from = "ok"
to = "push"
when = 'decision == "approve"'
[[edges]]
from = "ok"
to = "END"
[[edges]]
from = "push"
to = "END"
"""
YES = Decision.approve(by="ben")


def deploys(bench: Bench, count: int, node: str = "wait") -> list[str]:
    """Runs that wait for a person, of a graph whose code may run; their ids."""
    executor = bench.executor(bench.trusted(DEPLOY.replace("NODE", node), work=WORK))
    return [executor.run(executor.start({})).id for _ in range(count)]


def decide(bench: Bench, *runs: str) -> None:
    for run_id in runs:
        bench.executor(bench.folder / "graph.toml").decide(run_id, YES)


def stands(bench: Bench, *runs: str) -> list[RunStatus]:
    return [bench.store.load(run_id).pointer.status for run_id in runs]


# Without an app


@pytest.fixture
def background(bench: Bench) -> Iterator[BackgroundRuns]:
    made = BackgroundRuns(reopening(bench.store), capture=Capture(pipe=False))
    yield made
    made.stop()


def wait_for(holds: Callable[[], object]) -> None:
    """Wait for threads, without a limit that a busy machine could miss."""
    ticks = threading.Event()
    for _ in range(int(PATIENCE * 100)):
        if holds():
            return
        ticks.wait(0.01)
    raise AssertionError("it never came to that")


def test_several_runs_continue_at_once_and_the_others_wait_for_their_turn(
    bench: Bench, background: BackgroundRuns, gate: Gate
) -> None:
    runs = deploys(bench, THREADS + 2)
    decide(bench, *runs)
    background.go_on(runs)
    background.go_on(runs[:1])  # it continues already
    wait_for(lambda: [one.node for one in background.running] == ["push"] * THREADS)
    found = [background.of(run_id) for run_id in runs]
    assert [one.waits for one in found if one is not None] == [False] * THREADS + [True] * 2
    assert {node.run_id for node in background.running} == set(runs[:THREADS])
    assert background.ids == set(runs)
    gate.open()
    assert background.idle.wait(PATIENCE)
    assert stands(bench, *runs) == [RunStatus.ENDED] * len(runs)
    assert [background.of(run_id) for run_id in runs] == [None] * len(runs)
    assert gate.passed == len(runs)  # no node ran twice


def test_runs_that_wait_are_left_ready_when_it_stops(
    bench: Bench, background: BackgroundRuns, gate: Gate
) -> None:
    runs = deploys(bench, THREADS + 1)
    decide(bench, *runs)
    background.go_on(runs)
    wait_for(lambda: [one.node for one in background.running] == ["push"] * THREADS)
    background.stop()
    gate.open()
    assert background.idle.wait(PATIENCE)
    assert stands(bench, runs[-1]) == [RunStatus.READY]
    background.go_on(runs[-1:])
    assert background.ids == set()


def test_what_cannot_continue_says_why_and_keeps_no_other_from_it(
    bench: Bench, background: BackgroundRuns, gate: Gate
) -> None:
    gate.open()
    (good,) = deploys(bench, 1)
    decide(bench, good)
    graph = StateGraph("opaque", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "END")
    opaque = Executor(graph.compile(), bench.store).start({}, run_id="opaque").id
    background.go_on([opaque, "gone", good])
    assert background.idle.wait(PATIENCE)
    whys = [found.kept if (found := background.of(run)) is not None else "" for run in (opaque, "gone")]
    assert "Python objects that the store does not hold" in whys[0]
    assert "no run 'gone'" in whys[1]
    assert stands(bench, good) == [RunStatus.ENDED]


def test_what_nodes_print_and_ask_for_goes_nowhere(
    bench: Bench, background: BackgroundRuns, capsys: pytest.CaptureFixture[str]
) -> None:
    code = """
import sys
def loud(state):
    print("to the output")
    print("to the error", file=sys.stderr)
    return {"count": len(sys.stdin.read())}
"""
    executor = bench.executor(bench.trusted(DEPLOY.replace("work:NODE", "loud:loud"), loud=code))
    run = executor.run(executor.start({}))
    executor.decide(run.id, YES)
    background.go_on([run.id])
    assert background.idle.wait(PATIENCE)
    assert stands(bench, run.id) == [RunStatus.ENDED]
    assert bench.load(run.id).values["count"] == 0
    assert capsys.readouterr() == ("", "")


# In the inbox


async def look(pilot: P) -> None:
    assert isinstance(pilot.app, StepgraphApp)
    pilot.app._look()
    await pilot.pause()


async def seen(pilot: P, what: str, times: int = 1) -> None:
    """Look at the store, as the app does each second, until something is on the screen."""
    for _ in range(int(PATIENCE * 10)):
        await look(pilot)
        if text(pilot).count(what) == times:
            return
        await until(pilot, lambda: True)
    raise AssertionError(f"{what!r} is not there {times} times:\n{text(pilot)}")


def test_three_runs_that_are_decided_together_continue_before_your_eyes(bench: Bench, gate: Gate) -> None:
    runs = deploys(bench, 3)

    async def script(pilot: P) -> None:
        await press(pilot, "g i", "space", "enter", "y", "enter")
        assert "Enter approve and continue · ctrl+j approve only · clicks are ignored" in text(pilot)
        await press(pilot, "enter")
        await seen(pilot, "running push, step 2", 3)
        assert "3 runs under way here" in text(pilot)
        assert "3 reviews approved; their runs continue" in text(pilot)
        gate.open()
        await seen(pilot, "ended at END (approved)", 3)
        await seen(pilot, "under way", 0)  # the store shows the end before its thread is done

    bench.play(script)
    assert stands(bench, *runs) == [RunStatus.ENDED] * 3


def test_a_decision_alone_leaves_the_run_ready_and_c_continues_all_of_them(bench: Bench, gate: Gate) -> None:
    runs = deploys(bench, 3)
    decide(bench, runs[0])
    gate.open()

    async def script(pilot: P) -> None:
        assert "1 decided run is ready to continue: c" in text(pilot)
        assert text(pilot).splitlines()[-1].startswith(" c Continue  Enter Open")
        dialog(pilot, HomeScreen)
        await press(pilot, "g i", "l", "j", "enter", "y", "ctrl+j")
        await seen(pilot, "2 decided runs are ready to continue: c")
        assert "c continues the run; approved by ana" in text(pilot)
        assert "ready to continue (approved)" in text(pilot)
        await press(pilot, "c")
        question = dialog(pilot, Confirm).question
        assert question.splitlines()[0] == "Continue 2 decided runs here?"
        assert f"{runs[0]}  deploy, next ok" in question
        await press(pilot, "escape")
        assert stands(bench, *runs[:2]) == [RunStatus.READY] * 2
        await press(pilot, "c", "y")
        await seen(pilot, "ended at END (approved)")
        assert isinstance(pilot.app, StepgraphApp)
        background = pilot.app.context.background
        await until(pilot, background.idle.is_set)
        await look(pilot)
        assert "ready to continue" not in text(pilot)

    bench.play(script)
    assert stands(bench, *runs) == [RunStatus.ENDED, RunStatus.ENDED, RunStatus.PAUSED]


def test_a_run_whose_code_changed_says_why_it_does_not_continue(bench: Bench) -> None:
    (run,) = deploys(bench, 1)
    (bench.folder / "work.py").write_text(f"{WORK}\n# changed\n", encoding="utf-8")

    async def script(pilot: P) -> None:
        await press(pilot, "g i", "enter", "y")
        assert "The run will not continue here: graph 'deploy' runs Python code" in text(pilot)
        assert "Press Enter to approve (clicks are ignored)." in text(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))
        await seen(pilot, "not continued here: graph")
        assert "gd continues the run in Debug" in text(pilot)
        await press(pilot, "c")
        assert f"{run} cannot continue here: graph 'deploy' runs Python code" in text(pilot)

    bench.play(script, size=(160, 24))
    assert stands(bench, run) == [RunStatus.READY]


def test_a_high_risk_review_takes_ctrl_j_behind_the_nodes_name(bench: Bench, gate: Gate) -> None:
    graph = DEPLOY.replace("NODE", "wait").replace('"low"', '"high"')
    executor = bench.executor(bench.trusted(graph, work=WORK))
    run = executor.run(executor.start({})).id

    async def script(pilot: P) -> None:
        await press(pilot, "g i", "enter", "y", "ctrl+j")
        assert "that is not the node's name" in text(pilot)
        await press(pilot, "o", "k")
        assert "Enter Approve and continue  ctrl+j Approve only" in text(pilot)
        await press(pilot, "ctrl+j")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen))

    bench.play(script)
    assert stands(bench, run) == [RunStatus.READY]
    assert Reviews(bench.store).last_of(run).decision is not None  # type: ignore[union-attr]


def test_leaving_says_what_runs_in_the_background_and_what_is_left(bench: Bench, gate: Gate) -> None:
    runs = deploys(bench, THREADS + 1)
    decide(bench, *runs)

    async def script(pilot: P) -> list[str]:
        await press(pilot, "c", "y")
        app = pilot.app
        assert isinstance(app, StepgraphApp)
        background = app.context.background
        await until(pilot, lambda: [one.node for one in background.running] == ["push"] * THREADS)
        await press(pilot, "ctrl+q")
        assert "is still running" in dialog(pilot, Confirm).question
        await pilot.press("y")
        await until(pilot, lambda: app.return_value is not None)  # what it says is settled
        gate.open()
        return app.return_value or []

    words = "\n".join(bench.play(script))
    assert words.count("left at once: the step of node push is not recorded") == THREADS
    assert f"left ready: stepgraph resume {runs[-1]}" in words


def test_code_that_is_gone_is_found_out_before_anything_runs(bench: Bench) -> None:
    path = module(bench.folder, trusted=True)
    ref = graph_ref(path)
    assert ref is not None
    Executor(load_graph(ref).compile(), bench.store).start({}, run_id="r-1")
    app = bench.app()
    continuing = Continuing(app.context)
    assert continuing.after(["r-1"]) == Onward("continue")
    (bench.folder / "agent.py").unlink()
    onward = continuing.after(["r-1"])
    assert onward.does == ""
    assert onward.kept.startswith("The run will not continue here: there is no such file (")
    app.context.store.close()
    app.context.store_look.read()
    assert (continuing.count, continuing.notice("inbox.continue")) == (0, "")  # what cannot be read has none
