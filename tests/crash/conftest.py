"""Chance for the tests that kill: another one each time, and one that can be had again."""

from __future__ import annotations

import os
import random

import pytest


@pytest.fixture
def chance() -> random.Random:
    """Random numbers; set STEPGRAPH_CRASH_SEED to the number that a failure printed to have them again."""
    seed = int(os.environ.get("STEPGRAPH_CRASH_SEED") or random.SystemRandom().randrange(10**9))
    print(f"STEPGRAPH_CRASH_SEED={seed}")
    return random.Random(seed)  # noqa: S311  # moments to kill at, no secrets
