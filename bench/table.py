"""The table that a benchmark prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["s", "bytes", "x"]

_SCALES: dict[Unit, tuple[tuple[float, str], ...]] = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bytes": ((1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "x": ((1.0, "x"),),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One measurement."""

    work: str
    measured: float
    unit: Unit
    goal: float | None = None
    """The most that it may be, in the same unit; None for a figure that is only told."""
    ratio: float | None = None
    """How many times the floor's cost; None where there is no floor."""

    @property
    def verdict(self) -> str:
        """``ok``, by how much the goal was missed, or nothing where there is none."""
        if self.goal is None:
            return ""
        if self.measured <= self.goal:
            return "ok"
        return f"MISSED by {self.measured / self.goal - 1:.0%}" if self.goal else "MISSED"


def amount(value: float, unit: Unit) -> str:
    """A figure for people, with three digits: ``4.71 us``, ``116 MB``, ``1.08 x``."""
    scales = _SCALES[unit]
    factor, name = next((scale for scale in scales if value >= scale[0]), scales[-1])
    scaled = value / factor
    digits = 0 if scaled >= 100 else 1 if scaled >= 10 else 2
    return f"{scaled:.{digits}f} {name}"


def goal(line: Line) -> str:
    """The goal for people."""
    return "" if line.goal is None else f"<= {amount(line.goal, line.unit)}"


def show(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, the last as it is, figures to the right."""
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]
    for row in [heads, ["-" * width for width in widths], *rows]:
        middle = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        print("  ".join([row[0].ljust(widths[0]), *middle, row[-1]]).rstrip(), flush=True)


def show_lines(lines: Sequence[Line]) -> None:
    """Print measurements beside their goals and the floor."""
    rows = [
        [
            line.work,
            amount(line.measured, line.unit),
            goal(line),
            "" if line.ratio is None else amount(line.ratio, "x"),
            line.verdict,
        ]
        for line in lines
    ]
    show(["work", "measured", "goal", "to the floor", "verdict"], rows)
