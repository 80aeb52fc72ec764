"""Who answers in a run, scripted replies or real models; a person is asked before any model is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stepgraph.runs import NO_LIMITS, SCRIPTED, RunMode, SpendingLimits, limits_in
from stepgraph.stores import RunStatus

from ...text.characters import visible
from ...text.models import callers, scripted_tools
from ...worker import SetMode
from .refusals import STILL_RUNS

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.models import ModelSettings
    from stepgraph.runs import Run

    from ...context import AppContext
    from .run_controller import RunController
    from .surface import Surface


_NEXT = ""  # stands for the run that is started next, among the ids of runs
_TRIAL = "try"  # stands for trials, which are of no run


class LiveController:
    """Switches between scripted replies and real models; no model is called before a person agreed to it.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: The run that is shown, and the thread that goes on with it.
    """

    def __init__(self, context: AppContext, surface: Surface, runs: RunController) -> None:
        self._context, self._surface, self._runs = context, surface, runs
        self._bound = NO_LIMITS  # of the next run, where somebody has said another one than its graph
        self._chosen: RunMode | None = None  # of the next run, where somebody has chosen it
        self._agreed: dict[str, frozenset[str]] = {}  # the models that may be asked, by run

    @property
    def models(self) -> Mapping[str, ModelSettings]:
        """The models of the user's settings, by alias."""
        connections = self._context.connections
        return connections.models.settings if connections is not None else {}

    @property
    def word(self) -> str:
        """Who answers in the run that is shown, else in the next one: SCRIPTED, LIVE, REPLAY or MIXED."""
        view = self._runs.shown.view
        return view.mode_word if view is not None else self.next_mode.word

    @property
    def next_mode(self) -> RunMode:
        """Who answers in the run that is started next: as was chosen, else as in the one that is shown."""
        view = self._runs.shown.view
        if self._chosen is not None:
            return self._chosen
        return RunMode(live=view.mode.live) if view is not None else SCRIPTED

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether the switch works; where it does not, why."""
        return self._surface.hints(STILL_RUNS) if self._runs.busy else True

    async def action_switch(self) -> None:
        """Switch between models and scripted replies from here on; after a run, for the next one."""
        run, view = self._runs.shown.run, self._runs.shown.view
        if run is None or view is None or run.status is RunStatus.ENDED:
            await self._switch_next()
        elif view.mode.word == "LIVE":
            self._set(run.id, SCRIPTED)
        elif (limits := await self._agree(run.id, run.plan)) is not None:
            self._set(run.id, RunMode(live=True), limits)

    async def _switch_next(self) -> None:
        if self.next_mode.live:
            self._choose(SCRIPTED)
            return
        app = self._runs.compiled()
        if app is not None and (limits := await self._agree(_NEXT, app)) is not None:
            self._choose(RunMode(live=True), limits)

    def _choose(self, mode: RunMode, limits: SpendingLimits = NO_LIMITS) -> None:
        self._chosen, self._bound = mode, limits
        self._surface.show()
        who = "real models answer" if mode.live else "scripted replies answer, and no model is called"
        self._surface.say(f"{mode.word}: {who} in the next run")

    def _set(self, run_id: str, mode: RunMode, limits: SpendingLimits = NO_LIMITS) -> None:
        self._runs.submit(SetMode(run_id, mode, self._context.settings.name, limits))

    def describe(self, mode: RunMode) -> str:
        """Describe who answers from now on."""
        who = "real models answer" if mode.live else "scripted replies answer, and no model is called,"
        return f"{mode.word}: {who} from here on"

    def replay(self, run_id: str) -> None:
        """Have the next run answered by what a run recorded."""
        self._chosen = RunMode(replay=run_id)

    @property
    def missing(self) -> str | None:
        """The model that the failed node of a live run asks and the settings lack; None for none."""
        view, alias = self._runs.shown.view, self._unanswered
        return alias if view is not None and view.mode.live and alias not in self.models else None

    @property
    def advice(self) -> str:
        """What to do about a node that failed for want of a model; empty where that is not why."""
        view = self._runs.shown.view
        if self.missing is not None:
            return self._surface.hints(f"{{app.models}} adds the model {self.missing}")
        scripted = view is not None and view.mode.word == "SCRIPTED" and self._unanswered is not None
        return self._surface.hints("{debug.live} lets real models answer") if scripted else ""

    @property
    def _unanswered(self) -> str | None:
        """The model that the failed node could not ask; None where it failed for another reason."""
        run = self._runs.shown.run
        if run is None or run.status is not RunStatus.FAILED or run.error is None:
            return None
        why = run.error.message
        asked = callers(run.plan, run.current)
        return next((alias for alias in asked if f"the model {alias!r} is not " in why), None)

    # Agreeing

    def asks(self, action: Callable[[], None]) -> bool:
        """Ask before the run that is shown calls its first model, and then do what a key asked for.

        Returns:
            Whether a person is asked: then the key is not to do it by itself.
        """
        run, view = self._runs.shown.run, self._runs.shown.view
        if run is None or view is None or not view.mode.live or self._may(run.id, run.plan):
            return False
        self._surface.begin(self._ask_before(action, run, view.mode))
        return True

    async def _ask_before(self, action: Callable[[], None], run: Run, mode: RunMode) -> None:
        limits = await self._agree(run.id, run.plan)
        if limits is None:
            return
        if limits == NO_LIMITS:
            action()
        else:
            self._set(run.id, mode, limits)
            self._runs.put_off(action)

    async def agree_to_start(self, app: CompiledGraph) -> SpendingLimits | None:
        """Ask about the models that the next run may ask; None where a person does not agree."""
        if not self.next_mode.live:
            return NO_LIMITS
        return self._bound if self._may(_NEXT, app) else await self._agree(_NEXT, app)

    async def agree_to_trial(self, app: CompiledGraph, node: str) -> bool:
        """Ask about the models that a trial of a node asks; False where a person does not agree."""
        return await self._agree(_TRIAL, app, node) is not None

    def started(self, run_id: str) -> None:
        """Take what was agreed to for the next run as said of this one."""
        self._chosen, self._bound = None, NO_LIMITS
        agreed = self._agreed.pop(_NEXT, None)
        if agreed is not None:
            self._agreed[run_id] = agreed

    def _may(self, run_id: str, app: CompiledGraph, only: str | None = None) -> bool:
        return callers(app, only).keys() <= self._agreed.get(run_id, frozenset())

    async def _agree(self, run_id: str, app: CompiledGraph, only: str | None = None) -> SpendingLimits | None:
        """Ask a person about the models that are asked, unless all of them were agreed to.

        Returns:
            What may be spent, where it is another limit than the run, or its graph, has; None for a no.
        """
        from stepgraph_tui.dialogs.questions import LiveQuestion

        asked = callers(app, only)
        what = {_NEXT: "the next run", _TRIAL: f"this trial of {only}"}.get(run_id, f"run {run_id}")
        connections = self._context.connections
        scripted = scripted_tools(app, connections.tools.sources) if connections is not None else ()
        while not self._may(run_id, app, only):
            limits = self._limits(run_id, app) if run_id != _TRIAL else None
            question = LiveQuestion(visible(what), asked, self.models, limits, scripted)
            answer = await self._surface.ask(question)
            if answer == "yes":
                self._agreed[run_id] = self._agreed.get(run_id, frozenset()) | asked.keys()
                return NO_LIMITS if question.limits == limits else question.limits
            if answer != "models":
                self._surface.say("Still scripted: no model will be called", "warning")
                return None
            from stepgraph_tui.screens.models import ModelsScreen

            wanted = next((alias for alias in asked if alias not in self.models), None)
            await self._surface.ask(ModelsScreen(self._context, wanted))
        return NO_LIMITS

    def _limits(self, run_id: str, app: CompiledGraph) -> SpendingLimits:
        """Find how much may be spent: of a run what is said of it, else what its graph says."""
        view = self._runs.shown.view
        said = limits_in(view.others) if view is not None and view.run_id == run_id else NO_LIMITS
        return said.over(app.settings)
