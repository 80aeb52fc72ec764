"""Who answers the calls of runs in this process, and executors that go by a run's mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..models.catalog import ModelCatalog
from ..values.errors import RunError
from .modes import SCRIPTED, RunMode

if TYPE_CHECKING:
    from ..graphs.plan import CompiledGraph
    from ..models.client import CallListener, LLMClient
    from ..stores.base import StateStore, StoredRun
    from ..tools.registry import ToolRegistry
    from .executor import Around, Executor, Listener
    from .step import Clock
    from .visit import CallRules


class Answering:
    """The models and tools beside those that graphs declare; none is reached before its first use.

    Args:
        models: The models by alias; none when None.
        tools: The tools by name; none when None.
    """

    def __init__(self, models: ModelCatalog | None = None, tools: ToolRegistry | None = None) -> None:
        self.models = ModelCatalog({}) if models is None else models
        """The models by alias."""
        self.tools = tools
        """The tools by name, beside those that a graph declares."""
        self.listeners: tuple[Listener, ...] = ()
        """Who hears of the steps of every executor that is made."""
        self.drives_live = True
        """Whether live runs may go on in this process: others may have made them so."""

    def models_in(self, mode: RunMode) -> Mapping[str, LLMClient]:
        """Return the models that may be asked: in a mode that is not live none, only advice."""
        return self.models if mode.live else self.models.closed()

    def plan_of(self, store: StateStore, stored: StoredRun) -> CompiledGraph:
        """Compile the graph of a run; what only the program has that made it is not there.

        Raises:
            GraphError: It has parts that only that program has.
            GraphFileError: It is in a Python module that does not import, or no longer has it.
            TrustError: It is in a Python module that nobody has trusted as it is now.
            StoreError: The store is damaged.
        """
        from .views import runnable_plan  # home needs none

        return runnable_plan(store, stored)

    def rules(
        self,
        store: StateStore,
        mode: RunMode,
        tell: CallListener | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> CallRules:
        """Find how the calls of a run of this mode are replayed, told of and stopped.

        Raises:
            UnknownRun: The run that is replayed is not there.
        """
        from .visit import CallRules  # home needs none

        if mode.replay is None:
            return CallRules(None, tell, stopped)
        from .recordings import RunRecordings  # it compares texts

        return CallRules(RunRecordings(store, mode.replay), tell, stopped)

    def executor(
        self,
        app: CompiledGraph,
        store: StateStore,
        mode: RunMode = SCRIPTED,
        *,
        tell: CallListener | None = None,
        stopped: Callable[[], bool] | None = None,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
        around: Around | None = None,
    ) -> Executor:
        """Build an executor for runs of one mode.

        Args:
            app: The graph.
            store: Where the runs live.
            mode: Who answers: ``mode_of`` tells it of a run that is there.
            tell: Hears of calls while they last.
            stopped: Whether somebody has asked to stop: asked while a call lasts.
            clock: See ``Executor``.
            ids: See ``Executor``.
            around: See ``Executor``.

        Raises:
            TrustError: The graph names Python code that nobody has trusted.
            GraphError: Something that the graph names cannot be found.
            UnknownRun: The run that is replayed is not there.
            RunError: The run is live, and none may be in this process.
            StepgraphError: Commands run in containers that cannot be started here.
        """
        from .executor import Executor  # home needs none

        if mode.live and not self.drives_live:
            raise RunError(
                "the run is live, and this process asks no models", hint="start this process with --live"
            )
        if any(entry.command is not None for entry in app.tools.values()):
            from ..tools.containers import refuse_missing  # most graphs run no commands

            refuse_missing(app.tools.values(), live=mode.live)
        made = Executor(
            app,
            store,
            tools=self.tools,
            models=self.models_in(mode),
            clock=clock,
            ids=ids,
            live=mode.live,
            calls=self.rules(store, mode, tell, stopped),
            around=around,
        )
        for listener in self.listeners:
            made.on_step(listener)
        return made

    def close(self) -> None:
        """Close every connection."""
        self.models.close()
        if self.tools is not None:
            self.tools.close()
