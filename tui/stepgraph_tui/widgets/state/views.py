"""The ways to look at a state: all of it, what a step changed, and what a graph declares before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol

from stepgraph.expressions import Path
from stepgraph.runs import MASK
from stepgraph.values import Json, StateKey
from stepgraph_tui.text.cells import widest
from stepgraph_tui.text.plain import value_text
from stepgraph_tui.text.state_diff import StateChange, changes

from .folding import PAGE, Branches, Folding, Found, descend, gap
from .row import StateRow, name_of

if TYPE_CHECKING:
    from stepgraph_tui.run_view import RunSnapshot

Mode = Literal["diff", "after", "before"]
"""What is shown of a moment: what its step changed, or the state after it or before it."""
CHANGES: Path = (-1,)
"""What the pages of the changes go by; no value has this path."""


class StateView(Protocol):
    """A way to look at a state."""

    def rows(self) -> Iterator[StateRow]:
        """Build the lines, as far as they are unfolded."""

    def find_all(self) -> Iterator[Found]:
        """Walk through everything that unfolding could show."""

    def reveal(self, path: Path) -> None:
        """Unfold so far that a value can be seen."""


class WholeState:
    """All of a state.

    Args:
        branches: Makes the rows.
        state: The state.
        lacking: The declared keys to list that have no value.
    """

    def __init__(self, branches: Branches, state: dict[str, Json], lacking: Sequence[str] = ()) -> None:
        self._branches = branches
        self._state = state
        self._lacking = lacking

    def rows(self) -> Iterator[StateRow]:
        """List the values, then the keys without one."""
        if not self._state and not self._lacking:
            yield StateRow("words", name="empty", dim=True)
        column = widest([name_of(name) for name in [*islice(self._state, PAGE), *self._lacking]])
        yield from self._branches.inside((), self._state, 0, dim=False, column=column)
        for name in self._lacking:
            yield StateRow("value", (name,), name_of(name), column=column, dim=True, note="(none)")

    def find_all(self) -> Iterator[Found]:
        """Walk through the same, all of it."""
        yield from descend((), self._state)
        for name in self._lacking:
            yield (name,), name, None

    def reveal(self, path: Path) -> None:
        """Unfold so far that a value can be seen."""
        if path[0] in self._state:
            self._branches.show((), self._state, path)


class ChangedValues:
    """What a step changed, and below it what it left alone.

    Args:
        branches: Makes the rows.
        changes: What it changed.
        state: The state after it.
    """

    def __init__(self, branches: Branches, changes: Sequence[StateChange], state: Mapping[str, Json]) -> None:
        self._branches = branches
        self._changes = changes
        touched = {change.path[0] for change in changes}
        self._rest = {name: value for name, value in state.items() if name not in touched}

    def rows(self) -> Iterator[StateRow]:
        """List the changes, a heading, and the rest."""
        names = [_name(change) for change in self._changes[:PAGE]]
        column = widest([*names, *map(name_of, islice(self._rest, PAGE))])
        if not self._changes:
            yield StateRow("words", name="nothing changed", dim=True)
        for span in self._branches.folding.spans(CHANGES, len(self._changes)):
            if not span.shown:
                yield gap(CHANGES, 0, span)
                continue
            for change in self._changes[span.start : span.stop]:
                row = self._row(change, column)
                yield row
                yield from self._branches.below(row)
        if self._rest:
            yield from self._unchanged(column)

    def _unchanged(self, column: int) -> Iterator[StateRow]:
        opened = self._branches.folding.unchanged
        yield StateRow("words")
        yield StateRow("unchanged", (), f"{len(self._rest):,} unchanged", dim=True, open=opened)
        if opened:
            yield from self._branches.inside((), self._rest, 0, dim=True, column=column)

    def _row(self, change: StateChange, column: int) -> StateRow:
        gone = change.sign == "-"
        return StateRow(
            "value",
            change.path,
            _name(change),
            change.old if gone else change.new,
            change.old,
            change.sign,
            column=column,
            dim=gone,
            note=self._branches.hidden(change.path),
            open=self._branches.folding.is_open(change.path),
        )

    def find_all(self) -> Iterator[Found]:
        """Walk through the changes with the values before them, and the rest."""
        for change in self._changes:
            gone = change.sign == "-"
            yield change.path, _name(change), change.old if gone else change.new
            if change.sign == "~" and not isinstance(change.old, (dict, list)):
                yield change.path, "", change.old
            yield from descend(change.path, change.old if gone else change.new)
        yield from descend((), self._rest)

    def reveal(self, path: Path) -> None:
        """Unfold so far that a value can be seen."""
        for index, change in enumerate(self._changes):
            if path[: len(change.path)] == change.path:
                self._branches.folding.show_item(CHANGES, index)
                value = change.old if change.sign == "-" else change.new
                self._branches.show(change.path, value, path[len(change.path) :])
                return
        if path[0] in self._rest:
            self._branches.folding.unchanged = True
            self._branches.show((), self._rest, path)


class DeclaredKeys:
    """The keys that a graph declares: what the state will hold.

    Args:
        keys: The keys by name; None without a graph.
    """

    def __init__(self, keys: Mapping[str, StateKey] | None) -> None:
        self._keys = keys or {}
        self._nothing = "The graph declares no keys." if keys is not None else "what the graph will say"

    def rows(self) -> Iterator[StateRow]:
        """Build a line for each key."""
        if not self._keys:
            yield StateRow("words", name=self._nothing, dim=True)
        column = widest([name_of(name) for name in self._keys])
        for name, key in self._keys.items():
            yield StateRow("value", (name,), name_of(name), column=column, note=declaration(key))

    def find_all(self) -> Iterator[Found]:
        """Walk through the keys with what is declared of them."""
        for name, key in self._keys.items():
            yield (name,), name, f"{declaration(key)} {key.note}"

    def reveal(self, path: Path) -> None:
        """Do nothing: everything can be seen."""


class UnreadableState:
    """Nothing but why there is nothing.

    Args:
        reason: A sentence.
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def rows(self) -> Iterator[StateRow]:
        """Return the reason."""
        yield StateRow("words", name=self._reason)

    def find_all(self) -> Iterator[Found]:
        """Nothing."""
        yield from ()

    def reveal(self, path: Path) -> None:
        """Do nothing: there is nothing to see."""


def declaration(key: StateKey) -> str:
    """Write what a graph says of a key, but for its note: ``text, input = "a"``."""
    said = [
        key.type or "any value",
        "input" if key.input else "",
        "secret" if key.secret else "",
        key.reducer if key.reducer != "replace" else "",
    ]
    declared = ", ".join(filter(None, said))
    if not key.has_default:
        return declared
    default: Json = key.default  # type: ignore[assignment]  # checked when the graph was made
    return f"{declared} = {MASK if key.secret else value_text(default)}"


def _name(change: StateChange) -> str:
    return ".".join(map(name_of, change.path))


def view_of(moment: RunSnapshot, mode: Mode, folding: Folding) -> StateView:
    """Look at the state of a moment in one of the ways.

    Raises:
        StepgraphError: The store cannot be read.
    """
    declared = moment.view.plan.keys
    branches = Branches(folding, declared)
    before, after = moment.around()
    if mode == "diff":
        return ChangedValues(branches, list(changes(before, after)), after)
    if mode == "before":
        return WholeState(branches, before)
    return WholeState(branches, after, [name for name in declared if name not in after])
