"""What is loaded behind the first frame: in pieces, and with the garbage collector on again afterwards."""

from __future__ import annotations

import asyncio
import gc

from stepgraph_tui.preload import preload


def test_garbage_is_collected_once_all_is_loaded() -> None:
    gc.disable()
    try:
        asyncio.run(preload(()))
        assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
