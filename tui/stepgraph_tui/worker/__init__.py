"""The one thread that runs nodes: it owns an executor and a store connection, and takes work from a queue."""

from __future__ import annotations

from .capture import Capture
from .messages import Decided, Halted, NodeTried, Printed, RunStarted, StoreWaits, WorkDone, WorkFailed
from .progress import NodeBegan
from .terminal import own_terminal
from .thread import SteppingThread
from .work import Adopt, Decide, EditState, Extend, Fork, Go, Retry, Start, Step, Try, Work

__all__ = [
    "Adopt",
    "Capture",
    "Decide",
    "Decided",
    "EditState",
    "Extend",
    "Fork",
    "Go",
    "Halted",
    "NodeBegan",
    "NodeTried",
    "Printed",
    "Retry",
    "RunStarted",
    "Start",
    "Step",
    "SteppingThread",
    "StoreWaits",
    "Try",
    "Work",
    "WorkDone",
    "WorkFailed",
    "own_terminal",
]
