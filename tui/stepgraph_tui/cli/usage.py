"""Complaints about the command line: short, with the nearest option and where help is."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, NoReturn


class Parser(ArgumentParser):
    """A parser that takes no abbreviations, and that names what it does not know before what it lacks."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(  # type: ignore[override]  # it takes what argparse itself calls it with
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> tuple[Namespace, list[str]]:
        """Parse, and refuse here what a command does not know: the main parser could not say whose it is."""
        words = list(args if args is not None else sys.argv[1:])
        if self._subparsers is None:
            self._refuse_unknown_options(words)
        known, rest = super().parse_known_args(words, namespace)
        if rest:
            self._refuse_unknown_options(rest)
            self.error(f"{rest[0]!r} is one word too many{_as_input(rest[0], self._option_string_actions)}")
        return known, rest

    def _refuse_unknown_options(self, words: list[str]) -> None:
        from stepgraph.values.problems import nearest

        options = self._option_string_actions
        for word in words:
            name = word.partition("=")[0]
            if word == "--":
                return
            if not word.startswith("--") or " " in word or name in options:
                continue
            close = nearest(name, [option for option in options if option.startswith("--")])
            self.error(f"there is no option {name}" + (f" (did you mean {close}?)" if close else ""))

    def error(self, message: str) -> NoReturn:
        """Tell what is wrong and leave with exit code 2."""
        say(f"{self.prog}: {message}")
        self.exit(2, f"  `{self.prog} --help` tells what it takes\n")


def say(text: str) -> None:
    """Tell something on standard error, safe to print, wrapped between words on a terminal."""
    from stepgraph_tui.text.plain import visible  # only now: `--help` says nothing

    width = get_terminal_size().columns if sys.stderr.isatty() else 10**6
    for line in wrap(visible(text), max(20, width), break_long_words=False, break_on_hyphens=False):
        print(line, file=sys.stderr)


def whole_number(text: str) -> int:
    """Read the number that an option takes."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None


def _as_input(word: str, options: object) -> str:
    if "=" in word and isinstance(options, dict) and "--input" in options:
        return f" (write --input {word})"
    return ""


def version_of(package: str) -> str:
    """Look up the version of an installed package, or that it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # seldom asked for, and slow to load

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
