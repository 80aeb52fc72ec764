"""Stepping a run from the command line, until it ends, waits, fails, or somebody presses Ctrl-C."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.words.masks import Mask, mask_of
from stepgraph_tui.words.runs import standing
from stepgraph_tui.words.text import place, value_text, visible

from .exits import Exit
from .interrupts import Interrupts
from .progress import Steps
from .reports import run_json, tell_failure, tell_pause

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.executor import Executor
    from stepgraph.runs.run import Run
    from stepgraph.stores.base import StateStore

    from .output import Output

_EXITS = {
    RunStatus.READY: Exit.DONE,
    RunStatus.ENDED: Exit.DONE,
    RunStatus.PAUSED: Exit.PAUSED,
    RunStatus.FAILED: Exit.FAILED,
}


@dataclass(slots=True)
class Driver:
    """Drives one run and tells what happens."""

    output: Output
    executor: Executor
    run: Run

    def go(
        self,
        *,
        once: bool = False,
        retry: bool = False,
        until: Collection[str] = (),
        after: Collection[str] = (),
    ) -> Exit:
        """Step the run, then tell where it stands.

        Args:
            once: Only one step; with ``retry``, only the failed part.
            retry: Begin with the failed node or routing.
            until: Stop when one of these nodes comes next; at least one step is taken before.
            after: Stop after one of these nodes.

        Raises:
            NotReady: It cannot be retried, or cannot be stepped.
            Conflict: Another process moved it on.
        """
        output, steps = self.output, Steps(self.output, self.executor.app, self.run)
        output.keep_apart()
        with Interrupts(self._last_words) as interrupts:
            if retry:
                self._retry(steps)
            there = retry and once
            while self.run.status is RunStatus.READY and not (there or interrupts.requested):
                with steps.waiting(self.run.current or ""):
                    record = self.executor.step(self.run)
                if record.row.kind == "step":
                    steps.tell(record)
                there = once or self.run.current in until or record.node in after
        stopped = interrupts.requested and not there and self.run.status is RunStatus.READY
        return report(output, self.executor.store, self.executor.app, self.run, stopped=stopped)

    def _retry(self, steps: Steps) -> None:
        before = self.run.step, self.run.status
        with steps.waiting(self.run.current or ""):
            self.run = self.executor.retry(self.run.id)
        if self.run.status is not RunStatus.PAUSED and (self.run.step, self.run.status) != before:
            steps.tell(self.run.history[-1])

    def _last_words(self) -> str:
        run = self.run
        return (
            f"left at once: the step of node {visible(run.current or '')} is not recorded, and run {run.id} "
            f"is {run.status.value.upper()} at that node; go on with\n  "
            + self.output.command("retry" if run.status is RunStatus.FAILED else "resume", run.id)
        )


def report(output: Output, store: StateStore, app: CompiledGraph, run: Run, *, stopped: bool = False) -> Exit:
    """Tell where a run stands, print its data, and say how the command ends.

    Args:
        output: Where to.
        store: Where the run lives.
        app: The graph that the run goes by.
        run: The run.
        stopped: Whether somebody stopped it before it came to its end.
    """
    mask = mask_of(app, store, run.id)
    pending = run.pending
    if pending is not None:
        tell_pause(output, pending, mask)
    elif run.status is RunStatus.FAILED:
        tell_failure(output, run, mask)
    elif run.status is RunStatus.READY:
        how = "stopped" if stopped else "ready"
        output.narrate(f"{how} after step {run.step}; {place(run.current)} comes next; go on with:")
        output.suggest("resume", run.id)
    if run.loop_report is not None and run.status is RunStatus.ENDED:
        output.narrate(f"note: the run was stopped at its cap: {run.loop_report}; give it more steps with:")
        output.suggest("extend", run.id, "10")
    if output.as_json:
        output.data(run_json(run, mask))
    elif run.status is RunStatus.ENDED:
        _print_end(output, run, mask)
    return Exit.INTERRUPTED if stopped else _EXITS[run.status]


def _print_end(output: Output, run: Run, mask: Mask) -> None:
    """The outcome and the final state, as a table of text."""
    from .tables import page

    rows = [("run", f"{visible(run.id)}, {standing(run)}")]
    rows += [(visible(name), value_text(value)) for name, value in mask.values(run.values).items()]
    output.show(page(rows))
