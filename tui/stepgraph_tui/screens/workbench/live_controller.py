"""Who answers in runs: canned replies, or real models, which a person is asked about once for each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stepgraph.runs.modes import SCRIPTED, RunMode
from stepgraph.runs.spending import NO_LIMITS, SpendingLimits, limits_in
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.text.models import callers, canned_tools
from stepgraph_tui.text.plain import visible
from stepgraph_tui.worker import SetMode, Work

from .availability import STILL_RUNS

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.models.settings import ModelSettings
    from stepgraph.values.json_values import Json
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.live import LiveAnswer

    from .shown_run import ShownRun
    from .surface import Surface

_NEXT = ""  # stands for the run that is started next, among the ids of runs
_TRIAL = "try"  # stands for trials, which are of no run


class LiveController:
    """Switches between canned replies and real models, and has nobody asked before a person agreed to it.

    Args:
        context: What the app shares.
        surface: The screen.
        shown: The run that is shown.
        submit: Gives the stepping thread work.
        is_busy: Tells whether the thread has some.
        compiled: Makes the graph of the next run; None where that cannot run.
        start: Starts a run with inputs.
    """

    def __init__(
        self,
        context: AppContext,
        surface: Surface,
        shown: ShownRun,
        submit: Callable[[Work], bool],
        is_busy: Callable[[], bool],
        compiled: Callable[[], CompiledGraph | None],
        start: Callable[[Mapping[str, Json]], None],
    ) -> None:
        self._context, self._surface, self._shown = context, surface, shown
        self._submit, self._is_busy, self._compiled = submit, is_busy, compiled
        self._start = start
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
        view = self._shown.view
        return view.mode_word if view is not None else self.next_mode.word

    @property
    def next_mode(self) -> RunMode:
        """Who answers in the run that is started next: as was chosen, else as in the one that is shown."""
        view = self._shown.view
        if self._chosen is not None:
            return self._chosen
        return RunMode(live=view.mode.live) if view is not None else SCRIPTED

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Tell whether the switch works; where it does not, why."""
        if verb == "replay" and self._shown.view is None:
            return "there is no run to replay"
        return self._surface.hints(STILL_RUNS) if self._is_busy() else True

    def action_switch(self) -> None:
        """Have models answer from here on, or canned replies; of a run that ended or is none, in the next."""
        run, view = self._shown.run, self._shown.view
        if run is None or view is None or run.status is RunStatus.ENDED:
            self._switch_next()
        elif view.mode.word == "LIVE":
            self._set(run.id, SCRIPTED)
        else:
            self._agree(run.id, run.plan, lambda: self._set(run.id, RunMode(live=True)))

    def action_replay(self) -> None:
        """Start a run that is answered by what this one recorded, or by what this one is a replay of."""
        view = self._shown.view
        if view is None or self._compiled() is None:
            return
        self._chosen = RunMode(replay=view.mode.replay or view.run_id)
        self._start(dict(view.inputs))

    def _switch_next(self) -> None:
        if self.next_mode.live:
            self._choose(SCRIPTED)
        elif (app := self._compiled()) is not None:
            self._agree(_NEXT, app, lambda: self._choose(RunMode(live=True)))

    def _choose(self, mode: RunMode) -> None:
        self._chosen = mode
        self._surface.show()
        who = "real models answer" if mode.live else "scripted replies answer, and no model is called"
        self._surface.say(f"{mode.word}: {who} in the next run")

    def _set(self, run_id: str, mode: RunMode) -> None:
        self._submit(SetMode(run_id, mode, self._context.settings.name))

    def told(self, mode: RunMode) -> str:
        """Say who answers from now on."""
        who = "real models answer" if mode.live else "scripted replies answer, and no model is called,"
        return f"{mode.word}: {who} from here on"

    @property
    def missing(self) -> str | None:
        """The model that the failed node of a live run asks and the settings lack; None for none."""
        run, view = self._shown.run, self._shown.view
        if run is None or view is None or run.status is not RunStatus.FAILED or not view.mode.live:
            return None
        return next((alias for alias in callers(run.plan, run.current) if alias not in self.models), None)

    @property
    def advice(self) -> str:
        """What to do about a node that failed for want of a model; empty where that is not why."""
        run, view = self._shown.run, self._shown.view
        if self.missing is not None:
            return self._surface.hints(f"{{app.models}} adds the model {visible(self.missing)}")
        failed = run is not None and run.status is RunStatus.FAILED and run.outcome is None
        if not failed or run is None or view is None or view.mode.word != "SCRIPTED":
            return ""
        entry = run.plan.nodes.get(run.current or "")
        asks = entry is not None and bool(entry.facts.models)
        return self._surface.hints("{debug.live} lets real models answer") if asks else ""

    # Agreeing

    def asks(self, action: Callable[[], None]) -> bool:
        """Ask before the run that is shown calls its first model, and then do what a key asked for.

        Returns:
            Whether a person is asked: then the key is not to do it by itself.
        """
        run, view = self._shown.run, self._shown.view
        if run is None or view is None or not view.mode.live or self._may(run.id, run.plan):
            return False
        self._agree(run.id, run.plan, action)
        return True

    def before_start(self, app: CompiledGraph, begin: Callable[[RunMode], None]) -> None:
        """Begin a run, once a person has agreed to the models that it may ask."""
        mode = self.next_mode
        if mode.live:
            self._agree(_NEXT, app, lambda: begin(mode))
        else:
            begin(mode)

    def before_trial(self, app: CompiledGraph, node: str, begin: Callable[[], None]) -> None:
        """Try a node with real models, once a person has agreed to them."""
        self._agree(_TRIAL, app, begin, node)

    def started(self, run_id: str) -> None:
        """Take what was agreed to for the next run as said of this one."""
        self._chosen = None
        agreed = self._agreed.pop(_NEXT, None)
        if agreed is not None:
            self._agreed[run_id] = agreed

    def _may(self, run_id: str, app: CompiledGraph, only: str | None = None) -> bool:
        return callers(app, only).keys() <= self._agreed.get(run_id, frozenset())

    def _agree(
        self, run_id: str, app: CompiledGraph, then: Callable[[], None], only: str | None = None
    ) -> None:
        """Go on once a person has agreed; at once where nobody would be asked that was not agreed to."""
        if self._may(run_id, app, only):
            then()
            return
        from stepgraph_tui.dialogs.live import LiveQuestion

        asked = callers(app, only)

        def answered(answer: LiveAnswer | None) -> None:
            if answer == "yes":
                self._agreed[run_id] = self._agreed.get(run_id, frozenset()) | asked.keys()
                then()
            elif answer == "models":
                wanted = next((alias for alias in asked if alias not in self.models), None)
                self._show_models(wanted, lambda: self._agree(run_id, app, then, only))
            else:
                self._surface.say("Still scripted: no model will be called", "warning")

        what = {_NEXT: "the next run", _TRIAL: f"this trial of {only}"}.get(run_id, f"run {run_id}")
        connections = self._context.connections
        canned = canned_tools(app, connections.tools.sources) if connections is not None else ()
        limits = self._limits(run_id, app)
        self._surface.ask(LiveQuestion(visible(what), asked, self.models, limits, canned), answered)

    def _limits(self, run_id: str, app: CompiledGraph) -> SpendingLimits:
        """Say how much may be spent: of a run what is said of it, else what its graph says."""
        view = self._shown.view
        said = limits_in(view.others) if view is not None and view.run_id == run_id else NO_LIMITS
        return said.over(app.settings)

    def _show_models(self, wanted: str | None, then: Callable[[], None]) -> None:
        """List the models, one that is wanted first, and go on when the list is closed."""
        from stepgraph_tui.screens.models import ModelsScreen

        self._surface.ask(ModelsScreen(self._context, wanted), lambda _: then())
