"""What node code prints and logs, and what models say to it: kept by step, told at a readable pace."""

from __future__ import annotations

import codecs
import os
import selectors
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple, Protocol, TextIO

from textual.message import Message

from ..node_debugger import KeptStream, NodeStreams, breakpoints_answered

Source = Literal["output", "error", "model", "call"]
"""Who says something in the log: a node's standard output or error, a model, or we of its call."""

AT_EACH_END = 500_000
"""How many characters of what one step wrote wait to be shown: its first and its last ones."""
STEPS = 100
"""How many steps' texts wait to be shown; of a fast run that prints in each step the older ones give way."""

_decoder = codecs.getincrementaldecoder("utf-8")
_STREAMS: tuple[Source, Source] = ("output", "error")
_Text = tuple[Source, str]


EVERY = 0.05
"""The seconds between two tellings: 20 a second look fluent, and leave the app its time."""


@dataclass
class Printed(Message):
    """Something was written or said during a step: by node code, or by a model that it asked."""

    run_id: str
    """Empty for what a module writes while it is imported; then ``node`` is its name."""
    step: int
    """The step during which it was written."""
    node: str
    text: str
    """One or more lines, as they came; not made safe to show."""
    source: Source = "output"


class Owner(NamedTuple):
    """The step that something is of."""

    run_id: str
    step: int
    node: str
    post: Callable[[Message], object]
    """Tells the app that drives it."""


class Piece(NamedTuple):
    """A text that one step wrote."""

    owner: Owner
    text: str
    source: Source = "output"


class _Waiting:
    """What one step wrote and is not shown yet: of too much the beginning and the end."""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self._first: list[_Text] = []
        self._last: deque[_Text] = deque()
        self._room, self._held, self._lost = AT_EACH_END, 0, 0

    def __bool__(self) -> bool:
        return bool(self._first)

    def add(self, text: str, source: Source) -> None:
        kept, rest = text[: self._room], text[self._room :]
        if kept:
            self._first.append((source, kept))
            self._room -= len(kept)
        if rest:
            self._last.append((source, rest))
            self._held += len(rest)
        while self._held > AT_EACH_END:
            by, oldest = self._last.popleft()
            cut = min(self._held - AT_EACH_END, len(oldest))
            if cut < len(oldest):
                self._last.appendleft((by, oldest[cut:]))
            self._held, self._lost = self._held - cut, self._lost + cut

    def pieces(self) -> Iterator[Piece]:
        left_out: list[_Text] = []
        if self._lost:
            break_ = "" if self._first[-1][1].endswith("\n") else "\n"
            left_out = [("output", f"{break_}… {self._lost:,} characters left out here …\n")]
        for source, texts in groupby([*self._first, *left_out, *self._last], key=lambda text: text[0]):
            yield Piece(self.owner, "".join(text for _, text in texts), source)


class Spool:
    """Takes bytes as they come, and gives texts by step. Not for several threads at once."""

    def __init__(self) -> None:
        self._owner: Owner | None = None
        self._decoders = _decoder("backslashreplace"), _decoder("backslashreplace")
        self._waiting: deque[_Waiting] = deque()
        self._gone = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not self._waiting

    def belongs_to(self, owner: Owner) -> None:
        """Attribute what comes from now on to this step."""
        if owner != self._owner:
            self.finish()
            self._owner = owner

    def add(self, data: bytes, *, is_error: bool = False) -> None:
        """Take some bytes. Before the first step they are nobody's, and dropped."""
        if self._owner is not None:
            self._keep(self._owner, self._decoders[is_error].decode(data), _STREAMS[is_error])

    def say(self, owner: Owner, text: str, source: Source) -> None:
        """Add a model's words during a step, or a remark on its call."""
        self._keep(owner, text, source)

    def finish(self) -> None:
        """End the step: nothing of what it wrote is held back any more."""
        for is_error, decoder in enumerate(self._decoders):
            self._keep(self._owner, decoder.decode(b"", final=True), _STREAMS[is_error])

    def take(self) -> list[Piece]:
        """Return what there is to report, and forget it."""
        waiting, self._waiting = self._waiting, deque()  # an object that is freed meanwhile may print
        pieces = [piece for each in waiting for piece in each.pieces()]
        if self._gone:
            note = f"(the output of {self._gone:,} earlier steps is left out)\n"
            pieces[0] = pieces[0]._replace(text=note + pieces[0].text)
            self._gone = 0
        return pieces

    def _keep(self, owner: Owner | None, text: str, source: Source) -> None:
        if owner is None or not text:
            return
        if not self._waiting or self._waiting[-1].owner != owner:
            self._waiting.append(_Waiting(owner))
            if len(self._waiting) > STEPS:
                self._waiting.popleft()
                self._gone += 1
        self._waiting[-1].add(text, source)


