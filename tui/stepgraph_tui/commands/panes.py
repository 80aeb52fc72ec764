"""The keys of each pane of the workbench."""

from __future__ import annotations

from .command import LINES, PAGES, Command, context, in_list

GRAPH = context(
    "graph",
    "Graph",
    Command("graph.left", "h,left", "move('left')", "Left", "Select the node to the left", palette=False),
    Command("graph.down", "j,down", "move('down')", "Down", "Select the node below", palette=False),
    Command("graph.up", "k,up", "move('up')", "Up", "Select the node above", palette=False),
    Command(
        "graph.right", "l,right", "move('right')", "Right", "Select the node to the right", palette=False
    ),
    Command("graph.half_down", "ctrl+d", "pan(0, 0.5)", "Half down", "Go down half a page", palette=False),
    Command("graph.half_up", "ctrl+u", "pan(0, -0.5)", "Half up", "Go up half a page", palette=False),
    Command("graph.page_down", "pagedown", "pan(0, 1)", "Page down", "Go down a page", palette=False),
    Command("graph.page_up", "pageup", "pan(0, -1)", "Page up", "Go up a page", palette=False),
    Command("graph.pan_left", "H", "pan(-0.5, 0)", "Pan left", "Scroll to the left", palette=False),
    Command("graph.pan_right", "L", "pan(0.5, 0)", "Pan right", "Scroll to the right", palette=False),
    Command("graph.out", "o", "go('out')", "Out-edge", "Select the next edge that leaves the node"),
    Command("graph.in", "i", "go('in')", "In-edge", "Select the next edge that enters the node"),
    Command("graph.enter", "enter", "inspect", "Inspect", "Show the node or edge in the Node tab"),
    Command("graph.start", "g", "go('start')", "Start node", "Select the start node"),
    Command("graph.end", "G", "go('end')", "END", "Select END"),
    Command("graph.more", "z", "zoom(1)", "More detail", "Draw the nodes in more detail", footer=70),
    Command("graph.less", "Z", "zoom(-1)", "Less detail", "Draw the nodes in less detail"),
    Command("graph.fit", "0", "fit", "Fit", "Redraw in the most detail that fits the pane"),
    Command("graph.direction", "v", "turn", "Direction", "Switch between top to bottom and left to right"),
    Command("graph.follow", "F", "toggle('follow')", "Follow", "Keep the next node in view: on or off"),
    Command("graph.map", "M", "toggle_map", "Map", "Show or hide a map of the whole picture"),
    Command("graph.outline", "O", "toggle_outline", "Outline", "Show or hide the graph as an indented list"),
)
"""The graph view and the outline."""

OUTLINE = context(
    "outline",
    "Outline",
    Command(
        "outline.fold",
        "h,left",
        "fold",
        "Fold",
        "Fold the line, or go to its parent",
        palette=False,
    ),
    Command(
        "outline.unfold",
        "l,right",
        "unfold",
        "Unfold",
        "Unfold the line, or go to its first child",
        palette=False,
    ),
)
"""What is different in the outline."""

STATE = context(
    "state",
    "State",
    *in_list("state", "line"),
    Command("state.fold", "h,left", "fold", "Fold", "Fold the value", palette=False),
    Command("state.unfold", "l,right", "unfold", "Unfold", "Unfold the value", palette=False),
    Command("state.toggle", "space", "toggle_fold", "Fold", "Fold or unfold the value", palette=False),
    Command(
        "state.whole",
        "enter",
        "whole",
        "Whole value",
        "Show the whole value, or what changed in it",
        footer=10,
    ),
    Command(
        "state.mode",
        "v",
        "mode",
        "View",
        "Switch between the changes, the state after and the state before",
        footer=11,
    ),
    Command(
        "state.edit",
        "e",
        "edit",
        "Edit",
        "Edit the value, between two steps or while the run waits",
        footer=13,
    ),
    Command(
        "state.edit_whole",
        "E",
        "edit_whole",
        "Edit all",
        "Edit the whole state in $EDITOR, between two steps or while the run waits",
    ),
    Command(
        "state.writer", "L", "writer", "Last writer", "View the step that last wrote the value", footer=12
    ),
    Command(
        "state.break", "b,f9", "break('becomes')", "Break at value", "Halt when a step gives it this value"
    ),
    Command("state.break_changes", "W", "break('changes')", "Break on change", "Halt when a step changes it"),
    Command(
        "state.watch", "w", "watch_value", "Watch", "Watch the value over the steps of the run", footer=14
    ),
)

