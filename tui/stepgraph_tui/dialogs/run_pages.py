"""Pages about runs: where two of them part, what those that are listed took, why one stays in a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import on, work
from textual.message import Message
from textual.worker import get_current_worker

from stepgraph.values import StepgraphError

from ..commands import COMMANDS, dialog_bindings
from ..text.cells import hanging
from ..text.comparison import ComparedRuns
from ..text.loops import loop_lines
from ..text.plain import plural
from ..text.totals import Totals
from ..view.run_content import in_batches, spent_by_model
from .pages import Copy, Page

if TYPE_CHECKING:
    from stepgraph.runs import Spending
    from stepgraph.stores import StateStore, StoredRun

    from ..commands.command import Wording
    from ..view.loops import SafeLoop


class ComparisonPage(Page):
    """Shows two runs beside each other, as they stood when it was opened.

    Args:
        store: Where they are.
        left: A run.
        right: Another one.
        copy: Copies a text.

    Raises:
        StepgraphError: One of them cannot be read.
    """

    def __init__(self, store: StateStore, left: str, right: str, copy: Copy | None = None) -> None:
        super().__init__(f"{left} AND {right}", copy)
        self._told = list(ComparedRuns(store, left, right).lines())

    def lines(self, width: int) -> list[Text]:
        """Wrap the lines; those that are indented go on further in."""
        shown = []
        for line in self._told:
            style = "bold" if line[:1].isupper() and line.split(" ")[0].isupper() else ""
            first, *others = hanging(line, width, hang=2)
            shown.append(Text(first, style))
            shown += map(Text, others)
        return shown


_Read = tuple["StoredRun", "Mapping[str, Spending] | None"]
"""A run, and what each model took in it; None where it cannot be read."""


class TotalsPage(Page, inherit_bindings=False):
    """Shows what runs took: steps, time, calls, tokens and cost, by graph, model and day.

    Args:
        store: Where they are.
        runs: The runs.
        copy: Copies a text.
    """

    class Counted(Message):
        """Some more runs were read."""

        def __init__(self, read: list[_Read]) -> None:
            super().__init__()
            self.read = read

    def __init__(self, store: StateStore, runs: Sequence[StoredRun], copy: Copy | None = None) -> None:
        super().__init__(f"TOTALS of {plural(len(runs), 'run')}", copy)
        self._store, self._runs = store, runs
        self._totals = Totals()
        self._unreadable = 0

    def on_mount(self) -> None:
        """Begin to read."""
        self._count()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _count(self) -> None:
        worker = get_current_worker()
        for read in in_batches(self._runs, self._read, lambda: worker.is_cancelled):
            self.post_message(self.Counted(read))

    def _read(self, run: StoredRun) -> _Read:
        try:
            return run, spent_by_model(self._store, run)
        except StepgraphError:  # it is listed among what is damaged
            return run, None

    @on(Counted)
    def _take(self, message: Counted) -> None:
        for run, spent in message.read:
            if spent is None:
                self._unreadable += 1
            else:
                self._totals.add(run, spent)
        self.show_lines(self.size)

    def lines(self, width: int) -> list[Text]:
        """Write the table; below it how many runs are still to be read."""
        left = len(self._runs) - self._totals.all.runs - self._unreadable
        lines = [Text(line, no_wrap=True) for line in self._totals.lines()]
        if left:
            lines += [Text(), Text(f"… {plural(left, 'run')} still to be read", style="dim")]
        if self._unreadable:
            lines += [Text(), Text(f"{plural(self._unreadable, 'run')} cannot be read", style="dim")]
        return lines


class LoopPage(Page, inherit_bindings=False):
    """Shows what a run goes round; at its step limit, one key returns by how many steps to extend it.

    Args:
        loop: What was found.
        copy: Copies a text.
        more: How many steps the run is given by that key; 0 where it does not stand at its step limit.
    """

    BINDINGS = dialog_bindings("loop", "list")

    def __init__(self, loop: SafeLoop, copy: Copy, more: int) -> None:
        super().__init__("LOOP DOCTOR", copy)
        self._loop = loop
        self._more = more

    def lines(self, width: int) -> list[Text]:
        """Write what was found for the width."""
        return [Text(line, "bold" if bold else "") for line, bold in loop_lines(self._loop, width)]

    def renamed(self) -> Mapping[str, Wording]:
        """Describe how many steps the key gives."""
        return {"loop.extend": COMMANDS["loop.extend"].renamed(f"{self._more:,} more steps")}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer more steps only at the step limit."""
        return self._more > 0 if action == "extend" else super().check_action(action, parameters)

    def action_extend(self) -> None:
        """Return the steps by which the run is to be extended."""
        self.dismiss(self._more)
