"""What can be written on the command line."""

from __future__ import annotations

import os
from argparse import SUPPRESS, Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .usage import Parser, whole_number

_EXITS = """\
exit codes:
    0  done (a run ended, or was stopped where it was told to)
    1  failed, bad input, or problems found
    2  not understood
    3  already decided, or another process moved the run on
    4  no such run or review
    5  the review is not the one that was looked at
    6  not trusted
   10  paused: a review waits
  130  interrupted, after the current node
"""
_DECIDE = """\
stepgraph approvals decide ID
       (--approve | --edit | --reject | --respond TEXT) [--set KEY=VALUE]
       [--comment TEXT] [--as NAME] [--expect-hash HASH] [--store URL] [--json]"""
_COMMANDS = (
    "new", "check", "show", "fmt", "diff", "run", "step", "resume", "retry", "fork", "extend", "runs",
    "approvals", "demo", "doctor",
)  # fmt: skip
_STORE_HELP = "where the runs are (or STEPGRAPH_STORE)"
_STATUSES = ("ready", "paused", "ended", "failed")
_Add = Callable[..., ArgumentParser]


def parse(words: Sequence[str]) -> Namespace:
    """Read the command and its options.

    Raises:
        SystemExit: After ``--help`` and ``--version`` (0), and when the words are not understood (2).
    """
    words = list(words)
    parser = _app_parser() if _opens_the_app(words) else _parser()
    args = parser.parse_args(words)
    for name, default in (("store", None), ("json", False)):
        if not hasattr(args, name):
            setattr(args, name, default)
    return args


class _Version(Action):
    """Prints the version; it is looked up only then."""

    def __call__(self, parser: ArgumentParser, *_: object) -> NoReturn:
        from .usage import version_of

        print(f"stepgraph {version_of('stepgraph')}")
        parser.exit()


def _opens_the_app(words: list[str]) -> bool:
    """Say whether the words name a graph file or nothing; what is neither file nor command is refused."""
    rest = list(words)
    while rest and rest[0].startswith("--store"):
        del rest[: 1 if "=" in rest[0] else 2]
    if not rest:
        return True
    first = rest[0]
    if first.startswith("-") or first in _COMMANDS:
        return False
    if not _names_a_file(first):
        from stepgraph.values.problems import did_you_mean

        hint = did_you_mean(first, _COMMANDS, listing="there are")
        _parser().error(f"there is no command {first!r} ({hint})")
    return True


def _names_a_file(word: str) -> bool:
    """Say whether somebody who wrote this meant a file, which need be neither there nor a plain one."""
    from stepgraph_tui.text.system import is_missing

    return word.endswith(".toml") or os.sep in word or not is_missing(Path(word))


def _app_parser() -> ArgumentParser:
    parser = Parser(prog="stepgraph", description="Open a graph file, or the home screen.")
    parser.add_argument("file", nargs="?", metavar="FILE", type=Path)
    parser.add_argument("--store", metavar="URL", default=None, help=_STORE_HELP)
    parser.set_defaults(command="app:open_app")
    return parser


def _parser() -> ArgumentParser:
    common = ArgumentParser(add_help=False, argument_default=SUPPRESS)
    common.add_argument("--store", metavar="URL", help=_STORE_HELP)
    common.add_argument("--json", action="store_true", help="print data as JSON")
    parser = Parser(
        prog="stepgraph",
        usage="%(prog)s [FILE | COMMAND ...] [--store URL]",
        description="Check, run and step through state graphs; decide what waits for a person.\n"
        "Without a command the app opens: on a graph FILE, or on its home screen.",
        epilog=_EXITS,
        formatter_class=RawDescriptionHelpFormatter,
        parents=[common],
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser, prog="stepgraph")

    def add(name: str, command: str, help: str, to: Any = commands) -> ArgumentParser:
        made: ArgumentParser = to.add_parser(name, help=help, description=_sentence(help), parents=[common])
        made.set_defaults(command=command)
        return made

    _add_design(add)
    _add_driving(add)
    _add_runs(add)
    _add_approvals(add)
    add("demo", "demo:demo", "show what Stepgraph does, offline, in a minute")
    add("doctor", "doctor:doctor", "print versions, paths and the store's health")
    return parser


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _add_design(add: _Add) -> None:
    _add_new(add)
    check = add("check", "check:check", "validate graph files; nothing they name is imported")
    check.add_argument("files", nargs="*", metavar="FILE", type=Path)
    check.add_argument("--explain", metavar="CODE", help="tell more about a problem's code, such as G008")
    show = add("show", "show:show", "draw a graph file; nothing it names is imported")
    show.add_argument("file", metavar="FILE", type=Path)
    show.add_argument("--direction", choices=("TB", "LR"), default="TB", help="which way the edges flow")
    show.add_argument("--width", metavar="N", type=whole_number, help="how many cells it may take")
    show.add_argument("--zoom", choices=("card", "compact", "chip"), help="how much of each node is told")
    show.add_argument("--ascii", action="store_true", help="draw with ASCII characters alone")
    show.add_argument("--run", metavar="RUN", help="mark the nodes and edges that a stored run has taken")
    fmt = add("fmt", "files:fmt", "write graph files in the standard shape, with all their comments")
    fmt.add_argument("files", nargs="+", metavar="FILE", type=Path)
    fmt.add_argument("--check", action="store_true", help="write nothing; name the files that would change")
    diff = add("diff", "diff:diff", "tell what differs between two graph files, by meaning")
    diff.add_argument("old", metavar="A", type=Path)
    diff.add_argument("new", metavar="B", type=Path)
    diff.add_argument("--notes", action="store_true", help="count notes and labels too")


