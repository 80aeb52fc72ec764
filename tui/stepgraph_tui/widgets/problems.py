"""The pane that lists what is wrong with a graph."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import ClassVar, Literal

from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph.values.problems import Problem
from stepgraph_tui.commands import PROBLEMS, bindings
from stepgraph_tui.words.text import LONG, plural, visible, visible_lines

from .lines import marked, strip_of, wrapped
from .matches import Matches
from .pane import Pane

_Look = Literal["", "error", "warning", "quiet"]
_Piece = tuple[str, _Look]
_Line = tuple[int, list[_Piece]]  # the place of the problem in the list, and a line of what is said of it

_CURSOR = {True: "▸ ", False: "  "}
_INDENT = "  "  # of the lines after the first
_EMPTY = "Nothing is wrong."
_MOST = 200  # problems; whoever has more mends these first, and arranging them takes its time at every edit


class ProblemsPane(Pane, ScrollView, inherit_bindings=False):
    """All that is wrong with a graph: errors first, then warnings, each with what to do about it."""

    BINDINGS = bindings(PROBLEMS)
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "problems--error", "problems--warning", "problems--quiet", "problems--cursor", "problems--found",
    }  # fmt: skip
    DEFAULT_CSS = """
    ProblemsPane {
        overflow: hidden auto;
        width: 1fr;
        height: 1fr;
        scrollbar-size-vertical: 1;
        & .problems--error { color: $text-error; text-style: bold; }
        & .problems--warning { color: $text-warning; text-style: bold; }
        & .problems--quiet { color: $text-muted; }
        & .problems--found { text-style: bold underline; }
        & .problems--cursor { background: $block-cursor-blurred-background; color: $foreground; }
        &:focus .problems--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
    }
    """

    problems: var[tuple[Problem, ...]] = var(())
    """What is wrong, in any order."""

    class Chosen(Message):
        """What a problem is about is to be shown."""

        def __init__(self, problem: Problem) -> None:
            super().__init__()
            self.problem = problem

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._listed: list[Problem] = []
        self._lines: list[_Line] = []
        self._cursor = 0
        self._gone_to = False
        self._matches: Matches | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where nothing is wrong there is nothing to go to."""
        return (action != "go_there" or self.selected is not None) and super().check_action(
            action, parameters
        )

    def watch_problems(self, problems: tuple[Problem, ...]) -> None:
        """List them. The cursor stays on its problem where that is still one."""
        before = self.selected
        self._listed = sorted(problems, key=lambda problem: not problem.is_error)[:_MOST]
        self._gone_to = self._gone_to and bool(problems)
        same = [place for place, problem in enumerate(self._listed) if problem == before]
        self._cursor = same[0] if same else max(0, min(self._cursor, len(self._listed) - 1))
        self._matches = None
        errors = sum(problem.is_error for problem in problems)
        counts = ((errors, "error"), (len(problems) - errors, "warning"))
        self.inform(", ".join(plural(count, noun) for count, noun in counts if count))
        self._arrange()
        self.refresh_bindings()

    @property
    def selected(self) -> Problem | None:
        """The problem with the cursor."""
        return self._listed[self._cursor] if self._listed else None

    def step(self, by: int) -> Problem | None:
        """Go to the next problem, or the one before, and round; None where nothing is wrong.

        Where nothing was gone to yet, the first step goes to the first one.
        """
        if self._listed:
            self._select((self._cursor + by) % len(self._listed) if self._gone_to else 0)
            self._gone_to = True
        return self.selected

    def _arrange(self) -> None:
        """Fit everything into the width."""
        width = self.scrollable_content_region.width
        if not width:  # it is done when the pane is seen
            return
        self._lines = [
            (place, line)
            for place, problem in enumerate(self._listed)
            for line in _told(problem, width - len(_INDENT))
        ]
        left_out = len(self.problems) - len(self._listed)
        if left_out:
            self._lines.append((len(self._listed), [(f"and {left_out:,} more", "quiet")]))
        self.virtual_size = Size(width, len(self._lines))
        self._reveal()
        self.refresh()

    def on_resize(self) -> None:
        """There is more or less room."""
        self._arrange()

    def render_line(self, y: int) -> Strip:
        """A line of the pane."""
        width, base = self.scrollable_content_region.width, self.rich_style
        number = self.scroll_offset.y + y
        if number >= len(self._lines):
            empty = _EMPTY if number == 0 and not self._listed else ""
            return strip_of([(empty, self._style("quiet"))], width, base)
        place, pieces = self._lines[number]
        selected = place == self._cursor
        begins = number == 0 or self._lines[number - 1][0] != place
        if selected:
            base = self.get_component_rich_style("problems--cursor")
        pieces = [(_CURSOR[selected and begins], ""), *pieces]
        parts = [(text, base if selected else self._style(look)) for text, look in pieces]
        if self._matches is not None:
            found = self.get_component_rich_style("problems--found", partial=True)
            parts = list(marked(parts, self._matches.pattern, found))
        return strip_of(parts, width, base)

    def _style(self, look: _Look) -> Style:
        return self.get_component_rich_style(f"problems--{look}") if look else self.rich_style

    # Keys and mouse

    def action_cursor_down(self) -> None:
        """Go to the next problem."""
        self._select(self._cursor + 1)

    def action_cursor_up(self) -> None:
        """Go to the problem before."""
        self._select(self._cursor - 1)

    def _select(self, place: int) -> None:
        self._cursor = max(0, min(place, len(self._listed) - 1))
        self._reveal()
        self.refresh()

    def _reveal(self) -> None:
        """Scroll as little as it takes to see the problem with the cursor, its first line above all."""
        top = bisect_left(self._lines, self._cursor, key=lambda line: line[0])
        bottom = bisect_left(self._lines, self._cursor + 1, key=lambda line: line[0])
        y = min(top, max(self.scroll_offset.y, bottom - self.size.height))
        self.scroll_to(y=y, animate=False, force=True)

    def action_go_there(self) -> None:
        """Ask to be shown what the problem is about."""
        if self.selected is not None:
            self.post_message(self.Chosen(self.selected))

    def on_click(self, event: events.Click) -> None:
        """Select the problem that was clicked; go there after a second click."""
        number = self.scroll_offset.y + event.y
        if number < len(self._lines):
            self._select(self._lines[number][0])
            if event.chain == 2:
                self.action_go_there()

    def copied(self) -> str | None:
        """The problem as ``stepgraph check`` prints it."""
        return None if self.selected is None else "\n".join(visible_lines(str(self.selected)))

    def copied_path(self) -> str | None:
        """The command that explains the problem."""
        return None if self.selected is None else f"stepgraph check --explain {self.selected.code}"

    # Searching

    def find(self, text: str) -> str:
        """Go to the first problem at or after the cursor that has the text."""
        if not text:
            self.end_find()
            return ""
        texts = (" ".join(visible_lines(str(problem))) for problem in self._listed)
        self._matches = Matches(text, texts, self._cursor)
        return self.find_next(0)

    def find_next(self, by: int) -> str:
        """Go to the next match, or the one before."""
        if self._matches is None:
            return ""
        self._matches.turn(by)
        if self._matches.place is not None:
            self._select(self._matches.place)
        self.refresh()
        return str(self._matches)

    def end_find(self) -> None:
        """Mark nothing any more."""
        self._matches = None
        self.refresh()


