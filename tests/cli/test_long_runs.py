"""Runs of thousands of steps: what is read is what is shown, and nothing is kept that was written."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from stepgraph import Executor, SqliteStore
from stepgraph.files import read_graph
from stepgraph.stores.ledger import Row, RowKind
from tests.cli.calling import Cli

LOOP = """
format = 1
name = "loop"
start = "think"
max_steps = 100_000

[state.amount]
default = 1

[nodes.think]
type = "router"
key = "amount"
threshold = 10
high = "done"
low = "again"

[[edges]]
from = "think"
to = "END"
when = 'route == "done"'

[[edges]]
from = "think"
to = "think"
label = "again"
"""
STEPS = 5_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph and a store, in which a run has come a long way."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "loop.toml").write_text(LOOP, encoding="utf-8")
    with SqliteStore(folder / "runs.db", durability="normal") as store:
        executor = Executor(read_graph(folder / "loop.toml").compile(), store)
        run = executor.start({}, "r-1")
        for _ in range(STEPS):
            executor.step(run)
    return folder


@pytest.fixture
def read(cli: Cli, made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many rows each reading of the command's store has brought."""
    shutil.copytree(made, cli.folder, dirs_exist_ok=True)
    readings: list[int] = []
    rows = SqliteStore.rows

    def counted(
        store: SqliteStore,
        run_id: str,
        after: int = 0,
        upto: int | None = None,
        kinds: Iterable[RowKind] | None = None,
    ) -> list[Row]:
        found = rows(store, run_id, after, upto, kinds)
        readings.append(len(found))
        return found

    monkeypatch.setattr(SqliteStore, "rows", counted)
    yield readings
    assert max(readings, default=0) <= 2_000


def test_the_last_steps_are_shown(cli: Cli, read: list[int]) -> None:
    shown = cli("runs", "show", "r-1")
    assert "the last 200 of 5,000 steps; --all shows every step" in shown.out
    steps = [line.split()[0] for line in shown.out.splitlines() if " again: " in line]
    assert steps == [str(number) for number in range(4_801, 5_001)]
    assert sum(read) < 1_000


def test_all_steps_are_shown_when_asked_for_under_one_heading(cli: Cli, read: list[int]) -> None:
    shown = cli("runs", "show", "r-1", "--all")
    lines = [line for line in shown.out.splitlines() if " again: " in line]
    assert [line.split()[0] for line in lines] == [str(number) for number in range(1, STEPS + 1)]
    assert shown.out.count("WHY") == 1
    assert len({line.index("think") for line in lines}) == 1
    assert "--all" not in shown.out


def test_json_has_every_step_and_is_written_while_it_is_read(cli: Cli, read: list[int]) -> None:
    told = cli("runs", "show", "r-1", "--json").json
    assert [step["step"] for step in told["history"]] == [*range(1, STEPS + 1)]
    assert [step["step"] for step in told["trace"]["steps"]] == [*range(1, STEPS + 1)]
    assert told["history"][0]["edges"][1]["matched"] is True
    assert (told["attempts"], told["reviews"], told["review"]) == ([], [], None)
    assert told["values"] == {"amount": 1, "route": "again"}


@pytest.mark.parametrize(
    "words", ["runs show r-1 --step 4999", "resume r-1 --after think", "step r-1", "extend r-1 5"]
)
def test_what_is_about_one_step_reads_some_hundred_rows(cli: Cli, read: list[int], words: str) -> None:
    assert cli(*words.split()).code == 0
    assert sum(read) < 1_000


@pytest.mark.parametrize("at", [0, 1, 2_500, STEPS])
def test_a_fork_reads_no_history(cli: Cli, read: list[int], at: int) -> None:
    assert cli("fork", "r-1", "--at", at, "--run-id", "r-2").code == 0
    assert sum(read) < 1_000
    with SqliteStore("runs.db") as store:
        assert [row.step for row in store.rows("r-2", after=1, kinds=("step",), upto=600)] == [
            *range(1, min(at, 599) + 1)
        ]
        assert store.load("r-2").pointer.step == at
    assert cli("step", "r-2").code == 0
    again = cli("runs", "show", "r-2").out
    assert f"step {at + 1} of " in again or f"{at + 1}" in again


def test_the_last_runs_are_listed(cli: Cli, read: list[int]) -> None:
    with SqliteStore("runs.db", durability="normal") as store:
        executor = Executor(read_graph(cli.folder / "loop.toml").compile(), store)
        for number in range(250):
            executor.start({}, f"n-{number}")
    listed = cli("runs")
    assert len(listed.out.splitlines()) == 201
    assert "these are the 200 that were changed last; --all lists every run" in listed.err
    everything = cli("runs", "--all")
    assert len(everything.out.splitlines()) == 252
    assert "--all" not in everything.err
    assert len(cli("runs", "--json").json) == 251
