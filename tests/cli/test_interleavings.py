"""A command and somebody else at the same run: it ends as if one came wholly before the other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from stepgraph import Decision, StateStore, open_store
from stepgraph.reviews.inbox import Reviews
from stepgraph.runs.executor import Executor
from stepgraph.runs.session import DebugSession
from tests.cli.calling import Cli
from tests.cli.interleaving import Interleaved

_LIES = re.compile(r"bug in Stepgraph|ready already|cannot step .* it is ready")


class Outcome(NamedTuple):
    """What a command and the other one came to."""

    code: int
    winner: str
    """Whose decision stands."""
    status: str
    step: int


class Other:
    """Somebody else at the run, over a connection of their own."""

    def __init__(self, store: StateStore, review: str) -> None:
        self.store = store
        self.review = review
        self.executor: Executor = DebugSession.open(store, "r-1").executor

    def decide(self) -> None:
        """Decide, if nobody has."""
        reviews = Reviews(self.store)
        if reviews.get(self.review).status == "pending":
            reviews.decide(self.review, Decision.reject(by="ben"))

    def resume(self) -> None:
        """Run on."""
        self.executor.run(self.executor.load("r-1"))

    def decide_and_resume(self) -> None:
        """Decide, then run on."""
        self.decide()
        self.resume()

    def edit(self) -> None:
        """Change the state, which withdraws the review."""
        if self.executor.load("r-1").current is not None:
            self.executor.edit("r-1", {"order": {"id": "1", "amount": 5}}, by="ben")

    def nothing(self) -> None:
        """Do nothing."""


Act = Callable[[Other], None]
APPROVE = "approvals decide REVIEW --approve --as ana"
WHILE_IT_WAITS: dict[str, tuple[Act, ...]] = {
    "resume r-1": (Other.decide, Other.decide_and_resume, Other.edit),
    "resume r-1 --adopt": (Other.decide,),
    "step r-1": (Other.decide, Other.decide_and_resume),
    "retry r-1": (Other.decide,),
    "extend r-1 2": (Other.decide,),
    "fork r-1 --at 0": (Other.decide_and_resume, Other.edit),
    APPROVE: (Other.decide, Other.decide_and_resume, Other.edit),
    "approvals": (Other.decide_and_resume,),
    "approvals show REVIEW": (Other.edit,),
    "runs show r-1": (Other.decide_and_resume,),
}
"""What the other one does at a run whose review nobody has decided on."""
ONCE_DECIDED: dict[str, tuple[Act, ...]] = {
    "resume r-1": (Other.resume, Other.edit),
    "extend r-1 2": (Other.resume,),
    "runs show r-1 --json --all": (Other.resume,),
}
CASES = [
    (command, before, act)
    for before, cases in ((Other.nothing, WHILE_IT_WAITS), (Other.decide, ONCE_DECIDED))
    for command, acts in cases.items()
    for act in acts
]


@pytest.mark.parametrize(("command", "before", "act"), CASES)
def test_two_at_one_run_are_as_one_after_the_other(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str, before: Act, act: Act
) -> None:
    made: list[Interleaved] = []

    def outcome(number: int, at: int) -> Outcome:
        """Call the command on a run of its own; the other acts after a call of the store, or at the ends."""
        address = f"sqlite:///{cli.folder / f'{number}.db'}"
        monkeypatch.setenv("STEPGRAPH_STORE", address)
        review = cli.paused()
        with open_store(address) as store:
            other = Other(store, review)
            before(other)
            if at == 0:
                act(other)
            with monkeypatch.context() as patch:
                patch.setattr("stepgraph_tui.cli.stored.open_store", opener(at, lambda: act(other)))
                result = cli(*command.replace("REVIEW", review).split())
            if at < 0:
                act(other)
            assert not _LIES.search(result.err), (at, result.err)
            decision, pointer = Reviews(store).get(review).decision, store.load("r-1").pointer
            winner = decision.by if decision is not None else ""
            if command == APPROVE and result.code == 3:
                assert f"reject by {winner}" in result.err, (at, result.err)
            return Outcome(result.code, winner, pointer.status.value, pointer.step)

    def opener(at: int, act: Callable[[], object]) -> Callable[[str], Interleaved]:
        def opened(address: str) -> Interleaved:
            made.append(Interleaved(open_store(address), at, act))
            return made[-1]

        return opened

    in_turn = {outcome(0, 0), outcome(1, -1)}
    for at in itertools.count(1):
        found = outcome(at + 1, at)
        if made[-1].calls < at:  # the command had ended before the other one would act
            break
        conflict = found.code == 3 and command != APPROVE  # it says so, and has changed nothing
        assert found in in_turn or conflict, (at, found, in_turn)
