"""How many examples a test takes: few each time, all with STEPGRAPH_EXAMPLES=all, as in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import settings

T = TypeVar("T")
ALL = os.environ.get("STEPGRAPH_EXAMPLES") == "all"
"""Whether this run takes all of them."""


def times(number: int) -> range:
    """So many repetitions in a nightly run, and a fifth of them in any other."""
    return range(number if ALL else number // 5)


def examples(number: int, **options: Any) -> settings:
    """Settings of a property that a nightly run tries on so many examples, and any other run on a quarter."""
    return settings(max_examples=number if ALL else number // 4, **options)


def some(cases: Sequence[T], number: int, turn: int) -> Sequence[T]:
    """So many of the cases, others at each turn: over all turns each of them comes; in a nightly run all."""
    if ALL:
        return cases
    return [cases[(turn * number + index) % len(cases)] for index in range(number)]
