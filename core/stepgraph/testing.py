"""Fakes for tests of graphs: a clock, ids, a model and a person, each without surprises.

They are public: use them to test your own graphs without waiting, without a network and without chance.

    from stepgraph import Decision, Executor
    from stepgraph.testing import FakeClock, ScriptedModel, scripted_human, sequential_ids

    model = ScriptedModel(["billing"])
    executor = Executor(app, models={"default": model}, clock=FakeClock(), ids=sequential_ids())
    human = scripted_human([Decision.approve(by="ana")])
    run = human.finish(executor, executor.start({"ticket": "..."}))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .models.client import ScriptedModel
from .values.errors import NotReady

if TYPE_CHECKING:
    from .reviews.model import Decision, Review
    from .runs.executor import Executor
    from .runs.run import Run

__all__ = ["FakeClock", "ScriptedHuman", "ScriptedModel", "scripted_human", "sequential_ids"]


class FakeClock:
    """A clock that stands still until it is moved.

    Args:
        start: The time at the beginning, in seconds since 1970.
    """

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self._start = start
        self._passed = 0.0

    def time(self) -> float:
        """Return the seconds since 1970."""
        return self._start + self._passed

    def perf_counter(self) -> float:
        """Return the seconds since the clock was created."""
        return self._passed

    def advance(self, seconds: float) -> None:
        """Move on.

        Raises:
            ValueError: ``seconds`` is negative; time does not run backwards.
        """
        if seconds < 0:
            raise ValueError(f"a clock cannot go back by {-seconds} seconds")
        self._passed += seconds


def sequential_ids() -> Callable[[str], str]:
    """Build a generator of the ids ``r-1``, ``r-2``, ``a-1``: one count for each prefix."""
    counts: Counter[str] = Counter()

    def next_id(prefix: str) -> str:
        counts[prefix] += 1
        return f"{prefix}-{counts[prefix]}"

    return next_id


class ScriptedHuman:
    """A person who decides reviews from a list, and who keeps what was asked.

    Args:
        decisions: What is decided, in order.
    """

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._decisions = list(decisions)
        self.asked: list[Review] = []
        """The reviews that were decided, in order."""

    def answer(self, executor: Executor, run: Run) -> Run:
        """Decide the review that the run waits for, and run on.

        Returns:
            A fresh handle, at the run's end, its next pause or its failure.

        Raises:
            NotReady: The run does not wait for a review.
            AssertionError: All decisions were used before.
        """
        review = run.pending
        if review is None:
            raise NotReady(f"run {run.id!r} waits for nobody: it is {run.status.value}")
        if not self._decisions:
            raise AssertionError(f"nothing left to decide review {review.id} of node {review.node!r} with")
        self.asked.append(review)
        decision = self._decisions.pop(0)
        return executor.resume(run.id, decision, review=review.id, expect_hash=review.hash)

    def finish(self, executor: Executor, run: Run) -> Run:
        """Run until the end or a failure, and decide every review on the way."""
        run = executor.run(run)
        while run.pending is not None:
            run = self.answer(executor, run)
        return run


def scripted_human(decisions: Iterable[Decision]) -> ScriptedHuman:
    """Build a person who decides reviews from this list, in order."""
    return ScriptedHuman(decisions)
