"""A run on an older version of its file: it is said, what differs is shown, and the run can adopt it."""

from __future__ import annotations

import pytest

from stepgraph_tui.dialogs.adopt import AdoptQuestion
from tests.app.bench import SIZES, Bench, P, dialog, header, press, said, text, workbench

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


@SIZES
def test_opening_it_says_so_shows_what_differs_and_one_key_adopts(
    bench: Bench, size: tuple[int, int]
) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)
    bench.graph(NEW)

    async def look(pilot: P) -> None:
        assert "steps (older)" in header(pilot)
        assert "older version: = shows what differs" in said(pilot)
        await press(pilot, "equals_sign")
        question = text(pilot)
        assert f"Run {run.id} goes by an older version of graph.toml" in question
        assert "score >= 8 became score >= 4" in question
        assert "max_steps: 12 became 20" in question
        await press(pilot, "a")
        assert "(older)" not in header(pilot)
        assert "step 1/20" in header(pilot)
        assert "goes by the file as it is here" in said(pilot)
        await press(pilot, "s")
        await press(pilot, "equals_sign")
        assert "goes by the file as it is here" in said(pilot)

    bench.play(look, path, run=run.id, size=size)
    after = bench.load(run.id)
    assert (after.status, after.step, after.max_steps) == ("ended", 2, 20)
    assert [row.kind for row in bench.store.rows(run.id)] == ["start", "step", "adopt", "step"]


@pytest.mark.parametrize("key", ["escape", "enter", "q"])
def test_keeping_the_older_one_changes_nothing_and_the_run_goes_on_with_it(bench: Bench, key: str) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)
    bench.graph(NEW)

    async def look(pilot: P) -> str:
        await press(pilot, "equals_sign", key, "s")
        return header(pilot)

    assert "steps (older)" in bench.play(look, path, run=run.id)
    stored = bench.store.load(run.id).pointer
    assert (stored.status, stored.step, stored.limit, stored.current) == ("ready", 2, 12, "one")


def test_a_file_without_the_node_where_the_run_stands_cannot_be_adopted(bench: Bench) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)
    bench.graph(NEW.replace("nodes.two", "nodes.three").replace('"two"', '"three"'))

    async def look(pilot: P) -> str:
        await press(pilot, "equals_sign", "a")
        dialog(pilot, AdoptQuestion)
        return text(pilot)

    seen = bench.play(look, path, run=run.id)
    assert "It cannot adopt the file: it stands at two, a node that the file" in seen
    assert "Put it back there, or S starts over." in " ".join(seen.replace("┃", " ").split())
    assert "a Adopt" not in seen
    assert [row.kind for row in bench.store.rows(run.id)] == ["start", "step"]


def test_a_run_that_has_ended_or_a_file_with_errors_says_why_it_cannot(bench: Bench) -> None:
    path = bench.graph(OLD.replace("score >= 8", "score >= 3"))
    run = bench.run(path, steps=2)
    bench.graph(NEW)

    async def look(pilot: P) -> str:
        await press(pilot, "equals_sign")
        return " ".join(text(pilot).replace("┃", " ").split())

    assert "it has ended: S starts over with the file" in bench.play(look, path, run=run.id)
    path = bench.graph(OLD, "other.toml")
    run = bench.run(path, steps=1)
    bench.graph(OLD.replace("[nodes.two]", '[nodes.lost]\ntype = "handler"\n\n[nodes.two]'), "other.toml")
    assert "to fix first" in bench.play(look, path, run=run.id)


def test_a_file_that_changes_while_its_run_is_open_says_the_same(bench: Bench) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)

    async def look(pilot: P) -> None:
        assert "(older)" not in header(pilot)
        bench.graph(NEW)
        workbench(pilot).controllers.files.look_at_disk()
        await pilot.pause()
        assert "steps (older)" in header(pilot)
        assert "the file changed on disk; this run goes by an older version" in said(pilot)
        await press(pilot, "equals_sign", "a")
        assert "(older)" not in header(pilot)

    bench.play(look, path, run=run.id, size=(120, 40))


def test_a_file_that_cannot_be_read_is_not_said_to_be_what_the_run_goes_by(bench: Bench) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)
    bench.graph(OLD + "\n[nodes")

    async def look(pilot: P) -> str:
        await press(pilot, "equals_sign")
        return said(pilot)

    assert "the file cannot be read: 6 tells why" in bench.play(look, path, run=run.id)


def test_a_file_that_differs_in_words_only_is_no_other_version(bench: Bench) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)
    bench.graph(OLD.replace('when = "score >= 8"', 'when = "score >= 8"\nlabel = "good"') + "\n# more\n")

    async def look(pilot: P) -> str:
        assert "(older)" not in header(pilot)
        await press(pilot, "equals_sign")
        return said(pilot)

    assert "goes by the file as it is here" in bench.play(look, path, run=run.id)


def test_somebody_else_who_moves_the_run_meanwhile_is_no_trouble(bench: Bench) -> None:
    path = bench.graph(OLD)
    run = bench.run(path, steps=1)
    executor = bench.executor(path)
    bench.graph(NEW)

    async def look(pilot: P) -> str:
        await press(pilot, "equals_sign")
        executor.step(executor.load(run.id))
        await press(pilot, "a")
        return header(pilot)

    assert "step 2/20" in bench.play(look, path, run=run.id)
