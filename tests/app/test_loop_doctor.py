"""The loop doctor in the app: D at any time in a run whose nodes came back."""

from __future__ import annotations

import pytest

from stepgraph_tui.dialogs.run_pages import LoopPage
from tests.app.bench import Bench, P, dialog, press, text

LOOP = """
format = 1
name = "drafts"
start = "write"
max_steps = 12

[state.score]
type = "number"
default = 4

[state.code]
type = "text"
secret = true
default = "shibboleth"

[nodes.write]
type = "router"
key = "score"
threshold = 9
high = "good"
low = "poor"

[nodes.check]
type = "router"
key = "score"
threshold = 3
high = "seen"
low = "unseen"

[[edges]]
from = "write"
to = "check"

[[edges]]
from = "check"
to = "END"
when = 'score >= 8 or code == "open"'
label = "good"

[[edges]]
from = "check"
to = "write"
"""


def test_all_of_it_can_be_scrolled_to_and_copied(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.graph(LOOP)
    run = bench.run(path, steps=12)

    async def look(pilot: P) -> tuple[str, str]:
        await press(pilot, "x d")
        await press(pilot, "G")
        return text(pilot), dialog(pilot, LoopPage).text()

    seen, copied = bench.play(look, path, run=run.id, size=(60, 10))
    assert "2 else" in seen
    assert "LOOP        write → check → write" in copied
