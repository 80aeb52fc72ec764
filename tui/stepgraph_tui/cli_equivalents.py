"""What the app does, as commands that do the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from stepgraph.expressions import path_text
from stepgraph.graphs import END
from stepgraph.runs import NO_LIMITS, SCRIPTED, RunMode, SpendingLimits
from stepgraph.values import Unset, json_pieces
from stepgraph_tui.text.system import command

if TYPE_CHECKING:
    from pathlib import Path

    from stepgraph.expressions import Changes
    from stepgraph.reviews import Review
    from stepgraph.runs import Mask
    from stepgraph.values import Json

_LONGEST = 200  # characters of a value that is written out


class Equivalents:
    """Spells commands that do what the app does.

    Args:
        store: The store's address where the commands must name it.
        mask: Hides secrets: values become ``KEY=@FILE``.
    """

    def __init__(self, store: str | None = None, mask: Mask | None = None) -> None:
        self._store, self._mask = store, mask

    def start(
        self,
        file: Path,
        values: Mapping[str, Json],
        run_id: str | None,
        *,
        mode: RunMode = SCRIPTED,
        limits: SpendingLimits = NO_LIMITS,
    ) -> str:
        """Spell the command that starts a run of a graph file, and runs it.

        Args:
            file: The graph file.
            values: The inputs that were given.
            run_id: What the run is called; None leaves that to the command.
            mode: Who answers.
            limits: How much it may spend.
        """
        named = ["--run-id", run_id] if run_id is not None else []
        replayed = ["--replay", mode.replay] if mode.replay is not None else []
        answered = [*(["--live"] if mode.live else []), *replayed]
        for option, most in (("--max-cost", limits.max_cost), ("--max-tokens", limits.max_tokens)):
            answered += [] if most is None else [option, f"{most:.15g}"]
        return self._command("run", str(file), *self._options("--input", values), *named, *answered)

    def step(self, run_id: str) -> str:
        """Spell the command that runs one node."""
        return self._command("step", run_id)

    def resume(
        self,
        run_id: str,
        until: str | None = None,
        after: Iterable[str] = (),
        *,
        kept: bool = False,
    ) -> str:
        """Spell the command that runs on.

        Args:
            run_id: The run.
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
        return self._command("resume", run_id, *chain.from_iterable(words), *(["--kept"] if kept else []))

    def breaks(self, file: Path, option: str, word: str) -> str:
        """Spell the command that changes what is kept for a graph file: ``--add WHERE``, ``--off ID``."""
        words = (
            [f"{option}={word}"] if word.startswith("-") else [option, word]
        )  # else it looks like an option
        return command("breaks", str(file), *words)

    def retry(self, run_id: str) -> str:
        """Spell the command that tries the failed part again, and does not go on."""
        return self._command("retry", run_id, "--once")

    def extend(self, run_id: str, steps: int) -> str:
        """Spell the command that allows a run more steps."""
        return self._command("extend", run_id, str(steps))

    def stop(self, run_id: str) -> str:
        """Spell the command that ends a run where it stands."""
        return self._command("runs", "stop", run_id)

    def delete(self, run_id: str) -> str:
        """Spell the command that deletes a run, unasked: that was confirmed already."""
        return self._command("runs", "delete", run_id, "--yes")

    def export(self, source: str, to: str, out: Path, *, force: bool = False) -> str:
        """Spell the command that exports a graph file or a run.

        Args:
            source: The file, or the run.
            to: The format.
            out: The file that it is written to.
            force: Whether a file that is there is written over.
        """
        over = ["--force"] if force else []
        return self._command("export", source, "--to", to, "-o", str(out), *over)

    def compare(self, left: str, right: str) -> str:
        """Spell the command that shows where two runs part."""
        return self._command("runs", "diff", left, right)

    def show_run(self, run_id: str) -> str:
        """Spell the command that tells all about a run."""
        return self._command("runs", "show", run_id)

    def edit(self, run_id: str, changes: Changes, comment: str) -> str:
        """Spell the command that changes the state of a run.

        It names nobody: whoever types it is the one who edits.

        Args:
            run_id: The run.
            changes: New values by their paths.
            comment: Why.
        """
        options = ["--comment", self._one_line(comment)] if comment else []
        return self._command("edit", run_id, *self._changes(changes), *options)

    def fork(
        self,
        run_id: str,
        at: int | None,
        changes: Changes,
        new_id: str | None = None,
    ) -> str:
        """Spell the command that continues from a past step as a new run.

        Args:
            run_id: The run.
            at: The step; None where the run stands.
            changes: New values by their paths.
            new_id: What the fork is called; None leaves that to the command.
        """
        named = ["--run-id", new_id] if new_id is not None else []
        where = ["--at", str(at)] if at is not None else []
        return self._command("fork", run_id, *where, *self._changes(changes), *named)

    def _changes(self, changes: Changes) -> list[str]:
        kept = {path_text(path): value for path, value in changes.items() if not isinstance(value, Unset)}
        gone = [path_text(path) for path, value in changes.items() if isinstance(value, Unset)]
        return [*self._options("--set", kept), *chain.from_iterable(("--unset", path) for path in gone)]

    def show_step(self, run_id: str, step: int) -> str:
        """Spell the command that tells a step with all its edges."""
        return self._command("runs", "show", run_id, "--step", str(step))

    def show_approval(self, review: str) -> str:
        """Spell the command that shows what a review asks and what each answer leads to."""
        return self._command("approvals", "show", review)

    def decide(self, review: Review) -> str:
        """Spell the command that decides a review as it was decided last; before that, the one that shows it.

        It names nobody: whoever types it is the one who decides.

        Args:
            review: With its decision, or with the approvals of some of several people.
        """
        decision = review.made_last
        if decision is None:
            return self.show_approval(review.id)
        words = [f"--{decision.verb}"]
        if decision.verb == "respond":
            words.append(self._one_line(decision.text))
        words += self._options("--set", decision.values)
        if decision.comment:
            words += ["--comment", self._one_line(decision.comment)]
        return self._command("approvals", "decide", review.id, *words, "--expect-hash", review.hash)

    def _command(self, *words: str) -> str:
        return command(*words, store=self._store)

    def _options(self, option: str, values: Mapping[str, Json]) -> list[str]:
        return [
            word for name, value in values.items() for word in (option, f"{name}={self._value(name, value)}")
        ]

    def _value(self, name: str, value: Json) -> str:
        """Write a value as the command line takes it: text as it is, unless it would be taken for another."""
        if self._mask is not None and self._mask.value(name, value) != value:
            return "@FILE"
        text = "".join(_first_parts(value)) if not isinstance(value, str) else value
        if len(text) > _LONGEST:
            return "@FILE"
        return json.dumps(text) if isinstance(value, str) and _misread(text) else text

    def _one_line(self, text: str) -> str:
        """Join what somebody wrote into one line."""
        shown = self._mask.text(text) if self._mask is not None else text
        return " ".join(shown.split())


def _first_parts(value: Json) -> Iterator[str]:
    """As much of a value's JSON as shows that it is too long."""
    length = 0
    for part in json_pieces(value):
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
