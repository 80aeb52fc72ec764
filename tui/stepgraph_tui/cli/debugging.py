"""``--break`` and ``--watch``: where a run halts, and what is printed of it there."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stepgraph.values import BreakpointError
from stepgraph_tui.text.system import command

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs.debug import Breakpoint, Watch, WatchPoint
    from stepgraph.values import Json
    from stepgraph_tui.view.runs import HitStory, RunStory

    from .output import Output
    from .parser import Parser

_SPELLINGS = """\
NODE[:CONDITION]         before a node runs (also before:NODE)
after:NODE[:CONDITION]   after it has run
edge:A->B[:CONDITION]    an edge was taken; edge:A->B#LABEL is one of several
key:NAME[:CONDITION]     a step changed a key or a part of it, such as order.amount
key:NAME=VALUE           a step made it equal to a value
type:NAME                a step gave it another type
fail, pause, nomatch     a failure, a review that waits, no edge matched
; after N   ; every N    behind any of them: let N hits pass; only each Nth
; log TEXT               write a line, such as "n is {{ n }}", and go on"""
_SHOWN, _LONGEST = 60, 2_000  # characters of a value; those in which a difference is looked for
_MOST = 10  # changes of a watch that are printed, unless data is wanted


class LeftOut(NamedTuple):
    """A breakpoint or a watch that is kept for a graph, and that the run goes without."""

    id: str
    file: Path
    reason: str

    def tell(self, output: Output, graph: Path) -> None:
        """Warn of it, and name the remedy."""
        noun, effect = ("watch", "shown") if self.id.startswith("w") else ("breakpoint", "looked at")
        output.narrate(f"warning: the kept {noun} {self.id} is not {effect}: {self.reason}", "bold yellow")
        output.narrate(f"  hint: fix {self.file}, or remove it with")
        output.whole(f"  {command('breaks', str(graph), '--remove', self.id)}")


@dataclass(frozen=True, slots=True)
class Debugging:
    """The breakpoints and watches that a command was given."""

    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[Watch, ...] = ()
    words: tuple[str, ...] = ()
    """How to give them to the next command."""
    left_out: tuple[LeftOut, ...] | None = None
    """What is kept and cannot be used; None where nothing that is kept was asked for."""

    def tell_left_out(self, output: Output) -> None:
        """Repeat at the end of a run what it went without."""
        if self.left_out:
            output.narrate(f"warning: it went without {_ids(self.left_out)}; see above", "bold yellow")

    def tell_hits(self, output: Output, hits: Sequence[HitStory]) -> None:
        """Print the lines of the log points that a step hit."""
        for hit in hits:
            if not hit.hit.halts:
                output.tell(("      log  ", "dim"), (hit.line, ""))

    def tell_halt(self, output: Output, hits: Sequence[HitStory]) -> None:
        """Print the breakpoints at which a run halts, and the values that they looked at."""
        for hit in hits:
            if not hit.hit.halts:
                continue
            from stepgraph_tui.text.state_diff import looked_at

            output.narrate(f"halted: {hit.description}")
            for line in looked_at(hit):
                output.narrate(f"    {line}")

    def tell_standing(self, output: Output, hits: Sequence[HitStory]) -> None:
        """Print the breakpoints that a run skips because it already is at them."""
        for hit in hits:
            if hit.hit.halts:
                output.narrate(f"going on through: {hit.description}")

    def tell_watches(self, output: Output, story: RunStory, step: int | None = None) -> None:
        """Print the watches: the value now and before, and the steps that changed it."""
        if self.watches:
            output.page(self._watch_rows(story, step))

    def _watch_rows(self, story: RunStory, step: int | None) -> Iterator[tuple[str, str]]:
        from stepgraph.runs.debug import WatchHistory, read_watches
        from stepgraph_tui.text.state_diff import parted

        run, mask = story.run, story.mask
        strips = WatchHistory(self.watches, mask.value).read(run).strips
        for reading, strip in zip(read_watches(run, self.watches, step), strips, strict=True):
            _, now, before = reading.hidden(mask.value)
            is_now, was = now.preview(_SHOWN), before.preview(_SHOWN) if before is not None else ""
            if before is not None and reading.is_changed and now.error is before.error is None:
                is_now, was = parted(now.preview(_LONGEST), before.preview(_LONGEST), _SHOWN)
            earlier = "" if before is None else f", before: {_value_or_error(was, before.error)}"
            text = mask.text(reading.watch.text)
            yield "watch", f"{text} = {_value_or_error(is_now, now.error)}{earlier}"
            points = strip.points[-_MOST:]
            left = len(strip.points) - len(points)
            yield "", (f"{left:,} earlier; " if left else "") + "; ".join(map(_point, points))

    def json(self, story: RunStory, hits: Sequence[HitStory] = (), step: int | None = None) -> dict[str, Any]:
        """Write what was met at last, and the watches, as JSON; nothing when none of them was asked for."""
        run, mask = story.run, story.mask
        data: dict[str, Any] = {}
        if self.left_out is not None:
            data["left_out"] = [
                {"id": each.id, "file": str(each.file), "reason": mask.text(each.reason)}
                for each in self.left_out
            ]
        if self.breakpoints:
            data["hits"] = [_hit_json(hit) for hit in hits]
        if self.watches:
            from stepgraph.runs.debug import WatchHistory, read_watches

            strips = WatchHistory(self.watches, mask.value).read(run).strips
            data["watches"] = [
                reading.hidden(mask.value).to_json()
                | {"watch": mask.text(reading.watch.text), "changed": reading.is_changed}
                | {"steps": [_point_json(point) for point in strip.points]}
                for reading, strip in zip(read_watches(run, self.watches, step), strips, strict=True)
            ]
        return data


NOTHING = Debugging()
"""Neither breakpoints nor watches."""


def debugging_of(output: Output, args: Namespace, app: CompiledGraph) -> Debugging:
    """Read the breakpoints and watches that a command was given for a graph.

    Raises:
        BreakpointError: One cannot be read, or names what the graph does not have.
    """
    given, watched, kept = getattr(args, "breaks", []), args.watch, getattr(args, "kept", False)
    if not (given or watched or kept):
        return NOTHING
    from stepgraph.runs.debug import CompiledBreakpoints, format_breakpoint, parse_breakpoint

    breakpoints = [parse_breakpoint(text, app) for text in given]
    for broken in CompiledBreakpoints(breakpoints, app).broken:
        raise BreakpointError(
            f"--break {format_breakpoint(broken.breakpoint)!r} can never be hit: {broken.reason}",
            hint="`stepgraph run --help` shows how to write one",
        )
    watches, left_out = _watches(watched), None
    words = [f"--break={format_breakpoint(each)}" for each in breakpoints]
    words += [f"--watch={watch.text}" for watch in watches]
    if kept:
        more = _load_kept(output, app)
        breakpoints += more.breakpoints
        watches += more.watches
        left_out = more.left_out
        words.append("--kept")
    return Debugging(tuple(breakpoints), tuple(watches), tuple(words), left_out)


def watches_of(args: Namespace) -> Debugging:
    """Read the watches that a command which only looks was given.

    Raises:
        BreakpointError: One does not parse.
    """
    return Debugging(watches=tuple(_watches(args.watch))) if args.watch else NOTHING


def _watches(texts: Sequence[str]) -> list[Watch]:
    from stepgraph.runs.debug import Watch

    found = [Watch(text) for text in texts]
    for watch in found:
        watch.require()
    return found


def _load_kept(output: Output, app: CompiledGraph) -> Debugging:
    """Read what is kept for a graph; what cannot be used is warned of, and harms nothing else."""
    from stepgraph.runs.debug import CompiledBreakpoints, KeptDebugging

    if app.source is None:
        output.narrate("note: the graph was built in Python, so no breakpoints are kept for it")
        return NOTHING
    kept = KeptDebugging(Path(app.source))
    breakpoints = tuple(each for each in kept.breakpoints() if each.enabled)
    watches = kept.watches()
    left_out = [LeftOut(each.id, each.file, f"it is damaged: {each.reason}") for each in kept.damaged]
    for broken in CompiledBreakpoints(breakpoints, app).broken:
        why = f"it can never be hit: {broken.reason}"
        left_out.append(LeftOut(broken.breakpoint.id, kept.file(broken.breakpoint.id), why))
    left_out += [LeftOut(each.id, kept.file(each.id), each.problem) for each in watches if each.problem]
    for each in left_out:
        each.tell(output, kept.graph)
    return Debugging(breakpoints, tuple(each for each in watches if not each.problem), (), tuple(left_out))


def _ids(left_out: Sequence[LeftOut]) -> str:
    return ", ".join(each.id for each in left_out)


def _hit_json(story: HitStory) -> dict[str, Any]:
    hit, explanation, changed = story.hit, story.explanation, story.change()
    data: dict[str, Any] = {
        "id": hit.breakpoint.id or None,
        "breakpoint": story.breakpoint_text(),
        "halts": hit.halts,
        "step": hit.step,
        "position": hit.position,
        "node": story.node,
        "number": hit.number,
        "error": explanation.error if explanation is not None and hit.failed else None,
        "explanation": explanation.to_json() if explanation is not None else None,
    }
    if changed is not None:
        data["before"], data["after"] = changed
    if hit.breakpoint.log is not None:
        data["line"] = story.line
    return data


def _value_or_error(text: str, error: str | None) -> str:
    return text if error is None else f"({text})"


def _point(point: WatchPoint) -> str:
    return f"step {point.step}: {_value_or_error(point.text, point.text if point.is_error else None)}"


def _point_json(point: WatchPoint) -> dict[str, Json]:
    return {"step": point.step, "shown": point.text, "error": point.is_error}


# What the commands take


def add_watches(parser: Parser) -> None:
    """Declare ``--watch``."""
    parser.add_argument(
        "--watch",
        action="append",
        default=[],
        metavar="EXPR",
        help="show a value over the steps, such as order.amount or visits.draft > 2; repeatable",
    )


def add_breaks(parser: Parser) -> None:
    """Declare ``--break`` and ``--kept``, and say after the options how to write one."""
    parser.add_argument(
        "--break",
        dest="breaks",
        action="append",
        default=[],
        metavar="WHERE",
        help="halt at a breakpoint; see below; repeatable",
    )
    parser.add_argument(
        "--kept", action="store_true", help="also what `stepgraph breaks FILE` keeps for the graph"
    )
    explain_breaks(parser)


def explain_breaks(parser: Parser) -> None:
    """Explain below the options how to write a breakpoint."""
    from argparse import RawDescriptionHelpFormatter

    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = "where to halt:\n" + "\n".join(f"  {line}" for line in _SPELLINGS.splitlines())
