"""What nodes print and log is told by step, bounded, in order, and never reaches the terminal."""

from __future__ import annotations

import gc
import io
import logging
import os
import pdb
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.message import Message

from stepgraph import END, Executor, MemoryStore, State, StateGraph
from stepgraph_tui.worker import Capture, Go, Printed, Start, Step, own_terminal, pace
from stepgraph_tui.worker.spool import AT_EACH_END, STEPS, Owner, Spool
from tests.app.hearing import PATIENCE, Hearing

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


def test_what_python_code_writes_is_told_with_its_step(capture: Capture) -> None:
    hearing = run(
        capture,
        lambda state: print("one", 1, end="\n\n"),
        lambda state: None,
        lambda state: (print("é 漢", file=sys.stderr), print("no end", end="")),
    )
    assert hearing.by_step() == {(1, "n1"): "one 1\n\n", (3, "n3"): "é 漢\nno end"}
    assert {message.run_id for message in hearing.heard(Printed)} == {"r-1"}


def test_whoever_writes_in_a_node_is_heard_in_order_and_errors_apart() -> None:
    def node(state: State) -> None:
        print("1 print")
        os.write(1, b"2 number\n")
        child("print('3 child')")
        print("1 error", file=sys.stderr)
        os.write(2, b"2 number\n")
        child("import sys; print('3 child', file=sys.stderr)")
        subprocess.run(["/bin/sh", "-c", "echo 4 shell; echo 4 shell >/dev/stderr"], check=True)
        subprocess.run([sys.executable, "-c", "print('5 given')"], stdout=sys.stdout, check=True)

    told = run_at_a_terminal(node).heard(Printed)
    for source, numbers in (("output", "12345"), ("error", "1234")):
        lines = "".join(message.text for message in told if message.source == source).splitlines()
        assert [line.split()[0] for line in lines] == list(numbers)


def test_what_python_writes_to_both_streams_keeps_its_order(capture: Capture) -> None:
    def node(state: State) -> None:
        for number in range(20):
            print(number, file=sys.stderr if number % 3 else sys.stdout)

    hearing = run(capture, node)
    assert hearing.printed().split() == [str(number) for number in range(20)]


def test_a_handler_of_logging_that_was_made_before_is_heard() -> None:
    log = logging.getLogger("tests.capture")
    early = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), "utf-8")
    handler = logging.StreamHandler(early)
    log.addHandler(handler)
    try:
        with own_terminal() as capture:
            hearing = run(capture, lambda state: log.warning("careful"))
    finally:
        log.removeHandler(handler)
        early.close()
    assert hearing.by_step() == {(1, "n1"): "careful\n"}


def test_bytes_that_are_no_text_are_escaped() -> None:
    hearing = run_at_a_terminal(
        lambda state: os.write(1, b"a\xffb\xe6\xbc"),  # the last two begin a character that never ends
        lambda state: os.write(1, "漢".encode()),
        lambda state: print("\ud800"),
    )
    assert hearing.by_step() == {(1, "n1"): "a\\xffb\\xe6\\xbc", (2, "n2"): "漢", (3, "n3"): "\\ud800\n"}


def test_of_more_than_can_be_told_in_time_both_ends_are_kept() -> None:
    spool = Spool()
    spool.belongs_to(Owner("r-1", 1, "n1", print))
    for number in range(300):
        spool.add(f"{number:>9,}\n".encode() * 1_000, is_error=number == 299)
    head, tail = spool.take()
    lines = head.text.splitlines()
    assert (lines[0].strip(), tail.source, tail.text.splitlines()[-1].strip()) == ("0", "error", "299")
    assert f"… {3_000_000 - 2 * AT_EACH_END:,} characters left out here …" in lines
    assert len(head.text + tail.text) < 2 * AT_EACH_END + 100
    spool.add(b"more\n")
    assert [piece.text for piece in spool.take()] == ["more\n"]  # told on, as it goes on


