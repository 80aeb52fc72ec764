"""Debuggers in the code of nodes: they have the terminal for as long as the node runs.

``breakpoint()`` asks whoever runs the node for the terminal, and then does what it does in any script: it
calls ``pdb``, or what ``PYTHONBREAKPOINT`` names. A node that is stepped into is one that begins so.
"""

from __future__ import annotations

import functools
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib import import_module
from types import CodeType, FrameType, TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from stepgraph.files import typed_imports
from stepgraph.values import StepgraphError

from .text.characters import visible

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from stepgraph.runs import Clock


Lend = Callable[[], AbstractContextManager[None]]
"""Gives the terminal to the thread that enters it; raises StepgraphError where there is none."""
_PDB = "pdb.set_trace"
_current = threading.local()  # in a thread that runs nodes: its debugger, while a node runs


class NodeDebugger:
    """Gets the terminal for a debugger when a node asks for one, and gives it back after the node.

    Args:
        lend: Gives the terminal.
        clock: What tells the time.
    """

    def __init__(self, lend: Lend, clock: Clock = time) -> None:
        self._lend = lend
        self._clock = clock
        self._lent_at = 0.0
        self._lent = ExitStack()
        self._heading = ""
        self._begins_in: CodeType | None = None
        self.is_lent = False
        """Whether a debugger has the terminal."""

    @property
    def time(self) -> Callable[[], float]:
        """The function that tells the seconds since 1970: the clock's own, so that a real one is known."""
        return self._clock.time

    def perf_counter(self) -> float:
        """Return the seconds since some moment, by a clock that stops while a debugger has the terminal.

        So a node that an executor measures by it has worked until its debugger began: how long a person
        looks at it is no work, and no reason to stop a run whose time is limited.
        """
        return self._lent_at if self.is_lent else self._clock.perf_counter()

    @contextmanager
    def stepping_into(self, function: Callable[..., Any]) -> Iterator[None]:
        """Start the debugger at the first line of a function that the next node calls in this thread.

        Raises:
            StepgraphError: There is no debugger, or the function has no lines.
        """
        self._begins_in = _code_of(function)
        try:
            _require_debugger()
            yield
        finally:
            self._begins_in = None

    def examine(self, trace: TracebackType, run_id: str, node: str) -> None:
        """Open the debugger on the frames that a failure went through; nothing runs.

        It is ``pdb``, or what the module that ``PYTHONBREAKPOINT`` names has for it (``post_mortem``).

        Raises:
            StepgraphError: There is no debugger, or no terminal.
        """
        _require_debugger()
        module = import_module(_debugger_name().rpartition(".")[0] or "pdb")
        begin = getattr(module, "post_mortem", None) or import_module("pdb").post_mortem
        with self._lend(), typed_imports():
            print(f"\n{visible(f'node {node} of run {run_id} has failed: this is where')}")
            print("Nothing runs: `p NAME` shows a variable, `u` and `d` go through the calls, `q` leaves.\n")
            begin(trace)

    @contextmanager
    def during(self, run_id: str, node: str, step: int) -> Iterator[None]:
        """Answer ``breakpoint()`` while a node runs in this thread.

        Raises:
            StepgraphError: The node is to be stepped into, and there is no terminal.
        """
        self._heading = visible(f"node {node}, step {step} of run {run_id}")
        before, code = sys.gettrace(), self._begins_in

        def waiting(frame: FrameType, event: str, arg: object) -> Any:
            return _enter(frame, event, arg, frame, ()) if frame.f_code is code else None

        _current.debugger = self
        try:
            if code is not None:
                self.borrow()
                sys.settrace(waiting)
            yield
        finally:
            _current.debugger = None
            if self.is_lent:
                sys.settrace(before)
            self.is_lent = False
            self._lent.close()

    def borrow(self) -> None:
        """Get the terminal, and say on it which node this is.

        Raises:
            StepgraphError: There is none.
        """
        if self.is_lent:
            return
        self._lent.enter_context(self._lend())
        self._lent.enter_context(typed_imports())
        self._lent_at = self._clock.perf_counter()
        self.is_lent = True
        print(f"\n{self._heading}")
        print("The step completes when the function returns; `c` runs to there.")
        print("Leaving the debugger fails the step: nothing is kept, and it can be retried.")
        print("If it hangs, ctrl+\\ quits Stepgraph; the run stays at this node.\n")


