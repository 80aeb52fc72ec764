"""The command ``stepgraph``: from the words on the command line to an exit code."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .exits import Exit
from .parser import parse, say
from .streams import ensure_standard_files

if TYPE_CHECKING:
    from argparse import Namespace

    from .output import Output


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: The words after the program's name; those of this process when None.

    Returns:
        The exit code; see ``Exit``.
    """
    ensure_standard_files()
    gc.disable()  # modules stay: to look for garbage in them is a tenth of a start; what runs long enables it
    try:
        return _run(argv)
    finally:
        if argv is None:
            gc.freeze()  # a process that is about to end need not be searched once more
        else:
            gc.unfreeze()
        gc.enable()


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = parse(sys.argv[1:] if argv is None else argv)
    except SystemExit as asked:  # argparse ends the program after --help and after a usage error
        return asked.code if isinstance(asked.code, int) else Exit.USAGE
    except KeyboardInterrupt:  # it imports the command that is called
        say("interrupted")
        return Exit.INTERRUPTED
    from .output import Output

    output = Output(as_json=args.json, store=args.store)
    try:
        return int(_guarded(output, args))
    finally:
        # A process that is about to end keeps its streams apart: what nodes leave behind may still print.
        output.close(restore=argv is not None)


@contextmanager
def _named_engine(output: Output, args: Namespace) -> Iterator[None]:
    """Use the engine that the options name everywhere, also in printed commands."""
    if args.engine is None and args.queue is None:
        yield
        return
    from stepgraph.stores import engine_name, named_engine

    with named_engine(args.engine, args.queue):
        output.engine = engine_name()
        yield


def _guarded(output: Output, args: Namespace) -> int:
    """Run the command; whatever it raises becomes one message and an exit code."""
    try:
        with _named_engine(output, args):
            code: Exit = args.command(args, output)
        output.flush()
    except KeyboardInterrupt:
        output.narrate("interrupted")
        return Exit.INTERRUPTED
    except Exception as error:  # the one place where nothing may escape
        from .exits import tell

        return tell(output, error)
    return code
