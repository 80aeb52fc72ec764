"""The keys that hold everywhere."""

from __future__ import annotations

from .command import Command, context

APP = context(
    "app",
    "Everywhere",
    Command("app.help", "question_mark,f1", "help", "Keys", "Show the keys that work here", palette=True),
    Command("app.palette", "colon", "command_palette", "All", "Find any command by name", palette=False),
    Command(
        "app.palette_always",
        "ctrl+p",
        "command_palette",
        "All",
        "Find any command by name, even from a text field",
        palette=False,
        priority=True,
    ),
    Command("app.inbox", "A", "inbox", "Inbox", "List the reviews of all runs that wait for a person"),
    Command(
        "app.models",
        "f8",
        "models",
        "Models",
        "List the models that live runs may ask, with keys and prices; add one, test one",
    ),
    Command("app.log", "at", "command_log", "Command log", "Show what you did, as shell commands"),
    Command("app.quit", "ctrl+q", "quit", "Quit", "Leave Stepgraph, from anywhere", priority=True),
    help="Everywhere",
)
