"""Keys of the app and of every pane of the workbench."""

from __future__ import annotations

from .command import Command

APP = (
    Command("app.help", "question_mark,f1", "help", "Keys", "The keys that work here", palette=True),
    Command("app.palette", "colon", "command_palette", "All", "Every command, by its name", palette=False),
    Command(
        "app.palette_always",
        "ctrl+p",
        "command_palette",
        "All",
        "Every command, also from a text field",
        palette=False,
        priority=True,
    ),
    Command(
        "app.log", "at", "command_log", "Log of commands", "What was done, as the commands that do the same"
    ),
    Command("app.quit", "ctrl+q", "quit", "Quit", "Leave Stepgraph, from anywhere", priority=True),
)

WORKBENCH = (
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
    Command("workbench.why", "3", "panes.show('why')", "Why", "Go to the reasons of the routing"),
    Command("workbench.node", "4", "panes.show('node')", "Node", "Go to the selected node or edge"),
    Command("workbench.trace", "5", "panes.show('trace')", "Trace", "Go to the steps"),
    Command(
        "workbench.problems", "6", "panes.show('problems')", "Problems", "Go to what is wrong with the graph"
    ),
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
    Command("workbench.find_next", "n", "find_next(1)", "Next", "Find the next one", footer=5),
    Command("workbench.find_previous", "N", "find_next(-1)", "Previous", "Find the previous one", footer=6),
    Command("workbench.copy", "y", "copy", "Copy", "Copy what is selected"),
    Command(
        "workbench.copy_path",
        "Y",
        "copy_path",
        "Copy path",
        "Copy the path of what is selected, or the command that shows it",
    ),
    Command(
        "workbench.approvals",
        "A",
        "run.approvals",
        "Approval",
        "Open the review that waits for a person",
        footer=3,
    ),
    Command(
        "workbench.mode", "m", "design.mode", "Mode", "Design the graph, or debug a run of it", footer=55
    ),
    Command("workbench.try", "T", "trial.ask", "Try node", "Run one node with a state of your choice"),
    Command("workbench.editor", "E", "file.editor", "Editor", "Open the graph file in $EDITOR at this place"),
    Command("workbench.save", "ctrl+s", "file.save", "Save", "Save the graph file", footer=54),
    Command("workbench.open", "ctrl+o", "file.open", "Open", "Open another graph file"),
    Command("workbench.back", "escape", "back", "Back", "Leave what was begun last", palette=False),
    Command("workbench.close", "q", "close", "Close", "Close this graph"),
)
