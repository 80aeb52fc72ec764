"""What is loaded behind the first frame: in pieces, and with the garbage collector on again afterwards."""

from __future__ import annotations

import asyncio
import gc
import sys
from pathlib import Path

import pytest

from stepgraph_tui.preload import preload

PIECES = ("a_first_piece", "a_second_piece")


def test_keys_are_answered_between_two_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for piece in PIECES:
        (tmp_path / f"{piece}.py").touch()
    seen = []

    async def answer_keys() -> None:
        while PIECES[1] not in sys.modules:
            seen.append([piece in sys.modules for piece in PIECES])
            await asyncio.sleep(0)

    async def run() -> None:
        await asyncio.gather(preload(PIECES), answer_keys())

    try:
        asyncio.run(run())
    finally:
        for piece in PIECES:
            sys.modules.pop(piece, None)
    assert [False, False] in seen
    assert [True, False] in seen


def test_garbage_is_collected_once_all_is_loaded() -> None:
    gc.disable()
    try:
        asyncio.run(preload(()))
        assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
