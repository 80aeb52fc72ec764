"""The Textual app: themes, keys, and which screen is on top.

Screens and dialogs that the first frame does not show are imported where they are opened; see ``preload``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual import events, on, work
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen

from stepgraph.files import examples_dir

from . import terminal
from .commands import COMMANDS, bindings
from .commands.command import key_name
from .commands.hints import FORMER
from .dialogs.dialog import TALKS
from .review_calls import ReviewCalls
from .store_look import EVERY, tell
from .terminal import AsciiFilter, HiddenTextFilter, KeyQueue, Passed, SettledScreens, holding_columns
from .text.characters import visible
from .themes import THEMES
from .widgets.chrome.key_pairs import KeyPairs

if TYPE_CHECKING:
    from .context import AppContext
    from .screens.home import HomeScreen
    from .screens.runs import RunsScreen, Then
    from .screens.workbench import AnotherFileChosen, Workbench

_HIDES_NOTHING = HiddenTextFilter()


@runtime_checkable
class _TellsHowToLeave(Protocol):
    """A screen with a line to say something in."""

    def tell_how_to_leave(self) -> None:
        """Name the keys that close it, and that leave the app."""


class StepgraphApp(App[list[str]]):
    """Stepgraph at the terminal. What it returns is to be printed where it was started.

    Args:
        context: What its screens share.
        path: The graph file to open at once, above the home screen.
        remarks: Messages for the start: settings that are wrong, say.
        here: The graph of a program that has opened the app: closing it leaves the app, and nothing else.
        choices: The graphs of the module that was named, one of which is to be opened.
    """

    TITLE = "Stepgraph"
    BINDINGS = bindings("app") + [Binding(key, f"tell_former({key!r})", show=False) for key in FORMER]
    ENABLE_COMMAND_PALETTE = False  # ours opens instead, also over dialogs
    CSS_PATH = "screens/home.tcss"  # Textual loads no styles for a default screen
    CSS = "Screen { scrollbar-size: 1 1; layers: default menu; }"

    def __init__(
        self,
        context: AppContext,
        path: Path | None = None,
        remarks: Sequence[str] = (),
        *,
        here: Workbench | None = None,
        choices: Sequence[Path] = (),
    ) -> None:
        super().__init__()
        self._choices = choices
        self._here = here
        self.context = context
        self._path = path
        self._remarks = remarks
        self._leaving = False
        self._pairs = KeyPairs(self, super().on_event)
        self.typed = KeyQueue(self, self._pairs.take)
        """What was typed and waits for its turn."""
        self._settled = SettledScreens(self)
        self._opened: list[Workbench] = []
        self._calls = ReviewCalls(context, self._write, self._tell_failure, self._tell_due)

    def get_default_screen(self) -> Screen[None]:
        """Return the home screen, which lies below all others; below a graph that was named, an empty one."""
        return self._home() if self._path is None and self._here is None else Screen()

    def _home(self) -> HomeScreen:
        from .screens.home import HomeScreen
        from .screens.review_dialog import Continuing

        context = self.context
        return HomeScreen(
            context.store,
            context.remembered,
            examples_dir(),
            context.clock.time,
            hints=context.hints,
            continuing=Continuing(context),
        )

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, what lets nothing hide, and the one for terminals that show ASCII alone."""
        plain = (AsciiFilter(),) if self.context.glyphs.plain else ()
        return (*super().get_line_filters(), _HIDES_NOTHING, *plain)

    def get_driver_class(self) -> type[Driver]:
        """Use the driver that Textual would; rows stay in their columns."""
        return holding_columns(super().get_driver_class())

    def push_screen(self, *screen: Any, **options: Any) -> Any:
        """Show a screen: the first one with something in it at once, others when they have settled."""
        if type(self.screen) is Screen:
            done = super().push_screen(*screen, **options)
            self._settled.follow_first(self.screen)
            return done
        with self._settled.changing():
            return super().push_screen(*screen, **options)

    def pop_screen(self) -> AwaitComplete:
        """Return to the screen below; from a graph, whose thread may take long to end, at once."""
        if self.screen in self._workbenches():
            return super().pop_screen()
        with self._settled.changing():
            return super().pop_screen()

    async def on_event(self, event: events.Event) -> None:
        """Handle keys one by one; all else at once."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            await self.typed.take(event)
            return
        if isinstance(event, events.MouseDown):
            self._pairs.cancel()
        await super().on_event(event)

    @on(Passed)
    async def _go_on_typing(self, message: Passed) -> None:
        await self.typed.passed(message)

    def on_load(self) -> None:
        """Measure the terminal: Rich asks the file numbers 0 to 2, which lead to the capture of output."""
        terminal = sys.__stdout__
        with suppress(OSError):
            if terminal is not None:
                self.console.size = os.get_terminal_size(terminal.fileno())

    def on_mount(self) -> None:
        """Put on the theme and the keys, and open the graph that was named."""
        for theme in THEMES:
            self.register_theme(theme)
        chosen = self.context.remembered.theme
        self.theme = chosen if chosen in self.available_themes else self.context.settings.theme
        self.theme_changed_signal.subscribe(self, lambda theme: self._remember_theme(theme.name))
        self.set_keymap(dict(self.context.settings.keys))
        for remark in self._remarks:
            self.notify(remark, severity="warning", markup=False)
        if self._path is None and self._here is None:
            self._settled.follow_first(self.screen)
        self.call_later(self._open_what_was_named)  # what is mounted here is painted once for nothing
        self.context.store_look.read()
        self._calls.look()
        self.set_interval(EVERY, self._look)

    def _open_what_was_named(self) -> None:
        if self._path is not None:
            self.open_graph(self._path)
        if self._here is not None:
            self._open(self._here)
        if self._choices:
            self._offer(self._choices)

    @work(group=TALKS)
    async def _offer(self, graphs: Sequence[Path]) -> None:
        """Offer the graphs of a module."""
        from .dialogs.pick import Pick, PickOption

        by_name = {str(path).rpartition(":")[2]: path for path in graphs}
        module = Path(str(graphs[0]).rpartition(":")[0]).name
        options = [PickOption(name, name) for name in by_name]
        name = await self.push_screen_wait(Pick(f"Which graph of {module}?", options))
        if name is not None:
            self.open_graph(by_name[name])

    def on_unmount(self) -> None:
        """Close the terminal, the command for reviews, models and tools."""
        self._calls.close()
        connections = self.context.connections
        busy = any(screen.runs.thread.running is not None for screen in self._opened)
        if self.context.has_background:
            self.context.background.stop()
            busy = busy or bool(self.context.background.running)
        if connections is not None and not busy:  # else the call that lasts would fail, and be recorded so
            connections.close()

    def _look(self) -> None:
        """Look at the store once, and tell whoever shows something of it."""
        self.context.store_look.read()
        self.context.engine_look.look()
        self._calls.look()
        tell(self.screen_stack)

    def _write(self, sequence: str) -> None:
        driver = self._driver
        if driver is not None and not driver.is_headless:
            driver.write(sequence)

    def _tell_failure(self, what: str) -> None:
        self.notify(what, severity="warning", markup=False)

    def _tell_due(self, what: str) -> None:
        self.notify(what, markup=False)

    def _remember_theme(self, name: str) -> None:
        self.context.remembered.theme = name

    def on_home_screen_graph_chosen(self, message: HomeScreen.GraphChosen) -> None:
        """Open the graph that was chosen, or the run."""
        self.open_graph(message.path, message.run_id, design=message.design)

    def on_another_file_chosen(self, message: AnotherFileChosen) -> None:
        """Open a graph above the one that is open."""
        self.open_graph(message.path)

    def on_runs_screen_run_chosen(self, message: RunsScreen.RunChosen) -> None:
        """Open the run that was chosen, in the workbench below if that has its graph, else in a new one."""
        below, path = self._below_lists(), message.path
        shown = below.runs.shown.run if below is not None else None
        if below is not None and below.runs.busy and shown is not None and shown.id == message.run_id:
            self._leave_lists()
        elif below is None or path is None or below.file.path != path or below.runs.busy:
            self.open_graph(path, message.run_id, then=message.then)
        else:
            self._leave_lists()
            below.open_run(message.run_id, message.then)

    def action_runs(self) -> None:
        """List all runs, with the cursor on the one that is looked at, or whose review is."""
        from .screens.inbox import InboxScreen
        from .screens.runs import RunsScreen

        if isinstance(self.screen, RunsScreen):
            return
        below = self._below_lists()
        run = below.runs.shown.run if below is not None else None
        run_id = run.id if run is not None else None
        if isinstance(self.screen, InboxScreen):
            run_id = self.screen.run_id or run_id
        self.push_screen(RunsScreen(self.context, self._driven, run_id))

    def action_inbox(self) -> None:
        """List the reviews of all runs, with the cursor on that of the run that is looked at."""
        from .screens.inbox import InboxScreen

        if isinstance(self.screen, InboxScreen):
            return
        below = self.screen
        run = below.runs.shown.run if below in self._workbenches() else None
        self.push_screen(InboxScreen(self.context, run.id if run is not None else None), self._inbox_left)

    def action_models(self) -> None:
        """List the models of the user's settings."""
        from .screens.models import ModelsScreen

        if not isinstance(self.screen, ModelsScreen):
            below = self._below_lists()
            wanted = below.live.missing if below is not None else None
            self.push_screen(ModelsScreen(self.context, wanted))

    def _inbox_left(self, _: None) -> None:
        for screen in self._workbenches():
            screen.call_later(screen.runs.shown.look)  # at what was decided

    def _below_lists(self) -> Workbench | None:
        """Find the workbench that the lists of runs and reviews lie on, or would."""
        screens = [screen for screen in self.screen_stack if not self._is_list(screen)]
        return next((screen for screen in self._workbenches() if screen is screens[-1]), None)

    def _leave_lists(self) -> None:
        """Return to what the lists of runs and reviews lie on."""
        while self._is_list(self.screen):
            self.pop_screen()

    @staticmethod
    def _is_list(screen: object) -> bool:
        from .screens.inbox import InboxScreen
        from .screens.runs import RunsScreen

        return isinstance(screen, RunsScreen | InboxScreen)

    def _driven(self) -> set[str]:
        """Name the runs that are driven here."""
        runs = [screen.runs.shown.run for screen in self._workbenches() if screen.runs.busy]
        beside = self.context.background.ids if self.context.has_background else set()
        return {run.id for run in runs if run is not None} | beside

    def open_graph(
        self, path: Path | None, run_id: str | None = None, *, design: bool = False, then: Then = ""
    ) -> None:
        """Open a graph file, or a run, in a workbench.

        Args:
            path: The file.
            run_id: The run.
            design: Whether the graph is to be drawn.
            then: What is done with the run at once.
        """
        from .screens.workbench import Workbench

        if path is not None:
            self.context.remembered.note_opened(path)
            self.context.remembered.save()
        self._open(Workbench(self.context, path, run_id, design=design, then=then))

    def _open(self, screen: Workbench) -> None:
        self._opened = [*self._workbenches(), screen]
        self.push_screen(screen, self._graph_closed)

    def _graph_closed(self, _: None) -> None:
        self.call_later(self._come_home)  # it is on the stack until this has returned

    def _come_home(self) -> None:
        """Show the home screen when the graph is closed that the app was opened on; leave to a program."""
        if len(self.screen_stack) == 1 and self._here is not None:
            self._leave()
        elif len(self.screen_stack) == 1 and self._path is not None:
            self.push_screen(self._home())

    def action_help(self) -> None:
        """Show the keys that work now; over themselves, close them."""
        from .dialogs.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        else:
            self.push_screen(HelpScreen(self.screen, self._copy))

    def action_begin(self, key: str) -> None:
        """Combine this key with the next one."""
        if not self._pairs.begin(key):
            self.action_tell_former(key)

    def action_tell_former(self, key: str) -> None:
        """Name the key that has now what this one did before."""
        offered = {active.binding.id for active in self.screen.active_bindings.values()}
        command = next((COMMANDS[id_] for id_ in FORMER.get(key, ()) if id_ in offered), None)
        if command is not None:
            now = self.context.hints.key(command.id)
            self.notify(f"{key_name(key)} is {now} now: {command.label}", markup=False)

    def action_command_palette(self) -> None:
        """Offer every command that works now."""
        from .palette import StepgraphPalette

        if not isinstance(self.screen, StepgraphPalette):
            self.push_screen(StepgraphPalette(self.context.hints))

    def _copy(self, text: str) -> None:
        terminal.copy_and_say(self, text, partial(self.notify, markup=False))

    def action_command_log(self) -> None:
        """Show what was done as commands."""
        from .dialogs.pages import CommandLogScreen

        self.push_screen(CommandLogScreen(self.context.log, self._copy))

    async def key_ctrl_c(self) -> None:
        """Take ctrl+c as Esc in a dialog, where nothing else took it: nothing is selected to be copied."""
        escape = self.screen.active_bindings.get("escape")
        if escape is not None:
            await self.run_action(escape.binding.action, escape.node)

    def action_help_quit(self) -> None:
        """Show how to quit; Textual runs it on ctrl+c where no dialog is open."""
        if isinstance(self.screen, _TellsHowToLeave):
            self.screen.tell_how_to_leave()

    async def action_quit(self) -> None:
        """Leave; what would be lost is asked about once."""
        from .leaving import what_is_lost

        goes_on = self._here is not None
        question = what_is_lost(self.context, self._workbenches(), self.screen_stack, goes_on=goes_on)
        if question and not self._leaving:
            from .dialogs.questions import Confirm

            self._leaving = True
            self.push_screen(Confirm(question, "Leave"), self._leave_or_stay)
        else:
            self._leave()

    def _leave_or_stay(self, leave: bool | None) -> None:
        if leave:
            self._leave()
        self._leaving = False

    def _leave(self) -> None:
        from .leaving import last_words

        workbenches = self._workbenches()
        for screen in workbenches:
            screen.keep_place()
        self.context.remembered.save()
        words = last_words(self.context, workbenches, goes_on=self._here is not None)
        self.exit([*map(visible, words)])  # they are printed, by whoever has opened the app

    def _workbenches(self) -> list[Workbench]:
        return [screen for screen in self._opened if screen in self.screen_stack]
