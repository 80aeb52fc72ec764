"""What can be written on the command line."""

from __future__ import annotations

import os
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from .usage import GRAPH, GRAPH_HELP, STORE_HELP, Parser, add_command, common_options

_EXITS = """\
exit codes:
    0  done (a run ended, or stopped where you asked)
    1  failed, bad input, or problems found
    2  the command line was not understood
    3  already decided, or another process moved the run on
    4  no such run or review
    5  the review is not the one you looked at
    6  not trusted
   10  paused: a review waits
  130  interrupted, after the current node
"""
_COMMANDS = {
    "new": ("files", "make a new graph file, blank or from a template"),
    "check": ("check", "validate graphs; nothing that a graph file names is imported"),
    "show": ("show", "draw a graph; nothing that a graph file names is imported"),
    "fmt": ("files", "format graph files in the standard form; keeps all comments"),
    "schema": ("schema", "print the JSON Schema of graph files, for editors; --for puts it beside a file"),
    "diff": ("diff", "show how two graphs differ in meaning"),
    "export": ("export", "write a graph or a run as Mermaid, DOT, JSON and more"),
    "import": ("import_", "make a graph file of Mermaid, DOT, JSON, a state machine, or LangGraph"),
    "run": ("drive", "start a run of a graph, and run it to its end or a pause"),
    "step": ("drive", "run exactly one node of a stored run"),
    "resume": ("drive", "continue a run, to its end or the next pause"),
    "retry": ("drive", "try the failed node or routing of a run again, then continue"),
    "fork": ("drive", "make a new run from an earlier step of another; nothing runs yet"),
    "edit": ("edit", "change the state of a run between two steps; nothing runs yet"),
    "extend": ("drive", "give a run more steps; nothing runs yet"),
    "worker": ("worker", "run the graphs that were handed to workers, until you stop it"),
    "runs": ("runs", "list the runs, latest first"),
    "breaks": ("breaks", "list, add and remove the breakpoints kept for a graph"),
    "approvals": ("approvals", "list the reviews that wait for you"),
    "models": ("models", "list, add and try the models that live runs ask"),
    "tools": ("tools", "list the tools of servers and graphs, with their arguments; call one"),
    "serve": ("serve", "serve graphs over HTTP: REST, events, and an inbox for the browser"),
    "demo": ("demo", "show what Stepgraph does, offline, in a minute"),
    "doctor": ("doctor", "print versions, paths and the store's health; repair a damaged store"),
}
"""The commands in the order of the help: the module whose ``<command>_options`` declares what one takes and
calls, imported when it is written, and what the help says."""


def parse(words: Sequence[str]) -> Namespace:
    """Read the command and its options.

    Raises:
        SystemExit: After ``--help`` and ``--version`` (0), and when the words are not understood (2).
    """
    words = list(words)
    parser = _app_parser() if _opens_the_app(words) else _parser(words[0])
    args = parser.parse_args(words)
    for name, default in (("store", None), ("json", False)):
        if not hasattr(args, name):
            setattr(args, name, default)
    return args


class _Version(Action):
    """Prints the version; it is looked up only then."""

    def __call__(self, parser: ArgumentParser, *_: object) -> NoReturn:
        from stepgraph import __version__

        print(f"stepgraph {__version__}")
        parser.exit()


def _opens_the_app(words: list[str]) -> bool:
    """Say whether the words name a graph file or nothing; what is neither file nor command is refused."""
    rest = list(words)
    while rest and rest[0].partition("=")[0] in ("--store", "--as"):
        del rest[: 1 if "=" in rest[0] else 2]
    if not rest:
        return True
    first = rest[0]
    if first.startswith("-") or first in _COMMANDS:
        return False
    from stepgraph.values.handler_names import is_handler

    if not (names_a_file(first) or is_handler(first)):
        from stepgraph.values.problems import did_you_mean

        hint = did_you_mean(first, _COMMANDS, listing="there are")
        _parser(first).error(f"there is no command {first!r} ({hint})")
    return True


def names_a_file(word: str) -> bool:
    """Say whether somebody who wrote this meant a file or a Python module, which need not be there."""
    from stepgraph_tui.text.system import is_missing

    if word.endswith((".toml", ".py")) or ".py:" in word or os.sep in word or not is_missing(Path(word)):
        return True
    if ":" not in word and is_missing(Path("langgraph.json")):
        return False
    from stepgraph.files.graph_refs import graph_ref, located
    from stepgraph.values.errors import GraphFileError

    try:
        return graph_ref(located(word)) is not None
    except GraphFileError:  # there is no such module
        return False


def _app_parser() -> ArgumentParser:
    from .acting import add_name
    from .app import open_app

    parser = Parser(prog="stepgraph", description="Open a graph, or the home screen.")
    parser.add_argument("file", nargs="?", metavar=GRAPH, type=Path, help=GRAPH_HELP)
    parser.add_argument("--store", metavar="URL", default=None, help=STORE_HELP)
    add_name(parser, "who decides")
    parser.set_defaults(command=open_app)
    return parser


def _parser(first: str) -> ArgumentParser:
    """Make the parser of all commands; where the first word is one, no other is asked for."""
    parser = Parser(
        prog="stepgraph",
        usage="%(prog)s [FILE | MODULE:NAME | COMMAND ...] [--store URL]",
        description="Check, run and step through state graphs; decide what waits for a person.\n"
        "Without a command the app opens: on a graph FILE, on a graph in Python\n"
        "(my_agent.py:graph or package.module:graph), or on its home screen; with\n"
        "--as NAME you decide there under that name.",
        epilog=_EXITS,
        formatter_class=RawDescriptionHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser, prog="stepgraph")

    for name in [first] if first in _COMMANDS else _COMMANDS:
        add_command(commands, name, partial(_declare, name), _COMMANDS[name][1])
    return parser


def _declare(name: str, parser: Parser) -> None:
    """Let a command declare its options."""
    module, _ = _COMMANDS[name]
    getattr(import_module(f".{module}", __package__), f"{name}_options")(parser)
