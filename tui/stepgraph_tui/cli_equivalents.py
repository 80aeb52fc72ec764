"""What the app does, as commands that do the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from stepgraph.expressions import path_text
from stepgraph.graphs import END
from stepgraph.runs import SCRIPTED, RunMode
from stepgraph.values import Unset
from stepgraph_tui.text.system import command

if TYPE_CHECKING:
    from pathlib import Path

    from stepgraph.expressions import Changes
    from stepgraph.reviews import Review
    from stepgraph.runs import Mask
    from stepgraph.values import Json

_LONGEST = 200  # characters of a value that is written out


def start(
    file: Path,
    values: Mapping[str, Json],
    run_id: str | None,
    store: str | None = None,
    mask: Mask | None = None,
    *,
    mode: RunMode = SCRIPTED,
) -> str:
    """Spell the command that starts a run of a graph file, and runs it.

    Args:
        file: The graph file.
        values: The inputs that were given.
        run_id: What the run is called; None leaves that to the command.
        store: The store's address where the command must name it.
        mask: Hides secrets: they become ``KEY=@FILE``.
        mode: Who answers.
    """
    named = ["--run-id", run_id] if run_id is not None else []
    replayed = ["--replay", mode.replay] if mode.replay is not None else []
    answered = [*(["--live"] if mode.live else []), *replayed]
    return command("run", str(file), *_options("--input", values, mask), *named, *answered, store=store)


def step(run_id: str, store: str | None = None) -> str:
    """Spell the command that runs one node."""
    return command("step", run_id, store=store)


def resume(
    run_id: str,
    store: str | None = None,
    until: str | None = None,
    after: Iterable[str] = (),
    *,
    kept: bool = False,
) -> str:
    """Spell the command that runs on.

    Args:
        run_id: The run.
        store: The store's address where the command must name it.
        until: The node before which it stops. Before the END none does.
        after: The nodes after which it stops.
        kept: Whether it stops at the breakpoints that are kept for the graph.
    """
    nodes = [("--until", until)] if until is not None and until != END else []
    nodes += [("--after", node) for node in sorted(after)]
    words = (
        [f"{option}={node}"] if node.startswith("-") else [option, node]  # else it looks like an option
        for option, node in nodes
    )
    return command("resume", run_id, *chain.from_iterable(words), *(["--kept"] if kept else []), store=store)


def breaks(file: Path, option: str, word: str) -> str:
    """Spell the command that changes what is kept for a graph file: ``--add WHERE``, ``--off ID``."""
    words = [f"{option}={word}"] if word.startswith("-") else [option, word]  # else it looks like an option
    return command("breaks", str(file), *words)


def retry(run_id: str, store: str | None = None) -> str:
    """Spell the command that tries the failed part again, and does not go on."""
    return command("retry", run_id, "--once", store=store)


def extend(run_id: str, steps: int, store: str | None = None) -> str:
    """Spell the command that allows a run more steps."""
    return command("extend", run_id, str(steps), store=store)


def stop(run_id: str, store: str | None = None) -> str:
    """Spell the command that ends a run where it stands."""
    return command("runs", "stop", run_id, store=store)


def delete(run_id: str, store: str | None = None) -> str:
    """Spell the command that deletes a run, unasked: that was confirmed already."""
    return command("runs", "delete", run_id, "--yes", store=store)


def export(source: str, to: str, out: Path, store: str | None = None, *, force: bool = False) -> str:
    """Spell the command that exports a graph file or a run.

    Args:
        source: The file, or the run.
        to: The format.
        out: The file that it is written to.
        store: The store's address where the command must name it.
        force: Whether a file that is there is written over.
    """
    over = ["--force"] if force else []
    return command("export", source, "--to", to, "-o", str(out), *over, store=store)


def compare(left: str, right: str, store: str | None = None) -> str:
    """Spell the command that shows where two runs part."""
    return command("runs", "diff", left, right, store=store)


def show_run(run_id: str, store: str | None = None) -> str:
    """Spell the command that tells all about a run."""
    return command("runs", "show", run_id, store=store)


def edit(
    run_id: str, changes: Changes, comment: str, store: str | None = None, mask: Mask | None = None
) -> str:
    """Spell the command that changes the state of a run.

    It names nobody: whoever types it is the one who edits.

    Args:
        run_id: The run.
        changes: New values by their paths.
        comment: Why.
        store: The store's address where the command must name it.
        mask: Hides secrets.
    """
    said = ["--comment", _said(comment, mask)] if comment else []
    return command("edit", run_id, *_changes(changes, mask), *said, store=store)


def fork(
    run_id: str,
    at: int | None,
    changes: Changes,
    new_id: str | None = None,
    store: str | None = None,
    mask: Mask | None = None,
) -> str:
    """Spell the command that goes on from a past step as a new run.

    Args:
        run_id: The run.
        at: The step; None where the run stands.
        changes: New values by their paths.
        new_id: What the fork is called; None leaves that to the command.
        store: The store's address where the command must name it.
        mask: Hides secrets.
    """
    named = ["--run-id", new_id] if new_id is not None else []
    where = ["--at", str(at)] if at is not None else []
    return command("fork", run_id, *where, *_changes(changes, mask), *named, store=store)


def _changes(changes: Changes, mask: Mask | None) -> list[str]:
    kept = {path_text(path): value for path, value in changes.items() if not isinstance(value, Unset)}
    gone = [path_text(path) for path, value in changes.items() if isinstance(value, Unset)]
    return [*_options("--set", kept, mask), *chain.from_iterable(("--unset", path) for path in gone)]


def show_step(run_id: str, step: int, store: str | None = None) -> str:
    """Spell the command that tells a step with all its edges."""
    return command("runs", "show", run_id, "--step", str(step), store=store)


def show_approval(review: str, store: str | None = None) -> str:
    """Spell the command that tells what a review asks and what each answer leads to."""
    return command("approvals", "show", review, store=store)


def decide(review: Review, store: str | None = None, mask: Mask | None = None) -> str:
    """Spell the command that decides a review as it was decided last; before that, the one that shows it.

    It names nobody: whoever types it is the one who decides.

    Args:
        review: With its decision, or with the approvals of some of several people.
        store: The store's address where the command must name it.
        mask: Hides secrets.
    """
    decision = review.made_last
    if decision is None:
        return show_approval(review.id, store)
    words = [f"--{decision.verb}"]
    if decision.verb == "respond":
        words.append(_said(decision.text, mask))
    words += _options("--set", decision.values, mask)
    if decision.comment:
        words += ["--comment", _said(decision.comment, mask)]
    return command("approvals", "decide", review.id, *words, "--expect-hash", review.hash, store=store)


def _options(option: str, values: Mapping[str, Json], mask: Mask | None) -> list[str]:
    return [
        word for name, value in values.items() for word in (option, f"{name}={_value(name, value, mask)}")
    ]


def _value(name: str, value: Json, mask: Mask | None) -> str:
    """Write a value as the command line takes it: text as it is, unless it would be taken for another."""
    if mask is not None and mask.value(name, value) != value:
        return "@FILE"
    text = "".join(_first_parts(value)) if not isinstance(value, str) else value
    if len(text) > _LONGEST:
        return "@FILE"
    return json.dumps(text) if isinstance(value, str) and _misread(text) else text


def _first_parts(value: Json) -> Iterator[str]:
    """As much of a value's JSON as shows that it is too long."""
    length = 0
    for part in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        yield part
        length += len(part)
        if length > _LONGEST:
            return


def _misread(text: str) -> bool:
    if text.startswith("@") or not text.isprintable():
        return True
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _said(text: str, mask: Mask | None) -> str:
    """Put what somebody wrote on one line."""
    shown = mask.text(text) if mask is not None else text
    return " ".join(shown.split())
