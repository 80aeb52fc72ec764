"""A run on an older version of its file: it is said, what differs is shown, and the run can adopt it."""

from __future__ import annotations

from tests.app.bench import Bench, P, header, press, said, workbench

OLD = """
format = 1
name = "steps"
start = "one"
max_steps = 12

[state.score]
type = "number"
default = 4

[nodes.one]
type = "router"
key = "score"
threshold = 9
high = "good"
low = "poor"

[nodes.two]
type = "router"
key = "score"
threshold = 3
high = "seen"
low = "unseen"

[[edges]]
from = "one"
to = "two"

[[edges]]
from = "two"
to = "END"
when = "score >= 8"

[[edges]]
from = "two"
to = "one"
"""
NEW = OLD.replace("score >= 8", "score >= 4").replace("max_steps = 12", "max_steps = 20")


def test_a_file_that_changes_while_its_run_is_open_says_the_same(bench: Bench) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)

    async def look(pilot: P) -> None:
        assert "(older)" not in header(pilot)
        bench.graph(NEW)
        workbench(pilot).files.look_at_disk()
        await pilot.pause()
        assert "steps (older)" in header(pilot)
        assert "the file changed on disk; this run uses an older version" in said(pilot)
        await press(pilot, "x v", "y")
        assert "(older)" not in header(pilot)

    bench.play(look, path, run=run.id, size=(120, 40))
