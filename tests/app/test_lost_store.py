"""A store that is taken away while the app has it open: told once, and what it had is saved."""

from __future__ import annotations

import pytest

from stepgraph.stores.sqlite import SqliteStore
from stepgraph_tui.dialogs.questions import Confirm
from tests.app.bench import REFUND, Bench, P, press, said, settle, start, text, until


def take_away(bench: Bench) -> None:
    for part in ("", "-wal", "-shm"):
        (bench.folder / f"runs.db{part}").unlink()


@pytest.mark.parametrize("yes", [True, False])
def test_what_a_lost_store_had_is_offered_to_be_saved(bench: Bench, yes: bool) -> None:
    async def script(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s")
        await settle(pilot)
        take_away(bench)
        await press(pilot, "s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        assert "was deleted" in text(pilot)
        await press(pilot, "y" if yes else "n")
        await until(pilot, lambda: ("saved to" if yes else "was deleted") in said(pilot))
        await press(pilot, "s")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, Confirm), "it is asked once"
        assert ("saved to" if yes else "was deleted") in said(pilot)

    bench.play(script, REFUND)
    saved = bench.folder / "runs.rescued.db"
    assert saved.exists() is yes
    if yes:
        with SqliteStore(saved) as store:
            assert store.runs()[0].pointer.step >= 1
