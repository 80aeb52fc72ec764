"""Keys that hold while a graph is designed. No letter runs anything at once."""

from __future__ import annotations

from .command import Command

DESIGN = (
    Command("design.settings", "s", "forms.settings", "Settings", "Change the settings of the graph"),
    Command("design.keys", "f6", "forms.declare('state')", "State keys", "Declare the keys of the state"),
    Command("design.tools", "f7", "forms.declare('tools')", "Tools", "Declare the tools of the graph"),
    Command("design.undo", "u,ctrl+z", "design.undo", "Undo", "Take the last edit back", footer=6),
    Command("design.redo", "U,ctrl+y", "design.redo", "Redo", "Make again what was taken back", footer=9),
    Command(
        "design.next_problem", "full_stop", "design.problem(1)", "Problem", "Go to the next problem", footer=9
    ),
    Command(
        "design.previous_problem", "comma", "design.problem(-1)", "Problem before", "Go to the problem before"
    ),
    Command(
        "design.fix",
        "exclamation_mark",
        "design.fix",
        "Fix",
        "Mend the problem, where that is obvious",
        footer=9,
    ),
    Command(
        "design.run", "c,f5", "run.ask", "Run", "Ask for the inputs of a run of the graph as it is", footer=8
    ),
)
"""In every pane."""

EDIT = (
    Command(
        "edit.add", "a", "graph.add", "Add", "Add a node after the selected one, or into the edge", footer=1
    ),
    Command("edit.connect", "C", "graph.connect", "Connect", "Lead an edge to another node", footer=3),
    Command(
        "edit.rename", "r,f2", "graph.rename", "Rename", "Rename the node wherever it is named", footer=4
    ),
    Command("edit.type", "t", "graph.change_type", "Type", "Give the node another type"),
    Command(
        "edit.delete", "d,delete", "graph.delete", "Delete", "Delete what is selected or marked", footer=5
    ),
    Command("edit.cut", "x", "graph.cut", "Cut", "Take the selected or marked nodes out, to be pasted"),
    Command("edit.paste", "p", "graph.paste", "Paste", "Paste nodes, connected after the selected one"),
    Command(
        "edit.paste_loose", "P", "graph.paste(False)", "Paste loose", "Paste nodes without connecting them"
    ),
    Command("edit.duplicate", "D", "graph.duplicate", "Duplicate", "Copy the selected or marked nodes"),
    Command("edit.mark", "space", "graph.mark", "Mark", "Mark the node, to do something with several"),
    Command("edit.earlier", "K", "graph.move_edge(-1)", "Earlier", "Try the selected edge earlier", footer=1),
    Command("edit.later", "J", "graph.move_edge(1)", "Later", "Try the selected edge later", footer=2),
    Command("edit.start", "S", "graph.set_start", "Set start", "Let runs begin at the node"),
)
"""Where the graph has the keys."""
