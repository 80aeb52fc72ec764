"""The process of a worker in which nodes run: it advances one run at a time, and reports the outcome.

It takes orders on its standard input, a JSON text a line, and answers in the same way. When its input
ends, the worker is gone: then it ends at once, with all that its nodes have started, since others take over.
"""

from __future__ import annotations

import json
import os
import select
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn

from ...files import grant, graph_ref, is_trusted, to_be_trusted
from ...runs.answering import Answering
from ...runs.modes import RunMode, mode_of
from ...runs.operations import fail_lost
from ...runs.views import runnable_plan, shown_plan
from ...stores.ledger import READY, RunStatus
from ...stores.opening import open_store
from ...stores.serving import ClaimLost, ServerStore
from ...values.errors import CommitsLost, Conflict, NotReady, StepgraphError, UnknownRun
from ...values.json_values import uptime
from .supervised import (
    JobOrder,
    JobOutcome,
    Message,
    NodeBegins,
    Ready,
    RunBegins,
    WorkerOptions,
    kill_descendants,
    moves_by_claim,
    to_json,
)

if TYPE_CHECKING:
    from ...runs.executor import Executor
    from ...runs.run import Run
    from ...stores.base import StoredRun
    from ...stores.serving import Outage
    from .supervised import Ending

_KEPT = 64  # graphs that are kept ready
_MOMENT = 0.001  # seconds between two looks at whether a lease that is over was prolonged


class Hand:
    """Advances runs.

    Args:
        options: How the worker works.
        answers: Where messages go.
        ear: Hears what the worker says meanwhile.
    """

    def __init__(self, options: WorkerOptions, answers: int, ear: Ear) -> None:
        self._options, self._answers, self._ear = options, answers, ear
        self._store = open_store(options.url)
        if isinstance(self._store, ServerStore):
            self._store.on_outage = self._wait
        self._ready: OrderedDict[tuple[str, str | None, RunMode], Executor] = OrderedDict()
        self._answering = answering_of(options.answering)
        self._answering.drives_live = options.live
        self._run: Run | None = None
        self._overran = False

    def advance(self, order: JobOrder) -> JobOutcome:
        """Advance a run as far as it was ordered, or until the worker stops."""
        try:
            with moves_by_claim(self._store, order):
                return self._advance(order)
        except CommitsLost as error:
            return self._fail_lost(order.run, error)

    def _advance(self, order: JobOrder) -> JobOutcome:
        run_id, self._overran = order.run, False
        ending: Ending
        try:
            stored = self._store.load(run_id)
            status, version = stored.pointer.status, stored.pointer.version
            retries = status is RunStatus.FAILED and version == order.failed_at
            if not retries and (status is not READY or order.step_from not in (None, version)):
                return JobOutcome("advanced", run_id, status.value)
            try:
                executor = self._executor(stored)
            except StepgraphError as error:
                return JobOutcome("refused", run_id, what=_error_text(error))
            run = self._run = executor.load(run_id)
            before = run.step
            send(self._answers, RunBegins(run.version, before))
            self._go_on(executor, run, once=order.step_from is not None)
            ending = "left" if run.status is READY else "advanced"
            overran = self._overran and run.status is RunStatus.FAILED
            return JobOutcome(ending, run_id, run.status.value, run.step - before, overran=overran)
        except UnknownRun:
            return JobOutcome("gone", run_id)
        except CommitsLost:
            raise
        except (Conflict, NotReady) as error:
            ending = "lost" if isinstance(error, ClaimLost) else "overtaken"
            return JobOutcome(ending, run_id, what=error.message)
        except StepgraphError as error:
            return JobOutcome("broken", run_id, what=_error_text(error))

    def _go_on(self, executor: Executor, run: Run, *, once: bool) -> None:
        leaving = self._ear.leaving
        if run.status is RunStatus.FAILED:
            executor.try_again(run)
            if once:
                return
        if once or not leaving.is_set():
            for _ in executor.iterate(run, stop=lambda: once or leaving.is_set()):
                pass

    def _fail_lost(self, run_id: str, lost: CommitsLost) -> JobOutcome:
        """Fail a run that the store has set back, whoever drives it now: its nodes would run again.

        It needs no claim, which may have gone with what was lost.
        """
        try:
            fail_lost(self._store, run_id, lost, time.time())
            status = self._store.load(run_id).pointer.status.value
        except StepgraphError as error:
            return JobOutcome("broken", run_id, what=f"{lost.message}; {_error_text(error)}")
        return JobOutcome("advanced", run_id, status, what=lost.message)

    def _executor(self, stored: StoredRun) -> Executor:
        """Find what runs a graph; its code was read when the first of its runs came by.

        Raises:
            StepgraphError: This machine cannot run it: code is missing, or nobody here has trusted it.
        """
        mode = mode_of(self._store, stored.head.id)
        key = stored.pointer.definition, stored.head.source, mode
        executor = self._ready.get(key)
        if executor is None:
            head = replace(stored.head, source=self._source(stored.head.source))
            stored = stored._replace(head=head)
            if self._options.trust:
                self._trust(stored)
            app = runnable_plan(self._store, stored)
            executor = self._answering.executor(
                app, self._store, mode, stopped=self._stopped, around=self._around
            )
            self._ready[key] = executor
            if len(self._ready) > _KEPT:
                self._ready.popitem(last=False)
        self._ready.move_to_end(key)
        return executor

    def _trust(self, stored: StoredRun) -> None:
        """Agree to the graph of a run, before a module that it is in is imported."""
        shown = to_be_trusted(shown_plan(self._store, stored))
        if not is_trusted(shown):
            grant(shown)

    def _source(self, source: str | None) -> str | None:
        """Find the graph on this machine: in the folders that were named, else where the run began."""
        if source is None:
            return None
        found = (Path(folder, Path(source).name).absolute() for folder in self._options.folders)
        return str(next((path for path in found if _is_there(path)), source))

    @contextmanager
    def _around(self, run_id: str, node: str, step: int) -> Iterator[None]:
        """Announce a node that has a timeout before it begins: the worker ends this process at its time."""
        self._ear.heed_lease()
        run = self._run
        seconds = run.plan.nodes[node].seconds if run is not None else None
        if run is None or seconds is None:
            yield
            return
        send(self._answers, NodeBegins(run_id, node, run.version, seconds))
        began = time.perf_counter()
        yield
        self._overran = time.perf_counter() - began >= seconds

    def _stopped(self) -> bool:
        """End this process at a call of a node that may not go on any more; nobody else stops a call."""
        self._ear.heed_lease()
        return False

    def _wait(self, outage: Outage) -> bool:
        return True  # the worker reports it, and ends this process when it may not go on


