"""The pane that lists what is wrong with a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.values import Problem
from stepgraph_tui.commands import bindings
from stepgraph_tui.text.cells import hanging
from stepgraph_tui.text.excerpts import fitted
from stepgraph_tui.text.plain import LONG, plural, shortened, visible_lines, with_arrows

from .chrome.pane import Pane
from .lines import LineView, Role, Search, Span, TextLine, wrapped

_CURSOR = {True: "▸ ", False: "  "}
_INDENT = "  "  # of the lines after the first
_EMPTY = "Nothing is wrong."
_ADVISED = 40  # problems that show every fix; finding them takes time
_MOST = 200  # problems; whoever has more mends these first, and arranging them takes its time at every edit


Advice: TypeAlias = Callable[[Problem], str]
"""Tells what to do about a problem."""


class ProblemsPane(Pane, inherit_bindings=False):
    """All that is wrong with a graph: errors first, then warnings, each with what to do about it."""

    BINDINGS = bindings("problems")
    DEFAULT_CSS = """
    ProblemsPane {
        overflow: hidden auto;
        scrollbar-size-vertical: 1;
    }
    """

    lines: LineView
    search: Search
    problems: var[tuple[Problem, ...]] = var(())
    """What is wrong, in any order."""

    @dataclass
    class Chosen(Message):
        """What a problem is about is to be shown."""

        problem: Problem

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._advice: Advice = _hint
        self._listed: list[Problem] = []
        self._told: list[tuple[int | None, list[Span]]] = []  # each line after the place of its problem
        self._gone_to = False
        self.lines = LineView(self, self, empty=_EMPTY, keep=lambda: self.lines.select(self.lines.at))
        self.lines.search = self.search = Search(self._texts, lambda: self.lines.at, self.lines.show_match)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave out going there where nothing is wrong."""
        return (action != "go_there" or self.selected is not None) and super().check_action(
            action, parameters
        )

    def watch_problems(self, problems: tuple[Problem, ...]) -> None:
        """List them. The cursor stays on its problem where that is still one."""
        before = self.selected
        self._listed = sorted(problems, key=lambda problem: not problem.is_error)[:_MOST]
        self._gone_to = self._gone_to and bool(problems)
        same = [place for place, problem in enumerate(self._listed) if problem == before]
        self.lines.at = same[0] if same else max(0, min(self.lines.at, len(self._listed) - 1))
        self.search.forget()
        errors = sum(problem.is_error for problem in problems)
        counts = ((errors, "error"), (len(problems) - errors, "warning"))
        self.inform(", ".join(plural(count, noun) for count, noun in counts if count))
        self.lines.arrange()
        self.refresh_bindings()

    def advise(self, advice: Advice | None) -> None:
        """Set the source of advice on a problem; None for the hint that it has itself."""
        was_own, self._advice = self._advice is _hint, advice or _hint
        if was_own is not (advice is None):
            self.lines.arrange()

    @property
    def selected(self) -> Problem | None:
        """The problem with the cursor."""
        return self._listed[self.lines.at] if self._listed else None

    def step(self, by: int) -> Problem | None:
        """Move to the next problem, or the one before, and round; None where nothing is wrong.

        Where nothing was gone to yet, the first step goes to the first one.
        """
        if self._listed:
            self.lines.select((self.lines.at + by) % len(self._listed) if self._gone_to else 0)
            self._gone_to = True
        return self.selected

    # The lines

    def fit(self, width: int, height: int) -> int:
        """Lay out each problem in lines of ``width`` cells."""
        rows: list[tuple[int | None, list[Span]]] = []
        items = []
        for place, problem in enumerate(self._listed if width else ()):  # else it is done when it is seen
            first = len(rows)
            advise = self._advice if place < _ADVISED else _hint
            rows += [(place, spans) for spans in _lines_of(problem, advise(problem), width - len(_INDENT))]
            items.append(range(first, len(rows)))
        left_out = len(self.problems) - len(self._listed)
        if left_out:
            rows.append((None, [(f"and {left_out:,} more", "dim")]))
        self._told, self.lines.items = rows, items
        return len(rows)

    def line(self, number: int) -> TextLine:
        """Build a line, after the mark of the cursor."""
        selected = self.lines.selected
        place, spans = self._told[number]
        return TextLine([(_CURSOR[number in selected[:1]], "plain"), *spans], place)

    # Keys and mouse

    def action_go_there(self) -> None:
        """Ask to be shown what the problem is about."""
        if self.selected is not None:
            self.post_message(self.Chosen(self.selected))

    def on_click(self, event: events.Click) -> None:
        """Select the problem that was clicked; go there after a second click."""
        place = self.lines.item_at(event.y)
        if place is not None:
            self.lines.select(place)
            if event.chain == 2:
                self.action_go_there()

    def copied(self) -> str | None:
        """Return the problem as ``stepgraph check`` prints it."""
        return None if self.selected is None else "\n".join(visible_lines(str(self.selected)))

    def copied_path(self) -> str | None:
        """Return the command that explains the problem."""
        return None if self.selected is None else f"stepgraph check --explain {self.selected.code}"

    def _texts(self) -> Iterable[str]:
        return (" ".join(visible_lines(str(problem))) for problem in self._listed)


def _hint(problem: Problem) -> str:
    return problem.hint


def _lines_of(problem: Problem, advice: str, width: int) -> Iterator[list[Span]]:
    """Describe a problem, line by line."""
    role: Role = "bad" if problem.is_error else "warn"
    head = f"{'✗' if problem.is_error else '!'} {problem.code} {problem.severity}"
    message, *rest = visible_lines(with_arrows(shortened(problem.message, LONG)))
    room = max(1, width - len(_INDENT))
    # The head is wrapped with the message, so that its words are counted, and then set apart.
    first, *more = wrapped(f"{head}  {_where(problem)}{message}", room)
    yield [(first[: len(head)], role), (first[len(head) :], "plain")]
    for line in more:
        yield [(_INDENT + line, "plain")]
    for line in rest:
        for part in hanging(f"│ {line}", room):
            yield [(_INDENT + part, "plain")]
    for line in fitted(problem.excerpt, room - len(_INDENT)):
        yield [(_INDENT * 2 + line, "plain")]
    for line in visible_lines(shortened(advice, LONG)) if advice else ():
        for part in wrapped(line, room):
            yield [(_INDENT + part, "dim")]


def _where(problem: Problem) -> str:
    """Name the line of the file, and the node or key where the message does not name them."""
    place = problem.place
    parts = [f"line {place.line}"] if place.line is not None else []
    if place.node is not None and place.node not in problem.message:
        parts.append(f"node {place.node}")
    elif (
        place.key is not None
        and place.node is None
        and place.edge is None
        and place.key not in problem.message
    ):
        parts.append(place.key)
    return f"{', '.join(parts)}: " if parts else ""
