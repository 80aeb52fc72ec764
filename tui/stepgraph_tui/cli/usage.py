"""Parsers of commands that declare their options themselves, and short complaints with the nearest option."""

from __future__ import annotations

import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

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