def _is_there(path: Path) -> bool:
    ref = graph_ref(path)
    return (path if ref is None else ref.file).is_file()


def answering_of(ref: str) -> Answering:
    """Connect nodes' calls to the models and tools of the user whom this process belongs to."""
    if not ref:
        return Answering()
    module, _, name = ref.partition(":")
    make: Callable[[], Answering] = getattr(import_module(module), name)
    return make()


def send(answers: int, message: Message) -> None:
    """Send a message to the worker in one piece: two threads may do so."""
    os.write(answers, json.dumps(to_json(message)).encode() + b"\n")


def _error_text(error: StepgraphError) -> str:
    files = "".join(f"\n  {file}" for file in getattr(error, "files", ()))
    return str(error) + files


def main() -> None:
    """Process what comes in, one item after the other, until nothing can come any more."""
    orders, answers = _own_streams()
    for number in (signal.SIGINT, signal.SIGTERM):  # what these mean, the worker says
        signal.signal(number, lambda *_: None)
    ear = Ear(orders, answers)
    signal.signal(signal.SIGCONT, lambda *_: ear.heed_lease())  # a node does nothing more before that
    options = ear.next_order()
    options["folders"] = tuple(options["folders"])
    try:
        hand = Hand(WorkerOptions(**options), answers, ear)
    except StepgraphError as error:
        send(answers, JobOutcome("broken", "", what=_error_text(error)))
        return
    send(answers, Ready())
    jobs: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=ear.listen, args=(jobs,), daemon=True).start()
    while True:
        job = jobs.get()
        outcome = hand.advance(JobOrder(**job))
        ear.until = None
        send(answers, outcome)


class Ear:
    """Hears what the worker says, and ends the process when it may no longer run what it runs.

    Args:
        orders: Where orders come from: a file descriptor.
        answers: Where messages go.
    """

    def __init__(self, orders: int, answers: int) -> None:
        self._orders, self._answers = orders, answers
        self._heard = b""
        self._never = threading.Event()
        self.until: float | None = None
        """When what runs must end, by ``uptime``; None while nothing runs."""
        self.leaving = threading.Event()
        """Set when the worker is to stop after the current node."""

    def next_order(self) -> dict[str, Any]:
        """Wait for an order."""
        while b"\n" not in self._heard:
            until = self.until
            left = None if until is None else max(until - uptime(), 0)
            ready, _, _ = select.select([self._orders], [], [], left)
            heard = os.read(self._orders, 1 << 16) if ready else b""
            if heard:
                self._heard += heard
            elif ready or self.until == until:  # else what ran is over by now
                self._end()
        line, _, self._heard = self._heard.partition(b"\n")
        order: dict[str, Any] = json.loads(line)
        return order

    def listen(self, jobs: SimpleQueue[dict[str, Any]]) -> None:
        """Take orders for ever."""
        while True:
            order = self.next_order()
            if order["do"] == "leave":
                self.leaving.set()
            elif order["do"] == "advance":
                self.until = order["until"]
                jobs.put(order["job"])
            elif self.until is not None:
                self.until = order["until"]

    def heed_lease(self) -> None:
        """Go on only while the lease lasts: once it is over, this thread waits for the one that hears.

        That one ends the process, unless the lease was prolonged and nobody has heard of it yet.
        """
        while (until := self.until) is not None and uptime() >= until:
            self._never.wait(_MOMENT)

    def _end(self) -> NoReturn:
        """End the process with all that its nodes have started: others may drive its run from now on."""
        with suppress(OSError):
            send(self._answers, JobOutcome("killed", ""))
        kill_descendants(os.getpid())
        os.killpg(0, signal.SIGKILL)
        raise AssertionError


def _own_streams() -> tuple[int, int]:
    """Take the streams to the worker for ourselves: nodes read nothing, and what they print is for people."""
    orders, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return orders, answers


if __name__ == "__main__":
    main()
