"""One headless debug session: a run that is stepped, continued to a halt, and looked at in the past."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Literal

from ..stores.ledger import RunStatus
from .executor import Executor
from .run import not_ready
from .views import runnable_plan

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from ..values.json_values import Json
    from .executor import Around
    from .records import StepRecord
    from .run import Run
    from .step import Clock

Halt = Literal["done", "paused", "failed", "ended", "reached", "marked", "stopped"]
"""Why a run is not stepped on: it was one step only; a review waits; it failed; it ended; the node to run to
comes next; a node was run that the run pauses after; somebody asked to stop."""

_HALTS: dict[RunStatus, Halt] = {
    RunStatus.READY: "done",
    RunStatus.PAUSED: "paused",
    RunStatus.FAILED: "failed",
    RunStatus.ENDED: "ended",
}


class DebugSession:
    """A run under a debugger, without a screen: the app, the command line and tests are faces of it.

    Args:
        executor: Runs the run's graph.
        run: A handle that the executor made; the session moves it.
        marks: The nodes after which a continued run halts. The set is looked into after each step, so
            that marks set meanwhile count.
    """

    def __init__(self, executor: Executor, run: Run, marks: set[str] | None = None) -> None:
        self.executor = executor
        self.run = run
        self.marks: set[str] = marks if marks is not None else set()
        self.halt: Halt = _HALTS[run.status]
        """Why the run was not stepped on, the last time it was stepped."""
        self._viewed: int | None = None

    @classmethod
    def open(
        cls,
        store: StateStore,
        run_id: str,
        *,
        marks: set[str] | None = None,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
        around: Around | None = None,
    ) -> DebugSession:
        """Open a session on a stored run, with the graph that the run goes by.

        Args:
            store: Where the run lives.
            run_id: The run.
            marks: See the class.
            clock: See ``Executor``.
            ids: See ``Executor``.
            around: See ``Executor``.

        Raises:
            UnknownRun: There is no such run.
            TrustError: Its graph names Python code that nobody has trusted.
            GraphError: Its graph has parts that only the program which built it has.
        """
        app = runnable_plan(store, store.load(run_id))
        executor = Executor(app, store, clock=clock, ids=ids, around=around)
        return cls(executor, executor.load(run_id), marks)

    # Running

    def step(self) -> StepRecord:
        """Run exactly one node.

        Raises:
            NotReady: The run is paused, ended or failed.
            Conflict: Another process has moved it on.
        """
        record = self.executor.step(self.run)
        self._moved(_HALTS[self.run.status])
        return record

    def go(
        self,
        *,
        until: Container[str] = (),
        after: Container[str] = (),
        stop: Callable[[], bool] | None = None,
    ) -> Iterator[StepRecord]:
        """Step on to the end, a pause, a failure or a halt; ``halt`` says afterwards why.

        Args:
            until: Halt when one of these nodes comes next; one step is taken at least.
            after: Halt after one of these nodes, beside the marks.
            stop: Asked after each step; True halts.

        Raises:
            NotReady: The run is paused, ended or failed.
            Conflict: Another process has moved it on.
        """
        if self.run.status is not RunStatus.READY:
            raise not_ready(self.run, "continue")
        halts = _Either(after, self.marks)
        for record in self.executor.iterate(self.run, until=until, after=halts, stop=stop):
            halt = _HALTS[self.run.status]
            if halt == "done" and self.run.current in until:
                halt = "reached"
            elif halt == "done":
                halt = "marked" if record.node in halts else "stopped"
            self._moved(halt)
            yield record

    def retry(self) -> StepRecord:
        """Try the failed node, or the failed routing, again.

        Raises:
            NotReady: The run has not failed, or it failed at its cap.
            Conflict: Another process has moved it on.
        """
        record = self.executor.try_again(self.run)
        self._moved(_HALTS[self.run.status])
        return record

    def _moved(self, halt: Halt) -> None:
        self.halt, self._viewed = halt, None

    # Looking at the past

    @property
    def is_live(self) -> bool:
        """Whether the session looks at where the run stands, rather than at a past step."""
        return self._viewed is None

    @property
    def viewed(self) -> int:
        """The step that is looked at; 0 is the start."""
        return self.run.step if self._viewed is None else self._viewed

    @property
    def record(self) -> StepRecord | None:
        """The step that is looked at; None at the start."""
        return self.run.history[self.viewed - 1] if self.viewed else None

    @property
    def values(self) -> dict[str, Json]:
        """The state after the step that is looked at; where the run stands, edits included."""
        return self.run.values if self._viewed is None else self.run.values_at(self._viewed)

    def view(self, step: int) -> None:
        """Look at the run as it was after a step; nothing runs, and the next step goes back to now.

        Raises:
            RunError: The run has no such step.
        """
        self.run.require_step(step)
        self._viewed = step

    def go_live(self) -> None:
        """Look at where the run stands."""
        self._viewed = None


class _Either:
    """What is in one of two collections, as they are when they are asked."""

    def __init__(self, one: Container[str], other: Container[str]) -> None:
        self._both = one, other

    def __contains__(self, name: object) -> bool:
        return any(name in each for each in self._both)
