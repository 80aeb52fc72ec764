"""What can be written on the command line."""

from __future__ import annotations

import os
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from stepgraph import __version__
from stepgraph.values import GraphFileError

from .usage import ENGINE_HELP, GRAPH, GRAPH_HELP, STORE_HELP, Parser, add_command, common_options

_USAGE = "%(prog)s [FILE | MODULE:NAME | COMMAND ...] [--store URL] [--json]"
_OPENS = "Without a command the app opens. `stepgraph COMMAND --help` shows its options."
_EXITS = """\
options: --store URL (or STEPGRAPH_STORE)  --engine URL (or STEPGRAPH_ENGINE)
  --json  --as NAME  --version  --help
exit codes: 0 done  1 failed  2 usage  3 decided or moved elsewhere  4 unknown
  5 changed since you looked  6 not trusted  10 paused  130 interrupted
"""
_GROUPS = {
    "design": {
        "new": ("files", "make a graph file, blank or from a template"),
        "check": ("check", "validate graphs; imports nothing that a graph file names"),
        "show": ("show", "draw a graph; imports nothing that a graph file names"),
        "fmt": ("files", "format graph files; keeps all comments"),
        "schema": ("schema", "print the JSON Schema of graph files, for editors"),
        "diff": ("diff", "show how two graphs differ in meaning"),
        "export": ("export", "write a graph or a run as Mermaid, DOT, JSON and more"),
        "import": ("import_", "make a graph file from Mermaid, DOT, JSON or LangGraph"),
    },
    "run and debug": {
        "run": ("drive", "start a run, and continue it to its end or a pause"),
        "step": ("drive", "run exactly one node of a run"),
        "resume": ("drive", "continue a run, or all that are decided"),
        "retry": ("drive", "run the failed node or its routing again, then continue"),
        "fork": ("drive", "make a new run from an earlier step; nothing runs yet"),
        "edit": ("edit", "change the state of a run between two steps"),
        "extend": ("drive", "give a run more steps"),
        "runs": ("runs", "list, show, compare, stop and delete runs"),
        "breaks": ("breaks", "list, add and remove a graph's breakpoints"),
    },
    "review and serve": {
        "approvals": ("approvals", "list, show and decide the reviews that wait"),
        "serve": ("serve", "serve graphs over HTTP: REST, events, an inbox"),
        "worker": ("worker", "run what was handed to workers, until you stop it"),
    },
    "set up": {
        "models": ("models", "list, add and test the models of live runs"),
        "settings": ("settings", "list and change your settings"),
        "tools": ("tools", "list the tools of servers and graphs, and call one"),
        "doctor": ("doctor", "print versions, paths and the store's health; repair it"),
        "demo": ("demo", "show what Stepgraph does, offline, in a minute"),
    },
}
"""The commands in the order of the help, in groups: the module whose ``<command>_options`` declares what one
takes and calls, imported when it is written, and what the help says."""
_COMMANDS = {name: about for group in _GROUPS.values() for name, about in group.items()}


def parse(words: Sequence[str]) -> Namespace:
    """Read the command and its options.

    Raises:
        SystemExit: After ``--help`` and ``--version`` (0), and when the words are not understood (2).
    """
    words = list(words)
    parser = _app_parser() if _opens_the_app(words) else _parser(words[0])
    args = parser.parse_args(words)
    for name, default in (("store", None), ("engine", None), ("queue", None), ("json", False)):
        if not hasattr(args, name):
            setattr(args, name, default)
    return args


class _MainParser(Parser):
    """Says in its help what there is, and leaves each command's own options to the command."""

    def format_help(self) -> str:
        """Write the help, one line a command."""
        lines = [self.format_usage().rstrip(), "", _OPENS]
        for group, commands in _GROUPS.items():
            lines += ["", f"{group}:", *(f"  {name:9}  {about}" for name, (_, about) in commands.items())]
        return "\n".join([*lines, "", _EXITS])


class _Version(Action):
    """Prints the version; it is looked up only then."""

    def __call__(self, parser: ArgumentParser, *_: object) -> NoReturn:
        print(f"stepgraph {__version__}")
        parser.exit()


def _opens_the_app(words: list[str]) -> bool:
    """Check whether the words name a graph file or nothing; what is neither file nor command is refused."""
    rest = list(words)
    while rest and rest[0].partition("=")[0] in ("--store", "--engine", "--as"):
        del rest[: 1 if "=" in rest[0] else 2]
    if not rest:
        return True
    first = rest[0]
    if first.startswith("-") or first in _COMMANDS:
        return False
    from stepgraph.values import is_handler

    if not (names_a_file(first) or is_handler(first)):
        from stepgraph.values import did_you_mean

        hint = did_you_mean(first, _COMMANDS, listing="there are")
        _parser(first).error(f"there is no command {first!r} ({hint})")
    return True


def names_a_file(word: str) -> bool:
    """Check whether somebody who wrote this meant a file or a Python module, which need not be there."""
    from stepgraph_tui.text.system import is_missing

    if word.endswith((".toml", ".py")) or ".py:" in word or os.sep in word or not is_missing(Path(word)):
        return True
    if ":" not in word and is_missing(Path("langgraph.json")):
        return False
    from stepgraph.files import graph_ref, located

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
    parser.add_argument("--engine", metavar="URL", default=None, help=ENGINE_HELP)
    add_name(parser, "who decides")
    parser.set_defaults(command=open_app)
    return parser


def _parser(first: str) -> ArgumentParser:
    """Build the parser of all commands; where the first word is one, only that one's."""
    parser = _MainParser(prog="stepgraph", usage=_USAGE, parents=[common_options()])
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser, prog="stepgraph")

    for name in [first] if first in _COMMANDS else _COMMANDS:
        add_command(commands, name, partial(_declare, name), _COMMANDS[name][1])
    return parser


def _declare(name: str, parser: Parser) -> None:
    """Declare the options of a command."""
    module, _ = _COMMANDS[name]
    getattr(import_module(f".{module}", __package__), f"{name}_options")(parser)
