"""``stepgraph edit``: paths, bad input, a review that waits, and runs that others move."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Executor, SqliteStore, StateGraph
from stepgraph.expressions.spelling import path_text
from stepgraph.nodes.approval import ApprovalNode
from stepgraph.reviews.inbox import Reviews
from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from tests.cli.calling import Cli

ROOT = Path(__file__).parents[2]


def rows(cli: Cli, run_id: str = "r-1") -> list[Any]:
    with SqliteStore(cli.folder / "runs.db") as store:
        return [row for row in open_run(store, run_id).store.rows(run_id) if row.kind == "edit"]


def started(cli: Cli) -> None:
    path = cli.count("return {'count': state['count'] + 1, 'order': {'amount': 1, 'tags': ['a']}}")
    assert cli("run", path, "--run-id", "r-0", "--trust").code == 0
    assert cli("fork", "r-0", "--at", "1", "--run-id", "r-1").code == 0


def test_values_are_set_and_taken_away_by_their_paths_and_the_ledger_says_by_whom(cli: Cli) -> None:
    started(cli)
    done = cli(
        "edit", "r-1", "--set", "order.amount=90", "--set", "order.tags[0]=b", "--unset", "count",
        "--comment", "too much", "--as", "ana",
    )  # fmt: skip
    assert done.code == 0
    assert "~ order.amount 1 -> 90" in done.err
    assert "- count" in done.err
    (row,) = rows(cli)
    assert row.data == {"by": "ana", "comment": "too much", "source": "cli"}
    assert row.updates == {"order": {"amount": 90, "tags": ["b"]}, "count": None}
    shown = cli("runs", "show", "r-1", "--json").json
    assert shown["values"] == {"order": {"amount": 90, "tags": ["b"]}}


def test_json_tells_the_run_as_it_is_then(cli: Cli) -> None:
    started(cli)
    told = cli("edit", "r-1", "--set", "count=2", "--json").json
    assert told["values"]["count"] == 2
    assert told["status"] == "ready"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "count=many"], "takes a number"),
        (["--set", "count"], "KEY=VALUE"),
        (["--set", "order.gone.amount=1"], "order has no key 'gone'"),
        (["--set", "order.amount.x=1"], "order.amount is no table"),
        (["--set", "order.=1"], "'order.' is no key that the state has, and no path"),
        (["--set", "a b=1"], 'a new key of that name is state["a b"]'),
        (["--unset", "a b"], 'a new key of that name is state["a b"]'),
        (["--set", "a.b=1"], 'a key of that very name is state["a.b"]'),
        (["--set", 'state["x=y"'], "no key that the state has, and no path"),
        (["--set", 'state["x=y"]'], "KEY=VALUE"),
        (["--set", "docs[0]=1"], "the state has no key 'docs', so it has no docs[0]"),
        (["--unset", "order.gone"], "order has no key 'gone'"),
        (["--set", "count=1", "--unset", "count"], "both set and taken away"),
        ([], "nothing is to be edited"),
    ],
)
def test_bad_input_changes_nothing(cli: Cli, words: list[str], said: str) -> None:
    started(cli)
    done = cli("edit", "r-1", *words)
    assert done.code == 1
    assert said in done.err
    assert rows(cli) == []


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


EXAMPLES = [
    shlex.split(line, comments=True)
    for line in (ROOT / "docs" / "debugging.md").read_text("utf-8").splitlines()
    if line.startswith("$ stepgraph edit RUN")
]


@pytest.mark.parametrize(("graph", "words"), [*zip(("refund_triage", "tool_router"), EXAMPLES, strict=True)])
def test_the_examples_of_the_manual_suit_their_graphs(cli: Cli, graph: str, words: list[str]) -> None:
    path = ROOT / "graphs" / f"{graph}.toml"
    cli("run", path, "--run-id", "r-1", "--break", "key:facts")
    done = cli(*words[2:3], "r-1", *words[4:])
    assert done.code == 0
    assert len(rows(cli)) == 1
    assert cli("runs", "show", "r-1").out.count("\n  ~ ") == 1


def test_a_slip_of_a_declared_key_is_remarked_on(cli: Cli) -> None:
    started(cli)
    assert "did you mean 'count'" in cli("edit", "r-1", "--set", "cuont=1").err


def test_what_is_so_already_is_no_edit(cli: Cli) -> None:
    started(cli)
    done = cli("edit", "r-1", "--set", "count=1")
    assert "nothing was edited" in done.err
    assert rows(cli) == []


def test_a_run_that_has_ended_is_left_alone(cli: Cli) -> None:
    started(cli)
    done = cli("edit", "r-0", "--set", "count=1")
    assert done.code == 1
    assert "fork it from an earlier step" in done.err


def test_a_review_is_withdrawn_and_asked_anew_with_the_edited_state(cli: Cli) -> None:
    old = cli.paused()
    done = cli("edit", "r-1", "--set", "order.amount=90", "--as", "ana", "--json")
    assert done.code == 0
    assert f"review {old} of node ask is withdrawn, and asked anew" in done.err
    assert done.json["review"]["id"] != old
    assert done.json["review"]["prompt"] == "Pay 90?"
    with SqliteStore(cli.folder / "runs.db") as store:
        reviews = Reviews(store)
        assert reviews.get(old).status == "withdrawn"
    assert rows(cli)[0].data["by"] == "ana"


def test_a_review_that_nobody_could_ask_anew_is_not_withdrawn(cli: Cli) -> None:
    graph = StateGraph("own", start="ask")
    graph.add_node("ask", ApprovalNode(prompt="Go on?"))
    graph.add_node("act", lambda state: {})
    graph.add_edge("ask", "act")
    graph.add_edge("act", END)
    with SqliteStore(cli.folder / "runs.db") as store:
        Executor(graph.compile(), store).run(Executor(graph.compile(), store).start({"n": 1}, "r-1"))
    done = cli("edit", "r-1", "--set", "n=2")
    assert done.code == 1
    assert "Python objects that the store does not hold" in done.err
    assert rows(cli) == []
    with SqliteStore(cli.folder / "runs.db") as store:
        assert len(Reviews(store).pending()) == 1


@pytest.mark.parametrize(("answer", "edited"), [(False, 0), (True, 1)])
def test_at_a_terminal_it_asks_before_a_review_is_withdrawn(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, answer: bool, edited: int
) -> None:
    cli.paused()
    monkeypatch.setattr("stepgraph_tui.cli.edit.can_ask", lambda: True)
    asked: list[str] = []

    def says_yes(output: object, question: str) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr("stepgraph_tui.cli.edit.says_yes", says_yes)
    assert cli("edit", "r-1", "--set", "order.amount=90").code == 0
    assert asked == ["Edit the state?"]
    assert len(rows(cli)) == edited


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

    monkeypatch.setattr(operations, "edit", overtaken)
    done = cli("edit", "r-1", "--set", "count=3")
    assert done.code == 3
    assert "somebody else has moved it on" in done.err
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
    assert "somebody else has moved it on" in done.err
    assert "what node work has just done is not recorded; `stepgraph runs show r-1" in done.err
    assert cli("resume", "r-1", "--json").json["values"] == {"count": 8}


def test_a_fork_is_given_values_by_their_paths(cli: Cli) -> None:
    started(cli)
    told = cli("fork", "r-0", "--at", "1", "--set", "order.amount=7", "--unset", "order.tags", "--json").json
    assert told["values"]["order"] == {"amount": 7}
    refused = cli("fork", "r-0", "--at", "1", "--set", "order.gone.x=7")
    assert refused.code == 1
    assert "order has no key 'gone'" in refused.err


def test_a_fork_without_a_step_goes_on_from_where_the_run_stands_edits_included(cli: Cli) -> None:
    started(cli)
    cli("edit", "r-1", "--set", "count=2")
    whole = cli("fork", "r-1", "--run-id", "r-2", "--json")
    assert (whole.json["values"]["count"], whole.json["origin"]) == (2, "r-1@1+1")
    assert "run r-2 goes on from r-1@1 with 1 edit; work comes next" in whole.err
    step = cli("fork", "r-1", "--at", "1", "--json").json
    assert (step["values"]["count"], step["origin"]) == (1, "r-1@1")
    assert "forked   from r-1@1 with 1 edit\n" in cli("runs", "show", "r-2").out
    assert "r-2 was forked from r-1 after step 1 with 1 edit." in cli("runs", "diff", "r-1", "r-2").out
    assert "└─ r-2" in cli("runs", "--tree").out


def test_a_fork_of_a_step_whose_edges_were_tried_in_an_edited_state_keeps_that_edit(cli: Cli) -> None:
    path = cli.count("return {'order': {'amount': 1, 'tags': []}}")
    text = path.read_text().replace("count < 3", "order.amount > order.top")
    path.write_text(text.replace('to = "END"', 'to = "work"\nwhen = "count == 0 and step == 1"'))
    assert cli("run", path, "--run-id", "r-1", "--trust").code == 1
    assert cli("edit", "r-1", "--set", "order.top=2").code == 0
    cli("retry", "r-1")
    forked = cli("fork", "r-1", "--at", "1", "--set", "order.amount=5", "--json").json
    assert forked["values"]["order"] == {"amount": 5, "tags": [], "top": 2}


def test_the_pages_of_a_run_and_of_a_step_tell_who_edited_what_when_and_why(cli: Cli) -> None:
    started(cli)
    cli("edit", "r-1", "--set", "order.amount=90", "--comment", "too much", "--as", "ana")
    cli("edit", "r-1", "--unset", "count", "--as", "bo")
    for words in ([], ["--step", "1"]):
        told = cli("runs", "show", "r-1", *words).out
        first, second = (
            told.index("by ana: too much\n  ~ order.amount 1 -> 90\n"),
            told.index("by bo\n  - count"),
        )
        assert first < second
        edits = cli("runs", "show", "r-1", *words, "--json").json["edits"]
        assert [(edit["step"], edit["by"], edit["comment"]) for edit in edits] == [
            (1, "ana", "too much"),
            (1, "bo", ""),
        ]
        assert edits[1]["updates"] == {"count": None}
    assert "EDITED" not in cli("runs", "show", "r-1", "--step", "0").out
    assert cli("runs", "show", "r-0", "--json").json["edits"] == []
