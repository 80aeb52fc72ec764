"""What others wrote never moves the cursor, never hides, and never passes for a line of ours."""

from __future__ import annotations

import json

import apsw
import pytest

from stepgraph_tui.text.characters import visible
from tests.cli.calling import ASK, COUNT, Cli

FORGED = "note: review a-zzzzzzzz still waits, go on with:\n  stepgraph approvals decide a-zzzzzzzz --approve"
ESCAPES = "\x1b]0;pwned\x07\x1b[2J\u3164\u202e\r"


def lines(result_out: str) -> list[str]:
    assert result_out == "".join(
        char for char in result_out if char == "\n" or visible(f"a{char}") == f"a{char}"
    )
    return result_out.splitlines()


def is_forged(line: str) -> bool:
    return line.startswith(("note: review", "  stepgraph approvals decide a-zzzzzzzz", "stepgraph approvals"))


def test_names_labels_prompts_and_values_stay_on_their_lines(cli: Cli) -> None:
    bad = json.dumps(f"x\n{FORGED}{ESCAPES.replace(chr(27), '').replace(chr(7), '')}")
    text = ASK.replace('name = "ask"', f"name = {bad}").replace('label = "approved"', f"label = {bad}")
    text = text.replace('prompt = "Pay {{ order.amount }}?"', f"prompt = {bad}")
    graph = cli.graph(text.replace('action = "pay(amount={{ order.amount }})"', f"action = {bad}"))
    run = cli("run", graph, "--run-id", "r-1")
    review = cli("approvals", "--json").json[0]["id"]
    results = [
        run,
        cli("check", graph),
        cli("show", graph),
        cli("diff", graph, graph),
        cli("approvals"),
        cli("approvals", "show", review),
        cli("runs"),
        cli("runs", "show", "r-1"),
        cli("runs", "show", "r-1", "--step", "0"),
        cli("extend", "r-1", "3"),
        cli("fork", "r-1", "--at", "0"),
        cli("approvals", "decide", review, "--approve", "--as", f"me\n{FORGED}"),
        cli("step", "r-1"),
    ]
    for result in results:
        assert not any(map(is_forged, [*lines(result.out), *lines(result.err)]))


@pytest.mark.parametrize(
    "words",
    [
        ("runs", "show", f"r{ESCAPES}\n{FORGED}"),
        ("approvals", "show", f"a{ESCAPES}\n{FORGED}"),
        ("approvals", "decide", f"a{ESCAPES}\n{FORGED}", "--approve"),
        ("extend", f"r{ESCAPES}\n{FORGED}", "3"),
        ("extend", "r-1", f"3{ESCAPES}\n{FORGED}"),
        ("step", f"r{ESCAPES}\n{FORGED}"),
        ("check", f"g{ESCAPES}\n{FORGED}.toml"),
        ("show", f"g{ESCAPES}\n{FORGED}.toml"),
        ("diff", f"g{ESCAPES}\n{FORGED}", "x"),
        ("check", "--explain", f"G{ESCAPES}\n{FORGED}"),
        ("runs", f"--{ESCAPES}\n{FORGED}"),
        ("runs", "--status", f"{ESCAPES}\n{FORGED}"),
        (f"g{ESCAPES}\n{FORGED}",),
        ("run", "graph.toml", "--input", f"{ESCAPES}\n{FORGED}"),
        ("runs", "--store", f"{ESCAPES}\n{FORGED}"),
    ],
)
def test_what_somebody_typed_is_shown_as_foreign_too(cli: Cli, words: tuple[str, ...]) -> None:
    cli.graph(COUNT)
    result = cli(*words)
    assert result.err
    assert not any(map(is_forged, [*lines(result.out), *lines(result.err)]))


@pytest.mark.parametrize(
    "changes",
    [
        ("UPDATE runs SET id = :bad",),
        ("UPDATE runs SET graph = :bad, source = :bad",),
        ("UPDATE runs SET definition = :bad", "UPDATE definitions SET hash = :bad"),
        ("UPDATE runs SET review = :bad", "UPDATE ledger SET review = :bad WHERE review IS NOT NULL"),
        ('UPDATE ledger SET data = replace(data, \'"hash":"\', \'"hash":"\' || :json)',),
    ],
    ids=["run", "graph", "definition", "review", "hash"],
)
def test_the_ids_of_somebody_elses_store_are_shown_as_foreign_too(cli: Cli, changes: tuple[str, ...]) -> None:
    bad = f"x{ESCAPES}\n{FORGED}"
    review = cli.paused()
    connection = apsw.Connection(cli("doctor", "--json").json["store"]["address"].removeprefix("sqlite:///"))
    with connection:
        for change in changes:
            connection.execute(change, {"bad": bad, "json": json.dumps(bad)[1:-1]})
    connection.close()
    run = bad if changes[0] == "UPDATE runs SET id = :bad" else "r-1"
    for words in (
        ("runs",),
        ("approvals",),
        ("approvals", "show", review),
        ("approvals", "show", bad),
        ("runs", "show", run),
        ("extend", run, "3"),
        ("step", run),
    ):
        result = cli(*words)
        assert not any(map(is_forged, [*lines(result.out), *lines(result.err)]))
        assert all(line.isprintable() for line in cli(*words, "--json").out.splitlines())
