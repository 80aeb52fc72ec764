"""What happens to the run: work for the stepping thread, what it tells, trust, reviews."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.reactive import var

from stepgraph.errors import GraphError, GraphFileError, StepgraphError, StoreError, TrustError
from stepgraph.files import agreement, grant, trust_question
from stepgraph.reviews import Reviews
from stepgraph_tui import twins
from stepgraph_tui.desk import Desk
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.questions import TrustDialog
from stepgraph_tui.stepping import (
    Decide,
    Decided,
    Go,
    Retry,
    RunStarted,
    Start,
    SteppingThread,
    StepTaken,
    Try,
    Work,
    WorkDone,
    WorkFailed,
)
from stepgraph_tui.stored import runnable
from stepgraph_tui.viewing import Moment, RunView
from stepgraph_tui.words.masks import Mask
from stepgraph_tui.words.reviews import mask_for
from stepgraph_tui.words.text import visible

from .remembering import RememberingPanes

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph
    from stepgraph.json_values import Json


class WorkbenchRun(RememberingPanes):
    """The run of a workbench: it is read over one connection, and driven by a thread over another.

    Args:
        desk: What the app shares.
        path: The graph file; None for a run that has none.
        run_id: The run to show at once; the last one of this file when None.
    """

    busy: var[bool] = var(False)
    """Whether the stepping thread has work."""

    def __init__(self, desk: Desk, path: Path | None, run_id: str | None = None) -> None:
        super().__init__(desk, path)
        self.thread = SteppingThread(
            desk.connect, self.post_message, clock=desk.clock, ids=desk.ids, capture=desk.capture
        )
        self._asked_for = run_id
        self._dialog: ReviewScreen | None = None

    def on_unmount(self) -> None:
        """Let the thread go; what it runs is left to itself."""
        self.thread.close()

    def watch_pause_after(self, nodes: frozenset[str]) -> None:
        """The thread looks at the marks at each step."""
        super().watch_pause_after(nodes)
        self.thread.pause_after = nodes

    def open_run(self, run_id: str, *, missing_is_fine: bool = False) -> None:
        """Show a run."""
        try:
            view = RunView(self.desk.store, run_id)
        except StepgraphError as error:
            if not missing_is_fine:
                self.tell_error(error)
            return
        self.show_run(view)
        self.keep_place()  # a run that is killed is found again
        self.desk.remembered.save()

    def start(self, values: Mapping[str, Json], run_id: str | None = None) -> None:
        """Create a run of the file as it is now."""
        app = self.compiled()
        if app is not None and self.submit(Start(app, values, run_id)):
            self.note(twins.start(app.source or Path(), values, run_id, self.desk.address, Mask(app, values)))

    def compiled(self) -> CompiledGraph | None:
        """The graph of a new run: the file as it is now, or without one that of the run that is shown.

        None when it cannot run; its problems are then on the screen.
        """
        try:
            app = self._from_store() if self.file.path is None else self.file.compiled()
        except (GraphError, GraphFileError, StoreError) as error:
            self.say(error.message, "error")
            app = None
        self.show_graph()
        return app

    def _from_store(self) -> CompiledGraph:
        if self.run is None:
            raise GraphFileError("there is no graph to start a run of")
        return runnable(self.desk.store, self.desk.store.load(self.run.id))

    def look(self) -> bool:
        """Read what is new of the run, whoever made it, and how many reviews wait.

        Returns:
            Whether the run was changed since the last look.
        """
        view = self.view
        try:
            changed = view is not None and view.refresh()
            self.header.waiting = len(Reviews(self.desk.store).pending())
        except StepgraphError as error:
            self.tell_error(error)
            return False
        if view is not None and changed:
            moment = self.moment
            live = moment is None or moment.live
            self.moment = Moment.now(view) if live or moment is None else Moment.at(view, moment.step)
        return changed

    def tick(self) -> None:
        """Look at what the thread does."""
        busy = self.thread.busy
        if busy or self.busy or self._runs is not None:
            self.busy = busy
            self.show_running(self.thread.running if busy else None)

    def watch_busy(self) -> None:
        """Other keys work while a node runs."""
        self.say_standing()
        self.refresh_bindings()

    def submit(self, work: Work) -> bool:
        """Give the thread work; refused with a word while it has some."""
        if not self.thread.submit(work):
            running = self.thread.running
            what = f"{visible(running.node)} still runs" if running is not None else "still at work"
            self.say(f"{what}: X stops after it", "warning")
            return False
        self.busy = True
        self.next_line.hush()  # what was said was said of what came before
        return True

    @on(RunStarted)
    def _begin(self, message: RunStarted) -> None:
        self.open_run(message.run_id)

    @on(StepTaken)
    def _stepped(self) -> None:
        self.look()

    @on(WorkDone)
    def _finish(self, message: WorkDone) -> None:
        self.tick()
        self.look()
        if message.halt == "paused":
            self.open_review()
        elif message.halt == "failed":
            self.show_failure()
            if isinstance(message.work, Retry):
                self.say("it was tried again, and failed again", "warning")
        elif message.halt in {"stopped", "reached", "marked"} and self.run is not None:
            self.say(f"stopped before {visible(self.run.current or '')}")

    @on(Decided)
    def _decided(self, message: Decided) -> None:
        self.tick()
        if self._dialog is not None:
            self._dialog.recorded(message.review)
        self.note(twins.decide(message.review, self.desk.address, mask_for(self.desk.store, message.review)))
        self.look()
        if self.desk.settings.auto_continue and self.run is not None and self.run.id == message.review.run_id:
            self.submit(Go(message.review.run_id))

    @on(WorkFailed)
    async def _could_not(self, message: WorkFailed) -> None:
        self.tick()
        work, error = message.work, message.error
        if isinstance(error, TrustError):
            self._ask_for_trust(work)
        elif isinstance(work, Decide) and self._dialog is not None:
            self._dialog.refused(error)
        else:
            self.tell_error(error)
        self.look()

    def _ask_for_trust(self, work: Work) -> None:
        """Ask about the very files that are there now; what changes meanwhile is not agreed to."""
        app = work.app if isinstance(work, Start | Try) else self.view.plan if self.view is not None else None
        if app is None:
            return
        seen = agreement(app)

        def answered(trusted: bool | None) -> None:
            if not trusted:
                self.say("not trusted: nothing ran", "warning")
                return
            try:
                grant(app, seen)
            except StepgraphError as error:
                self.tell_error(error)
                return
            self.submit(work)

        self.app.push_screen(TrustDialog(app.name, trust_question(app)), answered)

    def open_review(self, *, or_another: bool = False) -> None:
        """Open the review that this run waits for, or else the one that has waited longest of all runs."""
        if self._dialog is not None and self._dialog.is_attached:
            return
        try:
            waiting = Reviews(self.desk.store).pending()
        except StepgraphError as error:
            self.tell_error(error)
            return
        here = [review for review in waiting if self.run is not None and review.run_id == self.run.id]
        chosen = here or (waiting if or_another else [])
        if chosen:
            self._open_review(chosen[0].id)

    def _open_review(self, review: str) -> None:
        self._dialog = ReviewScreen(
            self.desk.store,
            review,
            decide=self.submit,
            me=self.desk.settings.name,
            drafts=self.desk.drafts,
            copy=self.copy_text,
            say=self.say,
            hints=self.desk.hints,
            time=self.desk.clock.time,
        )
        self.app.push_screen(self._dialog, self._review_closed)

    def _review_closed(self, _: None) -> None:
        self.look()
