"""The graph as text: an indented list that can be read aloud and searched."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.reactive import reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...commands import CONTEXTS, bindings
from ...drawing.outline import INDENT, UNREACHED, OutlineLine, OutlineLines, begin_of, edge_of, word_of
from ...drawing.picture.glyphs import UNICODE, Glyphs
from ...drawing.picture.graph_drawing import SHARE
from ...drawing.picture.node_content import WORDS
from ...drawing.picture.run_marks import NO_BREAKS, BreakMarks, Part
from ...text.cells import cell_len
from ...text.plain import plural
from ..chrome.pane import Pane
from ..lines import wrapped
from .marks import MarkedGraph, Names
from .mouse import GraphSelection, Target
from .painter import GraphStyles
from .view import GraphView
from .viewport import scrolled_to

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.values import Problem

    from ...drawing.picture.graph_drawing import GraphDrawing
    from ...run_view import RunSnapshot
    from .marks import Badge


_BESIDE = 40  # cells for brackets, marks, counts of problems and words about an edge
_LONGEST_WORD = max(map(len, WORDS.values()))


class OutlinePainter:
    """Paints lines. It keeps nothing: it asks the graph's scene each time.

    Args:
        model: The graph, with what there is to say of its parts.
        styles: What that looks like.
    """

    def __init__(self, model: MarkedGraph, styles: GraphStyles) -> None:
        self._model, self._styles = model, styles

    def texts(self, line: OutlineLine, *, selected: bool, hidden: int = 0) -> Iterator[tuple[str, Style]]:
        """Yield the texts of a line.

        Args:
            line: The line.
            selected: Whether it is the line of the selected node.
            hidden: How many lines are folded away below it.
        """
        scene, styles, drawing, glyphs = (
            self._model.scene,
            self._styles,
            self._model.drawing,
            self._model.glyphs,
        )
        if line.node is None:
            yield UNREACHED, styles["hint"]
            return
        state, caption, badge = scene.state(line.node), drawing.caption(line.node), scene.badge(line.node)
        plain = "broken" if badge.errors else "picked" if line.node in scene.picked else "node"
        style = styles["hint" if line.elsewhere else state or plain]
        indent, status = begin_of(line, caption, state, glyphs, scene.first(line.node, glyphs))
        breaks = "" if line.elsewhere else scene.breaks_at(line.node, glyphs)
        yield indent, style
        if selected:
            style += styles["selected"]
        if breaks:  # between the type and the name
            yield status[:-1], style
            yield breaks, styles.of_break(scene, line.node)
        else:
            yield status, style
        hit = styles["hit"] if line.node in scene.hits and not line.elsewhere else Style.null()
        yield caption.name, style + hit
        if not line.elsewhere:
            yield f" {caption.signs}".rstrip(), styles["signs"]
            yield _badge_text(badge, glyphs), styles["broken" if badge.errors else "warning"]
            yield word_of(state, scene.marks.visits(line.node)), style
        if line.edge is not None:
            sign = scene.breaks_at(line.edge, glyphs)
            wrong = _badge_text(scene.badge(line.edge), glyphs) + (f" {sign}" if sign else "")
            share = self._share(line.edge) if line.edge in drawing.loops else ""
            text = edge_of(
                f"{drawing.texts[line.edge]} {share}".strip(), wrong, faint=line.edge in scene.faint
            )
            yield text, styles.of_label(scene, line.edge, hit=line.edge in scene.hits)
        if hidden:
            yield f"  {glyphs.picked} {plural(hidden, 'line')}", styles["hint"]

    def _share(self, edge: int) -> str:
        """Write how many visits of its node an edge was taken on."""
        return self._model.scene.marks.share(edge, self._model.ends(edge)[0], SHARE)


def name_span(line: OutlineLine, drawing: GraphDrawing) -> tuple[int, int]:
    """Measure the cells from the status of a node to the end of its name."""
    begin = INDENT * line.level
    name = drawing.caption(line.node).name if line.node is not None else ""
    return begin, begin + 4 + cell_len(name)


def _badge_text(badge: Badge, glyphs: Glyphs) -> str:
    """Word what is wrong: the mark, and how many problems there are if there are several."""
    badge_text = badge.counts(glyphs) or badge.mark(glyphs)
    return f" {badge_text}" if badge_text else ""


def width_of(line: OutlineLine, drawing: GraphDrawing) -> int:
    """Measure the cells that a line takes at the most."""
    if line.node is None:
        return len(UNREACHED)
    text = drawing.texts[line.edge] if line.edge is not None else ""
    return name_span(line, drawing)[1] + cell_len(text) + _LONGEST_WORD + _BESIDE


class OutlineRows:
    """The rows of a list, each with the line that it shows; folds are kept by their nodes."""

    def __init__(self) -> None:
        self.lines = OutlineLines()
        """All lines."""
        self._folded: set[str] = set()
        self._seen: list[int] = []

    def take(self, lines: OutlineLines, names: Names) -> None:
        """Replace the list of lines; what was folded stays so."""
        self.lines = lines
        self._folded = {names.get(node, node) for node in self._folded}
        self._arrange()

    def _arrange(self) -> None:
        self._seen = []
        number = 0
        while number < len(self.lines):
            self._seen.append(number)
            number += 1 + (self.hidden(number) if self._folded else 0)

    def __len__(self) -> int:
        return len(self._seen)

    def __getitem__(self, row: int) -> int:
        return self._seen[row]

    def row_of(self, number: int) -> int:
        """Find the row of a line; for one in a folded block that of the fold."""
        return max(0, bisect_right(self._seen, number) - 1)

    # Folds

    def hidden(self, number: int) -> int:
        """Count the lines that are folded away below a line."""
        line = self.lines[number]
        return len(self.lines.block(number)) if line.node in self._folded and not line.elsewhere else 0

    def fold(self, number: int) -> bool:
        """Fold the block below a line; False where there is none, or it is folded."""
        line = self.lines[number]
        if line.node is None or line.elsewhere or self.hidden(number) or not self.lines.block(number):
            return False
        self._folded.add(line.node)
        self._arrange()
        return True

    def unfold(self, numbers: Iterable[int]) -> bool:
        """Unfold the blocks below these lines; False where none is folded."""
        nodes = {node for number in numbers if (node := self.lines[number].node) in self._folded}
        if nodes:
            self._folded -= nodes
            self._arrange()
        return bool(nodes)

    def unfold_to(self, number: int) -> bool:
        """Unfold whatever hides a line; False where it is seen."""
        around = []
        above: int | None = number
        while self._folded and above is not None:
            above = self.lines.parent(above)
            if above is not None:
                around.append(above)
        return self.unfold(around)


_KEPT = 512  # painted lines
_MARGIN = 2  # lines that stay free around what is brought into view
_OF_THE_PICTURE = (  # a list has neither detail nor direction, and left and right fold it
    *("zoom(", "fit", "turn", "toggle_map", "toggle_path", "around", "hops("),
    *("move('left')", "move('right')"),
)


class OutlinePane(Pane, ScrollView, inherit_bindings=False):
    """The graph as an indented list of what the picture shows, whose blocks can be folded.

    A node has one line of its own; where another way leads there, an arrow and its name stand for it.

    Args:
        glyphs: The characters to draw with.
        beside: The picture of the same graph, which is always told to draw it before the list is.
        id: The widget's id.
    """

    TITLE = "Outline"
    BINDINGS = bindings(
        "outline", *(one for one in CONTEXTS["graph"] if not one.action.startswith(_OF_THE_PICTURE))
    )
    DEFAULT_CSS = """
    OutlinePane {
        width: 1fr;
        height: 1fr;
        overflow: auto auto;
        scrollbar-size: 0 0;
        border-right: solid $foreground 30%;
        &:focus { border-right: heavy $primary; }
        &.-alone { border-right: none; }
    }
    """
    ALLOW_MAXIMIZE = False

    follow: var[bool] = var(True, init=False)
    """Whether the node that comes next is kept in view."""
    running: var[str | None] = var(None)
    """The node that runs now."""
    dimmed: var[Mapping[int, str]] = var[Mapping[int, str]](dict, init=False, always_update=True)
    """The edges that are never taken, by their count in the file, each with the reason in words."""
    marked: var[frozenset[str]] = var(frozenset[str](), init=False)
    """The nodes that somebody has marked, to do something with all of them."""
    pause_after: var[frozenset[str]] = var(frozenset[str](), init=False)
    """The nodes after which a continued run pauses."""
    breaks: var[BreakMarks] = var(NO_BREAKS, init=False, always_update=True)
    """The signs of breakpoints, at edges by their count in the file."""
    empty_hint: reactive[str] = reactive("", init=False)
    """What to do where the graph has no nodes, or where there is none."""

    def __init__(
        self, *, glyphs: Glyphs = UNICODE, beside: GraphView | None = None, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.model = MarkedGraph(glyphs, beside.model if beside is not None else None)
        self.model.display = self
        self.search = self.selection = GraphSelection(
            self.model,
            say=lambda: self.post_message(GraphView.Selected(self, self.selection.node, self.selection.edge)),
            findable=lambda: self.rows.lines.findable(self.model.drawing),
            put=self._put_cursor,
        )
        self.rows = OutlineRows()
        """The lines, and which of them are seen."""
        self.cursor = 0
        """The line where the selected node was found."""
        self._part_styles = GraphStyles(self)
        self._painter = OutlinePainter(self.model, self._part_styles)
        self._waits = False  # whether there is a graph to list as soon as the pane is seen
        self._strips: LRUCache[int, tuple[int, int, Strip]] = LRUCache(_KEPT)
        self.model.watch(self)
        self.watch(self, "scroll_y", self._widen, init=False)

    # The graph

    def draw(
        self,
        graph: StateGraph | CompiledGraph,
        problems: Sequence[Problem] | None = (),
        renamed: Names | None = None,
    ) -> None:
        """Draw a graph, as the picture does."""
        names = renamed or {}
        self.selection.forget_hits()
        self.model.take(graph, problems, names, self.moment)
        self._waits |= not self.visible_region_exists()  # then it is listed as soon as it is seen
        if self._waits:
            self._take_lines(OutlineLines(), names)
        else:
            self._list(names)
        self.marked = self.model.surviving(self.marked, names)

    def show(self, moment: RunSnapshot | None) -> None:
        """Show the marks of a moment; the list stays where it is."""
        self.model.show(moment)

    # The lines

    def on_show(self) -> None:
        """List a graph that was drawn while the pane was hidden."""
        if self._waits:
            self._waits = False
            self._list({})
            self.model.follow_run()

    def _list(self, names: Names) -> None:
        """List the graph; the line of the cursor stays where it is on the screen."""
        above = self.rows.row_of(self.cursor) - self.scroll_offset.y
        self._take_lines(
            OutlineLines(self.model.drawing.names, self.model.wiring, self.model.drawing.start), names
        )
        self._scroll(y=self.rows.row_of(self.cursor) - above)
        self._reveal_line(self.cursor)

    def _take_lines(self, lines: OutlineLines, names: Names) -> None:
        self.rows.take(lines, names)
        self.cursor = lines.own(self.selection.node)
        self._arrange()

    def _arrange(self) -> None:
        """Show the rows again: there are other ones."""
        self._strips.clear()
        self.virtual_size = Size(0, len(self.rows))
        self._widen()
        self.refresh()

    def _widen(self) -> None:
        """Show the lines in view to their ends."""
        top = self.scroll_offset.y
        seen = range(top, min(top + self.size.height, len(self.rows)))
        lines = (self.rows.lines[self.rows[row]] for row in seen)
        width = max((width_of(line, self.model.drawing) for line in lines), default=0)
        if width > self.virtual_size.width:
            self.virtual_size = Size(width, len(self.rows))

    def render_line(self, y: int) -> Strip:
        """Paint a line of the screen."""
        left, width = self.scroll_offset.x, self.size.width
        row = y + self.scroll_offset.y
        kept = self._strips.get(row)
        if kept is not None and kept[:2] == (left, width):
            return kept[2]
        texts = self._texts(self.rows[row]) if row < len(self.rows) else self._hint(y)
        strip = Strip([Segment(text, style) for text, style in texts if text])
        strip = strip.crop_extend(left, left + width, self._part_styles["node"])
        self._strips[row] = (left, width, strip)
        return strip

    def _texts(self, number: int) -> Iterator[tuple[str, Style]]:
        selected = number == self.cursor and self.selection.node is not None
        line, hidden = self.rows.lines[number], self.rows.hidden(number)
        return self._painter.texts(line, selected=selected, hidden=hidden)

    def _hint(self, y: int) -> Iterator[tuple[str, Style]]:
        if not self.rows and not self._waits:
            lines = wrapped(self.empty_hint or "There is no graph to list.", self.size.width)
            yield lines[y] if y < len(lines) else "", self._part_styles["hint"]

    def touch(self, parts: Iterable[Part]) -> None:
        """Repaint the lines of these nodes and edges."""
        self._repaint(number for part in parts for number in self.rows.lines.of(part))

    def _repaint(self, numbers: Iterable[int]) -> None:
        top, height = self.scroll_offset.y, self.size.height
        for row in {self.rows.row_of(number) for number in numbers}:
            self._strips.discard(row)
            if top <= row < top + height:
                self.refresh_line(row)

    def notify_style_update(self) -> None:
        """Repaint everything in other colors."""
        super().notify_style_update()
        self._strips.clear()

    # What is selected

    def _put_cursor(self, node: str | None) -> None:
        """Move to the own line of a node, unless the cursor is on a line of it."""
        lines = self.rows.lines
        if lines and lines[self.cursor].node != node:
            before, self.cursor = self.cursor, lines.own(node)
            self._repaint((before, self.cursor))

    def _go_to(self, number: int) -> None:
        """Move the cursor to a line; on which of a node's lines it is, only this pane knows."""
        before, self.cursor = self.cursor, number
        self._repaint((before, number))
        self._reveal_line(number)
        self.selection.choose(self.rows.lines[number].node)

    def reveal(self, part: Part) -> None:
        """Bring a node or an edge into view, out of any fold."""
        numbers = self.rows.lines.of(part)
        if numbers:
            at_cursor = self.rows.lines[self.cursor].node == part == self.selection.node
            self._reveal_line(self.cursor if at_cursor else numbers[0])

    def _reveal_line(self, number: int) -> None:
        if not self.rows:
            return
        if self.rows.unfold_to(number):
            self._arrange()
        row, (width, height), (x, y) = self.rows.row_of(number), self.size, self.scroll_offset
        self._scroll(y=scrolled_to(y, height, row, 1, _MARGIN))
        self._widen()
        begin, end = name_span(self.rows.lines[number], self.model.drawing)
        self._scroll(x=scrolled_to(x, width, begin, end - begin, 0))

    def _scroll(self, x: float | None = None, y: float | None = None) -> None:
        """Scroll to a place at once, as far as there is one."""
        if self.is_attached:
            self.scroll_to(x, y, animate=False, force=True)

    def on_resize(self) -> None:
        """Keep in view what is selected."""
        self._strips.clear()
        self._reveal_line(self.cursor)

    def _go_by(self, by: int) -> None:
        """Move some rows down or up, as far as there are any."""
        if self.rows:
            row = self.rows.row_of(self.cursor) + by if self.selection.node is not None else 0
            row = max(0, min(row, len(self.rows) - 1))
            if self.rows.lines[self.rows[row]].node is None:  # a heading; something is on either side
                row += 1 if by > 0 else -1
            self._go_to(self.rows[max(0, row)])

    def action_move(self, key: Literal["up", "down"]) -> None:
        """Move to the next line or the one before."""
        self._go_by(1 if key == "down" else -1)

    def action_pan(self, across: float, down: float) -> None:
        """Move some pages down or up, or scroll sideways by some widths."""
        self._scroll(x=self.scroll_offset.x + round(across * self.size.width))
        if down:
            self._go_by(round(down * self.size.height))

    def action_fold(self) -> None:
        """Fold the block below the line, else go to the line that its own block is below."""
        if not self.rows or self.selection.node is None:
            return
        if self.rows.fold(self.cursor):
            self._arrange()
            return
        above = self.rows.lines.parent(self.cursor)
        if above is not None:
            self._go_to(above)

    def action_unfold(self) -> None:
        """Unfold the block below the line, else go into it."""
        if not self.rows or self.selection.node is None:
            return
        if self.rows.unfold((self.cursor,)):
            self._arrange()
        elif block := self.rows.lines.block(self.cursor):
            self._go_to(block[0])

    def on_click(self, event: events.Click) -> None:
        """Select the node of the line; a second click shows all of it."""
        offset = event.get_content_offset(self)
        row = offset.y + self.scroll_offset.y if offset is not None else len(self.rows)
        if row < len(self.rows) and self.rows.lines[self.rows[row]].node is not None:
            self._go_to(self.rows[row])
            if event.chain == 2:
                self.action_inspect()

    # What the keys do, as in the picture

    def action_go(self, to: Target) -> None:
        """Select the node where a run begins, the END, or the next edge of the selected node."""
        self.selection.go(to)

    def action_inspect(self) -> None:
        """Show all of what is selected."""
        if self.selection.node is not None:
            self.post_message(GraphView.Inspected())

    def action_toggle_outline(self) -> None:
        """Show the outline, or not."""
        self.post_message(GraphView.OutlineToggled())

    # What every pane can do

    def back(self) -> bool:
        """End the search, else leave the edge."""
        return self.selection.back()

    def copied(self) -> str | None:
        """Copy the name of the node, or the text of the edge."""
        return self.selection.copied()

    def copied_path(self) -> str | None:
        """Copy where the node or the edge is in the graph file."""
        return self.selection.copied_path()
