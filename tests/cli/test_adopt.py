"""Going on with a graph file that was changed since the run began: ``--adopt``."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Executor, SqliteStore, State, StateGraph
from stepgraph.values.errors import StepgraphError
from tests.cli.calling import COUNT, Cli, Result

BAD = COUNT.replace("count < 3", "count < limit")


def failed(cli: Cli) -> None:
    """A run that stopped at a condition which asks for a key that nothing writes."""
    body = "return {'count': state['count'] + 1}"
    path = cli.graph(BAD, work=f"def work(state):\n    {body}\n")
    assert cli("run", path, "--run-id", "r-1", "--trust").code == 1


def mended(cli: Cli, *words: str) -> Result:
    cli.graph(COUNT)
    return cli("retry", "r-1", "--trust", "--json", *words)


def test_the_page_of_the_run_says_what_was_adopted_and_when(cli: Cli) -> None:
    failed(cli)
    mended(cli, "--adopt")
    page = " ".join(cli("runs", "show", "r-1").out.split())
    assert "adopted after step 1: edge 'work' -> 'work'" in page
    assert "count < limit became count < 3" in page


def test_the_new_file_has_to_be_trusted(cli: Cli) -> None:
    failed(cli)
    cli.graph(COUNT)
    assert cli("retry", "r-1", "--adopt").code == 6
    assert "limit" in cli("runs", "show", "r-1").out


def count(state: State) -> dict[str, int]:
    raise StepgraphError("not today")


def test_a_run_without_a_file_has_none_to_adopt(cli: Cli, tmp_path: Path) -> None:
    graph = StateGraph("built", start="work")
    graph.add_node("work", count)
    graph.add_edge("work", "__END__")
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = Executor(graph.compile(), store)
        executor.run(executor.start({}, "r-1"))
    result = cli("retry", "r-1", "--adopt")
    assert result.code == 1
    assert "was not started from a graph file" in result.err


@pytest.mark.parametrize("option", [(), ("--adopt",)])
def test_a_run_that_has_not_failed_is_refused_before_anybody_is_asked_for_trust(
    cli: Cli, option: tuple[str, ...]
) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    cli.graph(COUNT.replace("count < 3", "count < 5"))
    result = cli("retry", "r-1", *option)
    assert result.code == 1
    assert "cannot retry run 'r-1': it is ended" in result.err
