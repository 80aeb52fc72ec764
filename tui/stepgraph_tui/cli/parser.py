"""What can be written on the command line: commands, options, and the nearest option to a typo."""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from stepgraph import __version__
from stepgraph.values import GraphFileError

if TYPE_CHECKING:
    from ..text.run_filter import RunFilter


STORE_HELP = "where the runs are (or STEPGRAPH_STORE)"
ENGINE_HELP = "what drives detached runs: queue, or temporal://HOST:PORT/NAMESPACE (or STEPGRAPH_ENGINE)"
GRAPH = "FILE|MODULE:NAME"
GRAPH_HELP = "a graph file, or a graph in Python, such as my_agent.py:graph"

_DANGEROUS = {"adopt", "force", "live", "repair", "trust", "yes"}
"""Options that are never proposed: they overwrite, run code, spend money, or answer a question beforehand."""


class Parser(ArgumentParser):
    """A parser that takes no abbreviations, and that names what it does not know before what it lacks.

    Args:
        options: Declares the options and what is called; only when it is this command that was written.
        settings: What argparse takes.
    """

    def __init__(self, *, options: Callable[[Parser], None] | None = None, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)
        self._declare = options

    def parse_known_args(  # type: ignore[override]  # it takes what argparse itself calls it with
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """Parse, and refuse here what a command does not know: the main parser could not say whose it is."""
        declare, self._declare = self._declare, None
        if declare is not None:
            declare(self)
        words = list(args if args is not None else sys.argv[1:])
        if self._subparsers is None:
            self._refuse_unknown_options(words)
        known, rest = super().parse_known_args(words, namespace)
        if rest:
            self._refuse_unknown_options(rest)
            self.error(
                f"{rest[0]!r} is one argument too many{_as_input(rest[0], self._option_string_actions)}"
            )
        return known, rest

    def _refuse_unknown_options(self, words: list[str]) -> None:
        from stepgraph.values import nearest

        options = self._option_string_actions
        for word in words:
            name = word.partition("=")[0]
            if word == "--":
                return
            if not word.startswith("--") or " " in word or name in options:
                continue
            # Without the dashes, which would make any two options alike.
            safe = [
                option[2:] for option in options if option.startswith("--") and option[2:] not in _DANGEROUS
            ]
            close = nearest(name[2:], safe)
            self.error(f"there is no option {name}" + (f" (did you mean --{close}?)" if close else ""))

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and leave with exit code 2."""
        say(f"{self.prog}: {message}")
        self.exit(2, f"  `{self.prog} --help` shows what it takes\n")


def add_command(to: Any, name: str, options: Callable[[Parser], None], help: str) -> None:
    """Add a command, or a verb of one.

    Args:
        to: What ``add_subparsers`` returned.
        name: The word.
        options: Declares its options, and by ``set_defaults(command=...)`` the function that is called.
        help: What it does, without a capital letter and a full stop.
    """
    description = help[0].upper() + help[1:] + "."
    to.add_parser(name, help=help, description=description, parents=[common_options()], options=options)


def common_options() -> ArgumentParser:
    """Build the options that every command takes, before its name or after it."""
    common = ArgumentParser(add_help=False, argument_default=SUPPRESS)
    common.add_argument("--store", metavar="URL", help=STORE_HELP)
    common.add_argument("--engine", metavar="URL", help=ENGINE_HELP)
    common.add_argument("--json", action="store_true", help="print data as JSON")
    return common


def say(text: str) -> None:
    """Print a message on standard error, safe and wrapped between words on a terminal."""
    from shutil import get_terminal_size  # only now: most commands have no such thing to say
    from textwrap import TextWrapper

    from stepgraph_tui.text.characters import visible

    width = max(20, get_terminal_size().columns) if sys.stderr.isatty() else 10**6
    rows = TextWrapper(width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    for line in rows.wrap(visible(text)):
        print(line, file=sys.stderr)


def whole_number(text: str) -> int:
    """Read the number that an option takes."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from None


def run_filter(text: str) -> RunFilter:
    """Read which runs an option asks for."""
    from ..text.run_filter import RunFilter  # few commands list runs

    asked = RunFilter(text)
    if asked.problem:
        raise ArgumentTypeError(asked.problem)
    return asked


def amount(text: str) -> float:
    """Read the amount of money that an option takes."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not an amount above 0")
    return value


def price(text: str) -> float:
    """Read a price that an option takes; what is free costs 0."""
    return 0.0 if text.strip() in ("0", "0.0", "0.00") else amount(text)


def _as_input(word: str, options: object) -> str:
    if "=" in word and isinstance(options, dict) and "--input" in options:
        return f" (write --input {word})"
    return ""


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
        "runs": ("runs", "list, show, diff, stop, delete and prune runs"),
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
_LISTS = {"approvals", "breaks", "models", "runs", "settings", "tools"}
"""The commands that list when no verb is given."""


def parse(words: Sequence[str]) -> Namespace:
    """Read the command and its options.

    Raises:
        SystemExit: After ``--help`` and ``--version`` (0), and when the words are not understood (2).
    """
    words = _without_list(words)
    parser = _app_parser() if _opens_the_app(words) else _parser(words[0])
    args = parser.parse_args(words)
    for name, default in (("store", None), ("engine", None), ("queue", None), ("json", False)):
        if not hasattr(args, name):
            setattr(args, name, default)
    return args


def _without_list(words: Sequence[str]) -> list[str]:
    """Leave out the verb ``list``, which many other programs need."""
    for place, (command, verb) in enumerate(pairwise(words)):
        if command in _LISTS:
            return [*words[: place + 1], *words[place + 1 + (verb == "list") :]]
    return list(words)


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