def test_five_megabytes_block_nobody() -> None:
    hearing = run_at_a_terminal(
        lambda state: child("import sys; sys.stdout.write('x' * 5_000_000)"),
        lambda state: print("after"),
    )
    texts = hearing.by_step()
    assert texts[1, "n1"].startswith("xxx")
    assert texts[1, "n1"].endswith("xxx")
    assert texts[2, "n2"] == "after\n"


def test_what_a_node_leaves_behind_writes_later_without_harm(capture: Capture) -> None:
    store, streams = MemoryStore(), []
    hearing = Hearing(lambda: store, capture)
    hearing.done(Start(nodes(lambda state: streams.append(sys.stdout), print).compile(), {}, "r-1"))
    hearing.done(Step("r-1"))
    late = threading.Thread(target=lambda: streams[0].write("late\n"))
    late.start()
    late.join()
    hearing.done(Step("r-1"))
    hearing.thread.close()
    assert hearing.by_step()[1, "n1"] == "late\n"  # it was written before the second step began
    capture.close()
    assert streams[0].write("later still\n")


def test_a_node_can_close_no_stream_of_the_next(capture: Capture) -> None:
    hearing = run(capture, lambda state: sys.stdout.close(), lambda state: print("here"))
    assert hearing.printed() == "here\n"


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_node_can_spoil_no_stream_of_the_next(capture: Capture, name: str) -> None:
    def spoil(state: State) -> object:
        stream = getattr(sys, name)
        with pytest.raises(io.UnsupportedOperation):
            stream.detach()
        stream.reconfigure(encoding="ascii", errors="strict")
        stream.buffer.close()
        setattr(sys, name, None)
        return None

    heard = run(capture, spoil, lambda state: print("ü", file=getattr(sys, name)))
    assert heard.printed() == "ü\n"


def test_a_node_cannot_close_the_app_s_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    def close(state: State) -> object:
        sys.__stdout__.close()  # type: ignore[union-attr]
        sys.__stderr__.close()  # type: ignore[union-attr]
        return None

    with own_terminal() as capture:
        run(capture, close)
        print("drawn", file=sys.__stdout__)
        print("told", file=sys.__stderr__)
    out, err = capfd.readouterr()
    assert (out, err) == ("drawn\n", "told\n")


