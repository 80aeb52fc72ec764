"""The app as a debugger: a program opens it on a graph or a run of its own, as ``breakpoint()`` opens one.

The engine knows no terminal: what opens the app is looked up when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from ..graphs.builder import StateGraph
from ..graphs.plan import CompiledGraph
from ..values.errors import RunError
from ..values.json_values import class_name
from .executor import Executor

if TYPE_CHECKING:
    from ..models.client import LLMClient
    from ..stores.base import StateStore
    from ..tools.registry import ToolRegistry
    from .run import Run

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
        values: The inputs of a run, which stands at its start then; the app asks for them when None.
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
    executor.load(run.id)  # it is told here, not on a screen, when it is not a run of this executor
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