class Pace:
    """Calls a function at once after a quiet time, else as soon as the time since the last call is over.

    So nothing floods the app, and nothing written before a long silence comes late.

    Args:
        send: What to call; from any thread, one at a time.
    """

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._lock = threading.RLock()  # freeing an object of a node's may print, at any moment
        self._last = float("-inf")
        self._timer: threading.Timer | None = None

    def ask(self) -> None:
        """Request a report soon."""
        with self._lock:
            if self._timer is not None:
                return
            wait = self._last + EVERY - time.monotonic()
            if wait > 0:
                self._timer = threading.Timer(wait, self.now)
                self._timer.daemon = True
                self._timer.start()
                return
        self.now()

    def now(self) -> None:
        """Report at once."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._last = time.monotonic()
            self._send()


_AT_ONCE = 64 * 1024
_READS = 16  # a mebibyte, the largest that a pipe can be: whatever was in it when the reading began


class NodeOutput(Protocol):
    """What takes node code's output, step by step."""

    def during(
        self, run_id: str, step: int, node: str, post: Callable[[Message], object], /
    ) -> AbstractContextManager[None]:
        """Attribute what is written meanwhile as this step's."""

    def say(self, owner: Owner, text: str, source: Source, /) -> None:
        """Add a model's words during a step."""


class Capture:
    """Takes what nodes write to their standard output and error, and tells it as ``Printed``.

    What they write goes through two pipes, whoever wrote: Python, a C library, or a process that the node
    started. (The file numbers 1 and 2 lead into them inside ``own_terminal``.) A step ends by emptying them,
    so nothing goes to the wrong step, and a thread of its own empties them meanwhile, so no node ever
    waits. Where there are no such pipes it takes what Python code writes.

    Each of the two keeps its order, and what Python code writes to both keeps it as well; of what a process
    writes to both within a moment, the output comes first.

    Args:
        pipe: Whether to use pipes.
        prints: Whether what node code writes is taken; where it is not, only ``say`` is shown.
    """

    def __init__(self, *, pipe: bool = os.name == "posix", prints: bool = True) -> None:
        self.numbers: tuple[int, int] | None = None
        """The file numbers to write output and error to, of the pipes; None where there are none."""
        self._sources: dict[int, bool] = {}  # where to read from, and whether that is the error
        self._to_error = False  # whether Python code wrote there last
        self._lock = threading.RLock()  # over the reading and the spool
        self._spool = Spool()
        self._closed = False
        self._here = threading.local()  # has ``is_unheard`` in threads whose runs nobody watches
        self._pace = Pace(self._tell)
        if pipe and prints:
            (output, to_output), (error, to_error) = os.pipe(), os.pipe()
            self.numbers, self._sources = (to_output, to_error), {output: False, error: True}
            for source in self._sources:
                os.set_blocking(source, False)
            threading.Thread(
                target=self._read_on, args=(output, error), name="stepgraph-output", daemon=True
            ).start()
        self._streams: AbstractContextManager[object] = (
            NodeStreams(self._write, self.numbers) if prints else nullcontext()
        )

    @contextmanager
    def during(self, run_id: str, step: int, node: str, post: Callable[[Message], object]) -> Iterator[None]:
        """Attribute what is written meanwhile, and until the next step begins, as this step's.

        Args:
            run_id: The run.
            step: The number of its step.
            node: The node that runs.
            post: Tells the app; called from any thread.
        """
        with self._lock:
            self._empty()
            self._spool.belongs_to(Owner(run_id, step, node, post))
        with self._streams:
            try:
                yield
            finally:
                with self._lock:
                    self._empty()
                    self._spool.finish()
                    quiet = self._spool.is_empty
                if not quiet:
                    self._pace.ask()

    @contextmanager
    def unheard(self) -> Iterator[None]:
        """Redirect node code's streams in this thread; what it prints there in Python goes nowhere."""
        self._here.is_unheard = True
        try:
            with self._streams:
                yield
        finally:
            self._here.is_unheard = False

    def say(self, owner: Owner, text: str, source: Source) -> None:
        """Report what a model writes during a step, after what the node has printed so far."""
        with self._lock:
            self._empty()
            self._spool.say(owner, text, source)
        self._pace.ask()

    def flush(self) -> None:
        """Report what was held back."""
        with self._lock:
            self._empty()
        self._pace.now()

    def close(self) -> None:
        """Accept nothing more. What is still written goes nowhere."""
        self.flush()
        with self._lock:
            self._closed = True
        if self.numbers is not None:
            # The numbers stay taken: a stream of a node that was left to itself may write at any time.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            for number in self.numbers:
                os.dup2(nowhere, number, inheritable=False)
            os.close(nowhere)

    def _write(self, data: bytes, is_error: bool) -> None:
        """Add what Python code writes, behind what it has written to the other stream."""
        if getattr(self._here, "is_unheard", False):
            return
        if self.numbers is None:
            with self._lock:
                self._spool.add(data, is_error=is_error)
            self._pace.ask()
            return
        if is_error != self._to_error:
            with self._lock:
                self._empty()
            self._to_error = is_error
        while data:
            data = data[os.write(self.numbers[is_error], data) :]

    def _read_on(self, *sources: int) -> None:
        """Empty the pipes until nobody can write to them any more; this is a thread."""
        left = set(sources)
        with selectors.DefaultSelector() as selector:
            for source in left:
                selector.register(source, selectors.EVENT_READ)
            while left:
                selector.select()
                with self._lock:
                    self._empty()
                    for source in left - self._sources.keys():
                        selector.unregister(source)
                        os.close(source)
                    left &= self._sources.keys()
                self._pace.ask()

    def _empty(self) -> None:
        """Read what the pipes hold; the caller has the lock."""
        for source, is_error in list(self._sources.items()):
            for _ in range(_READS):
                try:
                    data = os.read(source, _AT_ONCE)
                except BlockingIOError:
                    break
                self._spool.add(data, is_error=is_error)
                if not data:
                    del self._sources[source]  # the reading thread closes it
                    break

    def _tell(self) -> None:
        with self._lock:
            pieces = [] if self._closed else self._spool.take()
        for (run_id, step, node, post), text, source in pieces:
            post(Printed(run_id, step, node, text, source))


