"""The beginning of a run: inputs, trust, and who answers; a person is asked before any model is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.graphs import END
from stepgraph.runs import (
    NO_LIMITS,
    SCRIPTED,
    Mask,
    RunMode,
    SpendingLimits,
    limits_in,
    origin_text,
    parent_of,
)
from stepgraph.stores import RunStatus
from stepgraph.values import GraphFileError, StepgraphError

from ...cli_equivalents import Equivalents
from ...text.calls import callers, scripted_tools
from ...text.characters import visible
from ...text.system import command
from ...worker import Fork, Load, SetMode, Start, Try, Work
from .refusals import STILL_RUNS, refused_fork

if TYPE_CHECKING:
    from stepgraph.expressions import Changes
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.models import ModelSettings
    from stepgraph.runs import Run
    from stepgraph.values import Json

    from ...context import AppContext
    from .run_controller import RunController
    from .surface import Surface


class RunStarter:
    """Starts runs of a file; of the graph of the run that is shown where there is no file.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: Has the run that is shown, and the thread.
        live: Asks before models are called.
    """

    def __init__(
        self, context: AppContext, surface: Surface, runs: RunController, live: LiveController
    ) -> None:
        self.live = live
        """Asks before models are called."""
        self._context, self._surface, self._runs = context, surface, runs

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a run can be started as another one was."""
        if self._runs.shown.view is None:
            return "there is no run to replay"
        return self._surface.hints(STILL_RUNS) if self._runs.busy else True

    async def action_replay(self) -> None:
        """Start a run that is answered by what this one recorded, or by what this one is a replay of."""
        view = self._runs.shown.view
        if view is None or self._runs.compiled() is None:
            return
        self.live.replay(view.mode.replay or view.run_id)
        await self.start(dict(view.inputs))

    async def ask(self, title: str | None = None) -> bool:
        """Ask for the inputs of a run, and start it; False where none was started."""
        app = self._runs.compiled()
        if app is None:
            return False
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.run_form import RunForm

        shown = self._runs.shown.view
        given = shown.inputs if shown is not None else {}
        inputs = await self._surface.ask(FormDialog(RunForm(app, given, title)))
        return inputs is not None and await self.start(inputs.values, inputs.run_id)

    async def start(self, values: Mapping[str, Json], run_id: str | None = None) -> bool:
        """Create a run of the file as it is now; False, and a word why, where it cannot begin."""
        app = self._runs.compiled()
        if app is None:
            return False
        mode = self.live.next_mode
        limits = await self.live.agree_to_start(app)
        if limits is None or not self._runs.submit(
            Start(app, values, run_id, self._context.settings.name, mode, limits)
        ):
            return False
        path, mask = app.source or Path(), Mask(app, values)
        self._surface.note(
            Equivalents(self._context.address, mask).start(path, values, run_id, mode=mode, limits=limits)
        )
        return True

    def _asked_about(self, work: Work) -> StateGraph | CompiledGraph | None:
        """Find what is to be trusted for a piece of work.

        Raises:
            GraphFileError: It is a module that cannot be read.
        """
        from stepgraph.files import to_be_trusted, unopened

        if isinstance(work, Load):
            return unopened(work.ref)
        if isinstance(work, Start | Try):
            return work.app
        shown = self._runs.shown.view
        return to_be_trusted(shown.plan) if shown is not None else None

    async def ask_for_trust(self, work: Work) -> bool:
        """Ask about the very files that are there now, and work; what changes meanwhile is not agreed to.

        Returns:
            Whether a person trusts them, and the work was begun.
        """
        try:
            app = self._asked_about(work)
        except GraphFileError as error:  # it has been taken away since
            self._surface.tell_error(error)
            return False
        if app is None:
            return False
        from stepgraph.files import grant, trust_folder, trust_question
        from stepgraph_tui.dialogs.questions import TrustDialog

        question = trust_question(app)
        elsewhere = self._asks_elsewhere(work) if self._context.in_browser else ""
        user = self._context.connections
        servers = user.tools.sources if user else ()
        trusted = await self._surface.ask(TrustDialog(app.name, question, servers, elsewhere=elsewhere))
        if not trusted:
            self._surface.say("not trusted: nothing ran", "warning")
            return False
        try:
            if trusted == "folder":
                trust_folder(app, question)
            else:
                grant(app, question)
        except StepgraphError as error:
            self._surface.tell_error(error)
            return False
        return self._runs.submit(work)

    def _asks_elsewhere(self, work: Work) -> str:
        """Spell the command that asks about the same at a terminal."""
        address, shown = self._context.address, self._runs.shown.view
        source = work.app.source if isinstance(work, Start | Try) else getattr(work, "ref", None)
        if source is None and shown is not None:
            verb = "retry" if shown.run.status is RunStatus.FAILED else "step"
            return command(verb, shown.run.id, store=address)
        return command("run", str(source), store=address)


class ForkController:
    """Forks the run that is shown from the step that is viewed, and has the fork shown in its place.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: The run, and the thread that makes the fork.
    """

    def __init__(self, context: AppContext, surface: Surface, runs: RunController) -> None:
        self._context = context
        self._surface = surface
        self._runs = runs

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether the key works; where it does not, why."""
        why = refused_fork(self._runs.shown.moment, busy=self._runs.busy, hints=self._surface.hints)
        return True if why is None else why

    async def action_ask(self) -> None:
        """Show what will run again, ask for the state of the fork, and create it."""
        moment, surface = self._runs.shown.moment, self._surface
        if moment is None:
            return
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.run_form import ForkForm

        view = moment.view
        try:
            form = ForkForm(view, None if moment.live else moment.step)
        except StepgraphError as error:
            surface.tell_error(error)
            return
        wanted = await surface.ask(FormDialog(form, surface.edit_text))
        if wanted is None:
            return
        by = self._context.settings.name
        if self._runs.submit(Fork(view.run_id, wanted.at, wanted.values, by, wanted.run_id)):
            changes: Changes = {(name,): value for name, value in wanted.values.items()}
            equivalents = Equivalents(self._context.address, view.mask)
            surface.note(equivalents.fork(view.run_id, wanted.at, changes, wanted.run_id))

    def show_fork(self, work: Fork) -> None:
        """Show which run is shown now, and where it came from."""
        run = self._runs.shown.run
        if run is not None and parent_of(run.head) == work.run_id:
            comes = run.current or END
            self._surface.say(f"run {run.id} forks {origin_text(run.head)}: {comes} comes next")


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
        """The model that the failed node asks and the settings lack; None for none."""
        alias = self._unanswered
        return alias if alias not in self.models else None

    @property
    def advice(self) -> str:
        """What to do about a node that failed for want of a model; empty where that is not why."""
        view, alias = self._runs.shown.view, self._unanswered
        if view is None or alias is None:
            return ""
        is_live, hints = view.mode.live, self._surface.hints
        if alias not in self.models:
            else_scripted = "" if is_live else ", then {debug.live} asks it; or give the node replies"
            return hints(f"{{app.models}} adds the model {alias}{else_scripted}")
        return hints("{debug.live} lets real models answer") if view.mode.word == "SCRIPTED" else ""

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
        """Find how much may be spent: the run's own limits, else its graph's."""
        view = self._runs.shown.view
        limits = limits_in(view.others) if view is not None and view.run_id == run_id else NO_LIMITS
        return limits.over(app.settings)
