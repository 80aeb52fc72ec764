"""``stepgraph demo``: the refund example, told as it runs. Offline, without questions, in memory."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.expressions import MISSING
from stepgraph.reviews import Decision
from stepgraph.runs import Executor, Mask
from stepgraph_tui.text.cells import cut
from stepgraph_tui.text.plain import place, value_text
from stepgraph_tui.text.system import command

from ..view.runs import StepStory
from .driving import edge_text, report
from .exits import Exit

if TYPE_CHECKING:
    from stepgraph.conditions import Explanation
    from stepgraph.runs import Run

    from .output import Output
    from .parser import Parser

_DECISION = Decision.approve(by="demo reviewer", comment="scripted")


def demo(args: Namespace, output: Output) -> Exit:
    """Run the refund example to its end; a scripted reviewer decides it."""
    from stepgraph.files import examples_dir, read_graph

    app = read_graph(examples_dir() / "refund_triage.toml").compile()
    output.keep_apart()
    executor = Executor(app)
    run = executor.start({}, "demo")
    if output.as_json:
        return _as_json(output, executor, run)
    output.heading("Stepgraph demo: a refund, from ticket to payment. Models are scripted: offline.")
    _line(output, f"Ticket: {value_text(next(iter(run.values.values()), ''))}")
    _run_and_tell(output, executor, run)
    _answer(output, executor, run)
    run = executor.load(run.id)
    _run_and_tell(output, executor, run)
    output.heading(f"It ended after step {run.step}; no node ran twice. Why each edge was taken:")
    for record in run.history:
        for line in _explained(StepStory(record, Mask(app, run.values))):
            _line(output, line)
    output.heading("Now try it yourself. The review waits in a store; decide it from any terminal:")
    output.picture([f"  {command('run', _short_path(app.source))}", "  stepgraph approvals"])
    return Exit.DONE if run.error is None else Exit.FAILED


def _as_json(output: Output, executor: Executor, run: Run) -> Exit:
    if executor.run(run).pending is not None:
        run = executor.resume(run.id, _DECISION)
    return report(output, run)


def _run_and_tell(output: Output, executor: Executor, run: Run) -> None:
    for record in executor.iterate(run):
        if record.row.kind == "step":
            keys = ", ".join(record.row.updates or {})
            way = edge_text(StepStory(record, Mask(executor.app, run.values)))
            line = f"{record.step:>4}  {record.node:<14}{way:<24}  {keys}"
            _line(output, line.rstrip())


def _answer(output: Output, executor: Executor, run: Run) -> None:
    """Show what a reviewer would see, and decide as the scripted one does."""
    from stepgraph_tui.view.reviews import ReviewStory

    from .review_page import review_rows

    review = run.pending
    if review is None:
        return
    output.heading(f"Paused at {review.node}. What the reviewer sees, here or at another terminal:")
    rows = review_rows(ReviewStory.of(review, run))
    shown = [(f"  {label}", text) for label, text in rows if label not in ("shown", "changed")]
    output.page(shown)
    output.heading("The scripted reviewer of this demo approves.")
    executor.decide(run.id, _DECISION, expect_hash=review.hash)


def _explained(step: StepStory) -> Iterator[str]:
    """Write a line for each edge that was tried where there was a choice, with the values that decided it."""
    edges = step.edges
    for edge in edges if len(edges) > 1 else ():
        if edge.matched is None:
            continue
        seen = edge.explanation
        operands = (part for part in seen.parts if part.role == "operand")
        values = ", ".join(f"{part.text} is {_operand(part)}" for part in operands)
        way = f"{step.node} {'->' if edge.matched else 'not to'} {place(edge.target)}"
        yield f"{step.record.step:>4}  {way:<24}  {seen.text}" + (f" ({values})" if values else "")


def _operand(part: Explanation) -> str:
    return "missing" if part.value is MISSING else value_text(part.value, 30)


def _line(output: Output, text: str) -> None:
    """Write one line, cut where the screen ends."""
    width = min(78, output.console.width)
    output.picture([cut(text, width)])


def _short_path(path: object) -> str:
    full = Path(str(path))
    try:
        return str(full.relative_to(Path.cwd()))
    except ValueError:
        return str(full)


def demo_options(parser: Parser) -> None:
    """Declare what ``demo`` takes: nothing."""
    parser.set_defaults(command=demo)
