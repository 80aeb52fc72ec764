"""Who acts on the command line: a claim that is kept with what they do, not a proof."""

from __future__ import annotations

from argparse import ArgumentTypeError

from stepgraph.reviews import person
from stepgraph_tui.text.system import default_name, is_missing, settings_file

from .parser import Parser


def acting_name(given: str | None) -> str:
    """Name who acts: the name given, else that of the settings, else ``user@host``."""
    if given is not None:
        return given
    if is_missing(settings_file()):
        return default_name()
    from stepgraph_tui.settings import read_settings

    return read_settings(settings_file())[0].name


def add_name(parser: Parser, does: str) -> None:
    """Declare ``--as``.

    Args:
        parser: The command's.
        does: What they do: ``who decides``.
    """
    help = f"{does} (default: the name in the settings, else user@host)"
    parser.add_argument("--as", dest="name", metavar="NAME", type=_a_name, help=help)


def _a_name(given: str) -> str:
    """Refuse what names nobody: a run started by nobody could be decided by its starter alone."""
    if not person(given):
        raise ArgumentTypeError(f"{given!r} is not a name: give one, or leave --as out")
    return given