def _told(problem: Problem, width: int) -> Iterator[list[_Piece]]:
    """What is said of a problem, line by line."""
    look: _Look = "error" if problem.is_error else "warning"
    head = f"{'✗' if problem.is_error else '!'} {visible(problem.code)} {look}"
    message, *rest = visible_lines(problem.message[:LONG])
    room = max(1, width - len(_INDENT))
    # The head is wrapped with the message, so that its words are counted, and then set apart.
    first, *more = wrapped(f"{head}  {_where(problem)}{message}", room)
    yield [(first[: len(head)], look), (first[len(head) :], "")]
    for line in more:
        yield [(_INDENT + line, "")]
    for line in rest:  # a condition with its caret: wrapping would part them
        yield [(_INDENT + line, "")]
    for line in visible_lines(problem.hint[:LONG]) if problem.hint else ():
        for part in wrapped(line, room):
            yield [(_INDENT + part, "quiet")]


def _where(problem: Problem) -> str:
    """The line of the file, and the node or key where the message does not name them."""
    place = problem.place
    parts = [f"line {place.line}"] if place.line is not None else []
    if place.node is not None and place.node not in problem.message:
        parts.append(f"node {visible(place.node)}")
    elif (
        place.key is not None
        and place.node is None
        and place.edge is None
        and place.key not in problem.message
    ):
        parts.append(visible(place.key))
    return f"{', '.join(parts)}: " if parts else ""
