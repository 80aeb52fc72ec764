"""``stepgraph export``: a graph or a run in the formats of others."""

from __future__ import annotations

from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from stepgraph.values import ExportError, UnknownRun, nearest

from .exits import Exit
from .graphs import add_trust, named_graph
from .parser import GRAPH_HELP, Parser, names_a_file
from .schema import refuse_unfit, write_new

if TYPE_CHECKING:
    from stepgraph.formats import Exportable, ExportFormat

    from .output import Output

_WIDTH = 79
"""Columns of the help."""


def export(args: Namespace, output: Output) -> Exit:
    """Write a graph or a run in a format, to a file or to standard output."""
    wanted = _format(args)
    if wanted is None:
        output.error("in which format?", f"say it with --to: {_names()}")
        return Exit.USAGE
    out: Path | None = args.output
    if out is not None and not out.is_dir():
        refuse_unfit(out, force=args.force)
    with _source(args, output, wanted) as source:  # what is written of a run is read meanwhile
        _write(args, output, wanted, source)
    return Exit.DONE


def _write(args: Namespace, output: Output, wanted: ExportFormat, source: Exportable) -> None:
    """Write it where it is wanted, and report that."""
    made, out = wanted.write(source), args.output
    if out is not None:
        out = out / wanted.file_name(source) if out.is_dir() else out
        files = wanted.files(made, out)
        write_new(files, force=args.force)
        _tell(args, output, wanted, source, [*files])
    elif output.as_json:
        output.data(
            _json(wanted, source)
            | {"text": made.text, "beside": {end: more.text for end, more in made.beside.items()}}
        )
    else:
        output.text(made.parts)
        if made.beside:
            output.narrate(
                f"note: with -o FILE, what belongs to it is written too: {_join_names(made.beside)}"
            )


def _format(args: Namespace) -> ExportFormat | None:
    """Find the format: the one that was named, else the one that the file's name tells."""
    from stepgraph_tui.exports import format_named, format_of_file

    if args.to is not None:
        return format_named(args.to)
    return format_of_file(args.output.name) if args.output is not None else None


@contextmanager
def _source(args: Namespace, output: Output, wanted: ExportFormat) -> Iterator[Exportable]:
    """Read what is to be exported: a graph file, or a run, which is read without trust out of its open store.

    Raises:
        ExportError: The format is one of runs, and no run was named.
    """
    from stepgraph.formats import Exportable

    if names_a_file(args.source):
        if wanted.needs_run:
            hint = (
                f"`{output.command('run', args.source)}` makes one; then export it by the id that it prints"
            )
            raise ExportError(f"{wanted.name} is for runs, and {args.source} is a graph", hint=hint)
        yield Exportable.of_graph(named_graph(output, args.source, args.trust).compile())
        return
    from .runs import loaded
    from .stored import command_store

    with command_store(output) as store:
        try:
            run = loaded(store, args.source).run
        except UnknownRun as error:
            raise _neither(args.source, error) from None
        yield Exportable.of_run(run)


def _neither(word: str, error: UnknownRun) -> UnknownRun:
    """Build the error for a word that names neither a run nor a file, suggesting the file that was meant."""
    names: list[str] = []
    with suppress(OSError):
        names = [item.name for item in Path().iterdir() if item.suffix == ".toml"]
    close = nearest(word, [*names, *(name.removesuffix(".toml") for name in names)])
    if close is None:
        return UnknownRun(f"{word!r} is neither a graph file nor a run", error.run_id, hint=error.hint)
    file = close if close in names else f"{close}.toml"
    return UnknownRun(f"{word!r} is neither a graph file nor a run", hint=f"did you mean {file!r}?")


def _tell(
    args: Namespace, output: Output, wanted: ExportFormat, source: Exportable, files: list[Path]
) -> None:
    if output.as_json:
        output.data(_json(wanted, source) | {"written": [str(file) for file in files]})
        return
    what = f"run {source.run.id} of {source.graph.name}" if source.run is not None else source.graph.name
    output.narrate(f"wrote {_join_names(map(str, files))}: {what} as {wanted.name}")


def _json(wanted: ExportFormat, source: Exportable) -> dict[str, object]:
    return {
        "graph": source.graph.name,
        "run": source.run.id if source.run is not None else None,
        "format": wanted.name,
    }


def _join_names(names: Iterable[str]) -> str:
    return " and ".join(names)


def _names() -> str:
    from stepgraph_tui.exports import FORMATS

    return ", ".join(each.name for each in FORMATS)


def export_options(parser: Parser) -> None:
    """Declare what ``export`` takes."""
    from stepgraph_tui.exports import FORMATS

    parser.add_argument("source", metavar="FILE|RUN|MODULE:NAME", help=f"{GRAPH_HELP}, or a run of the store")
    left_out = "the format; by default, the one of the name after -o"
    parser.add_argument("--to", "--format", metavar="FORMAT", help=left_out)
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="the file to write, or a folder for it"
    )
    add_trust(parser)
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.formatter_class = RawDescriptionHelpFormatter
    width = max(len(each.name) for each in FORMATS)
    lines = (f"{each.name:<{width}}  {each.about}{_needs(each)}" for each in FORMATS)
    formats = (
        fill(line, _WIDTH, initial_indent="    ", subsequent_indent=" " * (width + 6)) for line in lines
    )
    parser.epilog = "\n".join(["formats (values of secret keys are masked in all):", *formats])
    parser.set_defaults(command=export)


def _needs(each: ExportFormat) -> str:
    return " (of a run)" if each.needs_run else ""