_NAMES = ("stdin", "stdout", "stderr")


@contextmanager
def own_terminal() -> Iterator[Capture]:
    """Keep the terminal for the app, which is to be made and run inside.

    The app reads and draws through duplicates of the terminal's files, which it finds as Python's
    ``sys.__stdin__``, ``sys.__stdout__`` and ``sys.__stderr__`` (a program that the app itself starts on
    the terminal, such as an editor, is given these). The numbers 0, 1 and 2, which node code, its libraries
    and its processes use, lead to an empty input and to the capture. All is put back at the end, whatever
    happens, so that a last word or a traceback reaches the terminal.

    Where numbers cannot be redirected, as on Windows, the capture takes what Python code writes.

    Yields:
        The capture, for the threads that run nodes.
    """
    capture = Capture()
    with ExitStack() as stack, breakpoints_answered():
        stack.callback(capture.close)
        if capture.numbers is not None:
            stack.enter_context(_numbers_lead_to(*capture.numbers))
        yield capture


@contextmanager
def _numbers_lead_to(output: int, error: int) -> Iterator[None]:
    before = {name: getattr(sys, name) for name in (*_NAMES, *(f"__{name}__" for name in _NAMES))}
    _flush(before.values())
    terminal = [_duplicate(at, before[f"__{name}__"]) for at, name in enumerate(_NAMES)]
    nowhere = os.open(os.devnull, os.O_RDONLY)
    try:
        for name, stream in zip(_NAMES, terminal, strict=True):
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        for at, to in enumerate((nowhere, output, error)):
            os.dup2(to, at)
        yield
    finally:
        os.close(nowhere)
        _flush(before.values())  # what handlers of logging still held belongs to the nodes
        _flush(terminal)
        for at, stream in enumerate(terminal):
            os.dup2(stream.fileno(), at)
        for name, stream in before.items():
            setattr(sys, name, stream)
        for stream in terminal:
            stream.end()


def _duplicate(number: int, original: TextIO | None) -> KeptStream:
    encoding = getattr(original, "encoding", None) or "utf-8"
    errors = getattr(original, "errors", None) or "backslashreplace"
    file = os.fdopen(os.dup(number), "rb" if number == 0 else "wb")
    return KeptStream(file, encoding, errors, line_buffering=True)


def _flush(streams: Iterable[TextIO | None]) -> None:
    for stream in streams:
        if stream is not None:
            with suppress(OSError, ValueError):  # a stream that is full, gone or closed
                stream.flush()
