"""Loading, after the first frame, what that does not show: no key waits for all of it."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterable
from importlib import import_module

_PAUSE = 0.01  # seconds before each piece, in which keys are answered


async def preload(modules: Iterable[str]) -> None:
    """Import modules one by one, each a piece of work that a key can wait for.

    It is done in the app's own thread: imports in another one would hold up the app for as long as they
    please, and what the app imports at the same time could be half a module.

    Args:
        modules: Their names, those first that others import.
    """
    for name in modules:
        if name not in sys.modules:
            await asyncio.sleep(_PAUSE)
            import_module(name)
    if not gc.isenabled():  # the command line left it so; what is there by now stays, and is no garbage
        gc.freeze()
        gc.enable()
