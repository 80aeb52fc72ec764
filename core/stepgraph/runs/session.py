"""One headless debug session: a run that is stepped, continued to a halt, and looked at in the past."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, cast

from ..graphs.builder import StateGraph
from ..graphs.plan import CompiledGraph
from ..stores.ledger import RunStatus
from ..values.errors import RunError
from ..values.json_values import class_name
from .debug.monitor import BreakpointMonitor, LiveBreakpoints
from .executor import Executor
from .run import not_ready
from .views import runnable_plan

if TYPE_CHECKING:
    from ..models.client import LLMClient
    from ..stores.base import StateStore
    from ..tools.registry import ToolRegistry
    from ..values.json_values import Json
    from .debug.breakpoint import Breakpoint
    from .debug.compiled import BreakpointHit, BrokenBreakpoint
    from .executor import Around
    from .records import StepRecord
    from .run import Run
    from .step import Clock


Halt = Literal["done", "paused", "failed", "ended", "reached", "hit", "stopped"]
"""Why a run is not stepped on: it was one step only; a review waits; it failed; it ended; the node to run to
comes next, or was run; a breakpoint was met; somebody asked to stop."""

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
        breakpoints: Where a continued run halts. With ``LiveBreakpoints``, those that are set meanwhile count
            from the next step on.
    """

    def __init__(
        self, executor: Executor, run: Run, breakpoints: LiveBreakpoints | Iterable[Breakpoint] = ()
    ) -> None:
        self.executor = executor
        self.run = run
        live = breakpoints if isinstance(breakpoints, LiveBreakpoints) else LiveBreakpoints(breakpoints)
        self.breakpoints = live
        """Where a continued run halts; its ``items`` may be replaced at any time."""
        self._monitor = BreakpointMonitor(live)
        self.halt: Halt = _HALTS[run.status]
        """Why the run was not stepped on, the last time it was stepped."""
        self._viewed: int | None = None

    @classmethod
    def open(
        cls,
        store: StateStore,
        run_id: str,
        *,
        breakpoints: LiveBreakpoints | Iterable[Breakpoint] = (),
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
        around: Around | None = None,
    ) -> DebugSession:
        """Open a session on a stored run, with the run's graph.

        Args:
            store: Where the run lives.
            run_id: The run.
            breakpoints: See the class.
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
        return cls(executor, executor.load(run_id), breakpoints)

    # Breakpoints

    @property
    def hits(self) -> tuple[BreakpointHit, ...]:
        """What the last step met, log points too; see ``BreakpointMonitor``."""
        return self._monitor.hits

    @property
    def hit(self) -> BreakpointHit | None:
        """The breakpoint that the last step halts at, whatever else halted the run; None for none."""
        return self._monitor.halt

    @property
    def broken(self) -> list[BrokenBreakpoint]:
        """The breakpoints that can never be met, each with the reason."""
        return self._monitor.compiled(self.run).broken

    def arrive(self) -> BreakpointHit | None:
        """Look at the breakpoints before the node that comes next, before anything runs.

        ``go`` takes one step at least, so that what halted it once does not hold it. Whoever starts a run
        calls this before the first step.

        Returns:
            The breakpoint that the run halts at; None when it may go on. ``hits`` has the log points too.
        """
        self._monitor.arrive(self.run)
        if self.hit is not None:
            self._move_to("hit")
        return self.hit

    @property
    def standing(self) -> tuple[BreakpointHit, ...]:
        """The breakpoints before the node where the run is already: ``go`` goes through them."""
        return self._monitor.standing(self.run)

    # Running

    def step(self) -> StepRecord:
        """Run exactly one node.

        Raises:
            NotReady: The run is paused, ended or failed.
            Conflict: Another process has moved it on.
        """
        record = self._monitor.over(self.run, self.executor.step)
        self._move_to(_HALTS[self.run.status])
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
            after: Halt after one of these nodes.
            stop: Asked after each step; True halts.

        Raises:
            NotReady: The run is paused, ended or failed.
            Conflict: Another process has moved it on.
        """
        if self.run.status is not RunStatus.READY:
            raise not_ready(self.run, "continue")
        steps = self.executor.iterate(self.run, until=until, after=after, stop=stop, breaks=self._monitor)
        for record in steps:
            halt = _HALTS[self.run.status]
            if halt == "done" and self.hit is not None:
                halt = "hit"
            elif halt == "done":
                reached = self.run.current in until or record.node in after
                halt = "reached" if reached else "stopped"
            self._move_to(halt)
            yield record

    def retry(self) -> StepRecord:
        """Try the failed node, or the failed routing, again.

        Raises:
            NotReady: The run has not failed, or it failed at its step limit.
            Conflict: Another process has moved it on.
        """
        record = self._monitor.over(self.run, self.executor.try_again)
        self._move_to(_HALTS[self.run.status])
        return record

    def _move_to(self, halt: Halt) -> None:
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


_APP = "stepgraph_tui.debugging_here"


class _App(Protocol):
    """What the module of the app has."""

    require_terminal: Callable[[], None]
    """Raises StepgraphError where there is no terminal to open the app in."""
    open_here: Callable[[Executor, str | None], str | None]
    """Opens the app on a run, or to start one; gives back the id of the run that was shown last."""


def debug(
    graph: StateGraph | CompiledGraph,
    values: Mapping[str, object] | None = None,
    store: StateStore | None = None,
    *,
    tools: ToolRegistry | None = None,
    models: Mapping[str, LLMClient] | None = None,
) -> Run | None:
    """Open the app on a graph, to look at it, run it and step through it; the program waits until it is left.

    Args:
        graph: The graph.
        values: The inputs of a run, which is at its start then; the app asks for them when None.
        store: Where the run lives; in memory when None.
        tools: Tools beside (and before) those that the graph declares.
        models: Model clients by alias.

    Returns:
        The run that was shown last, where it was left; None where there was none.

    Raises:
        RunError: It is not a graph, or the app is not there.
        StepgraphError: There is no terminal to open it in; nothing was started.
        GraphError: The graph has errors.
        TrustError: The graph comes from a file that names Python code nobody has trusted.
        StateError: Inputs are missing or refused, each by name.
    """
    given: object = graph
    if not isinstance(given, StateGraph | CompiledGraph):
        hint = "give a StateGraph or a CompiledGraph; a run is debugged by Executor.debug"
        raise RunError(f"something of the type {class_name(given)} is not a graph", hint=hint)
    app = _app()
    executor = Executor(
        given.compile() if isinstance(given, StateGraph) else given, store, tools=tools, models=models
    )
    run_id = executor.start(values).id if values is not None else None
    shown = app.open_here(executor, run_id)
    return executor.load(shown) if shown is not None else None


def debug_run(executor: Executor, run: Run) -> Run:
    """Open the app on a run, and move the handle to where it was left; see ``Executor.debug``."""
    app = _app()
    executor.load(run.id)  # it fails here, not on a screen, when it is not a run of this executor
    app.open_here(executor, run.id)
    run.move_to(executor.load(run.id))
    return run


def _app() -> _App:
    """Find what opens the app, once it is known that it can be opened.

    Raises:
        RunError: It is not installed.
        StepgraphError: There is no terminal to open it in.
    """
    try:
        app = cast("_App", import_module(_APP))
    except ModuleNotFoundError as error:
        raise RunError(
            f"the app cannot be opened: {error.name} is not installed", hint="pip install stepgraph"
        ) from error
    app.require_terminal()
    return app
