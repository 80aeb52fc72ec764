"""The keys of the workbench, and of its modes. No letter in Design runs anything."""

from __future__ import annotations

from .command import Command, context

DEBUG = context(
    "debug",
    "Debug, in every pane",
    Command("debug.step", "s,f10", "run.step", "Step", "Run exactly one node", footer=1),
    Command(
        "debug.go", "c,f5", "run.go", "Run", "Start a run, or continue it until something stops it", footer=2
    ),
    Command(
        "debug.into",
        "I,f11",
        "run.step(True)",
        "Step into",
        "Go into the next node: a subgraph is drawn from inside, a Python function runs in pdb",
        footer=38,
    ),
    Command(
        "debug.step_out",
        "shift+f11",
        "run.step_out",
        "Step out",
        "Continue until the subgraph that the run is in has come to its end",
    ),
    Command(
        "debug.to_here", "t", "run.to_here", "To here", "Continue until the selected node is next", footer=30
    ),
    Command(
        "debug.pause_after",
        "p",
        "pauses.toggle",
        "Pause after",
        "Pause after the selected node (‖) when the run continues: on or off",
        footer=40,
    ),
    Command(
        "debug.break",
        "b,f9",
        "breaks.toggle",
        "Break",
        "Breakpoint (■) before the node or on the edge: on or off",
        footer=31,
    ),
    Command(
        "debug.break_with",
        "B",
        "breaks.ask",
        "Break with",
        "Breakpoint (◊) with options: after, condition, hits, log",
    ),
    Command("debug.stop", "X", "run.stop", "Stop", "Stop after the current node", footer=1),
    Command(
        "debug.live",
        "dollar_sign",
        "live.switch",
        "Live",
        "Let real models answer in this run or the next one, or canned replies again; asks first",
        footer=39,
    ),
    Command(
        "debug.replay",
        "quotation_mark",
        "live.replay",
        "Replay",
        "Start a new run with the same inputs, and with the answers that this one recorded",
    ),
    Command("debug.retry", "r", "run.retry", "Retry", "Try the failed node or its routing again", footer=1),
    Command(
        "debug.extend",
        "x",
        "run.extend",
        "Extend",
        "Give a run that reached its step limit more steps",
        footer=1,
    ),
    Command(
        "debug.version",
        "equals_sign",
        "version.show",
        "Older version",
        "Show how the file differs from what the run goes by, and adopt it",
        footer=21,
    ),
    Command(
        "debug.loop",
        "D",
        "loop.show",
        "Loop",
        "Show what the run goes round, and why it does not leave",
        footer=45,
    ),
    Command(
        "debug.start_over",
        "S,ctrl+r",
        "run.start_over",
        "Start over",
        "Start a new run with the same inputs, and keep this one",
        footer=20,
    ),
    Command(
        "debug.fork",
        "f",
        "fork.ask",
        "Fork",
        "Go on from the viewed step as a new run; this one stays as it is",
        footer=37,
    ),
    Command(
        "debug.earlier", "left_square_bracket", "run.view(-1)", "Earlier", "View the previous step", footer=35
    ),
    Command("debug.later", "right_square_bracket", "run.view(1)", "Later", "View the next step", footer=36),
    Command(
        "debug.previous_stop",
        "left_curly_bracket",
        "watches.jump(-1)",
        "Previous stop",
        "View the previous change of a watch or hit of a breakpoint",
        footer=37,
    ),
    Command(
        "debug.next_stop",
        "right_curly_bracket",
        "watches.jump(1)",
        "Next stop",
        "View the next change of a watch or hit of a breakpoint",
        footer=38,
    ),
    help="Debug",
)

DESIGN = context(
    "design",
    "Design, in every pane",
    Command("design.settings", "s", "forms.settings", "Settings", "Change the settings of the graph"),
    Command("design.keys", "f6", "forms.declare('state')", "State keys", "Declare the keys of the state"),
    Command("design.tools", "f7", "forms.declare('tools')", "Tools", "Declare the tools of the graph"),
    Command("design.undo", "u,ctrl+z", "design.undo", "Undo", "Undo the last edit", footer=5),
    Command("design.redo", "U,ctrl+y", "design.redo", "Redo", "Redo the edit that was undone", footer=9),
    Command(
        "design.next_problem", "full_stop", "design.problem(1)", "Problem", "Go to the next problem", footer=9
    ),
    Command(
        "design.previous_problem",
        "comma",
        "design.problem(-1)",
        "Previous problem",
        "Go to the previous problem",
    ),
    Command(
        "design.fix",
        "exclamation_mark",
        "design.fix",
        "Fix",
        "Choose a fix for the problem, and see what it changes",
        footer=9,
    ),
    Command(
        "design.run",
        "c,f5",
        "run.ask",
        "Run",
        "Run this graph, edits included: asks for the inputs first",
        footer=3,
    ),
)

