"""``stepgraph edit``: paths, bad input, a review that waits, and runs that others move."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import SqliteStore
from stepgraph.expressions.tree import path_text
from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from tests.cli.calling import Cli


def rows(cli: Cli, run_id: str = "r-1") -> list[Any]:
    with SqliteStore(cli.folder / "runs.db") as store:
        return [row for row in open_run(store, run_id).store.rows(run_id) if row.kind == "edit"]


def started(cli: Cli) -> None:
    path = cli.count("return {'count': state['count'] + 1, 'order': {'amount': 1, 'tags': ['a']}}")
    assert cli("run", path, "--run-id", "r-0", "--trust").code == 0
    assert cli("fork", "r-0", "--at", "1", "--run-id", "r-1").code == 0


def test_keys_of_any_name_are_set_by_their_paths_and_once_there_by_their_names(cli: Cli) -> None:
    started(cli)
    names = {"a b": 1, "a.b": 2, "größe": 3, "x=y": 4, 'quo"te': 5, "価格": 6, "my-key": 7, "step": 8}
    words = [f"--set={path_text((name,))}={value}" for name, value in names.items()]
    told = cli("edit", "r-1", *words, "--set", 'order["x = y"]=z=1', "--json").json["values"]
    assert {name: told[name] for name in names} == names
    assert told["order"]["x = y"] == "z=1"
    words = [f"--set={name}={value + 1}" for name, value in names.items() if name not in ("x=y", "a.b")]
    told = cli("edit", "r-1", *words, "--set", 'state["x=y"]=5', "--unset", "a.b", "--json").json["values"]
    assert {name: told.get(name) for name in names} == {n: v + 1 for n, v in names.items()} | {"a.b": None}


def test_a_slip_of_a_declared_key_is_remarked_on(cli: Cli) -> None:
    started(cli)
    assert "did you mean 'count'" in cli("edit", "r-1", "--set", "cuont=1").err


def test_what_is_so_already_is_no_edit(cli: Cli) -> None:
    started(cli)
    done = cli("edit", "r-1", "--set", "count=1")
    assert "nothing was edited" in done.err
    assert rows(cli) == []


def test_no_secret_is_told_of(cli: Cli) -> None:
    cli.paused()
    done = cli("edit", "r-1", "--set", "token=other-secret")
    assert done.code == 0
    assert "hunter2" not in done.out + done.err
    assert "other-secret" not in done.out + done.err
    assert "~ token (secret)" in done.err
    for words in ([], ["--json"], ["--step", "0"], ["--step", "0", "--json"]):
        shown = cli("runs", "show", "r-1", *words)
        assert shown.code == 0
        assert "other-secret" not in shown.out + shown.err
    assert "~ token (secret)" in cli("runs", "show", "r-1").out


def test_an_edit_that_another_process_overtakes_changes_nothing(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(cli)
    record = operations.edit

    def overtaken(*words: Any) -> None:
        with SqliteStore(cli.folder / "runs.db") as store:
            operations.extend(open_run(store, "r-1"), 1, 0.0)
        record(*words)

    monkeypatch.setattr("stepgraph_tui.cli.edit.record", overtaken)
    done = cli("edit", "r-1", "--set", "count=3")
    assert done.code == 3
    assert "another process has advanced it" in done.err
    assert rows(cli) == []


def test_whoever_drives_a_run_that_is_edited_meanwhile_is_told_that_the_step_is_lost(cli: Cli) -> None:
    head = (
        "from stepgraph import SqliteStore\nfrom stepgraph.runs.operations import edit\n"
        "from stepgraph.runs.views import open_run"
    )
    body = (
        "if state['count'] == 0:\n"
        f"        with SqliteStore({str(cli.folder / 'runs.db')!r}) as store:\n"
        "            edit(open_run(store, state.run_id), {'count': 7}, 'ana', '', 0.0)\n"
        "    return {'count': state['count'] + 1}"
    )
    done = cli("run", cli.count(body, head), "--run-id", "r-1", "--trust")
    assert done.code == 3
    assert "another process has advanced it" in done.err
    assert "what node work has just done is not recorded; `stepgraph runs show r-1" in done.err
    assert cli("resume", "r-1", "--json").json["values"] == {"count": 8}
