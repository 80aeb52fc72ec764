"""What nodes print and log is told by step, bounded, in order, and never reaches the terminal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stepgraph import END, MemoryStore, State, StateGraph
from stepgraph_tui.worker import Capture, Go, Printed, Start, own_terminal
from stepgraph_tui.worker import capture as printed
from stepgraph_tui.worker.capture import STEPS
from tests.app.hearing import Hearing

Code = Callable[[State], object]


def nodes(*codes: Code) -> StateGraph:
    """A graph of nodes ``n1``, ``n2``, ... one after the other; what their code returns is ignored."""
    graph = StateGraph("prints", start="n1", max_steps=len(codes))
    for number, code in enumerate(codes, 1):
        graph.add_node(f"n{number}", returning_nothing(code))
        graph.add_edge(f"n{number}", f"n{number + 1}" if number < len(codes) else END)
    return graph


def returning_nothing(code: Code) -> Callable[[State], dict[str, Any]]:
    def node(state: State) -> dict[str, Any]:
        code(state)
        return {}

    return node


def run(capture: Capture, *codes: Code) -> Hearing:
    """Run nodes to the end, or to the first that fails, in the stepping thread."""
    store = MemoryStore()
    hearing = Hearing(lambda: store, capture)
    hearing.done(Start(nodes(*codes).compile(), {}, "r-1"))
    hearing.do(Go("r-1"))
    hearing.thread.close()
    return hearing


def run_at_a_terminal(*codes: Code) -> Hearing:
    """Run nodes with the file numbers of this process redirected, as the app does."""
    with own_terminal() as capture:  # not in a fixture: pytest moves the numbers before and after each test
        return run(capture, *codes)


@pytest.fixture(params=["pipe", "python"])
def capture(request: pytest.FixtureRequest) -> Iterator[Capture]:
    """The capture without the file numbers, with a pipe and without."""
    capture = Capture(pipe=request.param == "pipe")
    yield capture
    capture.close()


def child(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_python_writes_to_both_streams_keeps_its_order(capture: Capture) -> None:
    def node(state: State) -> None:
        for number in range(20):
            print(number, file=sys.stderr if number % 3 else sys.stdout)

    hearing = run(capture, node)
    assert hearing.printed().split() == [str(number) for number in range(20)]


def test_five_megabytes_block_nobody() -> None:
    hearing = run_at_a_terminal(
        lambda state: child("import sys; sys.stdout.write('x' * 5_000_000)"),
        lambda state: print("after"),
    )
    texts = hearing.by_step()
    assert texts[1, "n1"].startswith("xxx")
    assert texts[1, "n1"].endswith("xxx")
    assert texts[2, "n2"] == "after\n"


def test_a_fast_run_that_prints_in_every_step_says_little(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printed, "EVERY", 3600.0)
    hearing = run(capture, *[lambda state: print(state.idempotency_key)] * 500)
    told = hearing.by_step()
    assert len(hearing.heard(Printed)) <= STEPS + 2
    assert told[500, "n500"] == "r-1:500\n"
    assert "earlier steps is left out)" in hearing.printed()
