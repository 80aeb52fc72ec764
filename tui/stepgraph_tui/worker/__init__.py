"""The one thread that runs nodes: it owns an executor and a store connection, and takes work from a queue."""

from __future__ import annotations

from .background import BackgroundRuns, Underway
from .calls import CallNow, NodeBegan, VisitCalls
from .capture import Capture, own_terminal
from .hits import (
    Decided,
    GraphLoaded,
    Halted,
    NodeTried,
    Printed,
    RunStarted,
    Source,
    StoreWaits,
    WorkDone,
    WorkFailed,
)
from .thread import SteppingThread
from .work import (
    Abandon,
    Adopt,
    Decide,
    EditState,
    Extend,
    Fork,
    Go,
    Load,
    Retry,
    SetMode,
    Start,
    Step,
    Try,
    Work,
)

__all__ = [
    "Abandon",
    "Adopt",
    "BackgroundRuns",
    "CallNow",
    "Capture",
    "Decide",
    "Decided",
    "EditState",
    "Extend",
    "Fork",
    "Go",
    "GraphLoaded",
    "Halted",
    "Load",
    "NodeBegan",
    "NodeTried",
    "Printed",
    "Retry",
    "RunStarted",
    "SetMode",
    "Source",
    "Start",
    "Step",
    "SteppingThread",
    "StoreWaits",
    "Try",
    "Underway",
    "VisitCalls",
    "Work",
    "WorkDone",
    "WorkFailed",
    "own_terminal",
]