EDIT = context(
    "edit",
    "Design, in the graph",
    Command(
        "edit.add",
        "a",
        "graph.add",
        "Add",
        "Add a node after the selected one, on a branch, or on the selected edge",
        footer=1,
    ),
    Command(
        "edit.connect",
        "C",
        "graph.connect",
        "Connect",
        "Connect the node to another one, or to a new one",
        footer=4,
    ),
    Command("edit.rename", "r,f2", "graph.rename", "Rename", "Rename the node everywhere", footer=5),
    Command("edit.type", "t", "graph.change_type", "Type", "Change the type of the node"),
    Command(
        "edit.delete",
        "d,delete",
        "graph.delete",
        "Delete",
        "Delete the selected or marked nodes, or the selected edge",
        footer=6,
    ),
    Command("edit.cut", "x", "graph.cut", "Cut", "Cut the selected or marked nodes, ready to paste"),
    Command(
        "edit.paste", "p", "graph.paste", "Paste", "Paste nodes, and connect them after the selected one"
    ),
    Command(
        "edit.paste_loose", "P", "graph.paste(False)", "Paste loose", "Paste nodes without connecting them"
    ),
    Command("edit.duplicate", "D", "graph.duplicate", "Duplicate", "Duplicate the selected or marked nodes"),
    Command("edit.mark", "space", "graph.mark", "Mark", "Mark the node, to edit several at once"),
    Command(
        "edit.earlier",
        "K",
        "graph.move_edge(-1)",
        "Earlier",
        "Move the selected edge up: it is tried earlier",
        footer=1,
    ),
    Command(
        "edit.later",
        "J",
        "graph.move_edge(1)",
        "Later",
        "Move the selected edge down: it is tried later",
        footer=2,
    ),
    Command("edit.start", "S", "graph.set_start", "Set start", "Make this the node where runs start"),
)

WORKBENCH = context(
    "workbench",
    "Workbench, in every pane",
    Command("workbench.next_pane", "tab", "panes.next(1)", "Next pane", "Go to the next pane", palette=False),
    Command(
        "workbench.previous_pane",
        "shift+tab",
        "panes.next(-1)",
        "Previous pane",
        "Go to the previous pane",
        palette=False,
    ),
    Command("workbench.graph", "1", "panes.show('graph')", "Graph", "Go to the graph"),
    Command("workbench.state", "2", "panes.show('state')", "State", "Go to the state"),
    Command("workbench.why", "3", "panes.show('why')", "Why", "Go to why each edge was taken or not"),
    Command("workbench.node", "4", "panes.show('node')", "Node", "Go to the selected node or edge"),
    Command("workbench.trace", "5", "panes.show('trace')", "Trace", "Go to the steps"),
    Command(
        "workbench.problems", "6", "panes.show('problems')", "Problems", "Go to the problems of the graph"
    ),
    Command("workbench.watches", "7", "panes.show('watches')", "Watches", "Go to the watched expressions"),
    Command("workbench.breaks", "8", "panes.show('breaks')", "Breaks", "Go to the breakpoints"),
    Command("workbench.log", "9", "panes.show('log')", "Log", "Go to what the nodes printed"),
    Command("workbench.enlarge", "plus", "panes.enlarge", "Enlarge", "Give the pane the whole screen"),
    Command(
        "workbench.restore", "underscore", "panes.restore", "All panes", "Show all panes again", footer=4
    ),
    Command(
        "workbench.narrower", "less_than_sign", "panes.divide(-4)", "Narrower", "Move the divider to the left"
    ),
    Command(
        "workbench.wider", "greater_than_sign", "panes.divide(4)", "Wider", "Move the divider to the right"
    ),
    Command("workbench.find", "slash", "find", "Find", "Find a text in this pane", footer=60),
    Command("workbench.find_next", "n", "find_next(1)", "Next", "Find the next match", footer=5),
    Command("workbench.find_previous", "N", "find_next(-1)", "Previous", "Find the previous match", footer=6),
    Command("workbench.copy", "y", "copy", "Copy", "Copy the selection"),
    Command(
        "workbench.copy_path",
        "Y",
        "copy_path",
        "Copy path",
        "Copy the path of the selection, or the command that shows it",
    ),
    Command(
        "workbench.approvals",
        "A",
        "reviews.open",
        "Approval",
        "Open the review that this run waits for, else the inbox with those of all runs",
        footer=3,
    ),
    Command(
        "workbench.runs",
        "R",
        "runs",
        "Runs",
        "List all runs of the store, this one among them",
        footer=65,
    ),
    Command(
        "workbench.mode",
        "m",
        "design.mode",
        "Mode",
        "Switch between designing the graph and debugging a run",
        footer=4,
    ),
    Command(
        "workbench.try",
        "T",
        "trial.ask",
        "Try node",
        "Run one node with a state you choose; nothing is recorded",
    ),
    Command("workbench.editor", "E", "file.editor", "Editor", "Open the graph file in $EDITOR at this place"),
    Command("workbench.save", "ctrl+s", "file.save", "Save", "Save the graph file", footer=2),
    Command(
        "workbench.save_copy",
        "f12",
        "file.save_copy",
        "Save a copy",
        "Save the graph as another file, with its breakpoints and watches, and open that",
    ),
    Command(
        "workbench.export",
        "f3",
        "export.ask",
        "Export",
        "Write the run or the graph in other formats",
    ),
    Command("workbench.open", "ctrl+o", "file.open", "Open", "Open another graph file"),
    Command(
        "workbench.back", "escape", "back", "Back", "Go back: close or cancel the last thing", palette=False
    ),
    Command("workbench.close", "q", "close", "Close", "Close this graph"),
    help="Workbench",
)
