"""Style the parts of a graph, in the picture and in the outline."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from stepgraph_tui.drawing.picture.glyphs import State

from .scene import TONES

if TYPE_CHECKING:
    from rich.style import Style
    from textual.widget import Widget

    from stepgraph_tui.drawing.picture.run_marks import Part

    from .scene import Scene

_PREFIX = "graph--"
_PARTS = (
    *("node", "frame", "label", "selected", "hit", "broken", "warning", "picked", "rubber", "lit", "hint"),
    *("break", "break-hit", "signs", "map", "map-seen", "map-place", "map-place-seen"),
)
COMPONENTS: set[str] = {_PREFIX + part for part in (*_PARTS, *TONES, *get_args(State))}
"""The component classes."""

_CSS = """
PANE {
    width: 1fr;
    height: 1fr;
    overflow: auto auto;
    scrollbar-size: 0 0;
    & > .graph--node { color: $foreground; }
    & > .graph--frame { color: $foreground 50%; }
    & > .graph--start { color: $text-primary; }
    & > .graph--done { color: $text-success; }
    & > .graph--next { color: $text-primary; text-style: bold; }
    & > .graph--waits { color: $text-warning; text-style: bold; }
    & > .graph--failed { color: $text-error; text-style: bold; }
    & > .graph--runs { color: $text-accent; text-style: bold; }
    & > .graph--faint { color: $foreground 45%; }
    & > .graph--edge { color: $foreground 55%; }
    & > .graph--back { color: $foreground 45%; }
    & > .graph--wrong { color: $text-error; }
    & > .graph--fired { color: $text-success; }
    & > .graph--taken { color: $text-primary; text-style: bold; }
    & > .graph--chosen { color: $text-accent; text-style: bold; }
    & > .graph--label { color: $foreground 85%; }
    & > .graph--selected { text-style: bold reverse; }
    & > .graph--hit { color: $text-warning; text-style: bold underline; }
    & > .graph--broken { color: $text-error; }
    & > .graph--warning { color: $text-warning; text-style: bold; }
    & > .graph--picked { color: $text-accent; text-style: bold; }
    & > .graph--break { color: $text-error; text-style: bold; }
    & > .graph--break-hit { color: $text-warning; text-style: bold underline reverse; }
    & > .graph--rubber { color: $text-accent; text-style: bold; }
    & > .graph--lit { color: $text-accent; text-style: bold reverse; }
    & > .graph--hint { color: $text-muted; }
    & > .graph--signs { color: $text-warning; text-style: bold; }
    & > .graph--map { color: $foreground 55%; }
    & > .graph--map-seen { color: $foreground 80%; text-style: reverse; }
    & > .graph--map-place { color: $text-accent; text-style: bold; }
    & > .graph--map-place-seen { color: $text-accent; text-style: bold reverse; }
}
"""
"""A selected part, a found one and the marks tell themselves apart without colour, too."""


def css_of(pane: str) -> str:
    """Write the styles of a pane that shows a graph, and of its component classes."""
    return _CSS.replace("PANE", pane)


class GraphStyles:
    """The styles of a pane's parts, as its theme has them now.

    Args:
        widget: The pane.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[str, Style] = {}

    def __getitem__(self, part: str) -> Style:
        style = self._styles.get(part)
        if style is None:
            style = self._widget.get_component_rich_style(_PREFIX + part, partial=part in ("selected", "hit"))
            self._styles[part] = style
        return style

    def of_label(self, scene: Scene, edge: int | None, *, hit: bool) -> Style:
        """Choose the style of an edge's text, and mark it as what was found."""
        tone = scene.tone(edge)
        style = self["label" if tone == "edge" else tone]
        if hit:
            style += self["hit"]
        return style + self["selected"] if tone == "chosen" else style

    def of_break(self, scene: Scene, part: Part | None) -> Style:
        """Choose the style of a breakpoint's sign, and mark the one that was hit."""
        is_hit = part is not None and part == scene.breaks.hit
        return self["break-hit" if is_hit else "break"]

    def forget(self) -> None:
        """Look the styles up anew: the theme has changed."""
        self._styles.clear()
