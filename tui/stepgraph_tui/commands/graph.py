"""Keys of the graph view and of the outline."""

from __future__ import annotations

from .command import Command

GRAPH = (
    Command("graph.left", "h,left", "move('left')", "Left", "Select the node to the left", palette=False),
    Command("graph.down", "j,down", "move('down')", "Down", "Select the node below", palette=False),
    Command("graph.up", "k,up", "move('up')", "Up", "Select the node above", palette=False),
    Command(
        "graph.right", "l,right", "move('right')", "Right", "Select the node to the right", palette=False
    ),
    Command("graph.out", "o", "next_edge('out')", "Out-edge", "Select the next edge out of the node"),
    Command("graph.in", "i", "next_edge('in')", "In-edge", "Select the next edge into the node"),
    Command("graph.enter", "enter", "inspect", "Inspect", "Show the node or edge in the Node tab"),
    Command("graph.start", "g", "select_start", "Start node", "Select the start node"),
    Command("graph.end", "G", "select_end", "END", "Select the END"),
    Command("graph.more", "z", "zoom(1)", "More detail", "Draw the nodes in more detail", footer=70),
    Command("graph.less", "Z", "zoom(-1)", "Less detail", "Draw the nodes in less detail"),
    Command("graph.fit", "0", "fit", "Fit", "Choose the most detail that fits the pane"),
    Command("graph.direction", "v", "turn", "Direction", "Draw from top to bottom, or from left to right"),
    Command("graph.follow", "F", "toggle_follow", "Follow", "Keep the next node in view, or stop that"),
    Command("graph.outline", "O", "toggle_outline", "Outline", "Show the graph as an indented list, or not"),
)
