"""A place where node code waits until the test lets it go on."""

from __future__ import annotations

import asyncio
import threading

from tests.app.hearing import PATIENCE

WORK = """
from tests.app import gates

def count(state):
    return {"count": state["count"] + 1}

def wait(state):
    gates.gate.pass_through()
    return count(state)
"""


class Gate:
    """Holds whatever runs into it, until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.passed = 0
        self._open = threading.Event()

    def pass_through(self) -> None:
        """Wait until it is open."""
        self.reached.set()
        assert self._open.wait(PATIENCE)
        self.passed += 1

    def open(self) -> None:
        """Let through what waits, and what comes."""
        self._open.set()

    async def is_reached(self) -> None:
        """Wait until something waits at it."""
        assert await asyncio.to_thread(self.reached.wait, PATIENCE)


gate = Gate()
"""The gate of the test that runs now."""
