"""Keys of the panes beside the graph."""

from __future__ import annotations

from .command import Command
from .scrolling import by_lines, by_pages

STATE = (
    Command("state.down", "j,down", "cursor_down", "Down", "Go to the next line", palette=False),
    Command("state.up", "k,up", "cursor_up", "Up", "Go to the line before", palette=False),
    Command("state.page_down", "pagedown", "page(1)", "Page down", "Go a page down", palette=False),
    Command("state.page_up", "pageup", "page(-1)", "Page up", "Go a page up", palette=False),
    Command("state.first", "g,home", "first", "First", "Go to the first line", palette=False),
    Command("state.last", "G,end", "last", "Last", "Go to the last line", palette=False),
    Command("state.fold", "h,left", "fold", "Fold", "Fold the value", palette=False),
    Command("state.unfold", "l,right", "unfold", "Unfold", "Unfold the value", palette=False),
    Command("state.toggle", "space", "toggle_fold", "Fold", "Fold or unfold the value", palette=False),
    Command("state.whole", "enter", "whole", "Whole value", "Show the whole value", footer=10),
    Command(
        "state.mode",
        "v",
        "mode",
        "View",
        "Show what changed, the state after, or the state before",
        footer=11,
    ),
    Command(
        "state.writer", "L", "writer", "Last writer", "View the step that last wrote the value", footer=12
    ),
)

WHY = (
    Command("why.down", "j,down", "cursor_down", "Down", "Go to the next edge", palette=False),
    Command("why.up", "k,up", "cursor_up", "Up", "Go to the edge before", palette=False),
    *by_pages("why"),
    Command("why.show", "enter", "show_edge", "In the graph", "Select the edge in the graph", footer=10),
)

NODE = (
    *by_lines("node"),
    Command("node.start", "g", "scroll_home", "Start", "Scroll to the start", palette=False),
    Command("node.end", "G", "scroll_end", "End", "Scroll to the end", palette=False),
    *by_pages("node"),
)

TRACE = (
    Command("trace.down", "j,down", "cursor_down", "Down", "View the next step", palette=False),
    Command("trace.up", "k,up", "cursor_up", "Up", "View the step before", palette=False),
    Command("trace.first", "g", "first", "First", "View the start of the run", footer=10),
    Command("trace.live", "G", "live", "Live", "Go back to where the run stands", footer=11),
    Command("trace.expand", "enter", "expand", "Expand", "Show more of the step, or less", footer=12),
    Command("trace.mark", "space", "mark", "Pause after", "Stop a continued run after this node, or no more"),
)

PROBLEMS = (
    Command("problems.down", "j,down", "cursor_down", "Down", "Go to the next problem", palette=False),
    Command("problems.up", "k,up", "cursor_up", "Up", "Go to the problem before", palette=False),
    Command("problems.go", "enter", "go_there", "Go there", "Select what the problem is about", footer=10),
)

LOG = (
    *by_lines("log"),
    Command("log.first", "g", "scroll_home", "First", "Go to the first line", footer=10),
    Command("log.last", "G", "scroll_end", "Last", "Go to the last line, and follow it", footer=11),
)