def _add_new(add: _Add) -> None:
    from stepgraph.files.templates import DEFAULT, TEMPLATES

    new = add("new", "files:new", "make a new graph file, blank or from a template")
    new.add_argument("file", metavar="FILE", type=Path, help="the new file, such as graph.toml")
    new.add_argument(
        "--template", choices=TEMPLATES, default=DEFAULT, help=f"what is in it (default: {DEFAULT})"
    )
    new.formatter_class = RawDescriptionHelpFormatter
    width = max(map(len, TEMPLATES))
    lines = (f"    {name:<{width}}  {what}" for name, what in TEMPLATES.items())
    new.epilog = "\n".join(["templates (all but the blank one run as they are, offline):", *lines])


def _add_driving(add: _Add) -> None:
    run = add("run", "drive:run", "start a run of a graph file, and run it to its end or a pause")
    run.add_argument("file", metavar="FILE", type=Path)
    _add_inputs(run)
    _add_run_id(run)
    _add_trust(run)
    _add_stepping(add, "step", "run exactly one node of a stored run")
    resume = _add_stepping(add, "resume", "go on with a run, to its end or the next pause")
    for option, help in (
        ("--until", "stop when this node comes next; may be given several times"),
        ("--after", "stop after this node; may be given several times"),
    ):
        resume.add_argument(option, action="append", default=[], metavar="NODE", help=help)
    retry = _add_stepping(add, "retry", "try the failed node or routing of a run again, then go on")
    retry.add_argument("--once", action="store_true", help="try the failed part once, then stop")
    fork = add("fork", "drive:fork", "make a new run from a past step of another; nothing runs yet")
    fork.add_argument("run", metavar="RUN")
    fork.add_argument(
        "--at", metavar="N", type=whole_number, required=True, help="go on after this step; 0: the start"
    )
    _add_inputs(fork)
    _add_run_id(fork)
    extend = add("extend", "drive:extend", "allow a run more steps; nothing runs yet")
    extend.add_argument("run", metavar="RUN")
    extend.add_argument("steps", metavar="N", type=whole_number)


def _add_stepping(add: _Add, name: str, help: str) -> ArgumentParser:
    parser = add(name, f"drive:{name}", help)
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--adopt", action="store_true", help="go by the graph file as it is now")
    _add_trust(parser)
    return parser


def _add_inputs(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a value of the state: JSON where that fits, else text; KEY=@FILE reads a file",
    )


def _add_run_id(parser: ArgumentParser) -> None:
    parser.add_argument("--run-id", metavar="ID", help="what to call the run")


def _add_trust(parser: ArgumentParser) -> None:
    parser.add_argument("--trust", action="store_true", help="trust the Python code that the graph names")


def _add_runs(add: _Add) -> None:
    runs = add("runs", "runs:list_runs", "list the runs, the last changed first")
    runs.add_argument("--status", choices=_STATUSES, help="only the runs of this status")
    verbs = runs.add_subparsers(metavar="VERB", parser_class=Parser)
    show = add("show", "runs:show_run", "tell a run's history, why each edge was taken, and its state", verbs)
    show.add_argument("run", metavar="RUN")
    show.add_argument("--step", metavar="N", type=whole_number, help="only this step, every edge explained")


def _add_approvals(add: _Add) -> None:
    approvals = add("approvals", "approvals:list_approvals", "list the reviews that wait for a person")
    verbs = approvals.add_subparsers(metavar="VERB", parser_class=Parser)
    show = add(
        "show", "approvals:show_approval", "tell what a review asks and what each answer leads to", verbs
    )
    show.add_argument("review", metavar="ID")
    decide = add("decide", "approvals:decide", "decide a review; nothing runs", verbs)
    decide.usage = _DECIDE
    decide.add_argument("review", metavar="ID")
    verb = decide.add_mutually_exclusive_group(required=True)
    verb.add_argument("--approve", dest="verb", action="store_const", const="approve", help="go on")
    verb.add_argument("--reject", dest="verb", action="store_const", const="reject", help="refuse it")
    edit_help = "go on, with what --set changes"
    verb.add_argument("--edit", dest="verb", action="store_const", const="edit", help=edit_help)
    verb.add_argument("--respond", metavar="TEXT", help="answer the question")
    decide.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an edited value")
    decide.add_argument("--comment", default="", metavar="TEXT", help="why; kept with the decision")
    decide.add_argument("--as", dest="name", metavar="NAME", help="who decides (default: user@host)")
    decide.add_argument("--expect-hash", metavar="HASH", help="refuse if the review is not the one you saw")
