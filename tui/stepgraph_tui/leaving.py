"""Leaving the app, in words: what would be lost by it, and what is left in the middle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.reviews import Reviews, in_order
from stepgraph.stores import is_served
from stepgraph.values import StepgraphError

from .dialogs.forms import FormDialog
from .text.characters import visible
from .text.inbox import due_text
from .text.plain import plural
from .text.system import command

if TYPE_CHECKING:
    from .context import AppContext
    from .screens.workbench import Workbench
    from .worker import NodeBegan

_MOST = 5  # reviews that are listed
_KEPT = "They are kept, and offered when you open it again."
_NOT_KEPT = "They will be lost."


def what_is_lost(
    context: AppContext, workbenches: Sequence[Workbench], screens: Iterable[object], *, goes_on: bool
) -> str:
    """Describe what would be lost by leaving now, a sentence a line; empty where nothing would be.

    Args:
        context: What the screens share.
        workbenches: The graphs that are open.
        screens: All screens and dialogs that are open.
        goes_on: Whether the program goes on that has opened the app: it waits for nodes that run.
    """
    words = []
    running = ", ".join(node.node for node in _running(context, workbenches))
    if running and goes_on:
        words.append(f"{running} is still running. The program continues as soon as it has ended.")
    elif running:
        words.append(
            f"{running} is still running. Its step will not be recorded, and the run stays ready there."
        )
    if context.drafts:
        words.append("What you wrote for a review was not sent, and will be lost.")
    if any(isinstance(screen, FormDialog) and screen.holds_edit for screen in screens):
        words.append("What you typed into the form was not applied, and will be lost.")
    kept = _KEPT if context.edits else _NOT_KEPT
    words += [f"{path.name} has unsaved edits. {kept}" for path in _unsaved(workbenches)]
    return "\n".join(map(visible, words))


def last_words(context: AppContext, workbenches: Sequence[Workbench], *, goes_on: bool) -> Iterator[str]:
    """Describe what was left in the middle, and what waits.

    Args:
        context: What the screens share.
        workbenches: The graphs that were open.
        goes_on: Whether the program goes on that has opened the app: it waits for nodes that run.
    """
    if not goes_on:
        yield from _left_running(context, workbenches)
    if context.edits:
        for path in _unsaved(workbenches):
            yield f"the edits of {path} are not saved: you get them back when you open it again"
    try:
        found = Reviews(context.store, context.clock.time).pending()
    except StepgraphError:  # opening the store again reports it
        return
    yield from map(due_text, found.due)
    if found.damages:
        mends = () if is_served(context.store.url) else ("--repair",)
        doctor = command("doctor", *mends, store=context.address)
        yield f"{plural(len(found.damages), 'run')} damaged: {doctor}"
    waiting = in_order(found)
    if waiting:
        yield f"{plural(len(waiting), 'approval')} pending:"
    for review in waiting[:_MOST]:
        show = command("approvals", "show", review.id, store=context.address)
        yield f"  {review.run_id} {review.node}: {show}"
    if len(waiting) > _MOST:
        yield f"  and {len(waiting) - _MOST} more: {command('approvals', store=context.address)}"


def _left_running(context: AppContext, workbenches: Sequence[Workbench]) -> Iterator[str]:
    """Describe which runs were left in the middle, and how to continue them."""
    running = _running(context, workbenches)
    for node in running:
        yield (
            f"left at once: the step of node {node.node} is not recorded, "
            f"and run {node.run_id} is ready there"
        )
    under_way = context.background.ids if context.has_background else set()
    ready = sorted(under_way - {node.run_id for node in running})
    for run_id in ready[:_MOST]:
        yield f"left ready: {command('resume', run_id, store=context.address)} continues it"
    if len(ready) > _MOST:
        yield f"  and {len(ready) - _MOST} more: {command('runs', store=context.address)}"


def _running(context: AppContext, workbenches: Iterable[Workbench]) -> list[NodeBegan]:
    """List the nodes that run, those in the background too."""
    nodes = (screen.runs.thread.running for screen in workbenches)
    beside = context.background.running if context.has_background else []
    return [*(node for node in nodes if node is not None), *beside]


def _unsaved(workbenches: Iterable[Workbench]) -> list[Path]:
    files = [screen.file for screen in workbenches]
    return [file.path for file in files if file.is_dirty and file.path is not None]
