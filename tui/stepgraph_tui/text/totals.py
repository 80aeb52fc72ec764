"""What many runs took together: by graph, by model and by day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from stepgraph.runs import Spending
from stepgraph.stores import RunStatus

from .calls import cost_text
from .cells import padded, widest
from .plain import took

if TYPE_CHECKING:
    from stepgraph.stores import StoredRun

_TITLES = ("", "runs", "failed", "steps", "worked", "calls", "tokens", "cost")
_GAP = "  "
_LONGEST = 40  # cells of a name


@dataclass
class Total:
    """What some runs took together."""

    runs: int = 0
    failed: int = 0
    steps: int = 0
    seconds: float = 0.0
    """How long their nodes worked."""
    spent: Spending = field(default_factory=Spending)

    def add(self, run: StoredRun, spent: Spending) -> None:
        """Count a run."""
        self.runs += 1
        self.failed += run.pointer.status is RunStatus.FAILED
        self.steps += run.pointer.step
        self.seconds += run.pointer.seconds
        self.spent += spent

    @property
    def cells(self) -> tuple[str, ...]:
        """What it says in each column but the first."""
        spent = self.spent
        asked = (f"{spent.calls:,}", f"{spent.tokens:,}", cost_text(spent)) if spent.calls else ("", "", "")
        return (
            f"{self.runs:,}",
            f"{self.failed:,}" if self.failed else "",
            f"{self.steps:,}",
            took(self.seconds),
            *asked,
        )


class Totals:
    """Adds up runs by graph, by the models that answered in them, and by the day on which they began.

    The steps and the time of a run count for each of its models.
    """

    def __init__(self) -> None:
        self.all = Total()
        self._by: dict[str, dict[str, Total]] = {"by graph": {}, "by model": {}, "by day": {}}

    def add(self, run: StoredRun, by_model: Mapping[str, Spending]) -> None:
        """Count a run, with what each model took in it."""
        spent = sum(by_model.values(), Spending())
        self.all.add(run, spent)
        day = f"{datetime.fromtimestamp(run.head.created_at):%Y-%m-%d}"
        self._total("by graph", run.head.graph).add(run, spent)
        self._total("by day", day).add(run, spent)
        for model, its in by_model.items():
            self._total("by model", model).add(run, its)

    def _total(self, by: str, name: str) -> Total:
        return self._by[by].setdefault(name, Total())

    def rows(self) -> Iterator[tuple[str, ...]]:
        """List the totals, each group below its title: the costliest first, days from the last one on."""
        yield _TITLES
        yield ("all", *self.all.cells)
        for title, group in self._by.items():
            if not group:
                continue
            yield ()
            yield (title,)
            if title == "by day":
                names = sorted(group, reverse=True)
            else:
                names = sorted(group, key=lambda name: (-group[name].spent.cost, -group[name].runs, name))
            for name in names:
                yield (name, *group[name].cells)

    def lines(self) -> list[str]:
        """Write the table, its numbers below each other; made safe to show."""
        return list(_aligned(list(self.rows())))


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    columns = len(_TITLES)
    widths = [widest(row[at] for row in rows if at < len(row)) for at in range(columns)]
    widths[0] = min(widths[0], _LONGEST)
    for row in rows:
        first, *others = (*row, *[""] * (columns - len(row)))
        cells: Iterable[str] = (f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True))
        yield f"{padded(first, widths[0])}{_GAP}{_GAP.join(cells)}".rstrip()
