"""The event loops that await nodes. Clients of models keep to the loop of their first call, so loops stay.

The main thread and the app's stepping thread, in which debuggers follow and Ctrl-C arrives, have a loop each.
Threads of a pool, as a server has them, share one, and so does whoever has a loop running already.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from functools import cache
from typing import Any

from ...locks import Lock

_here = threading.local()
_lock = Lock()


def awaited(make: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Await something from plain code."""
    if _has_own_loop():
        _own_runner().run(make(), context=copy_context())
        return
    future = asyncio.run_coroutine_threadsafe(make(), _shared_loop())
    try:
        future.result()
    except BaseException:  # Ctrl-C, too
        future.cancel()
        raise


def loop_here() -> asyncio.AbstractEventLoop:
    """Return the loop in which this thread awaits."""
    return _own_runner().get_loop() if _has_own_loop() else _shared_loop()


def _has_own_loop() -> bool:
    thread = threading.current_thread()
    return (thread.daemon or thread is threading.main_thread()) and not _has_running_loop()


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _own_runner() -> asyncio.Runner:
    runner: asyncio.Runner | None = getattr(_here, "runner", None)
    if runner is None:
        runner = _here.runner = asyncio.Runner()
        weakref.finalize(threading.current_thread(), _close, runner.get_loop())
    return runner


def _close(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_running():  # else its node hangs, and nobody waits for it
        loop.close()


def _shared_loop() -> asyncio.AbstractEventLoop:
    with _lock:  # else threads that begin together have one each
        return _made_once()


@cache
def _made_once() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="stepgraph-awaiting", daemon=True).start()
    return loop