@contextmanager
def breakpoints_answered() -> Iterator[None]:
    """Route ``breakpoint()`` in nodes to the terminal; outside of nodes it is as it was."""
    before = sys.breakpointhook
    sys.breakpointhook = _hook
    try:
        yield
    finally:
        sys.breakpointhook = before


def _hook(*words: Any, **named: Any) -> Any:
    if _debugger_name() == "0":
        return None
    debugger = getattr(_current, "debugger", None)
    frame = sys._getframe(1)
    try:
        if debugger is None:
            raise StepgraphError("only the thread that runs a node can be debugged at the terminal")
        debugger.borrow()
    except StepgraphError as error:
        message = f"breakpoint() at {frame.f_code.co_filename}:{frame.f_lineno} did not stop: {error.message}"
        print(message, file=sys.stderr)
        return None
    root = _outermost(frame)

    def at_next_line(here: FrameType, event: str, arg: object) -> Any:
        return _enter(here, event, arg, root, words, **named)

    # By way of the next line, for a debugger that is called from here would begin with our frames.
    frame.f_trace = at_next_line
    sys.settrace(_ignore)
    return None


def _ignore(frame: FrameType, event: str, arg: object) -> None:
    """Trace no further function."""


def _outermost(frame: FrameType) -> FrameType:
    """Find the frame in which the code of the node begins."""
    found, ours = frame, ("stepgraph.", "stepgraph_tui.")
    while found.f_back is not None and not str(found.f_back.f_globals.get("__name__")).startswith(ours):
        found = found.f_back
    return found


def _enter(frame: FrameType, event: str, arg: object, root: FrameType, words: Any, **named: Any) -> Any:
    """Start the debugger in a frame, from the trace function of that frame: its stack is all that it finds.

    Args:
        frame: Where it is to stop first.
        event: What is traced.
        arg: The same.
        root: The frame behind which it is over: what calls the node is not what is debugged.
        words: What ``breakpoint()`` was given.
        named: The same, by name.
    """
    sys.settrace(None)
    frame.f_trace = None
    begin = functools.partial(_pdb, frame) if _debugger_name() == _PDB else sys.__breakpointhook__
    begin(*words, **named)
    begun: Any = getattr(frame, "f_trace", None)  # the debugger has set it, where it is one
    if begun is None:  # no debugger: PYTHONBREAKPOINT may name anything
        return None
    outer = root.f_back
    while outer is not None:
        outer.f_trace = None
        outer = outer.f_back
    root.f_trace = _until_it_returns(root.f_trace or begun)
    here: Any = getattr(frame, "f_trace", None)
    return None if event == "call" else here(frame, event, arg)


def _pdb(frame: FrameType, *, header: str | None = None, commands: Iterable[str] = ()) -> None:
    """Start ``pdb`` in a frame, with what its ``set_trace`` takes.

    Since Python 3.14 that one traces in another way, keeps the streams of its first call, and asks whether
    ``q`` may end the process.
    """
    import pdb

    debugger = pdb.Pdb()
    if header is not None:
        debugger.message(header)
    debugger.rcLines.extend(commands)
    debugger.set_trace(frame)


def _until_it_returns(traced: Any) -> Any:
    """Trace a frame until it returns; then the debugger is left, wherever it would stop next."""

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        goes_on = traced(frame, event, arg)
        if event == "return":
            sys.settrace(None)
        return None if goes_on is None else trace

    return trace


def _code_of(function: Callable[..., Any]) -> CodeType:
    import inspect  # which each command would load, and few debug

    found: Any = function
    while isinstance(found, functools.partial):
        found = found.func
    found = inspect.unwrap(found)
    if not inspect.isroutine(found):
        found = type(found).__call__
    found = getattr(found, "__func__", found)
    code = getattr(found, "__code__", None)
    if not isinstance(code, CodeType):
        raise StepgraphError("the function of this node is not written in Python: it cannot be stepped into")
    return code


def _debugger_name() -> str:
    """Return the name of what ``breakpoint()`` calls; ``0`` if nothing."""
    return os.environ.get("PYTHONBREAKPOINT") or _PDB


