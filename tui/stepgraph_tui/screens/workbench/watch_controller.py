"""The watches of a graph: which there are, and going from stop to stop in the past of a run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.values import StepgraphError
from stepgraph_tui.cli_equivalents import Equivalents
from stepgraph_tui.widgets.watches import WatchEntry, WatchesPane

from .panes import KeptEntries
from .refusals import no_such_step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stepgraph.runs.debug import Breakpoint, RunStops, Watch, WatchStrip
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.documents import OpenedGraph
    from stepgraph_tui.run_view import RunView

    from .panes import WorkbenchPanes
    from .run_controller import RunController
    from .surface import Surface

FEW = 500
"""Rows of a ledger that are read at once: that takes less time than anybody sees."""
_NOTHING = (
    "there is nothing to stop at: {state.watch} in State watches a value, {debug.break} breaks at a node"
)

_Sources = tuple[str, str, tuple["Watch", ...], tuple["Breakpoint", ...]]
"""What the stops of a run depend on: the run, its definition, what is watched, and the breakpoints."""


class WatchController:
    """Keeps the watches of a graph, and views the steps at which they changed or a breakpoint was met.

    A long run is first read in a thread, over a connection of its own; then each look reads what is new.

    Args:
        context: What the app shares.
        file: The graph file that the watches are kept for.
        surface: The screen.
        runs: The run, and the step that is viewed.
        panes: Where the watches are listed.
    """

    def __init__(
        self,
        context: AppContext,
        file: OpenedGraph,
        surface: Surface,
        runs: RunController,
        panes: WorkbenchPanes,
    ) -> None:
        self._kept: KeptEntries[Watch] = KeptEntries(file.path, "w")
        self._context, self._surface = context, surface
        self._runs, self._panes, self._pane = runs, panes, panes.watches_pane
        self._pane.strips = self._strips
        self.is_loaded = False
        """Whether what is kept was looked at."""
        self._sources: _Sources | None = None  # what was read last, or is being read
        self._stops: RunStops | None = None
        self.is_reading = False
        """Whether a thread reads the run."""
        self._waiting: list[Callable[[RunStops], object]] = []  # what the keys asked for meanwhile

    # Which there are

    @property
    def entries(self) -> tuple[WatchEntry, ...]:
        """What is listed: the watches, and those that are damaged."""
        return (
            *(WatchEntry(watch.id, watch, on=watch.enabled) for watch in self._watches),
            *(WatchEntry(each.id, None, each.describe()) for each in self._kept.damaged),
        )

    @property
    def _watches(self) -> tuple[Watch, ...]:
        return self._kept.entries

    def look(self) -> None:
        """List the watches again where another process has changed them since they were listed."""
        if self.is_loaded:
            self.load()

    def load(self) -> None:
        """List the watches as they are kept now, by whomever; report those that are damaged."""
        self.is_loaded = True
        before = {entry.id for entry in self._kept.damaged}
        try:
            if not self._kept.look():
                return
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        self._panes.show_watches(self.entries)
        if news := [entry.id for entry in self._kept.damaged if entry.id not in before]:
            message = f"watch {', '.join(news)} is damaged: {{workbench.watches}} says how"
            self._surface.say(self._surface.hints(message), "warning")

    # What is done with them

    async def hear(self, message: WatchesPane.Asked) -> None:
        """Handle the pane's request."""
        verb, entry = message.verb, message.entry
        if verb == "add":
            await self._ask(None)
        elif verb == "edit" and entry is not None:
            await self._ask(entry)
        elif verb == "remove" and entry is not None:
            self._remove(entry)
        elif entry is not None:
            self._switch(entry)

    def add(self, text: str) -> None:
        """Watch an expression."""
        from stepgraph.runs.debug import Watch

        if not self.is_loaded:
            self.load()
        shows = "" if self._pane.has_focus else self._surface.hints(": {workbench.watches} shows it")
        if any(watch.text == text for watch in self._watches):
            self._surface.say(f"{self._runs.shown.masked(text)} is watched already{shows}")
            return
        if self._does(partial(self._kept.add, Watch(text))):
            self._note("--watch", self._runs.shown.masked(text))
            self._surface.say(f"{self._runs.shown.masked(text)} is watched{shows}")

    async def _ask(self, entry: WatchEntry | None) -> None:
        from stepgraph_tui.dialogs.break_form import WatchForm
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.documents.matching import names_for

        watch = entry.watch if entry is not None else None
        names = names_for(self._panes.graph, self._runs.shown.view)
        form = WatchForm(watch.text if watch is not None else None, names)
        text = await self._surface.ask(FormDialog(form, self._surface.edit_text))
        if text is None or (watch is not None and text == watch.text):
            return
        if watch is None:
            self.add(text)
        elif self._does(partial(self._kept.replace, replace(watch, text=text))):
            self._note("--remove", watch.id)
            self._note("--watch", self._runs.shown.masked(text))
            self._surface.say(f"{self._runs.shown.masked(text)} is watched")

    def _remove(self, entry: WatchEntry) -> None:
        if self._does(partial(self._kept.remove, entry.id)):
            self._note("--remove", entry.id)
            watch = entry.watch
            done = f"{watch.text} is no longer watched" if watch is not None else f"{entry.id} was removed"
            self._surface.say(self._runs.shown.masked(done))

    def _switch(self, entry: WatchEntry) -> None:
        if entry.watch is None:
            return
        watch = replace(entry.watch, enabled=not entry.on)
        if self._does(partial(self._kept.replace, watch)):
            self._note("--on" if watch.enabled else "--off", entry.id)
            keys = self._surface.hints("{debug.previous_stop} {debug.next_stop}")
            goes = "stop at" if watch.enabled else "pass over"
            self._surface.say(f"{keys} {goes} the changes of {self._runs.shown.masked(watch.text)}")

    def _does(self, change: Callable[[], object]) -> bool:
        """Change what is kept, and list it again; False where it was refused, with a message."""
        try:
            change()
        except StepgraphError as error:
            self._surface.tell_error(error)
            self.load()
            return False
        self._panes.show_watches(self.entries)
        return True

    def _note(self, option: str, word: str) -> None:
        if self._kept.path is not None:
            self._surface.note(Equivalents().breaks(self._kept.path, option, word))

    # Going from stop to stop

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works, or why it does nothing now."""
        moment = self._runs.shown.moment
        if moment is None or moment.view.run.step == 0:
            return no_such_step(moment, earlier=True) or True
        if self.is_loaded and not self._watches and not self._breakpoints:
            return self._surface.hints(_NOTHING)
        return True

    def action_jump(self, by: int) -> None:
        """View the next stop, or the one before; in the pane of watches, of the selected watch."""
        if not self.is_loaded:
            self.load()
        entry = self._pane.selected if self._pane.has_focus else None
        only = entry.watch if entry is not None else None
        self._waiting.append(partial(self._jump, by=by, only=only))
        if (stops := self._read()) is not None:
            self._do_waiting(stops)

    def _jump(self, stops: RunStops, by: int, only: Watch | None) -> None:
        """View a stop, and describe it; at the ends, report that there is none."""
        moment = self._runs.shown.moment
        if moment is None:
            return
        among = (only,) if only is not None else self._stopped_at
        stop = stops.find(moment.step, by, among, breakpoints=only is None)
        if stop is None:
            where = f"{'after' if by > 0 else 'before'} step {moment.step}"
            if only is not None:
                reason = f"{self._runs.shown.masked(only.text)} does not change {where}"
            else:
                reason = f"nothing {where}: no watch changes there, no breakpoint is hit"
            self._surface.say(reason, "warning")
            return
        self._runs.shown.view_step(stop.step if stop.step < moment.view.run.step else None)
        self._surface.say(self._runs.shown.masked(stop.describe()))

    @property
    def _stopped_at(self) -> Sequence[Watch]:
        return [entry.watch for entry in self.entries if entry.watch is not None and entry.on]

    @property
    def _breakpoints(self) -> tuple[Breakpoint, ...]:
        return self._runs.thread.breakpoints.items

    # Reading

    def _strips(self) -> Sequence[WatchStrip] | None:
        """Return the strips of the watches, as far as they are read; None while they are not."""
        if self._watches:
            self._read()
        return self._stops.strips if self._stops is not None else None

    def _read(self) -> RunStops | None:
        """Read what is new of the run; None while a thread does, which goes on with what waits."""
        from stepgraph.runs.debug import RunStops

        view = self._runs.shown.view
        if view is None:
            return None
        sources = (view.run_id, view.definition, self._watches, self._breakpoints)
        if sources != self._sources:
            self._sources, self._stops = sources, None
        stops = self._stops
        if self.is_reading or view.version - (stops.version if stops is not None else 0) > FEW:
            if not self.is_reading:
                self.is_reading = True
                self._surface.begin(self._read_behind(view, sources, stops))
            return None
        try:
            stops = stops or RunStops(self._watches, self._breakpoints, view.plan)
            self._stops = stops.read(view.run, view.mask.value)
        except StepgraphError as error:
            self._surface.tell_error(error)
            self._waiting.clear()
            return None
        return self._stops

    async def _read_behind(self, view: RunView, sources: _Sources, stops: RunStops | None) -> None:
        """Read a run in a thread, on from where it was read before; nobody else reads on meanwhile."""
        connected, hide = self._context.connected, view.mask.value
        run_id, _, watches, breakpoints = sources

        def work() -> RunStops | StepgraphError:
            from stepgraph.runs import open_run
            from stepgraph.runs.debug import RunStops

            try:
                with connected() as store:
                    run = open_run(store, run_id)
                    return (stops or RunStops(watches, breakpoints, run.plan)).read(run, hide)
            except StepgraphError as error:
                return error

        self._take(await self._surface.work(work), sources)

    def _take(self, read: RunStops | StepgraphError, sources: _Sources) -> None:
        """Handle what a thread has read; read again if something else is wanted by now."""
        self.is_reading = False
        if isinstance(read, StepgraphError):
            self._waiting.clear()
            self._surface.tell_error(read)
            return
        if sources == self._sources:
            self._stops = read
            self._runs.shown.look()  # the thread may have seen more of the run than the screen
            self._do_waiting(read)
        elif self._waiting and (newer := self._read()) is not None:
            self._do_waiting(newer)
        self._pane.show_anew()

    def _do_waiting(self, stops: RunStops) -> None:
        waiting, self._waiting = self._waiting, []
        for jump in waiting:
            jump(stops)
