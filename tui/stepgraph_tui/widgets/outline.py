"""The graph as text: an indented list that can be read aloud and searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.strip import Strip

from stepgraph_tui.drawing.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.trail import Part

from .graph_view.graph_pane import GraphPane
from .graph_view.movement import Key
from .lines import wrapped
from .outline_lines import (
    UNREACHED,
    OutlineLines,
    badge_text,
    begin_of,
    edge_of,
    name_of,
    name_span,
    width_of,
    word_of,
)

if TYPE_CHECKING:
    from .graph_view.moved import Names

_KEPT = 512  # painted lines
_MARGIN = 2  # lines that stay free around what is brought into view
_OF_THE_PICTURE = {"zoom", "fit", "turn"}


class OutlinePane(GraphPane):
    """The graph as an indented list: what the picture shows, in the order of its edges.

    A node has one line of its own; where another way leads there, ``^name`` stands for it.

    Args:
        glyphs: The characters to draw with.
        beside: The picture of the same graph, which is always told to draw it before the list is.
        id: The widget's id.
    """

    TITLE = "Outline"
    DEFAULT_CSS = """
    OutlinePane {
        border-right: solid $foreground 30%;
        &:focus { border-right: solid $primary; }
        &.-alone { border-right: none; }
    }
    """

    def __init__(
        self, *, glyphs: Glyphs = UNICODE, beside: GraphPane | None = None, id: str | None = None
    ) -> None:
        super().__init__(glyphs=glyphs, beside=beside, id=id)
        self.listed = OutlineLines()
        self.cursor = 0
        """The line where the selected node was found."""
        self._waits = False  # whether there is a graph to list as soon as the pane is seen
        self._strips: LRUCache[int, tuple[int, int, Strip]] = LRUCache(_KEPT)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave out what a list does not have: neither detail nor direction."""
        return action not in _OF_THE_PICTURE and super().check_action(action, parameters)

    # The lines

    def drawn(self, names: Names) -> None:
        """List the new graph, now or as soon as the pane is seen."""
        self._waits = not self.visible_region_exists()
        if self._waits:
            self._put(OutlineLines())
        else:
            self._list()

    def on_show(self) -> None:
        """List a graph that was drawn while the pane was hidden."""
        if self._waits:
            self._waits = False
            self._list()

    def _list(self) -> None:
        """List the graph; the line of the cursor stays where it is on the screen."""
        row = self.cursor - self.scroll_offset.y
        self._put(OutlineLines(self.drawing.names, self._wiring, self.drawing.start))
        self.scroll_at_once(y=self.cursor - row)
        self._reveal_line(self.cursor)

    def _put(self, lines: OutlineLines) -> None:
        self.listed = lines
        self.cursor = self._own_line(self.selected)
        self._strips.clear()
        self.virtual_size = Size(0, len(lines))
        self.refresh()

    def _own_line(self, node: str | None) -> int:
        return next(iter(self.listed.of(node)), 0) if node is not None else 0

    def _widen(self) -> None:
        """Let the lines that are seen be seen to their ends."""
        top = self.scroll_offset.y
        seen = range(top, min(top + self.size.height, len(self.listed)))
        width = max((width_of(self.listed[number], self.drawing) for number in seen), default=0)
        if width > self.virtual_size.width:
            self.virtual_size = Size(width, len(self.listed))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Measure the lines that have come into view."""
        super().watch_scroll_y(old_value, new_value)
        self._widen()

    def render_line(self, y: int) -> Strip:
        """Paint a line of the screen."""
        left, width = self.scroll_offset.x, self.size.width
        number = y + self.scroll_offset.y
        kept = self._strips.get(number)
        if kept is not None and kept[:2] == (left, width):
            return kept[2]
        texts = self._parts(number) if number < len(self.listed) else self._hint(y)
        strip = Strip([Segment(text, style) for text, style in texts if text])
        strip = strip.crop_extend(left, left + width, self.palette["node"])
        self._strips[number] = (left, width, strip)
        return strip

    def _hint(self, y: int) -> Iterator[tuple[str, Style]]:
        if not self.listed:
            hint = self.empty_hint if self.graph is not None else ""
            lines = wrapped(hint or "There is no graph to list.", self.size.width)
            yield lines[y] if y < len(lines) else "", self.palette["hint"]

    def _parts(self, number: int) -> Iterator[tuple[str, Style]]:
        line, palette, scene, glyphs = self.listed[number], self.palette, self.scene, self.glyphs
        if line.node is None:
            yield UNREACHED, palette["hint"]
            return
        state, look, badge = scene.state(line.node), self.drawing.look(line.node), scene.badge(line.node)
        picked = line.node in scene.picked
        plain = "broken" if badge.errors else "picked" if picked else "node"
        style = palette["hint" if line.again else state or plain]
        indent, status = begin_of(line, look, state, glyphs, picked=picked)
        yield indent, style
        if number == self.cursor and self.selected is not None:
            style += palette["selected"]
        yield status, style
        hit = palette["hit"] if line.node in scene.hits and not line.again else Style.null()
        yield name_of(line, look), style + hit
        if not line.again:
            yield badge_text(badge, glyphs), palette["broken" if badge.errors else "warning"]
        yield word_of(line, state), style
        if line.edge is not None:
            wrong = badge_text(scene.badge(line.edge), glyphs)
            text = edge_of(self.drawing.texts[line.edge], wrong, faint=line.edge in scene.faint)
            yield text, self._label_style(line.edge)

    def _label_style(self, edge: int) -> Style:
        tone = self.scene.tone(edge)
        style = self.palette["label" if tone == "edge" else tone]
        if edge in self.scene.hits:
            style += self.palette["hit"]
        return style + self.palette["selected"] if tone == "chosen" else style

    def touch(self, parts: Iterable[Part]) -> None:
        """Paint anew the lines of these nodes and edges."""
        self._repaint(number for part in parts for number in self.listed.of(part))

    def _repaint(self, numbers: Iterable[int]) -> None:
        top, height = self.scroll_offset.y, self.size.height
        for number in set(numbers):
            self._strips.discard(number)
            if top <= number < top + height:
                self.refresh_line(number)

    def notify_style_update(self) -> None:
        """Paint everything anew in other colours."""
        super().notify_style_update()
        self._strips.clear()

    # What is selected

    def _select(self, node: str | None, edge: int | None) -> None:
        if self.listed and self.listed[self.cursor].node != node:
            before, self.cursor = self.cursor, self._own_line(node)
            self._repaint((before, self.cursor))
        super()._select(node, edge)

    def _go_to(self, number: int) -> None:
        """Put the cursor on a line; on which of a node's lines it is, only this pane knows."""
        before, self.cursor = self.cursor, number
        self._repaint((before, number))
        self._reveal_line(number)
        self.choose(self.listed[number].node)

    def reveal(self, part: Part) -> None:
        """Bring a node or an edge into view."""
        numbers = self.listed.of(part)
        if numbers:
            at_cursor = self.listed[self.cursor].node == part == self.selected
            self._reveal_line(self.cursor if at_cursor else numbers[0])

    def _reveal_line(self, number: int) -> None:
        height, top = self.size.height, self.scroll_offset.y
        margin = min(_MARGIN, max(0, height - 1) // 2)
        self.scroll_at_once(y=min(max(top, number + 1 + margin - height), max(0, number - margin)))
        self._widen()
        begin, end = name_span(self.listed[number], self.drawing) if self.listed else (0, 0)
        self.scroll_at_once(x=max(0, min(begin, end - self.size.width)))

    def on_resize(self) -> None:
        """Keep in view what is selected."""
        self._strips.clear()
        self._reveal_line(self.cursor)

    def action_move(self, key: Key) -> None:
        """Go to the next line or the one before; out of a block, or into the one below."""
        found = next(self._ahead(key), None)
        if found is not None:
            self._go_to(found)

    def _ahead(self, key: Key) -> Iterator[int]:
        """List the lines to go to, the nearest first."""
        here, lines = self.cursor, self.listed
        if self.selected is None or not lines:
            yield from range(min(1, len(lines)))
        elif key in ("up", "left"):
            before = range(here - 1, -1, -1)
            level = lines[here].level if key == "left" else len(lines)
            yield from (number for number in before if lines[number].level < level and lines[number].node)
        else:
            for number in range(here + 1, len(lines)):
                deeper = lines[number].level - lines[here].level
                if key == "right" and deeper < 0:
                    return
                if lines[number].node is not None and (key == "down" or deeper > 0):
                    yield number

    def on_click(self, event: events.Click) -> None:
        """Select the node of the line; a second click shows all of it."""
        offset = event.get_content_offset(self)
        number = offset.y + self.scroll_offset.y if offset is not None else len(self.listed)
        if number < len(self.listed) and self.listed[number].node is not None:
            self._go_to(number)
            if event.chain == 2:
                self.action_inspect()

    def findable(self) -> Iterable[tuple[Part, str]]:
        """List the nodes by their names and the edges by their texts, line by line."""
        for line in self.listed:
            if line.node is not None and not line.again:
                yield line.node, self.drawing.look(line.node).name
            if line.edge is not None:
                yield line.edge, self.drawing.texts[line.edge]
