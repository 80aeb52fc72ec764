"""A stepping thread without an app: what it tells is kept in a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from textual.message import Message

from stepgraph.stores.base import StateStore
from stepgraph.stores.ledger import RunStatus
from stepgraph.testing import sequential_ids
from stepgraph_tui.worker import Capture, Printed, SteppingThread, Work, WorkDone, WorkFailed

Kind = TypeVar("Kind", bound=Message)
PATIENCE = 300.0
"""Seconds after which a test that waits has failed."""


class Hearing:
    """A stepping thread over a store, and all that it said."""

    def __init__(self, connect: Callable[[], StateStore], capture: Capture | None = None) -> None:
        self.said: list[Message] = []
        self.thread = SteppingThread(connect, self.said.append, ids=sequential_ids(), capture=capture)

    def do(self, work: Work) -> Message:
        """Have the work done.

        Returns:
            The last thing that was said about it.
        """
        assert self.thread.submit(work)
        return self.end()

    def done(self, work: Work) -> str:
        """Have the work done, which succeeds; returns why it stopped."""
        last = self.do(work)
        assert isinstance(last, WorkDone), getattr(last, "error", last)
        assert last.work is work
        return last.halt

    def refused(self, work: Work) -> Exception:
        """Have the work refused; returns the error."""
        last = self.do(work)
        assert isinstance(last, WorkFailed), last
        assert last.work is work
        return last.error

    def end(self) -> Message:
        """Wait until it is idle; returns the last thing that was said."""
        assert self.thread.idle.wait(PATIENCE)
        return self.said[-1]

    def heard(self, kind: type[Kind]) -> list[Kind]:
        """What was said of one kind."""
        return [message for message in self.said if isinstance(message, kind)]

    def printed(self) -> str:
        """All that nodes wrote."""
        return "".join(message.text for message in self.heard(Printed))

    def by_step(self) -> dict[tuple[int, str], str]:
        """What nodes wrote, step by step."""
        texts: dict[tuple[int, str], str] = {}
        for message in self.heard(Printed):
            at = (message.step, message.node)
            texts[at] = texts.get(at, "") + message.text
        return texts


def status_of(store: StateStore, run_id: str) -> tuple[RunStatus, int, str | None]:
    """Where a run stands: its status, how many steps it has taken, and what comes next."""
    pointer = store.load(run_id).pointer
    return pointer.status, pointer.step, pointer.current
