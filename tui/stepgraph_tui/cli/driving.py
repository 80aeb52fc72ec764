"""Stepping a run from the command line, until it ends, waits, fails, or somebody presses Ctrl-C."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from stepgraph.runs import GrowingMask, mask_of, not_ready
from stepgraph.stores import RunStatus
from stepgraph.values import Conflict, StoreUnreachable

from ..text.cells import cell_len, cut, padded
from ..text.characters import visible
from ..text.plain import place, took
from ..text.run_list import run_status
from ..text.state_diff import Before
from ..text.state_rows import state_rows
from ..text.system import command, is_missing, settings_file
from ..view.runs import HitStory, RunStory, StepStory
from .debugging import NOTHING, Debugging
from .exits import Exit
from .live import tell_spent
from .reports import run_json, tell_failure, tell_pause
from .stored import Patience, note_if_changed, patience_of

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Around, DebugSession, Mask, Run, StepRecord
    from stepgraph.runs.debug import BreakpointHit

    from .live import CallNarrator
    from .output import Output


_WIDEST = 18  # columns of a node's name
_PATIENCE = 1.0  # seconds before a node counts as a long one, and between two looks at it


class Steps:
    """Prints a line for each step: number, node, edge, duration, changed keys.

    Args:
        output: Where to.
        app: The graph, for the widths of the columns.
        run: The run before its next step.
    """

    def __init__(self, output: Output, app: CompiledGraph, run: Run) -> None:
        self._output = output
        self._before = Before(run.values)
        self._node_width = min(_WIDEST, max(map(cell_len, app.nodes), default=0))
        widths = (cell_len(edge.label or "") + cell_len(place(edge.target)) + 4 for edge in app.edges)
        self._edge_width = min(_WIDEST + 8, max(widths, default=0))

    def tell(self, step: StepStory) -> None:
        """Print one line about a completed step; of a pause or a failed node the report tells."""
        record = step.record
        if record.row.kind != "step":
            return
        self._output.tell(
            (f"{record.step:>4}  ", "dim"),
            (padded(step.node, self._node_width), "bold"),
            (f"  {padded(edge_text(step), self._edge_width)}  {took(record.duration):>8}  ", ""),
            (step.hidden(" ".join(self._before.changes(record))), "dim"),
        )


def waiting(output: Output, is_telling: Callable[[], bool] = lambda: False) -> Around:
    """Build the context around each node: sound streams, and a progress display for a long one.

    Args:
        output: Where to.
        is_telling: Whether something of the node is shown anyway, so that nothing is written over it.
    """

    @contextmanager
    def quiet(run_id: str, node: str, step: int) -> Iterator[None]:
        output.renew_apart()
        with output.debugged(run_id, node, step):
            yield

    @contextmanager
    def shown(run_id: str, node: str, step: int) -> Iterator[None]:
        output.renew_apart()
        with output.debugged(run_id, node, step) as debugger:

            def is_ours() -> bool:
                return not (is_telling() or (debugger is not None and debugger.is_lent))

            with showing_time(output, f"      {cut(node, _WIDEST)} runs", is_ours):
                yield

    return shown if output.told_stream.is_styled else quiet


@contextmanager
def showing_time(output: Output, what: str, is_ours: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Show on a terminal how long something takes, once that is more than a moment.

    Args:
        output: Where to.
        what: What takes its time.
        is_ours: Whether the line may be written to.
    """
    if not output.told_stream.is_styled:
        yield
        return
    done = threading.Event()
    ticker = threading.Thread(target=_tick, args=(output, visible(what), done, is_ours), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()


def _tick(output: Output, what: str, done: threading.Event, is_ours: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not done.wait(_PATIENCE):
        if is_ours():
            output.told_stream.show_passing(f"{what}, {time.monotonic() - began:.0f} s")
    output.told_stream.show_passing()


def edge_text(step: StepStory) -> str:
    """Name the edge that was taken, and where it leads: ``billing -> lookup``."""
    if step.was_stopped:
        return "stopped"
    if step.next is None:
        return "no edge was taken"
    label = next((edge.label for edge in step.edges if edge.matched), None)
    return f"{label} -> {place(step.next)}" if label else f"-> {place(step.next)}"


_FIRST_WORDS = "\nstopping after the current node; press ctrl+c again to quit at once\n"
_EXITS = {
    RunStatus.READY: Exit.DONE,
    RunStatus.ENDED: Exit.DONE,
    RunStatus.PAUSED: Exit.PAUSED,
    RunStatus.FAILED: Exit.FAILED,
}


@dataclass(slots=True)
class Driver:
    """Drives one run and prints what happens."""

    output: Output
    session: DebugSession
    debugging: Debugging = NOTHING
    narrator: CallNarrator | None = None
    """Prints calls to models, and decides whether to stop them."""
    _mask: GrowingMask | None = None

    def go(
        self,
        *,
        once: bool = False,
        retry: bool = False,
        until: Collection[str] = (),
        after: Collection[str] = (),
        starts: bool = False,
    ) -> Exit:
        """Step the run, then tell where it stands.

        Args:
            once: Only one step; with ``retry``, only the failed part.
            retry: Begin with the failed node or routing.
            until: Stop when one of these nodes comes next; at least one step is taken before.
            after: Stop after one of these nodes.
            starts: Look at the breakpoints before the node that comes next, too: nobody halted there yet.

        Raises:
            NotReady: It cannot be retried, or cannot be stepped.
            Conflict: Another process moved it on.
        """
        session = self.session
        if not retry and session.run.status is not RunStatus.READY:
            return tell_unready(self.output, session.run, once=once)
        gc.freeze()  # modules stay
        gc.enable()  # nodes may run for hours
        steps = Steps(self.output, session.executor.app, session.run)
        if starts and session.breakpoints.items:
            session.arrive()
            self._tell_logs()
            if session.hit is not None:
                return self._report()
        elif not (once or retry) and session.breakpoints.items:
            self.debugging.tell_standing(self.output, self._masked(session.standing))
        self.output.keep_apart()
        patience = patience_of(session.executor.store)
        with (
            self._given_up(patience),
            Interrupts(self._last_words, patience) as interrupts,
            self._overtaken(),
        ):
            if self.narrator is not None:
                self.narrator.stopped = lambda: interrupts.requested
            if retry:
                self._retry(steps)
            elif once:
                self._tell(steps, session.step())
            goes_on = not once and session.run.status is RunStatus.READY
            stopped = goes_on and interrupts.requested
            if goes_on and not stopped:
                for record in session.go(until=until, after=after, stop=lambda: interrupts.requested):
                    self._tell(steps, record)
                stopped = session.halt == "stopped"
        return self._report(stopped=stopped, asked=interrupts.requested)

    @contextmanager
    def _overtaken(self) -> Iterator[None]:
        """Report what became of the node that ran while somebody else moved the run on."""
        try:
            yield
        except Conflict as error:
            node, run_id = self.session.run.current or "", self.session.run.id
            shows = command("runs", "show", run_id, store=self.output.address)
            hint = f"what node {node} has just done is not recorded; `{shows}` shows how the run went on"
            raise Conflict(error.message, hint=hint) from error

    @contextmanager
    def _given_up(self, patience: Patience | None) -> Iterator[None]:
        """Print how to go on once somebody has stopped waiting for the store."""
        try:
            yield
        except (KeyboardInterrupt, StoreUnreachable):
            if patience is None or not patience.is_over:
                raise
            run = self.session.run
            node = run.current or ""
            self.output.narrate(
                f"no longer waiting for the store: whether the step of node {node} is recorded shows when it"
                " answers again; then continue with:"
            )
            self.output.suggest("retry" if run.status is RunStatus.FAILED else "resume", run.id)
            raise KeyboardInterrupt from None

    def _report(self, *, stopped: bool = False, asked: bool = False) -> Exit:
        session = self.session
        stopped |= asked and session.run.status is RunStatus.FAILED  # in the middle of a reply, say
        self._tell_pause()
        if self.narrator is not None and self.narrator.has_heard:  # else its whole ledger would be read
            tell_spent(self.output, session.run)
        return report(self.output, session.run, stopped=stopped, debugging=self.debugging, hits=session.hits)

    def _tell_pause(self) -> None:
        """Run the user's command for the review that the run has come to."""
        pending = self.session.run.pending
        file = settings_file()
        if pending is None or pending.is_wait or is_missing(file):
            return
        from stepgraph_tui.review_calls import PauseCommand
        from stepgraph_tui.settings import read_settings
        from stepgraph_tui.text.reviews import review_json
        from stepgraph_tui.view.reviews import masked

        words = read_settings(file)[0].on_pause
        if words:
            calls = PauseCommand(words, self.output.narrate)
            run = self.session.run
            shows = self.output.command("approvals", "show", pending.id)
            shown = masked(pending, mask_of(run.plan, run.store, run.id))
            calls.tell(review_json(shown) | {"command": shows})
            calls.close()

    def _tell(self, steps: Steps, record: StepRecord) -> None:
        steps.tell(StepStory(record, self._mask_now()))
        self._tell_logs()

    def _tell_logs(self) -> None:
        if self.session.hits:
            self.debugging.tell_hits(self.output, self._masked(self.session.hits))

    def _masked(self, hits: Iterable[BreakpointHit]) -> list[HitStory]:
        mask = self._mask_now()
        return [HitStory(hit, mask) for hit in hits]

    def _mask_now(self) -> Mask:
        """Build the mask of the run's secrets so far."""
        run = self.session.run
        if self._mask is None:
            self._mask = GrowingMask(run.store, run.id)
        return self._mask.at(run.plan, run.version)

    def _retry(self, steps: Steps) -> None:
        completed = self.session.run.step
        record = self.session.retry()
        if record.status == "success" or record.step > completed:  # else the routing failed once more
            self._tell(steps, record)

    def _last_words(self) -> str:
        run = self.session.run
        return (
            visible(
                f"left at once: the step of node {run.current or ''} is not recorded, and run "
                f"{run.id} is {run.status.value.upper()} at that node; continue with"
            )
            + "\n  "
            + visible(self.output.command("retry" if run.status is RunStatus.FAILED else "resume", run.id))
        )


def tell_unready(output: Output, run: Run, *, once: bool = False, debugging: Debugging = NOTHING) -> Exit:
    """Print where a run stands that cannot be stepped, and return the command's exit code.

    Args:
        output: Where to.
        run: The run.
        once: Whether one step was wanted; going on with a run that has ended is no mistake.
        debugging: The watches to show.

    Raises:
        NotReady: One step was wanted, and the run does not just wait.
    """
    if run.status is not RunStatus.PAUSED:
        if once:
            raise not_ready(run, "step")
        output.narrate(f"run {run.id} had {run.status.value} already; nothing ran")
    if run.status is not RunStatus.ENDED:
        note_if_changed(output, run.plan)
    return report(output, run, debugging=debugging)


def report(
    output: Output,
    run: Run,
    *,
    stopped: bool = False,
    debugging: Debugging = NOTHING,
    hits: Sequence[BreakpointHit] = (),
) -> Exit:
    """Print where a run stands, print its data, and return the command's exit code.

    Args:
        output: Where to.
        run: The run.
        stopped: Whether somebody stopped it before it came to its end.
        debugging: The watches to show, and how the next command gets the breakpoints.
        hits: What the last step met.
    """
    story = RunStory.of(run)
    mask, pending = story.mask, story.pending
    met = [HitStory(hit, mask) for hit in hits]
    debugging.tell_halt(output, met)
    if pending is not None:
        tell_pause(output, pending)
    elif run.status is RunStatus.FAILED:
        tell_failure(output, story)
    elif run.status is RunStatus.READY:
        how = "stopped" if stopped else "ready"
        output.narrate(f"{how} after step {run.step}; {place(run.current)} comes next; continue with:")
        output.suggest("resume", run.id, *map(mask.text, debugging.words))
    if run.loop_report is not None and run.status is RunStatus.ENDED:
        output.narrate(
            f"note: the run was stopped at its step limit: {run.loop_report}; give it more steps with:"
        )
        output.suggest("extend", run.id, "10")
    debugging.tell_left_out(output)
    if output.as_json:
        output.data(run_json(story) | debugging.json(story, met))
    else:
        if run.status is RunStatus.ENDED:
            _print_end(output, story)
        debugging.tell_watches(output, story)
    return Exit.INTERRUPTED if stopped else _EXITS[run.status]


def _print_end(output: Output, story: RunStory) -> None:
    """Print the outcome and the final state, as a table of text."""
    output.page([("run", f"{story.run.id}, {run_status(story.run)}"), *state_rows(story.values)])


class Interrupts:
    """While it is entered, signals only ask; whoever steps looks at ``requested`` between nodes.

    What waits for a store that is away is interrupted: no node runs then.

    Args:
        last_words: Says, for the second Ctrl-C, what was lost and how to go on.
        patience: Waits for the store in an outage; a signal ends that.
    """

    def __init__(self, last_words: Callable[[], str], patience: Patience | None) -> None:
        self.requested = False
        """True once somebody asked to stop."""
        self._last_words, self._patience = last_words, patience
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                # A shell that starts a command in the background has it ignore Ctrl-C: leave that as it is.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._patience is not None and self._patience.waits:
            self.requested = True
            self._patience.end()
            raise KeyboardInterrupt
        if self.requested and number == signal.SIGINT:
            _say(f"\n{self._last_words()}\n")
            os._exit(Exit.INTERRUPTED)  # the node cannot be interrupted in any gentler way
        if not self.requested:
            self.requested = True
            _say(_FIRST_WORDS)


def _say(text: str) -> None:
    """Write without Python's buffers: the signal may have come while they were being written."""
    try:
        os.write(2, text.encode("utf-8", "backslashreplace"))
    except OSError:  # nobody listens any more
        return
