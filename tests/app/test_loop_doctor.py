"""The loop doctor in the app: D at any time in a run whose nodes came back."""

from __future__ import annotations

import pytest

from stepgraph_tui.dialogs.loop import LoopPage
from tests.app.bench import SIZES, Bench, P, dialog, press, said, settle, text

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


@SIZES
def test_at_its_cap_the_loop_is_explained_and_one_key_gives_the_run_more_steps(
    bench: Bench, size: tuple[int, int]
) -> None:
    path = bench.graph(LOOP)
    run = bench.run(path, steps=12)

    async def look(pilot: P) -> str:
        await press(pilot, "D")
        page = text(pilot)
        await press(pilot, "plus")
        await settle(pilot)
        return page

    page = bench.play(look, path, run=run.id, size=size)
    for line in (
        "write → check → write",
        "gone round 6 times, steps 1 to 12; it has not left the loop",
        "VISITS      write 6, check 6",
        "UNCHANGED   score, code",
        "check kept taking 2 else → write",
        "+ 12 more steps",
    ):
        assert line in page
    rows = {line.split("  ")[0].strip(" ┃"): line for line in page.splitlines()}
    assert rows["2 else → write"].count("TAKEN") == 6
    assert "shibboleth" not in page
    after = bench.load(run.id)
    assert (after.status, after.max_steps) == ("ready", 24)


def test_before_the_cap_the_page_offers_no_steps_and_leaves_the_run_alone(bench: Bench) -> None:
    path = bench.graph(LOOP)
    run = bench.run(path, steps=5)

    async def look(pilot: P) -> tuple[str, str]:
        await press(pilot, "D")
        page = text(pilot)
        await press(pilot, "plus", "x", "D")
        return page, text(pilot)

    page, after = bench.play(look, path, run=run.id)
    assert "LOOP DOCTOR" in page
    assert "more steps" not in page
    assert "LOOP DOCTOR" not in after
    assert bench.load(run.id).max_steps == 12


def test_without_a_loop_the_key_says_why_it_does_nothing(bench: Bench) -> None:
    path = bench.graph(LOOP)
    run = bench.run(path, steps=2)

    async def look(pilot: P) -> str:
        await press(pilot, "D")
        return said(pilot)

    assert "no node has come back yet" in bench.play(look, path, run=run.id)


def test_all_of_it_can_be_scrolled_to_and_copied(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.graph(LOOP)
    run = bench.run(path, steps=12)

    async def look(pilot: P) -> tuple[str, str]:
        await press(pilot, "D")
        await press(pilot, "G")
        return text(pilot), dialog(pilot, LoopPage).text()

    seen, copied = bench.play(look, path, run=run.id, size=(60, 10))
    assert "2 else" in seen
    assert "LOOP        write → check → write" in copied