WHY = context(
    "why",
    "Why",
    *in_list("why", "edge", *LINES),
    *in_list("why", "line", *PAGES),
    Command("why.break", "b,f9", "break_here", "Break", "Breakpoint on the edge: on or off", footer=11),
    Command("why.show", "enter", "show_edge", "In the graph", "Select the edge in the graph", footer=10),
)

NODE = context(
    "node",
    "Node",
    Command("node.down", "j,down", "scroll_down", "Down", "Scroll down", palette=False),
    Command("node.up", "k,up", "scroll_up", "Up", "Scroll up", palette=False),
    Command("node.start", "g", "scroll_home", "Start", "Scroll to the start", palette=False),
    Command("node.end", "G", "scroll_end", "End", "Scroll to the end", palette=False),
    *in_list("node", "line", *PAGES),
)

TRACE = context(
    "trace",
    "Trace",
    Command("trace.down", "j,down", "cursor_down", "Down", "View the next step", palette=False),
    Command("trace.up", "k,up", "cursor_up", "Up", "View the previous step", palette=False),
    Command("trace.first", "g", "first", "First", "View the start of the run", footer=10),
    Command("trace.live", "G", "live", "Live", "Go back to the latest step", footer=11),
    Command("trace.expand", "enter", "expand", "Expand", "Show more or less of the step", footer=12),
    Command(
        "trace.mark",
        "space",
        "mark",
        "Pause after",
        "Pause after this node (‖) when the run continues: on or off",
    ),
)

PROBLEMS = context(
    "problems",
    "Problems",
    *in_list("problems", "problem"),
    Command(
        "problems.go",
        "enter",
        "go_there",
        "Go there",
        "Select the node, edge or setting with the problem",
        footer=10,
    ),
)

WATCHES = context(
    "watches",
    "Watches",
    *in_list("watches", "watch"),
    Command("watches.add", "a", "ask('add')", "Add", "Watch an expression over the steps", footer=10),
    Command("watches.edit", "enter", "ask('edit')", "Edit", "Edit the expression", footer=11),
    Command("watches.remove", "d,delete", "ask('remove')", "Delete", "Watch it no more", footer=12),
    Command(
        "watches.switch",
        "space",
        "ask('switch')",
        "On/off",
        "Stop at its changes when going from stop to stop: on or off",
        footer=13,
    ),
)

BREAKS = context(
    "breaks",
    "Breaks",
    *in_list("breaks", "breakpoint"),
    Command(
        "breaks.add", "a", "add", "Add", "Add a breakpoint: a node, an edge, a key, a failure", footer=10
    ),
    Command("breaks.edit", "enter", "edit", "Edit", "Change the breakpoint", footer=11),
    Command(
        "breaks.switch",
        "space",
        "switch",
        "On/off",
        "Switch the breakpoint on or off: on ■, with options ◊, off □, can never be met ¤",
        footer=12,
    ),
    Command("breaks.remove", "d,delete", "remove", "Delete", "Delete the breakpoint", footer=13),
)

LOG = context(
    "log",
    "Log",
    *in_list("log", "line", *LINES, *PAGES),
    Command("log.left", "h,left", "turn(-1)", "Left", "Scroll to the left", palette=False),
    Command("log.right", "l,right", "turn(1)", "Right", "Scroll to the right", palette=False),
    Command("log.first", "g,home", "to('first')", "First", "Go to the first line", footer=12),
    Command("log.last", "G,end", "to('last')", "Last", "Go to the last line, and follow it", footer=11),
    Command("log.whole", "enter", "whole", "Whole line", "Show the whole line", footer=10),
)
