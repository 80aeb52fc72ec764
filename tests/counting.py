"""Work is counted in calls, not in seconds, and memory without garbage: no busy machine makes a test fail."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(work: Callable[[], object]) -> tuple[int, set[str]]:
    """How many functions the work calls, and the top-level packages that they are of."""
    count = 0
    modules: set[str] = set()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        if event in ("call", "c_call"):
            count += 1
            modules.add(str(frame.f_globals.get("__name__")).partition(".")[0])

    before = sys.getprofile()
    gc.disable()  # what other tests have left is not collected at the cost of this one
    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count, modules
