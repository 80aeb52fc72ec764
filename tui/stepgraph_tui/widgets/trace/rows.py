"""The lines of the trace in columns: each piece of text with a word for how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stepgraph_tui.words.cells import padded
from stepgraph_tui.words.text import took, value_text, visible

from .columns import AFTER_NODE, BEFORE_CHANGED, GAP, TOOK, Columns
from .texts import edge_taken, happened, said, start_text

if TYPE_CHECKING:
    from stepgraph.stores.ledger import Row

    from .lines import TraceLines
    from .texts import Standing

Look = Literal["", "quiet", "strong", "failed"]
Piece = tuple[str, Look]

_PAUSES = "pauses after"


@dataclass(frozen=True, slots=True)
class Cells:
    """What a step says in each column."""

    number: str
    node: str
    edge: str
    took: str = ""
    changed: str = ""
    quiet: bool = False
    """Whether the node is none."""
    failed: bool = False
    """Whether the edge is none."""
    marked: bool = False
    """Whether the run pauses after the node."""

    @property
    def text(self) -> str:
        """All of it on one line."""
        return "  ".join(filter(None, (self.number, self.node, self.edge, self.took, self.changed)))


TITLES = Cells("#", "node", "edge taken", "took", "changed")


def cells(lines: TraceLines, line: int, pause_after: frozenset[str] = frozenset()) -> Cells | None:
    """What a step, or the start, says in each column; None for any other line."""
    row, view = lines.row(line), lines.view
    if row is None:
        return None
    signs = said(" ".join(lines.signs[line]), view.mask)
    if row.kind == "start":
        return Cells("0", "start", start_text(view), changed=signs, quiet=True)
    record = view.record(row.step) if row.kind == "step" else None
    if record is None:
        return None
    marked = record.node in pause_after
    changed = "  ".join(filter(None, (_PAUSES if marked else "", signs)))
    return Cells(
        str(record.step),
        visible(record.node),
        edge_taken(record),
        took(record.duration),
        changed,
        failed=record.next is None and record.error is not None,
        marked=marked,
    )


def pieces(cells: Cells, columns: Columns, *, viewed: bool = False) -> list[Piece]:
    """A step in columns."""
    made: list[Piece] = [
        ("▸" if viewed else " ", "strong"),
        (cells.number.rjust(columns.number - 1) + " " * GAP, "quiet"),
        (padded(cells.node, columns.node), "quiet" if cells.quiet else ""),
        (_after_node(cells.marked), "strong"),
    ]
    if columns.edge:
        made.append((padded(cells.edge, columns.edge), "failed" if cells.failed else ""))
    if columns.took:
        made.append((" " * GAP + cells.took.rjust(TOOK), "quiet"))
    if columns.changed:
        made.append((" " * BEFORE_CHANGED + cells.changed, ""))
    return made


def _after_node(marked: bool) -> str:
    return f" {'●' if marked else ' '} ".ljust(AFTER_NODE)


def note(row: Row, signs: list[str], lines: TraceLines, columns: Columns) -> list[Piece]:
    """What happened that is no step."""
    mark = "✗" if row.kind == "attempt" else "·"
    text = happened(row, signs, lines.view.mask)
    name = f"{visible(row.node or '')}  " if row.kind == "attempt" else ""
    return [(mark.rjust(columns.number) + " " * GAP, "quiet"), (f"{name}{text}", "quiet")]


def live(standing: Standing, columns: Columns, marked: bool) -> list[Piece]:
    """Where the run stands."""
    look: Look = "failed" if standing.mark == "✗" else "strong"
    node = padded(standing.node, columns.node) if columns.edge else standing.node
    text = f"{standing.text}, {_PAUSES}" if marked else standing.text
    return [
        (standing.mark.rjust(columns.number) + " " * GAP, look),
        (node, "strong"),
        (_after_node(marked), "strong"),
        (text, look if look == "failed" else ""),
    ]


def fact(label: str, text: str, columns: Columns, width: int) -> list[Piece]:
    """A line of details."""
    return [(" " * columns.indent + label.ljust(width), "quiet"), (text, "")]


def searched(lines: TraceLines, line: int) -> str:
    """What a line is found by: nodes, edges, outputs, what happened."""
    row, mask = lines.row(line), lines.view.mask
    found = cells(lines, line)
    if row is None or found is None:
        return happened(row, lines.signs[line], mask) if row is not None else ""
    output = ""
    if row.output is not None:
        output = said(row.output, mask)
    elif row.kind == "step":
        output = value_text(mask.values(row.updates or {}))
    return f"{found.node} {found.edge} {output}"