def test_the_imports_of_a_graph_print_into_its_first_step(
    capture: Capture, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepgraph.files import grant, read_graph
    from tests.cli.calling import COUNT

    (tmp_path / "graph.toml").write_text(COUNT, encoding="utf-8")
    (tmp_path / "work.py").write_text(
        "print('imported')\ndef work(state):\n    print('ran')\n    return {'count': 3}\n", encoding="utf-8"
    )
    app = read_graph(tmp_path / "graph.toml").compile()
    grant(app)
    store = MemoryStore()
    hearing = Hearing(lambda: store, capture)
    hearing.done(Start(app, {}, "r-1"))
    hearing.done(Step("r-1"))
    assert hearing.by_step() == {(1, "work"): "imported\nran\n"}
    hearing.thread.close()


@pytest.mark.parametrize(
    ("asks", "error", "hint"),
    [
        (lambda state: input("name? "), "raised EOFError", "use an approval node"),
        (lambda state: breakpoint(), "left in its debugger", "retry the run"),
        (lambda state: pdb.set_trace(), "left in its debugger", "retry the run"),
    ],
)
def test_a_node_that_asks_at_the_terminal_fails_as_a_node(
    capture: Capture, monkeypatch: pytest.MonkeyPatch, asks: Code, error: str, hint: str
) -> None:
    # Python's own, in place of pytest's
    monkeypatch.setattr(pdb, "set_trace", lambda: pdb.Pdb().set_trace(sys._getframe().f_back))
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    store = MemoryStore()
    hearing = Hearing(lambda: store, capture)
    graph = nodes(asks)
    hearing.done(Start(graph.compile(), {}, "r-1"))
    gc.disable()  # hypothesis looks at each collection, and there the debugger's trace would quit unheard
    try:
        assert hearing.done(Go("r-1")) == "failed"
    finally:
        gc.enable()
    hearing.thread.close()
    failure = Executor(graph.compile(), store).load("r-1").error
    assert error in str(failure)
    assert hint in str(failure)


def test_a_process_that_asks_finds_an_empty_input() -> None:
    hearing = run_at_a_terminal(lambda state: child("import sys; print(repr(sys.stdin.read()))"))
    assert hearing.printed() == "''\n"


def test_a_fast_run_that_prints_in_every_step_says_little(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "EVERY", 3600.0)
    hearing = run(capture, *[lambda state: print(state.idempotency_key)] * 500)
    told = hearing.by_step()
    assert len(hearing.heard(Printed)) <= STEPS + 2
    assert told[500, "n500"] == "r-1:500\n"
    assert "earlier steps is left out)" in hearing.printed()


def test_text_is_told_while_the_node_still_runs(capture: Capture) -> None:
    gate, told, heard = threading.Event(), threading.Event(), io.StringIO()

    def hear(message: Message) -> None:
        if isinstance(message, Printed):
            heard.write(message.text)
            if "3" in heard.getvalue():
                told.set()

    def node() -> None:
        with capture.during("r-1", 1, "n1", hear):
            print(1, 2, 3)
            assert gate.wait(PATIENCE)

    thread = threading.Thread(target=node)
    thread.start()
    in_time = told.wait(PATIENCE)
    gate.set()
    thread.join()
    assert in_time


def test_the_streams_go_to_the_app_that_took_them_meanwhile(capture: Capture) -> None:
    before, entered, leave = sys.stdout, threading.Event(), threading.Event()

    def node() -> None:
        with capture.during("r-1", 1, "n1", lambda message: None):
            entered.set()
            assert leave.wait(PATIENCE)

    thread = threading.Thread(target=node)
    thread.start()
    assert entered.wait(PATIENCE)
    sys.stdout = ended = io.StringIO()  # as an app does that ends while a node still runs
    leave.set()
    thread.join()
    after, sys.stdout = sys.stdout, before
    assert after is ended


def test_two_nodes_at_once_leave_the_streams_as_they_were(capture: Capture) -> None:
    before = sys.stdin, sys.stdout, sys.stderr
    heard: list[Any] = []
    with capture.during("r-1", 1, "old", heard.append):
        print("old")
        with capture.during("r-2", 1, "new", heard.append):
            print("new")
        print("still")
    assert (sys.stdin, sys.stdout, sys.stderr) == before
    capture.flush()
    assert "".join(message.text for message in heard) == "old\nnew\nstill\n"


def test_the_terminal_is_put_back_whatever_happens(capfd: pytest.CaptureFixture[str]) -> None:
    names = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
    before = [getattr(sys, name) for name in names]
    files = [os.fstat(number).st_ino for number in (0, 1, 2)]
    with pytest.raises(ValueError, match="a bug"), own_terminal():  # noqa: PT012  # what is inside matters
        assert [os.fstat(number).st_ino for number in (1, 2)] != files[1:]
        assert sys.__stdout__ is not None
        print("to the terminal", file=sys.__stdout__)
        os.write(1, b"to nobody\n")
        raise ValueError("a bug")
    assert [getattr(sys, name) for name in names] == before
    assert [os.fstat(number).st_ino for number in (0, 1, 2)] == files
    assert capfd.readouterr().out == "to the terminal\n"


def test_before_the_first_step_bytes_are_nobodys() -> None:
    spool = Spool()
    spool.add(b"early")
    assert spool.take() == []
    spool.belongs_to(Owner("r-1", 1, "n1", print))
    spool.add(b"text")
    assert [piece.text for piece in spool.take()] == ["text"]
