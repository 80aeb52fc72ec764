"""The keys that hold everywhere."""

from __future__ import annotations

from .command import Command, context

APP = context(
    "app",
    "Everywhere",
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
    help="Everywhere",
)