def _require_debugger() -> None:
    """Refuse to begin without a debugger.

    Raises:
        StepgraphError: ``PYTHONBREAKPOINT`` switches them off, or names none that is there.
    """
    name = _debugger_name()
    if name == "0":
        hint = "unset it to step into nodes"
        raise StepgraphError("PYTHONBREAKPOINT=0 switches debuggers off: nothing ran", hint=hint)
    module, _, attribute = name.rpartition(".")
    try:
        getattr(import_module(module or "builtins"), attribute)
    except (ImportError, AttributeError, TypeError, ValueError):
        hint = "install it, or unset PYTHONBREAKPOINT to use pdb"
        raise StepgraphError(
            f"PYTHONBREAKPOINT names {name!r}, which is not there: nothing ran", hint=hint
        ) from None


@contextmanager
def numbers_lead_to(*files: int) -> Iterator[None]:
    """Redirect 0, 1, 2 and Python's streams to these files, such as those of a terminal, as in any script."""
    before = sys.stdin, sys.stdout, sys.stderr
    kept = [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        os.dup2(file, number)
    modes = ("r", "w", "w")
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, buffering=1, encoding="utf-8", errors="replace", closefd=False)
        for number, mode in enumerate(modes)
    )
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # the terminal is gone, or the node has closed them
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = before
        for number, file in enumerate(kept):
            os.dup2(file, number)
            os.close(file)


class _Taken(io.RawIOBase):
    """Bytes that are written go to a function. Node code cannot close it: the next node needs it."""

    def __init__(self, write: Callable[[bytes], None], number: int | None) -> None:
        self._write = write
        self._number = number

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        taken = bytes(data)
        self._write(taken)
        return len(taken)

    def fileno(self) -> int:
        return super().fileno() if self._number is None else self._number

    def close(self) -> None:
        pass


class KeptStream(io.TextIOWrapper):
    """A stream that whoever gets hold of it cannot take away: closing it does no more than to flush it."""

    def close(self) -> None:
        """Flush it."""
        self.flush()

    def detach(self) -> BinaryIO:
        """Refuse to be taken apart.

        Raises:
            UnsupportedOperation: Always.
        """
        raise io.UnsupportedOperation("this stream is not the node's own, and stays as it is")

    def reconfigure(self, **_: object) -> None:
        """Stay as it is: others write to it too."""

    def end(self) -> None:
        """Close it; for its owner."""
        super().close()


class NodeStreams:
    """While it is entered, ``sys.stdin``, ``sys.stdout`` and ``sys.stderr`` are node code's own.

    They belong to the whole process, and a node that was left to itself may end when others run, or when
    the app is gone. So the last to leave gives back what the first one found, and only where nobody else
    has replaced the stream meanwhile, as an app does that ends.

    Args:
        write: Takes what is written, and whether that is to the standard error.
        numbers: The file numbers that lead to the same places, output and error; None when there are none.
    """

    def __init__(self, write: Callable[[bytes, bool], None], numbers: tuple[int, int] | None) -> None:
        def output(is_error: bool) -> TextIO:
            number = numbers[is_error] if numbers is not None else None
            raw = cast(BinaryIO, _Taken(lambda data: write(data, is_error), number))  # raw, as in `python -u`
            return KeptStream(raw, "utf-8", "backslashreplace", newline="\n", write_through=True)

        self._own: dict[str, TextIO] = {
            "stdin": KeptStream(io.BytesIO(), "utf-8"),
            "stdout": output(is_error=False),
            "stderr": output(is_error=True),
        }
        self._lock = threading.Lock()
        self._entered = 0
        self._before: dict[str, TextIO] = {}

    def __enter__(self) -> None:
        with self._lock:
            self._entered += 1
            if self._entered == 1:
                self._before = {name: getattr(sys, name) for name in self._own}
                self.take_place()

    def take_place(self) -> None:
        """Install them as Python's streams, whatever a node has put into their place."""
        for name, stream in self._own.items():
            setattr(sys, name, stream)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._entered -= 1
            if self._entered:
                return
            for name, stream in self._own.items():
                if getattr(sys, name) is stream:
                    setattr(sys, name, self._before[name])
